//! What became of a batch and of each item in it.

use shadowkey_item::{Key, SequenceNumber};
use shadowkey_store::{Disposition, StoreError};
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
    /// The views that had something to write.
    pub written_views: Vec<String>,
    /// What went wrong; the change is done when nothing did.
    pub problems: Vec<Problem>,
}

/// Something that went wrong with one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The view it concerns; `None` where it concerns the item.
    pub view: Option<String>,
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
    pub(crate) fn of_failure(failure: &Failure) -> Self {
        Self {
            view: Some(failure.view.clone()),
            cause: Cause::Permanent,
            code: failure.kind.code(),
            message: failure.to_string(),
        }
    }

    pub(crate) fn of_store(view: Option<&str>, error: &StoreError) -> Self {
        let (cause, code) = match error.disposition() {
            Disposition::Park => (Cause::Permanent, "rejected"),
            Disposition::Retry | Disposition::Halt => (Cause::Transient, "unavailable"),
        };
        Self {
            view: view.map(str::to_owned),
            cause,
            code,
            message: error.to_string(),
        }
    }
}
