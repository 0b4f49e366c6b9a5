//! What became of a batch and of each item in it.

use std::collections::BTreeSet;

use shadowkey_item::{Key, SequenceNumber};
use shadowkey_plan::{Flaw, Place, PlannedDelete, PlannedPut};
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
    /// About when the oldest of the records came to be, in milliseconds since the Unix epoch, where they say so.
    pub oldest_ms: Option<u64>,
}

/// What became of one item's change.
#[derive(Debug, Clone)]
pub struct ItemOutcome {
    /// The item.
    pub key: Key,
    /// What went wrong.
    pub problems: Vec<Problem>,
    /// Whether what cannot succeed was written to the state table.
    pub parked: bool,
    /// The views that may have been parked and are settled, unless a problem names them.
    pub(crate) recovered: BTreeSet<String>,
}

/// Something that went wrong with one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The view it concerns; `None` where it concerns the item.
    pub view: Option<String>,
    /// Where shadows could not be written, or may be left over because of it.
    pub places: BTreeSet<Place>,
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
    /// It cannot succeed.
    Permanent,
}

impl ItemOutcome {
    pub(crate) fn of(key: Key) -> Self {
        Self {
            key,
            problems: Vec::new(),
            parked: false,
            recovered: BTreeSet::new(),
        }
    }

    /// Whether the change is dealt with: what could not succeed is parked, and nothing else is left.
    pub fn is_done(&self) -> bool {
        let is_done = |problem: &Problem| self.parked && problem.cause == Cause::Permanent;
        self.problems.iter().all(is_done)
    }
}

impl Problem {
    /// A problem of the item, or of one of its views where [`Problem::of`] says so.
    pub(crate) fn new(cause: Cause, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            view: None,
            places: BTreeSet::new(),
            cause,
            code,
            message: message.into(),
        }
    }

    /// The same as a problem of a shadow.
    pub(crate) fn of(self, shadow: &PlannedDelete) -> Self {
        let (view, key) = (&shadow.view, &shadow.delete.key);
        Self {
            message: format!("view `{view}`, key {key}: {}", self.message),
            view: Some(view.clone()),
            places: BTreeSet::from([shadow.place()]),
            ..self
        }
    }

    /// The same as a problem of the update of an attribute.
    pub(crate) fn of_attribute(self, view: Option<&str>, attribute: &str) -> Self {
        Self {
            message: format!("attribute `{attribute}`: {}", self.message),
            view: view.map(str::to_owned),
            ..self
        }
    }

    /// The same with places where shadows may be left over.
    pub(crate) fn at(self, places: BTreeSet<Place>) -> Self {
        Self { places, ..self }
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

    /// What a flaw leaves open though the item was reconciled; nothing where its images are whole.
    pub(crate) fn of_flaw(flaw: &Flaw) -> Option<Self> {
        let (code, what) = match flaw {
            Flaw::NoVersion => return None,
            Flaw::ImageMissing => (
                "image-missing",
                "a record does not carry the images of its event".to_owned(),
            ),
            Flaw::Unreadable(why) => ("unreadable", format!("a record cannot be read beyond its keys: {why}")),
        };
        let message = format!(
            "{what}; the item was reconciled, and shadows that only that image tells of may be left over: `verify --repair` finds them"
        );
        Some(Self::new(Cause::Permanent, code, message))
    }

    pub(crate) fn collision(planned: &PlannedPut) -> Self {
        let message = format!(
            "the place in table `{}` is taken by an item that is not this view's shadow of this source, and was left as it is; \
             change the view's key, or move that item",
            planned.put.table
        );
        Self::new(Cause::Permanent, "collision", message)
    }

    pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let message = format!("a bug of the worker's, of which its authors would like to know: {text}");
        Self::new(Cause::Permanent, "panic", message)
    }
}
