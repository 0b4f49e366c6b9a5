//! Views: what the view file declares, and what one image of an item derives by it.
//!
//! [`load`] reads a view file into [`Views`] or into [`Finding`]s that name line, column and the way out.
//! [`Views::derive`] is the pure function everything rests on: from one image of one item to its derived attributes,
//! its shadow items and the views that failed. [`Views::explain`] says what can be said of a view without any item.
//! [`Views::filters`] says which records of the stream can concern a source.
//! There is no I/O here and no memory of earlier images.

mod compile;
mod derive;
mod explain;
mod file;
mod filters;
mod finding;
mod inputs;
mod literals;
mod marker;
mod meet;
mod pattern;
mod schema;
mod shape;
mod standing;
mod view;

pub use compile::{Loaded, load};
pub use derive::{Derived, Failure, FailureKind, Shadow};
pub use explain::{
    Buckets, Collection, Condition, Cost, Element, Event, EventCost, Explanation, Field, IndexCost, KeyPart, Operator,
    Order, Output, Piece, Read, Reads, Resident, Role, Size, Stretch, ViewKind,
};
pub use filters::{Filters, Reason, Widening};
pub use finding::{Code, Finding, Severity, render_findings};
pub use marker::{MARKER, Marker};
pub use schema::view_file_schema;
pub use view::{AttributeView, Projection, ShadowView, Source, Views};
