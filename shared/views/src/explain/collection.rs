//! What else lies in a view's item collections, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use shadowkey_item::{IndexDefinition, KeySchema, ScalarType, TableName};

use crate::inputs::Inputs;
use crate::shape::{Shape, shapes, shapes_of_match};
use crate::view::{ShadowView, Views};

/// The items that one value of a partition key can have, in the order of their sort keys.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Collection {
    /// The index it is of; `None` for the table.
    pub index: Option<String>,
    /// The partition key that its items share.
    pub partition_key: String,
    /// The sort key that orders them.
    pub sort_key: String,
    /// Whether the sort key is a number; its order then is that of the numbers, and no text fixes any of it.
    pub by_number: bool,
    /// The stretches in byte order of what they begin with.
    pub order: Vec<Stretch>,
}

/// The items of a collection whose sort keys begin with one text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Stretch {
    /// What the sort keys begin with; empty where they begin with a field, or where the match says nothing of them.
    pub starts_with: String,
    /// Whether this is the whole sort key.
    pub exactly: bool,
    /// Whose items they are. The order among several depends on the values.
    pub residents: Vec<Resident>,
    /// Whose items can lie before, behind and among these, depending on the values.
    pub undecided_with: Vec<Resident>,
}

/// Items of one kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Resident {
    /// The items of a source, which the application writes.
    Source(String),
    /// The shadows of a view.
    View(String),
}

/// What is fixed of the keys of a resident.
pub(super) struct Lodger {
    pub(super) resident: Resident,
    pub(super) partition: Vec<Shape>,
    pub(super) sort: Vec<Shape>,
}

impl Lodger {
    /// Whether one partition can hold items of both.
    pub(super) fn can_share_with(&self, other: &Self) -> bool {
        let mut partitions = self.partition.iter();
        partitions.any(|left| other.partition.iter().any(|right| left.can_meet(right)))
    }

    /// Whether a sort key of it can begin with a text.
    pub(super) fn can_begin_with(&self, text: &str) -> bool {
        let mut sorts = self.sort.iter();
        sorts.any(|sort| sort.start.starts_with(text) || !sort.is_whole && text.starts_with(&sort.start))
    }
}

/// The collection that a view's shadows lie in; `None` in a table without sort key.
pub(super) fn of_shadow(views: &Views, view: &ShadowView) -> Option<Collection> {
    let resident = Resident::View(view.name.clone());
    of_lodgers(
        &in_table(views, &view.table, &view.schema),
        &resident,
        &view.schema,
        None,
    )
}

/// The collection that a source's items lie in, in an index; `None` for an index without sort key.
pub(super) fn of_index(views: &Views, source: usize, index: &IndexDefinition) -> Option<Collection> {
    let resident = Resident::Source(views.source_name(source));
    let lodgers = in_index(views, index);
    of_lodgers(&lodgers, &resident, &index.key, Some(index.name.clone()))
}

fn of_lodgers(lodgers: &[Lodger], own: &Resident, key: &KeySchema, index: Option<String>) -> Option<Collection> {
    let sort = key.sort.as_ref()?;
    let own = lodgers.iter().find(|lodger| lodger.resident == *own)?;
    let neighbours = lodgers.iter().filter(|lodger| lodger.can_share_with(own));
    let mut starts: BTreeMap<(&str, bool), BTreeSet<&Resident>> = BTreeMap::new();
    for lodger in neighbours {
        for shape in &lodger.sort {
            // A whole key comes before those that go on from it.
            let residents = starts.entry((&shape.start, !shape.is_whole)).or_default();
            residents.insert(&lodger.resident);
        }
    }
    let order = starts.iter().map(|((start, goes_on), residents)| {
        let others = starts
            .iter()
            .filter(|(other, _)| is_undecided((start, *goes_on), **other));
        let undecided: BTreeSet<&Resident> = others.flat_map(|(_, residents)| residents).copied().collect();
        Stretch {
            starts_with: (*start).to_owned(),
            exactly: !goes_on,
            residents: residents.iter().copied().cloned().collect(),
            undecided_with: undecided.difference(residents).copied().cloned().collect(),
        }
    });
    Some(Collection {
        index,
        partition_key: key.partition.name.clone(),
        sort_key: sort.name.clone(),
        by_number: sort.kind == ScalarType::N,
        order: order.collect(),
    })
}

