//! Handling a batch: decode, coalesce, apply side by side, and report the earliest failure.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use futures::StreamExt;
use shadowkey_item::{Item, SequenceNumber};
use shadowkey_plan::Change;
use shadowkey_store::{Store, StoreError};
use shadowkey_stream::{BatchError, Record, RecordError, coalesce, decode};
use shadowkey_views::{MARKER, Views};
use tokio::time::Instant;

use crate::apply::ItemRun;
use crate::attempts::{Closing, Settings};
use crate::{Counters, Outcome};

/// Keeps the derived data of one table true, by way of a store.
#[derive(Debug)]
pub struct Worker<S> {
    pub(crate) views: Views,
    pub(crate) store: S,
    pub(crate) settings: Settings,
}

/// Why a whole batch failed; the function fails with it and the batch is delivered again.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The batch cannot be read.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Nothing can succeed: no permission, or no table.
    #[error("nothing can be written: {0}")]
    Halted(#[source] StoreError),
    /// The function has less time than one request may take.
    #[error(
        "the function's time ends in {left_ms} ms, and work stops {margin_ms} ms before; give the function a timeout of 30 s or more"
    )]
    NoTime {
        /// The time left, in milliseconds.
        left_ms: u128,
        /// The margin, in milliseconds.
        margin_ms: u128,
    },
    /// A record failed and no number says from where to deliver again.
    #[error("{0}; neither it nor a record before it has a sequence number to report, so the whole batch fails")]
    Unreportable(RecordError),
}

impl<S: Store> Worker<S> {
    /// A worker for the table and views of one view file.
    pub fn new(views: Views, store: S, settings: Settings) -> Self {
        Self { views, store, settings }
    }

    /// The views it maintains.
    pub fn views(&self) -> &Views {
        &self.views
    }

    /// The store it writes to.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Handles one Lambda event, until its deadline at the latest.
    ///
    /// An item that fails is reported by the sequence number of its first record and does not keep others from being
    /// handled. An error means that the batch as a whole is to be delivered again.
    pub async fn handle(&self, event: &str, deadline: Option<Instant>) -> Result<Outcome, WorkerError> {
        let closing = self.closing(deadline)?;
        let decoded = decode(event, &self.views.table().key)?;
        let mut outcome = Outcome::default();
        outcome.counters.records = u64::try_from(decoded.len()).unwrap_or(u64::MAX);
        let numbers: Vec<Option<SequenceNumber>> = decoded.iter().map(number_of).collect();
        let mut failed: BTreeSet<usize> = BTreeSet::new();
        let mut unreportable = None;
        let mut records = Vec::new();
        for record in decoded {
            match record {
                Ok(record) => records.push(record),
                Err(error) => {
                    tracing::error!(position = error.position, error = %error, "record not readable");
                    match numbers.iter().take(error.position + 1).rposition(Option::is_some) {
                        Some(reportable) => drop(failed.insert(reportable)),
                        None => unreportable = Some(error),
                    }
                }
            }
        }
        self.count_written_back(&records, &mut outcome.counters);
        let changes = coalesce(records.into_iter().filter(|record| self.concerns_a_source(record)));
        outcome.counters.changes = u64::try_from(changes.len()).unwrap_or(u64::MAX);
        for run in self.apply_all(changes, closing).await? {
            outcome.counters += run.counters;
            if !run.outcome.problems.is_empty() {
                failed.insert(run.position);
            }
            outcome.items.push(run.outcome);
        }
        if let Some(error) = unreportable {
            return Err(WorkerError::Unreportable(error));
        }
        let earliest = failed.first().copied();
        outcome.earliest_failed = earliest.and_then(|position| numbers.into_iter().nth(position).flatten());
        Ok(outcome)
    }

    /// Applies the changes side by side, and gives what became of each in their order.
    async fn apply_all(&self, changes: Vec<Change>, closing: Closing) -> Result<Vec<ItemRun>, WorkerError> {
        let halted = OnceLock::new();
        let runs = changes.into_iter().map(|change| self.apply(change, closing, &halted));
        // Every run is waited for though one halts: a request that was sent has an outcome to be known.
        let mut runs: Vec<ItemRun> = futures::stream::iter(runs)
            .buffer_unordered(self.settings.items_side_by_side)
            .collect()
            .await;
        if let Some(error) = halted.into_inner() {
            return Err(WorkerError::Halted(error));
        }
        runs.sort_by_key(|run| run.position);
        Ok(runs)
    }

    fn closing(&self, deadline: Option<Instant>) -> Result<Closing, WorkerError> {
        let Some(deadline) = deadline else {
            return Ok(Closing(None));
        };
        let margin = self.settings.deadline_margin;
        let left = deadline.saturating_duration_since(Instant::now());
        if left <= margin {
            return Err(WorkerError::NoTime {
                left_ms: left.as_millis(),
                margin_ms: margin.as_millis(),
            });
        }
        Ok(Closing(deadline.checked_sub(margin)))
    }

    /// Whether a record is of a source item and not of one of the worker's own shadows.
    fn concerns_a_source(&self, record: &Record) -> bool {
        let mut images = record.old.iter().chain(&record.new).peekable();
        images.peek().is_none() || images.any(|image| !self.views.is_shadow(image))
    }

    /// Counts the source items that carry a shadow's marker.
    fn count_written_back(&self, records: &[Record], counters: &mut Counters) {
        let is_marked = |image: &&Item| image.contains_key(MARKER) && !self.views.is_shadow(image);
        for record in records
            .iter()
            .filter(|record| record.new.as_ref().filter(is_marked).is_some())
        {
            counters.written_back += 1;
            tracing::warn!(key = %record.key, "a source item carries `{MARKER}`: an application wrote back what it had read");
        }
    }
}

fn number_of(record: &Result<Record, RecordError>) -> Option<SequenceNumber> {
    match record {
        Ok(record) => Some(record.sequence_number.clone()),
        Err(error) => error.sequence_number.clone(),
    }
}

#[cfg(test)]
mod tests;
