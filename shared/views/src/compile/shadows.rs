//! The `[shadow]` sections.

use std::collections::BTreeMap;

use shadowkey_item::{AttributePath, KeySchema, TableDefinition, TableName};
use shadowkey_key_codec::Template;
use toml::Spanned;

use super::Findings;
use crate::Code;
use crate::file::{Name, ProjectionSection, ShadowSection, ViewFile};
use crate::view::{AttributeView, Projection, ShadowView, Source};

/// Whether each key part is the very key attribute that it fills.
fn is_own_key(view: &ShadowView) -> bool {
    let is_itself = |(name, template): &(String, Template)| {
        template.to_string() == format!("{{{}}}", AttributePath::attribute(name.as_str()))
    };
    view.key.iter().all(is_itself)
}

impl Findings<'_> {
    pub(super) fn shadow_views(
        &mut self,
        file: &ViewFile,
        table: &TableDefinition,
        sources: &[Source],
        attributes: &[AttributeView],
    ) -> Vec<ShadowView> {
        let ttl = file.table.ttl.as_ref().map(|ttl| ttl.get_ref().as_str());
        let mut schemas = BTreeMap::from([(table.name.clone(), table.key.clone())]);
        file.shadow
            .iter()
            .filter_map(|(name, section)| {
                let (target, schema) = self.target(name, section, table, &mut schemas);
                let mut view = self.shadow_view(name, section, target, schema, sources)?;
                if view.table == table.name && view.for_each.is_none() && is_own_key(&view) {
                    let message = format!("every shadow of `{}` would have the key of its own source item", view.name);
                    let help = "nothing can be derived there; write something before or behind a field, or name another table in `into`";
                    self.add(Code::Sk003, name.span(), message, help);
                }
                if file.attribute.keys().any(|other| other.get_ref() == name.get_ref()) {
                    let message = format!("an attribute view is called `{}` too", view.name);
                    self.add(Code::Sk001, name.span(), message, "give each view a name of its own");
                }
                let hidden = view.for_each.as_ref().filter(|(element, _)| table.key.contains(element));
                if let (Some((element, _)), Some(declared)) = (hidden, &section.for_each) {
                    let message = format!("elements called `{element}` hide that attribute of the table's key");
                    let help = "give the elements another name";
                    self.add_for(&view.name, Code::Sk003, declared.span(), message, help);
                }
                let source = sources.get(view.source)?;
                view.fingerprint = view.fingerprint(&source.pattern, ttl, sources, attributes);
                Some(view)
            })
            .collect()
    }

    fn shadow_view(
        &mut self,
        name: &Name,
        section: &ShadowSection,
        table: TableName,
        schema: KeySchema,
        sources: &[Source],
    ) -> Option<ShadowView> {
        let view = name.get_ref();
        let key = self.key_parts(view, section, &schema);
        let for_each = self.for_each(view, section);
        let source = self.source_index(view, &section.source, sources);
        Some(ShadowView {
            name: view.clone(),
            source: source?,
            table,
            schema,
            key: key?,
            for_each: for_each?,
            projection: match &section.project {
                ProjectionSection::Keys => Projection::Keys,
                ProjectionSection::All => Projection::All,
                ProjectionSection::Names(names) => Projection::Include(names.clone()),
                ProjectionSection::Except(names) => Projection::Except(names.clone()),
            },
            unique: section.unique,
            fingerprint: String::new(),
        })
    }

    /// The table a view's shadows go into, and its key; one table has one key in all views.
    fn target(
        &mut self,
        name: &Name,
        section: &ShadowSection,
        table: &TableDefinition,
        schemas: &mut BTreeMap<TableName, KeySchema>,
    ) -> (TableName, KeySchema) {
        let Some(into) = &section.into else {
            return (table.name.clone(), table.key.clone());
        };
        self.table_name(&into.table);
        let target = TableName(into.table.get_ref().clone());
        let schema = self.key_schema(&into.partition_key, into.sort_key.as_ref());
        let first = schemas.entry(target.clone()).or_insert_with(|| schema.clone());
        if *first != schema {
            let message = format!("the table `{target}` has another key elsewhere in the file");
            self.add_for(
                name.get_ref(),
                Code::Sk003,
                into.table.span(),
                message,
                "give one table the same key everywhere",
            );
        }
        (target, schema)
    }

    /// A template for every key part of the target table and for nothing else.
    fn key_parts(
        &mut self,
        view: &str,
        section: &ShadowSection,
        schema: &KeySchema,
    ) -> Option<Vec<(String, Template)>> {
        let parts = section.key.get_ref();
        let names: Vec<&str> = schema.attributes().map(|attribute| attribute.name.as_str()).collect();
        let has = names.join("` and `");
        for part in parts.keys().filter(|part| !schema.contains(part.get_ref())) {
            let message = format!("`{}` is not part of the target table's key", part.get_ref());
            self.add_for(
                view,
                Code::Sk003,
                part.span(),
                message,
                format!("the key is `{has}`; other attributes come with `project`"),
            );
        }
        let mut templates = Vec::new();
        for attribute in schema.attributes() {
            let Some((_, text)) = parts.iter().find(|(part, _)| *part.get_ref() == attribute.name) else {
                let message = format!("the key part `{}` is missing", attribute.name);
                self.add_for(
                    view,
                    Code::Sk003,
                    section.key.span(),
                    message,
                    format!("the target table's key is `{has}`"),
                );
                continue;
            };
            if let Some(template) = self.template(view, text, attribute.kind) {
                templates.push((attribute.name.clone(), template));
            }
        }
        (templates.len() == names.len()).then_some(templates)
    }

    /// `None` where it is declared and wrong.
    fn for_each(&mut self, view: &str, section: &ShadowSection) -> Option<Option<(String, AttributePath)>> {
        let Some(declared) = &section.for_each else {
            return Some(None);
        };
        let mut bindings = declared.get_ref().iter();
        let (Some((name, path)), None) = (bindings.next(), bindings.next()) else {
            let message = "`for_each` gives one name to the elements of one list or set";
            self.add_for(
                view,
                Code::Sk001,
                declared.span(),
                message,
                "write it so: `for_each = { tag = \"tags\" }`",
            );
            return None;
        };
        self.binding(view, name);
        self.path(view, path).map(|path| Some((name.get_ref().clone(), path)))
    }

    fn binding(&mut self, view: &str, name: &Spanned<String>) {
        if AttributePath::parse(name.get_ref()).is_ok_and(|path| path.rest().is_empty()) {
            return;
        }
        let message = format!("`{}` is not a name that a template can use", name.get_ref());
        self.add_for(
            view,
            Code::Sk002,
            name.span(),
            message,
            "use letters, digits, `_` and `-`",
        );
    }
}