/// Whether the order of two kinds of sort keys depends on how they go on; both are a start, and whether it goes on.
fn is_undecided(a: (&str, bool), b: (&str, bool)) -> bool {
    let reaches = |(outer, goes_on): (&str, bool), (inner, inner_goes_on): (&str, bool)| {
        goes_on && inner.starts_with(outer) && (inner_goes_on || inner != outer)
    };
    a != b && (reaches(a, b) || reaches(b, a))
}

/// The residents of a table: the shadows that go into it and, in the sources' own, the sources.
pub(super) fn in_table(views: &Views, table: &TableName, key: &KeySchema) -> Vec<Lodger> {
    let shadows = views.shadows.iter().filter(|view| view.table == *table);
    let shadows = shadows.map(|view| {
        lodger(Resident::View(view.name.clone()), key, |name| {
            shapes_in_shadow(views, view, name)
        })
    });
    let sources = views.sources.iter().filter(|_| views.table.name == *table);
    let sources = sources.map(|source| {
        lodger(Resident::Source(source.name.clone()), key, |name| {
            shapes_of_match(&source.pattern, name)
        })
    });
    shadows.chain(sources).collect()
}

/// The residents of an index: the sources that a view gives one of its key attributes, and the shadows that carry them all.
pub(super) fn in_index(views: &Views, index: &IndexDefinition) -> Vec<Lodger> {
    let written = |source: usize, attribute: &str| {
        let mut writers = views.attributes.iter().filter(move |view| view.source == source);
        writers.find(|view| view.attribute == attribute)
    };
    let sources = views.sources.iter().enumerate().filter(|(position, _)| {
        let mut names = index.key.attributes();
        names.any(|attribute| written(*position, &attribute.name).is_some())
    });
    let sources = sources.map(|(position, source)| {
        let part = |name: &str| match written(position, name).zip(Inputs::new(views, position, None)) {
            Some((view, inputs)) => shapes(&view.template, inputs),
            None if views.owns_attribute(name) => vec![Shape::default()],
            None => shapes_of_match(&source.pattern, name),
        };
        lodger(Resident::Source(source.name.clone()), &index.key, part)
    });
    let shadows = views.shadows.iter();
    let shadows = shadows.filter(|view| views.carried_into(view, index).is_some());
    let shadows = shadows.map(|view| {
        lodger(Resident::View(view.name.clone()), &index.key, |name| {
            shapes_in_shadow(views, view, name)
        })
    });
    sources.chain(shadows).collect()
}

/// The shapes of an attribute of a shadow: those of its template where it is of the key.
fn shapes_in_shadow(views: &Views, view: &ShadowView, attribute: &str) -> Vec<Shape> {
    let element = view.for_each.as_ref().map(|(name, _)| name.as_str());
    let template = view.key.iter().find(|(name, _)| name == attribute);
    match template.zip(Inputs::new(views, view.source, element)) {
        Some(((_, template), inputs)) => shapes(template, inputs),
        None => vec![Shape::default()],
    }
}

/// A resident whose key attributes have these shapes. Texts fix the order of texts only.
fn lodger(resident: Resident, key: &KeySchema, shapes: impl Fn(&str) -> Vec<Shape>) -> Lodger {
    Lodger {
        resident,
        partition: shapes(&key.partition.name),
        sort: match &key.sort {
            Some(sort) if sort.kind == ScalarType::S => shapes(&sort.name),
            _ => vec![Shape::default()],
        },
    }
}

#[cfg(test)]
mod tests;
