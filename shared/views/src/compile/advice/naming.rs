//! SK031 and SK034: whether a shadow's key names the item it is derived from.
//!
//! It does if every attribute of the source table's key is a field of it, or every attribute of the source's `identity`.
//! An attribute that the source's match holds to one value needs no field. Fields of an element of `for_each` do not
//! count. Two shadows of one item with one key are no conflict, so that this is all it takes.
//!
//! Ops that fold spellings together (`lower`, `trim`) are taken to keep the name, since that is what they are used for;
//! `prefix`, `hash` and `shard` are not, and where only they stand between a key and its name, SK034 says so. A `unique` key
//! has no name to hold; there SK034 is of whatever it keeps too little of.

use shadowkey_item::AttributePath;
use shadowkey_key_codec::{FieldLayout, LayoutPart, Template};

use super::{Findings, Shadow};
use crate::Code;
use crate::file::ViewFile;
use crate::view::Views;

impl Findings<'_> {
    pub(super) fn naming(&mut self, shadow: &Shadow<'_>, file: &ViewFile, views: &Views) {
        let names = Names::new(shadow, file, views);
        let view = shadow.view;
        if !view.unique && !names.hold(shadow, |_| true) {
            self.add_for(
                &view.name,
                Code::Sk031,
                shadow.section.key.span(),
                "two items can have the same key here: it names neither the source's key nor its `identity`",
                format!(
                    "put {} into the key, declare the source's `identity`, or say `unique = true`",
                    names.wanted()
                ),
            );
        } else if !names.hold(shadow, |field| !field.collides) {
            self.collision(shadow, &names);
        }
    }

    /// A field of which only a part, a hash or a bucket is kept anywhere in the key, rather one that should name the item.
    fn collision(&mut self, shadow: &Shadow<'_>, names: &Names) {
        let fields: Vec<(&str, FieldLayout<'_>)> = shadow
            .view
            .key
            .iter()
            .flat_map(|(part, template)| fields(template).map(|field| (part.as_str(), field)))
            .collect();
        let is_kept = |path| fields.iter().any(|(_, field)| field.path == path && !field.collides);
        let mut lost = fields
            .iter()
            .filter(|(_, field)| field.collides && !is_kept(field.path));
        let first = lost.clone().next();
        if let Some((part, field)) = lost.find(|(_, field)| names.include(field.path)).or(first) {
            let message = format!(
                "items that differ in `{}` only can have the same key: `prefix`, `hash` and `shard` keep too little of it",
                field.path
            );
            let help = "name the source's key or its `identity` in the key as well, without these ops";
            self.add_for(&shadow.view.name, Code::Sk034, shadow.part_span(part), message, help);
        }
    }
}

/// What names the items of a source.
struct Names {
    key: Vec<AttributePath>,
    identity: Vec<AttributePath>,
}

impl Names {
    fn new(shadow: &Shadow<'_>, file: &ViewFile, views: &Views) -> Self {
        let mut sections = file.source.iter();
        let section = sections.find(|(name, _)| *name.get_ref() == shadow.inputs.source.name);
        let identity = section.into_iter().flat_map(|(_, section)| &section.identity);
        let key = views.table.key.attributes();
        Self {
            key: key.map(|attribute| AttributePath::attribute(&attribute.name)).collect(),
            identity: identity
                .filter_map(|path| AttributePath::parse(path.get_ref()).ok())
                .collect(),
        }
    }

    /// Whether the fields of a key that count hold the name.
    fn hold(&self, shadow: &Shadow<'_>, counts: impl Fn(&FieldLayout<'_>) -> bool) -> bool {
        let templates = shadow.view.key.iter().map(|(_, template)| template);
        let paths: Vec<&AttributePath> = templates
            .flat_map(fields)
            .filter(|field| counts(field) && shadow.inputs.is_of_item(field.path))
            .map(|field| field.path)
            .collect();
        let is_held = |path: &AttributePath| shadow.inputs.is_pinned(path) || paths.contains(&path);
        self.key.iter().all(is_held) || !self.identity.is_empty() && self.identity.iter().all(is_held)
    }

    fn include(&self, path: &AttributePath) -> bool {
        self.key.contains(path) || self.identity.contains(path)
    }

    /// The attributes to put into a key, as a person reads them.
    fn wanted(&self) -> String {
        let paths = if self.identity.is_empty() {
            &self.key
        } else {
            &self.identity
        };
        let fields: Vec<String> = paths.iter().map(|path| format!("`{{{path}}}`")).collect();
        fields.join(" and ")
    }
}

fn fields(template: &Template) -> impl Iterator<Item = FieldLayout<'_>> {
    template.layout().into_iter().filter_map(|part| match part {
        LayoutPart::Field(field) => Some(field),
        LayoutPart::Literal(_) => None,
    })
}
