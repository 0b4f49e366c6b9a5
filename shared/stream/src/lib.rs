//! From a Lambda event to the changes of single items.
//!
//! The batch is read record by record from raw JSON, so that one odd record cannot fail its neighbours, and each record
//! by the few fields that matter. The published event types are stricter than the service: a creation time of unusual
//! form, a missing size or an unknown view type would fail a record that has everything a view needs.

mod coalesce;
mod decode;
mod error;
mod failure;

pub use coalesce::coalesce;
pub use decode::{EventName, Record, decode};
pub use error::{BatchError, RecordError, RecordProblem};
pub use failure::{FailureError, GivenUp, StreamRange, given_up};
