//! Handling a batch: decode, coalesce, apply side by side, and report the earliest failure.

use std::collections::BTreeSet;

use futures::StreamExt;
use shadowkey_item::{Item, SequenceNumber};
use shadowkey_plan::Change;
use shadowkey_store::{Store, with_causes};
use shadowkey_stream::{BatchError, Record, RecordError, coalesce, decode};
use shadowkey_views::{MARKER, Views};
use tokio::time::Instant;

use crate::attempts::{Closing, Settings};
use crate::item::ItemRun;
use crate::turn::{Pass, Turn};
use crate::{Clock, Counters, Outcome};

/// Keeps the derived data of one table true, by way of a store.
#[derive(Debug)]
pub struct Worker<S> {
    pub(crate) views: Views,
    pub(crate) store: S,
    pub(crate) settings: Settings,
    pub(crate) clock: Clock,
    pub(crate) stream_of: Option<String>,
}

/// Why a whole batch failed; the function fails with it and the batch is delivered again.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The batch cannot be read.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Nothing can succeed: no permission, or no table.
    #[error("nothing can be done: {0}")]
    Halted(String),
    /// A run beside the stream could not go on; what it noted is taken up again.
    #[error("the run was interrupted: {0}")]
    Interrupted(String),
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
    #[error(
        "record {position} of the batch failed, and neither it nor a record before it has a sequence number to report, so the whole batch fails"
    )]
    Unreportable {
        /// The record's place in the batch, from 0.
        position: usize,
    },
}

impl<S: Store> Worker<S> {
    /// A worker for the table and views of one view file.
    pub fn new(views: Views, store: S, settings: Settings, clock: Clock) -> Self {
        Self {
            views,
            store,
            settings,
            clock,
            stream_of: None,
        }
    }

    /// The same worker, which refuses events of other tables' streams than that of this physical name or ARN.
    #[must_use]
    pub fn for_stream_of(self, table: &str) -> Self {
        let name = table.split_once(":table/").map_or(table, |(_, name)| name);
        Self {
            stream_of: Some(name.to_owned()),
            ..self
        }
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
        let pass = self.pass(deadline)?;
        let mut intake = Intake::read(self, event)?;
        let changes = std::mem::take(&mut intake.changes);
        let runs = changes.into_iter().map(|change| {
            let turn = Turn::new(self, &pass, None, change.position);
            turn.handle(change)
        });
        // Every run is waited for though one halts: a request that was sent has an outcome to be known.
        let mut runs: Vec<ItemRun> = futures::stream::iter(runs)
            .buffer_unordered(self.settings.items_side_by_side)
            .collect()
            .await;
        self.check_halted(&pass)?;
        runs.sort_by_key(|run| run.position);
        intake.outcome(runs)
    }

    /// Fails if something in this invocation has shown that nothing can succeed.
    pub(crate) fn check_halted(&self, pass: &Pass) -> Result<(), WorkerError> {
        match pass.halted.get() {
            Some(error) => Err(WorkerError::Halted(with_causes(error))),
            None => Ok(()),
        }
    }

    pub(crate) fn pass(&self, deadline: Option<Instant>) -> Result<Pass, WorkerError> {
        self.closing(deadline).map(Pass::new)
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
}

/// A batch as it was read.
pub(crate) struct Intake {
    pub(crate) changes: Vec<Change>,
    counters: Counters,
    /// The sequence number of each record, where it can be read.
    numbers: Vec<Option<SequenceNumber>>,
    unreadable: Vec<RecordError>,
    oldest_ms: Option<u64>,
}

impl Intake {
    pub(crate) fn read<S: Store>(worker: &Worker<S>, event: &str) -> Result<Self, WorkerError> {
        let decoded = decode(event, &worker.views.table().key, worker.stream_of.as_deref())?;
        let mut intake = Self {
            changes: Vec::new(),
            counters: Counters::default(),
            numbers: decoded.iter().map(number_of).collect(),
            unreadable: Vec::new(),
            oldest_ms: decoded.iter().flatten().filter_map(|record| record.created_ms).min(),
        };
        intake.show();
        intake.counters.records = u64::try_from(decoded.len()).unwrap_or(u64::MAX);
        let mut records = Vec::new();
        for record in decoded {
            match record {
                Ok(record) => records.push(record),
                Err(error) => {
                    tracing::error!(position = error.position, error = %error, "record not readable");
                    intake.unreadable.push(error);
                }
            }
        }
        intake.count_written_back(&worker.views, &records);
        intake.changes = coalesce(records.into_iter().filter(|record| worker.concerns_a_source(record)));
        intake.counters.changes = u64::try_from(intake.changes.len()).unwrap_or(u64::MAX);
        Ok(intake)
    }

    /// Tells the span of the invocation, where it has these fields, how many records there are and from where to where.
    fn show(&self) {
        let span = tracing::Span::current();
        span.record("records", self.numbers.len());
        let mut known = self.numbers.iter().flatten();
        let first = known.next();
        for (field, number) in [("first", first), ("last", known.next_back().or(first))] {
            span.record(field, number.map(SequenceNumber::as_str));
        }
    }

    /// Counts the source items that carry a shadow's marker.
    fn count_written_back(&mut self, views: &Views, records: &[Record]) {
        let is_marked = |image: &&Item| image.contains_key(MARKER) && !views.is_shadow(image);
        for record in records
            .iter()
            .filter(|record| record.new.as_ref().filter(is_marked).is_some())
        {
            self.counters.written_back += 1;
            tracing::warn!(key = %record.key, "a source item carries `{MARKER}`: an application wrote back what it had read");
        }
    }

    /// What became of the batch, with the earliest number from which it is to be delivered again.
    pub(crate) fn outcome(self, runs: Vec<ItemRun>) -> Result<Outcome, WorkerError> {
        let undone = runs.iter().filter(|run| !run.outcome.is_done()).map(|run| run.position);
        let failed: BTreeSet<usize> = undone
            .chain(self.unreadable.iter().map(|error| error.position))
            .collect();
        let mut outcome = Outcome::of_runs(runs);
        outcome.counters += self.counters;
        outcome.oldest_ms = self.oldest_ms;
        let Some(earliest) = failed.first() else {
            return Ok(outcome);
        };
        // A record without a number is reported by the one before it.
        let mut reportable = self.numbers.into_iter().take(earliest + 1).rev();
        outcome.earliest_failed = reportable.find_map(|number| number);
        match &outcome.earliest_failed {
            Some(_) => Ok(outcome),
            None => Err(WorkerError::Unreportable { position: *earliest }),
        }
    }
}

fn number_of(record: &Result<Record, RecordError>) -> Option<SequenceNumber> {
    match record {
        Ok(record) => record.sequence_number.clone(),
        Err(error) => error.sequence_number.clone(),
    }
}

#[cfg(test)]
mod tests;
