//! The views of one view file, checked and ready to derive.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use shadowkey_item::{AttributePath, Item, KeyAttribute, KeySchema, ScalarType, TableDefinition, TableName};
use shadowkey_key_codec::{FORMAT_VERSION, Template};

use crate::MARKER;
use crate::pattern::Pattern;

/// Everything a view file declares.
#[derive(Debug, Clone)]
pub struct Views {
    pub(crate) table: TableDefinition,
    pub(crate) ttl: Option<String>,
    pub(crate) state: Option<TableName>,
    pub(crate) transactional: bool,
    pub(crate) sources: Vec<Source>,
    /// In dependency order: a view comes after those whose attributes it reads.
    pub(crate) attributes: Vec<AttributeView>,
    pub(crate) shadows: Vec<ShadowView>,
}

/// Which items views derive from.
#[derive(Debug, Clone)]
pub struct Source {
    pub(crate) name: String,
    pub(crate) pattern: Pattern,
}

/// A composite attribute on the source item.
#[derive(Debug, Clone)]
pub struct AttributeView {
    pub(crate) name: String,
    pub(crate) source: usize,
    pub(crate) attribute: String,
    pub(crate) template: Template,
}

/// A derived item.
#[derive(Debug, Clone)]
pub struct ShadowView {
    pub(crate) name: String,
    pub(crate) source: usize,
    pub(crate) table: TableName,
    pub(crate) schema: KeySchema,
    /// The templates of the key parts, partition key first.
    pub(crate) key: Vec<(String, Template)>,
    pub(crate) for_each: Option<(String, AttributePath)>,
    pub(crate) projection: Projection,
    pub(crate) unique: bool,
    pub(crate) fingerprint: String,
}

/// Which attributes of the source a shadow carries beside its key, the ttl and the marker.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Projection {
    /// None.
    Keys,
    /// All.
    All,
    /// These.
    Include(Vec<String>),
    /// All but these.
    Except(Vec<String>),
}

impl Projection {
    /// Whether an attribute is carried.
    pub fn contains(&self, name: &str) -> bool {
        match self {
            Self::Keys => false,
            Self::All => true,
            Self::Include(names) => names.iter().any(|included| included == name),
            Self::Except(names) => !names.iter().any(|excluded| excluded == name),
        }
    }
}

/// What a fingerprint is of, in an order that no feature of the JSON library changes.
#[derive(serde::Serialize)]
struct Definition<'a> {
    /// By attribute, the match and the template of each view that writes it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: BTreeMap<&'a str, BTreeSet<String>>,
    for_each: Option<(&'a String, String)>,
    format: u32,
    key: BTreeMap<&'a String, String>,
    #[serde(rename = "match")]
    pattern: BTreeMap<String, Vec<Value>>,
    project: Value,
    ttl: Option<&'a str>,
}

impl Views {
    /// The table that the source items are in.
    pub fn table(&self) -> &TableDefinition {
        &self.table
    }

    /// The attribute by which items expire, where the view file names one.
    pub fn ttl(&self) -> Option<&str> {
        self.ttl.as_deref()
    }

    /// The tables that shadows go into besides the sources' own.
    pub fn other_tables(&self) -> Vec<TableDefinition> {
        let others: BTreeMap<_, _> = self
            .shadows
            .iter()
            .filter(|view| view.table != self.table.name)
            .map(|view| (&view.table, &view.schema))
            .collect();
        others
            .into_iter()
            .map(|(name, key)| TableDefinition {
                name: name.clone(),
                key: key.clone(),
                indexes: Vec::new(),
            })
            .collect()
    }

    /// The companion table, where one is declared.
    pub fn state_table(&self) -> Option<TableDefinition> {
        let name = self.state.clone()?;
        let id = KeyAttribute {
            name: "id".to_owned(),
            kind: ScalarType::S,
        };
        Some(TableDefinition {
            name,
            key: KeySchema {
                partition: id,
                sort: None,
            },
            indexes: Vec::new(),
        })
    }

    /// Whether the writes of a change go into one transaction that holds the source item.
    pub fn is_transactional(&self) -> bool {
        self.transactional
    }

    /// The attributes of an image that what it derives depends on, without its key: those that decide what is derived
    /// first, then those that are only carried along.
    pub fn attributes_read(&self, image: &Item) -> Vec<String> {
        let mut names: Vec<&str> = Vec::new();
        names.extend(
            self.sources
                .iter()
                .flat_map(|source| source.pattern.paths())
                .map(AttributePath::root),
        );
        names.extend(
            self.attributes
                .iter()
                .flat_map(|view| view.template.paths())
                .map(AttributePath::root),
        );
        names.extend(self.attributes.iter().map(|view| view.attribute.as_str()));
        for view in &self.shadows {
            let element = view.for_each.as_ref().map(|(name, _)| name.as_str());
            let templates = view.key.iter().flat_map(|(_, template)| template.paths());
            names.extend(templates.map(AttributePath::root).filter(|root| Some(*root) != element));
            names.extend(view.for_each.iter().map(|(_, path)| path.root()));
        }
        names.extend(self.ttl.as_deref());
        let carried = |name: &&String| self.shadows.iter().any(|view| view.projection.contains(name));
        names.extend(image.keys().filter(carried).map(String::as_str));
        let included = self.shadows.iter().filter_map(|view| match &view.projection {
            Projection::Include(names) => Some(names),
            _ => None,
        });
        names.extend(included.flatten().map(String::as_str));
        let mut known = BTreeSet::new();
        names.retain(|name| !self.table.key.contains(name) && *name != MARKER && known.insert(*name));
        names.into_iter().map(str::to_owned).collect()
    }

