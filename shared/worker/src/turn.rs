//! One item's turn: the requests for it, counted, tried again and stopped in time.

use std::future::Future;
use std::sync::OnceLock;
use std::time::Duration;

use shadowkey_item::{Item, TableName};
use shadowkey_plan::{Place, PlannedDelete};
use shadowkey_store::{Disposition, Page, Store, StoreError, Written};

use crate::attempts::{Closing, send};
use crate::notes::Run;
use crate::{Cause, Counters, Problem, Worker};

/// How often something is done again because others were quicker.
pub(crate) const RACES: usize = 20;

/// What the turns of one invocation share.
#[derive(Debug)]
pub(crate) struct Pass {
    pub(crate) closing: Closing,
    pub(crate) halted: OnceLock<StoreError>,
}

/// One item's turn in an invocation.
pub(crate) struct Turn<'a, S> {
    pub(crate) worker: &'a Worker<S>,
    /// The run beside the stream that it belongs to; `None` on the stream itself.
    pub(crate) run: Option<&'a Run>,
    pub(crate) counters: Counters,
    pass: &'a Pass,
    jitter: fastrand::Rng,
}

/// Why an item's turn ends before its time; what is left is for another delivery.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The store did not answer as it should.
    Store(StoreError),
    /// No more work is started in this invocation.
    Closed,
    /// Others kept being quicker.
    LostRace,
    /// The run's lease is over, so that another may do its work.
    LeaseOver,
}

impl<'a, S: Store> Turn<'a, S> {
    pub(crate) fn new(worker: &'a Worker<S>, pass: &'a Pass, run: Option<&'a Run>, position: usize) -> Self {
        let position = u64::try_from(position).unwrap_or(0);
        Self {
            worker,
            run,
            counters: Counters::default(),
            pass,
            jitter: fastrand::Rng::with_seed(worker.settings.jitter_seed.wrapping_add(position)),
        }
    }

    /// What stands in a place, by a strongly consistent read.
    pub(crate) async fn read(&mut self, place: &Place) -> Result<Option<Item>, Stop> {
        let store = &self.worker.store;
        self.send(|| store.get(&place.table, &place.key)).await
    }

    /// A page of a table.
    pub(crate) async fn scan(&mut self, table: &TableName, start: Option<&Item>) -> Result<Page, Stop> {
        let store = &self.worker.store;
        self.send(|| store.scan(table, start)).await
    }

    /// Sends a conditional write.
    pub(crate) async fn write<F>(&mut self, write: impl FnMut() -> F) -> Result<Written, Stop>
    where
        F: Future<Output = Result<Written, StoreError>>,
    {
        let written = self.send(write).await?;
        match &written {
            Written::Done { write_units } => self.counters.write_units += write_units,
            Written::Refused { .. } => self.counters.refused += 1,
        }
        Ok(written)
    }

    /// Deletes a shadow, and says what stood there if it was not the one meant.
    pub(crate) async fn delete(&mut self, planned: &PlannedDelete) -> Result<Written, Stop> {
        let store = &self.worker.store;
        let written = self.write(|| store.delete(&planned.delete)).await?;
        self.counters.deletes += u64::from(written.is_done());
        Ok(written)
    }

    /// Ends the turn and says why, as a problem of the whole item.
    pub(crate) fn stopped(&self, stop: Stop) -> Problem {
        let error = match stop {
            Stop::Store(error) => error,
            Stop::Closed => return closed(),
            Stop::LostRace => return lost_race(),
            Stop::LeaseOver => return lease_over(),
        };
        let problem = Problem::of_store(&error);
        if error.disposition() == Disposition::Halt {
            let _ = self.pass.halted.set(error);
        }
        problem
    }

    /// Sends a request until it is answered, or its time or the invocation's is over.
    pub(crate) async fn send<T, F>(&mut self, call: impl FnMut() -> F) -> Result<T, Stop>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        if !self.pass.closing.allows(Duration::ZERO) || self.pass.halted.get().is_some() {
            return Err(Stop::Closed);
        }
        let settings = &self.worker.settings;
        let sent = send(settings, self.pass.closing, &mut self.jitter, &mut self.counters, call);
        sent.await.map_err(Stop::Store)
    }
}

fn closed() -> Problem {
    let message = "the invocation starts no more work, since its time is nearly over or nothing can be written; the change is \
                   delivered again";
    Problem::new(Cause::Transient, "closed", message)
}

fn lost_race() -> Problem {
    let message = format!("the item changed {RACES} times while it was being written; the change is delivered again");
    Problem::new(Cause::Transient, "lost-race", message)
}

fn lease_over() -> Problem {
    let message = "the run has taken longer than its lease, so it writes nothing more; run it again";
    Problem::new(Cause::Transient, "lease-over", message)
}
