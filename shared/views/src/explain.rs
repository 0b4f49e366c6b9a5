//! What the view file alone says of a view: its layout, its neighbours, its readers' queries, and what it costs.
//!
//! Nothing here has seen an item. What depends on the values that items have is left open, in so many words, and never
//! guessed: an order that is not fixed by the literals of the templates and by the matches of the sources is undecided.

mod collection;
mod cost;
mod layout;
mod reads;
mod requests;

use shadowkey_item::TableName;

pub use self::collection::{Collection, Resident, Stretch};
pub use self::cost::{Cost, Event, EventCost, IndexCost, Size};
pub use self::layout::{Field, KeyPart, Order, Output, Piece, Role};
pub use self::reads::{Read, Reads};
pub use self::requests::{Buckets, Condition, Operator};
use crate::view::{AttributeView, Projection, ShadowView, Views};

/// All that can be said of one view before any item is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The view's name.
    pub view: String,
    /// Which kind of view it is.
    pub kind: ViewKind,
    /// The source it derives from.
    pub source: String,
    /// The table that holds what it derives.
    pub table: TableName,
    /// The list or set of which each element gives a shadow.
    pub for_each: Option<Element>,
    /// What a shadow carries besides its key, the ttl attribute and the marker; `None` for an attribute.
    pub project: Option<Projection>,
    /// The attribute that is copied to every shadow so that it expires with its source.
    pub ttl: Option<String>,
    /// The key parts of a shadow, partition key first; or the one attribute.
    pub key: Vec<KeyPart>,
    /// The item collections that its items lie in: of the table for shadows, of the indexes that an attribute is a key of.
    pub collections: Vec<Collection>,
    /// The queries that read it, from the widest to the narrowest; none for an attribute that is no key of an index.
    pub reads: Vec<Read>,
    /// What the worker's writes for it cost.
    pub cost: Cost,
}

/// The two kinds of views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ViewKind {
    /// An attribute on the source item.
    Attribute,
    /// An item of its own.
    Shadow,
}

/// A list or set, and the name that its elements go by in the templates.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Element {
    /// The elements' name.
    pub name: String,
    /// The path of the list or set.
    pub path: String,
}

impl Views {
    /// Explains every view: the attributes, each after those it depends on, and then the shadows by name.
    pub fn explain(&self) -> Vec<Explanation> {
        let attributes = self.attributes.iter().map(|view| self.explain_attribute(view));
        let shadows = self.shadows.iter().map(|view| self.explain_shadow(view));
        attributes.chain(shadows).collect()
    }

    fn explain_shadow(&self, view: &ShadowView) -> Explanation {
        let key = layout::of_shadow(view);
        Explanation {
            view: view.name.clone(),
            kind: ViewKind::Shadow,
            source: self.source_name(view.source),
            table: view.table.clone(),
            for_each: view.for_each.as_ref().map(|(name, path)| Element {
                name: name.clone(),
                path: path.to_string(),
            }),
            project: Some(view.projection.clone()),
            ttl: self.ttl.clone(),
            collections: collection::of_shadow(self, view).into_iter().collect(),
            reads: reads::of_shadow(self, view, &key),
            cost: cost::of_shadow(self, view, &key),
            key,
        }
    }

    fn explain_attribute(&self, view: &AttributeView) -> Explanation {
        let indexes = || self.table.indexes.iter();
        let keyed = || indexes().filter(|index| index.key.contains(&view.attribute));
        Explanation {
            view: view.name.clone(),
            kind: ViewKind::Attribute,
            source: self.source_name(view.source),
            table: self.table.name.clone(),
            for_each: None,
            project: None,
            ttl: None,
            key: vec![layout::of_attribute(view)],
            collections: keyed()
                .filter_map(|index| collection::of_index(self, view.source, index))
                .collect(),
            reads: keyed().flat_map(|index| reads::of_index(self, view, index)).collect(),
            cost: cost::of_attribute(self, view),
        }
    }

    fn source_name(&self, source: usize) -> String {
        self.sources
            .get(source)
            .map(|source| source.name.clone())
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
