//! What the worker's writes for a view cost, in requests and in write units.
//!
//! A write unit is a started kilobyte (1,024 bytes) of item: a put of a new item counts the item, one over an older self
//! or an update the larger of both, a delete what it deletes ("DynamoDB read and write operations" in the developer guide).

use std::collections::BTreeSet;

use shadowkey_item::{AttributePath, AttributeValue, IndexDefinition, IndexKind, IndexProjection, value_size};
use shadowkey_key_codec::Template;

use super::layout::KeyPart;
use crate::derive::VERSION_BYTES;
use crate::inputs::Inputs;
use crate::view::{AttributeView, Projection, ShadowView, Views};
use crate::{MARKER, Marker};

/// What a view costs the worker.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Cost {
    /// By what happens to the source item. What takes it from outside the view to outside the view costs nothing.
    pub events: Vec<EventCost>,
    /// Whether this is the cost of each element that changes, rather than of the item.
    pub per_element: bool,
    /// Whether the writes go into one transaction with the source item: then all units count twice, and so does the source
    /// item's size on top, where its attributes are updated or it is only checked. An update alone is none.
    pub in_transaction: bool,
    /// The size that write units are counted of, for a shadow; an attribute is counted as its whole source item.
    pub size: Option<Size>,
    /// The declared indexes that cost on top.
    pub indexes: Vec<IndexCost>,
}

/// What may happen to a source item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Event {
    /// It comes into the view.
    Insert,
    /// An input of the key, or of the attribute, changes.
    Move,
    /// A projected attribute changes and the key does not.
    Projection,
    /// Nothing of what the view derives changes.
    Unchanged,
    /// It is there, and leaves the view.
    Leave,
    /// It is deleted.
    Delete,
}

/// What an event costs.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct EventCost {
    /// What happens.
    pub event: Event,
    /// PutItem requests.
    pub puts: u32,
    /// DeleteItem requests.
    pub deletes: u32,
    /// UpdateItem requests, which all attribute views of an item share.
    pub updates: u32,
    /// The write units where the items are of up to 1 KB.
    pub units: u32,
    /// The write units of larger items, each size in KB and rounded up.
    pub formula: &'static str,
    /// The inputs that can cause it; empty where any of the item's can, or none in particular.
    pub inputs: Vec<String>,
}

/// The part of a shadow's size that the view file fixes, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Size {
    /// The marker `_shadow`, but for the values of the source's key in it.
    pub marker_bytes: usize,
    /// The key with its names, but for what differs in length from item to item.
    pub key_bytes: usize,
}

/// An index that is written along.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct IndexCost {
    /// The index.
    pub index: String,
    /// `global` or `local`; a local one uses the table's own write units.
    pub kind: &'static str,
    /// The attributes that an item has to have to stand in it, besides the table's key.
    pub needs: Vec<String>,
    /// Whether what the view derives is part of the index's key, so that a change of it costs two writes.
    pub moves: bool,
}

/// The write units of a write over an item that is there.
const LARGER: &str = "ceil(larger of old and new KB)";

/// The cost of a shadow view.
pub(super) fn of_shadow(views: &Views, view: &ShadowView, key: &[KeyPart]) -> Cost {
    let element = view.for_each.as_ref().map(|(name, _)| name.as_str());
    let templates = view.key.iter().map(|(_, template)| template);
    let moving = changing(views, view.source, element, templates.flat_map(Template::paths));
    let mut events = vec![event(Event::Insert, (1, 0, 0), "ceil(KB)")];
    if !moving.is_empty() {
        events.push(EventCost {
            inputs: moving,
            ..event(Event::Move, (1, 1, 0), "ceil(new KB) + ceil(old KB)")
        });
    }
    if carries_anything(views, view) {
        events.push(event(Event::Projection, (1, 0, 0), LARGER));
    }
    events.push(event(Event::Unchanged, (0, 0, 0), "0"));
    events.push(event(Event::Leave, (0, 1, 0), "ceil(KB)"));
    events.push(event(Event::Delete, (0, 1, 0), "ceil(KB)"));
    let indexes = views.table.indexes.iter();
    Cost {
        events,
        per_element: view.for_each.is_some(),
        in_transaction: views.is_transactional(),
        size: Some(Size {
            marker_bytes: marker_bytes(views, view),
            key_bytes: key.iter().map(|part| part.name.len() + part.fixed_bytes).sum(),
        }),
        indexes: indexes
            .filter_map(|index| {
                let needs = views.carried_into(view, index)?;
                let moves = !needs.is_empty();
                Some(index_cost(index, needs, moves))
            })
            .collect(),
    }
}

