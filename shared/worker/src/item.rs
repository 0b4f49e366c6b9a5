//! One item from its change to its outcome: contained, logged, and parked where it cannot succeed.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt;
use shadowkey_item::Version;
use shadowkey_plan::{Change, Flaw, Place};
use shadowkey_store::Store;

use crate::reconcile::Job;
use crate::turn::{Stop, Turn};
use crate::{Cause, Counters, ItemOutcome, Problem};

/// One item's change as far as it has been handled.
#[derive(Debug)]
pub(crate) struct ItemRun {
    pub(crate) position: usize,
    pub(crate) outcome: ItemOutcome,
    pub(crate) counters: Counters,
}

impl<S: Store> Turn<'_, S> {
    /// Handles a change of the stream.
    pub(crate) async fn handle(mut self, change: Change) -> ItemRun {
        let mut outcome = ItemOutcome::of(change.key.clone());
        let applied = AssertUnwindSafe(self.apply(&change, &mut outcome)).catch_unwind().await;
        let mut left = BTreeSet::new();
        if !matches!(applied, Ok(Ok(()))) {
            let views = &self.worker.views;
            match catch_unwind(AssertUnwindSafe(|| Job::of_change(views, &change).candidates)) {
                Ok(candidates) => left = candidates,
                Err(_) => outcome.problems.extend(Problem::of_flaw(&Flaw::Unreadable(
                    "what its images derive cannot be told".to_owned(),
                ))),
            }
        }
        self.conclude(applied, change.position, &change.version, outcome, left)
            .await
    }

    /// Reconciles an item beside the stream; `flaws` are what its records leave open.
    pub(crate) async fn handle_job(mut self, job: Job, position: usize, flaws: Vec<Problem>) -> ItemRun {
        let mut outcome = ItemOutcome::of(job.key.clone());
        let reconciled = AssertUnwindSafe(self.reconcile(&job)).catch_unwind().await;
        let reconciled = reconciled.map(|result| result.map(|problems| outcome.problems.extend(problems)));
        outcome.problems.extend(flaws);
        self.conclude(reconciled, position, &job.version, outcome, job.candidates)
            .await
    }

    /// Writes down what became of an item, in the log and, where it cannot succeed, in the state table. An item that ends
    /// before its time may have left shadows in the given places.
    pub(crate) async fn conclude(
        mut self,
        result: std::thread::Result<Result<(), Stop>>,
        position: usize,
        version: &Version,
        mut outcome: ItemOutcome,
        left: BTreeSet<Place>,
    ) -> ItemRun {
        match result {
            Ok(Ok(())) => {}
            Ok(Err(stop)) => outcome.problems.push(self.stopped(stop).at(left)),
            // A panic concerns the item that caused it and no other.
            Err(panic) => outcome.problems.push(Problem::panicked(&*panic).at(left)),
        }
        let is_transient = |problem: &Problem| problem.cause == Cause::Transient;
        if !outcome.problems.iter().any(is_transient)
            && let Err(stop) = self.write_down(version, &mut outcome).await
        {
            let problem = self.stopped(stop);
            outcome.problems.push(problem);
        }
        for problem in &outcome.problems {
            tracing::warn!(
                key = %outcome.key, version = %version, view = problem.view, code = problem.code, cause = ?problem.cause,
                "{}", problem.message
            );
        }
        ItemRun {
            position,
            outcome,
            counters: self.counters,
        }
    }

    /// Parks what cannot succeed, and clears what is settled. A healthy item has neither.
    async fn write_down(&mut self, version: &Version, outcome: &mut ItemOutcome) -> Result<(), Stop> {
        if !outcome.problems.is_empty() {
            outcome.parked = self.park(&outcome.key, version, &outcome.problems).await?;
        }
        let failing = |view: &&String| {
            outcome
                .problems
                .iter()
                .any(|problem| problem.view.as_ref() == Some(view))
        };
        let settled = outcome
            .recovered
            .iter()
            .filter(|view| !failing(view))
            .cloned()
            .collect();
        self.clear(&outcome.key, version, &settled).await
    }
}
