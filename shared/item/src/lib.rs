//! The words every other crate is written in: attribute values, items, keys, paths and versions.
//!
//! Everything here is plain data with the semantics DynamoDB gives it: numbers compare by value and keep all 38 digits,
//! sets have no order, maps and items are sorted by name so that the same data always prints the same way. There is no
//! I/O, no clock and no SDK type; [`serde_dynamo`] is the one gateway to JSON and to the SDK.

mod key;
mod number;
mod path;
mod size;
mod table;
mod value;
mod version;
mod wire;

pub use key::{Key, KeyAttribute, KeyError, KeySchema, ScalarType, TableName};
pub use number::{Number, NumberError};
pub use path::{AttributePath, PathError, PathErrorKind, Segment};
pub use size::{MAX_ITEM_BYTES, MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES, item_size, value_size};
pub use table::{IndexDefinition, IndexKind, IndexProjection, TableDefinition};
pub use value::{AttributeValue, Item};
pub use version::{SequenceNumber, SequenceNumberError, Version};
pub use wire::{image_from_wire, item_from_json, item_into_wire, item_to_json};
