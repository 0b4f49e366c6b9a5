//! What became of a batch and of each item in it.

use shadowkey_item::{Key, SequenceNumber};
use shadowkey_store::{Disposition, StoreError, with_causes};
use shadowkey_views::Failure;

use crate::Counters;

/// What became of a batch.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The sequence number from which the batch is to be delivered again, if anything failed.
    pub earliest_failed: Option<SequenceNumber>,
    /// The changed items, in the order of their first records.
    pub items: Vec<ItemOutcome>,
    /// What was done.
    pub counters: Counters,
}

/// What became of one item's change.
#[derive(Debug, Clone)]
pub struct ItemOutcome {
    /// The item.
    pub key: Key,
    /// The places that had something to be written or removed: each a view and a key.
    pub planned: Vec<(String, Key)>,
    /// What went wrong; the change is done when nothing did.
    pub problems: Vec<Problem>,
}

/// Something that went wrong with one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The view it concerns; `None` where it concerns the item.
    pub view: Option<String>,
    /// The key that could not be written, where it is about one.
    pub key: Option<Key>,
    /// Which kind of cause.
    pub cause: Cause,
    /// A short name for the cause, for machines.
    pub code: &'static str,
    /// What went wrong, and what to do about it.
    pub message: String,
}

/// Whether trying again can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The store did not answer as it should; it may later.
    Transient,
    /// Only reconciling the item tells what is true.
    Doubt,
    /// It cannot succeed.
    Permanent,
}

impl Problem {
    /// A problem of the item, or of one of its views where [`Problem::of`] says so.
    pub(crate) fn new(cause: Cause, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            view: None,
            key: None,
            cause,
            code,
            message: message.into(),
        }
    }

    /// The same as a problem of a view at a key.
    pub(crate) fn of(self, view: &str, key: &Key) -> Self {
        Self {
            message: format!("view `{view}`, key {key}: {}", self.message),
            view: Some(view.to_owned()),
            key: Some(key.clone()),
            ..self
        }
    }

    pub(crate) fn of_failure(failure: &Failure) -> Self {
        Self {
            view: Some(failure.view.clone()),
            ..Self::new(Cause::Permanent, failure.kind.code(), failure.to_string())
        }
    }

    pub(crate) fn of_store(error: &StoreError) -> Self {
        let (cause, code) = match error.disposition() {
            Disposition::Park => (Cause::Permanent, "rejected"),
            Disposition::Retry => (Cause::Transient, "unavailable"),
            Disposition::Halt => (Cause::Transient, "halted"),
        };
        Self::new(cause, code, with_causes(error))
    }
}
