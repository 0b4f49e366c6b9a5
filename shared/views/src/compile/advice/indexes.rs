//! SK033 and SK061: shadows that stand in a declared index, and views that an index could do without.

use shadowkey_item::{IndexDefinition, IndexKind};
use shadowkey_key_codec::{LayoutPart, Template};

use super::{Findings, Shadow};
use crate::Code;
use crate::file::ViewFile;
use crate::view::{AttributeView, Projection, Views};

/// How many attributes one part of a global index's key can have (DynamoDB Developer Guide, "Multi-attribute keys").
const MAX_ATTRIBUTES: usize = 4;

impl Findings<'_> {
    /// SK033: a shadow in the sources' table that projects an index's key stands in that index.
    ///
    /// It does if it carries every attribute of the index's key. Those of the table's own key it has anyway, and the ttl
    /// attribute is copied whatever is projected; where nothing else is in the index's key, the projection is not to
    /// blame and the finding is silent. What a projection carries, [`Views::can_carry`] says.
    pub(super) fn leaks(&mut self, shadow: &Shadow<'_>, views: &Views) {
        if shadow.view.table != views.table.name {
            return;
        }
        for index in &views.table.indexes {
            let projected = projected_by_choice(index, views);
            let Some(first) = projected.first() else {
                continue;
            };
            if projected.iter().all(|name| views.can_carry(shadow.view, name)) {
                let message = format!(
                    "the shadows stand in the index `{}` beside their sources, since they carry `{}`",
                    index.name,
                    projected.join("` and `")
                );
                let help = match shadow.view.projection {
                    Projection::Include(_) => format!("take `{first}` out of `project`"),
                    _ => format!(
                        "leave it out: `project = {{ except = [\"{}\"] }}`",
                        projected.join("\", \"")
                    ),
                };
                self.add_for(&shadow.view.name, Code::Sk033, shadow.name.span(), message, help);
            }
        }
    }

    /// SK061: an attribute that only joins others, for a global index whose key could be those others.
    ///
    /// An index of its own key would serve as well where the template is two to four different top-level attributes
    /// without ops and a literal between each two, where no other view writes the attribute and no local index has it in
    /// its key, and where the source's match reads nothing but the table's key and these attributes: else the view also
    /// chooses which items the index holds.
    pub(super) fn native_keys(&mut self, file: &ViewFile, views: &Views) {
        for view in &views.attributes {
            let uses = |kind| {
                let mut indexes = views.table.indexes.iter().filter(move |index| index.kind == kind);
                indexes.find(|index| index.key.contains(&view.attribute))
            };
            let writers = views
                .attributes
                .iter()
                .filter(|other| other.attribute == view.attribute);
            let (Some(index), None, 1) = (uses(IndexKind::Global), uses(IndexKind::Local), writers.count()) else {
                continue;
            };
            let Some(joined) = joined(&view.template).filter(|joined| chooses_nothing(view, joined, views)) else {
                continue;
            };
            let section = file.attribute.iter().find(|(name, _)| *name.get_ref() == view.name);
            if let Some((_, section)) = section {
                let attributes = joined.join("` and `");
                let message = format!(
                    "the index `{}` could have `{attributes}` as key attributes instead of `{}`",
                    index.name, view.attribute
                );
                let help = "a global index takes up to four attributes for each part of its key; readers then give each \
                            value by itself, and any item that has them all is in the index";
                self.add_for(&view.name, Code::Sk061, section.value.span(), message, help);
            }
        }
    }
}

/// The attributes of an index's key that a shadow has only by its projection.
fn projected_by_choice<'a>(index: &'a IndexDefinition, views: &Views) -> Vec<&'a str> {
    let names = index.key.attributes().map(|attribute| attribute.name.as_str());
    names
        .filter(|name| !views.table.key.contains(name) && views.ttl.as_deref() != Some(name))
        .collect()
}

/// The attributes that a template does nothing with but join them.
fn joined(template: &Template) -> Option<Vec<&str>> {
    let mut names: Vec<&str> = Vec::new();
    let mut plain = String::new();
    let layout = template.layout();
    for (position, part) in layout.iter().enumerate() {
        match part {
            LayoutPart::Field(field) if field.path.rest().is_empty() && !names.contains(&field.path.root()) => {
                names.push(field.path.root());
                plain.push_str(&format!("{{{}}}", field.path));
            }
            LayoutPart::Literal(text) if position % 2 == 1 => {
                plain.push_str(&text.replace('{', "{{").replace('}', "}}"));
            }
            _ => return None,
        }
    }
    let is_between = layout.len() == 2 * names.len() - usize::from(!names.is_empty());
    let is_plain = plain == template.to_string();
    (is_plain && is_between && (2..=MAX_ATTRIBUTES).contains(&names.len())).then_some(names)
}

/// Whether an item is in the view just because it has the attributes.
fn chooses_nothing(view: &AttributeView, joined: &[&str], views: &Views) -> bool {
    let source = views.sources.get(view.source);
    source.is_some_and(|source| {
        let mut paths = source.pattern.paths();
        paths.all(|path| views.table.key.contains(path.root()) || joined.contains(&path.root()))
    })
}