    /// The view that writes an attribute of an item.
    pub fn writer_of(&self, attribute: &str, item: &Item) -> Option<&str> {
        let writers = || self.attributes.iter().filter(|view| view.attribute == attribute);
        let writer = writers().find(|view| self.matches(view.source, item));
        writer.or_else(|| writers().next()).map(|view| view.name.as_str())
    }

    /// The same views with a companion table, by a name that follows the table's own, where the file declares none.
    #[must_use]
    pub fn or_state_table(mut self) -> Self {
        let table = &self.table.name;
        self.state
            .get_or_insert_with(|| TableName(format!("{table}-shadowkey")));
        self
    }

    /// Every table of the view file: the sources' own, those that shadows go into, and the companion.
    pub fn tables(&self) -> Vec<TableDefinition> {
        std::iter::once(self.table.clone())
            .chain(self.other_tables())
            .chain(self.state_table())
            .collect()
    }

    /// The attribute views, each after those it depends on.
    pub fn attribute_views(&self) -> &[AttributeView] {
        &self.attributes
    }

    /// The shadow views, by name.
    pub fn shadow_views(&self) -> &[ShadowView] {
        &self.shadows
    }

    /// Whether an attribute view writes the attribute.
    pub fn owns_attribute(&self, name: &str) -> bool {
        self.attributes.iter().any(|view| view.attribute == name)
    }

    /// Every path that a change of could make the attribute, or its absence, wrong: the inputs and match paths of its
    /// views, and in turn those of the attribute views they read.
    pub fn inputs_of_attribute(&self, name: &str) -> Vec<&AttributePath> {
        let mut paths: Vec<&AttributePath> = Vec::new();
        let mut open = vec![name];
        while let Some(attribute) = open.pop() {
            for view in self.attributes.iter().filter(|view| view.attribute == attribute) {
                for path in self.inputs_of_view(view) {
                    if !paths.contains(&path) {
                        paths.push(path);
                        open.push(path.root());
                    }
                }
            }
        }
        paths
    }

    /// The paths an attribute view reads: its template's and its source's.
    pub(crate) fn inputs_of_view<'a>(&'a self, view: &'a AttributeView) -> impl Iterator<Item = &'a AttributePath> {
        let source = self.sources.get(view.source);
        let matched = source.into_iter().flat_map(|source| source.pattern.paths());
        view.template.paths().chain(matched)
    }
}

impl Source {
    /// The source's name in the view file.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl AttributeView {
    /// The view's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The template of its value.
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// The attribute it writes.
    pub fn attribute(&self) -> &str {
        &self.attribute
    }
}

impl ShadowView {
    /// The view's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The templates of its key parts, partition key first, each with the key attribute it fills.
    pub fn key(&self) -> &[(String, Template)] {
        &self.key
    }

    /// The table its shadows are in.
    pub fn table(&self) -> &TableName {
        &self.table
    }

    /// Which attributes of the source it carries.
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// Whether two sources may claim one key, because the key does not name its source.
    pub fn is_unique(&self) -> bool {
        self.unique
    }

    /// The fingerprint of what makes a shadow what it is: the match, the key, the projection, the ttl attribute, the
    /// attribute views that feed it and the version of the key format. It does not change when a view is renamed or
    /// written in another spelling.
    pub(crate) fn fingerprint(
        &self,
        pattern: &Pattern,
        ttl: Option<&str>,
        sources: &[Source],
        attributes: &[AttributeView],
    ) -> String {
        let sorted = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
        let definition = Definition {
            attributes: self.feeding(pattern, sources, attributes),
            for_each: self.for_each.as_ref().map(|(name, path)| (name, path.to_string())),
            format: FORMAT_VERSION,
            key: self.key.iter().map(|(name, part)| (name, part.to_string())).collect(),
            pattern: pattern.to_json(),
            project: match &self.projection {
                Projection::Keys => json!("keys"),
                Projection::All => json!("all"),
                Projection::Include(names) => json!({ "include": sorted(names) }),
                Projection::Except(names) => json!({ "except": sorted(names) }),
            },
            ttl,
        };
        let definition = serde_json::to_string(&definition)
            .unwrap_or_else(|error| unreachable!("text, lists and sorted maps are always JSON: {error}"));
        let digest = Sha256::digest(definition.as_bytes());
        digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The attribute views that the shadow reads or projects, directly or by way of others.
    fn feeding<'a>(
        &self,
        pattern: &Pattern,
        sources: &[Source],
        attributes: &'a [AttributeView],
    ) -> BTreeMap<&'a str, BTreeSet<String>> {
        let templates = self.key.iter().flat_map(|(_, template)| template.paths());
        let elements = self.for_each.iter().map(|(_, path)| path);
        let paths = templates.chain(elements).chain(pattern.paths());
        let mut read: BTreeSet<&str> = paths.map(AttributePath::root).collect();
        let mut feeding: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        // A view comes behind those it reads, so that one pass backwards meets every reader first.
        for view in attributes.iter().rev() {
            if read.contains(view.attribute.as_str()) || self.projection.contains(&view.attribute) {
                let matched = sources.get(view.source).map(|source| &source.pattern);
                read.extend(view.template.paths().map(AttributePath::root));
                read.extend(matched.into_iter().flat_map(Pattern::paths).map(AttributePath::root));
                let definition = json!([matched.map(Pattern::to_json), view.template.to_string()]);
                feeding
                    .entry(&view.attribute)
                    .or_default()
                    .insert(definition.to_string());
            }
        }
        feeding
    }
}