/// The cost of an attribute view.
pub(super) fn of_attribute(views: &Views, view: &AttributeView) -> Cost {
    let moving = changing(views, view.source, None, view.template.paths());
    let mut events = vec![event(Event::Insert, (0, 0, 1), LARGER)];
    if !moving.is_empty() {
        events.push(EventCost {
            inputs: moving,
            ..event(Event::Move, (0, 0, 1), LARGER)
        });
    }
    events.push(event(Event::Unchanged, (0, 0, 0), "0"));
    events.push(event(Event::Leave, (0, 0, 1), LARGER));
    events.push(event(Event::Delete, (0, 0, 0), "0"));
    let indexes = views.table.indexes.iter();
    Cost {
        events,
        per_element: false,
        in_transaction: views.is_transactional(),
        size: None,
        indexes: indexes
            .filter(|index| index.key.contains(&view.attribute) || projects(index, &view.attribute))
            .map(|index| {
                let names = index.key.attributes().map(|attribute| attribute.name.as_str());
                let needs = names.filter(|name| !views.table.key.contains(name)).collect();
                index_cost(index, needs, index.key.contains(&view.attribute))
            })
            .collect(),
    }
}

fn event(event: Event, (puts, deletes, updates): (u32, u32, u32), formula: &'static str) -> EventCost {
    EventCost {
        event,
        puts,
        deletes,
        updates,
        units: puts + deletes + updates,
        formula,
        inputs: Vec::new(),
    }
}

/// The inputs that can change while the item stays in the view: neither the source's key nor what the match pins.
fn changing<'a>(
    views: &'a Views,
    source: usize,
    element: Option<&'a str>,
    paths: impl Iterator<Item = &'a AttributePath>,
) -> Vec<String> {
    let Some(inputs) = Inputs::new(views, source, element) else {
        return Vec::new();
    };
    let can_change = |path: &&AttributePath| {
        let is_key = inputs.is_of_item(path) && views.table.key.contains(path.root());
        !is_key && !inputs.is_pinned(path)
    };
    let mut seen = BTreeSet::new();
    let changing = paths.filter(can_change).filter(|path| seen.insert(*path));
    changing.map(ToString::to_string).collect()
}

/// Whether a shadow has anything of the source item besides its key.
fn carries_anything(views: &Views, view: &ShadowView) -> bool {
    let is_projected = match &view.projection {
        Projection::Keys => false,
        Projection::All | Projection::Except(_) => true,
        Projection::Include(names) => names.iter().any(|name| !view.schema.contains(name) && name != MARKER),
    };
    is_projected || views.ttl.as_ref().is_some_and(|ttl| !view.schema.contains(ttl))
}

/// The size of the marker with the values of the source's key left empty.
fn marker_bytes(views: &Views, view: &ShadowView) -> usize {
    let names = views.table.key.attributes();
    let marker = Marker {
        from: views.table.name.clone(),
        view: view.name.clone(),
        of: names
            .map(|part| (part.name.clone(), AttributeValue::from("")))
            .collect(),
        at: None,
        def: view.fingerprint.clone(),
    };
    MARKER.len() + value_size(&marker.to_value()) + VERSION_BYTES
}

fn projects(index: &IndexDefinition, attribute: &str) -> bool {
    match &index.projection {
        IndexProjection::Keys => false,
        IndexProjection::All => true,
        IndexProjection::Include(names) => names.iter().any(|name| name == attribute),
    }
}

fn index_cost(index: &IndexDefinition, needs: Vec<&str>, moves: bool) -> IndexCost {
    IndexCost {
        index: index.name.clone(),
        kind: match index.kind {
            IndexKind::Global => "global",
            IndexKind::Local => "local",
        },
        needs: needs.into_iter().map(str::to_owned).collect(),
        moves,
    }
}

#[cfg(test)]
mod tests;
