//! Applying one item's change: its attributes, then the puts, then the deletes.

use std::future::Future;
use std::sync::OnceLock;
use std::time::Duration;

use shadowkey_plan::{
    Change, DeleteVerdict, Doubt, PlannedDelete, PlannedPut, PutVerdict, Update, judge_delete, judge_put, plan,
    plan_attributes,
};
use shadowkey_store::{Disposition, Store, StoreError, Written};

use crate::attempts::{Closing, send};
use crate::reconcile::Doubtful;
use crate::{Cause, Counters, ItemOutcome, Problem, Worker};

/// How often a write that loses a race is planned again.
const RACES: usize = 10;

/// One item's change as far as it has been applied.
#[derive(Debug)]
pub(crate) struct ItemRun {
    pub(crate) position: usize,
    pub(crate) outcome: ItemOutcome,
    pub(crate) counters: Counters,
}

/// What a run needs besides its change.
struct Applying<'a, S> {
    worker: &'a Worker<S>,
    closing: Closing,
    halted: &'a OnceLock<StoreError>,
    jitter: fastrand::Rng,
    counters: Counters,
}

/// Why a single write did not do what it was for.
enum Failed {
    /// The store said no, or nothing.
    Store(StoreError),
    /// Only reconciling helps.
    Doubt(Doubt),
    /// Someone else's item has the place, or others are quicker.
    Problem(Problem),
    /// No more work is started in this invocation.
    Closed,
}

/// What ends the turn of a whole item.
enum Ended {
    Store(StoreError),
    Closed,
}

impl<S: Store> Worker<S> {
    /// Applies a change. No request is started once something has halted or the time for work is over.
    pub(crate) async fn apply(&self, change: Change, closing: Closing, halted: &OnceLock<StoreError>) -> ItemRun {
        let position = u64::try_from(change.position).unwrap_or(0);
        let mut applying = Applying {
            worker: self,
            closing,
            halted,
            jitter: fastrand::Rng::with_seed(self.settings.jitter_seed.wrapping_add(position)),
            counters: Counters::default(),
        };
        let mut outcome = ItemOutcome {
            key: change.key.clone(),
            planned: Vec::new(),
            problems: Vec::new(),
        };
        if change.incomplete {
            outcome.problems = self.reconcile(&change, vec![(Doubt::ImageMissing, None)]);
        } else {
            match applying.plan_and_write(&change, &mut outcome).await {
                Ok(()) => {}
                Err(Ended::Closed) => outcome.problems.push(closed()),
                Err(Ended::Store(error)) => {
                    outcome.problems.push(Problem::of_store(&error));
                    if error.disposition() == Disposition::Halt {
                        let _ = halted.set(error);
                    }
                }
            }
        }
        for problem in &outcome.problems {
            tracing::warn!(
                key = %change.key, version = %change.version, view = problem.view, code = problem.code, cause = ?problem.cause,
                "{}", problem.message
            );
        }
        let permanent = |problem: &&Problem| problem.cause == Cause::Permanent;
        applying.counters.parked = u64::try_from(outcome.problems.iter().filter(permanent).count()).unwrap_or(u64::MAX);
        ItemRun {
            position: change.position,
            outcome,
            counters: applying.counters,
        }
    }
}

impl<S: Store> Applying<'_, S> {
    /// Writes what the change needs. Permanent problems and doubts are collected and concern one view each; an error
    /// that may pass ends the item's turn.
    async fn plan_and_write(&mut self, change: &Change, outcome: &mut ItemOutcome) -> Result<(), Ended> {
        let plan = plan(&self.worker.views, change);
        outcome.problems.extend(plan.failures.iter().map(Problem::of_failure));
        self.counters.unchanged = u64::from(plan.is_empty());
        let puts = plan.puts.iter().map(|planned| &planned.withdrawal);
        let places = puts.chain(&plan.deletes);
        outcome.planned = places
            .map(|place| (place.view.clone(), place.delete.key.clone()))
            .collect();
        let mut doubts: Vec<Doubtful<'_>> = Vec::new();
        if let Some(update) = plan.update {
            let result = self.update(change, update).await;
            collect(result, None, outcome, &mut doubts)?;
        }
        for planned in &plan.puts {
            let result = self.put(planned).await;
            collect(result, Some(&planned.withdrawal), outcome, &mut doubts)?;
        }
        for planned in &plan.deletes {
            // The old place stays until the new one is certain: a reader never misses the item.
            if !is_undecided(&planned.view, outcome, &doubts) {
                let result = self.delete(planned).await;
                collect(result, Some(planned), outcome, &mut doubts)?;
            }
        }
        outcome.problems.extend(self.worker.reconcile(change, doubts));
        Ok(())
    }

    /// Brings the attributes up to date; a refusal says what the item is now, and everything starts from there.
    async fn update(&mut self, change: &Change, mut update: Update) -> Result<(), Failed> {
        for _ in 0..RACES {
            let found = match self.send(|store| store.update(&update)).await? {
                Written::Done { .. } => {
                    self.counters.updates += 1;
                    return Ok(());
                }
                Written::Refused { found } => found,
            };
            let again =
                found.and_then(|image| plan_attributes(&self.worker.views, &change.key, &image, change.images()));
            match again {
                Some(again) => update = again,
                None => return Ok(()),
            }
        }
        Err(Failed::Problem(lost_race()))
    }

    async fn put(&mut self, planned: &PlannedPut) -> Result<(), Failed> {
        for _ in 0..RACES {
            let found = match self.send(|store| store.put(&planned.put)).await {
                Ok(Written::Done { .. }) => {
                    self.counters.puts += 1;
                    return Ok(());
                }
                Ok(Written::Refused { found }) => found,
                Err(Failed::Store(error)) if error.disposition() == Disposition::Park => {
                    // An index that lies is worse than one that misses.
                    self.delete(&planned.withdrawal).await?;
                    return Err(Failed::Store(error));
                }
                Err(failed) => return Err(failed),
            };
            match judge_put(&self.worker.views, planned, found.as_ref()) {
                PutVerdict::Done => return Ok(()),
                PutVerdict::Again => {}
                PutVerdict::Doubt(doubt) => return Err(Failed::Doubt(doubt)),
                PutVerdict::Collision => return Err(Failed::Problem(collision(planned))),
            }
        }
        Err(Failed::Problem(lost_race()))
    }

    async fn delete(&mut self, planned: &PlannedDelete) -> Result<(), Failed> {
        for _ in 0..RACES {
            let found = match self.send(|store| store.delete(&planned.delete)).await? {
                Written::Done { .. } => {
                    self.counters.deletes += 1;
                    return Ok(());
                }
                Written::Refused { found } => found,
            };
            match judge_delete(planned, found.as_ref()) {
                DeleteVerdict::Done => return Ok(()),
                DeleteVerdict::Again => {}
                DeleteVerdict::Doubt(doubt) => return Err(Failed::Doubt(doubt)),
            }
        }
        Err(Failed::Problem(lost_race()))
    }

    async fn send<'s, F>(&mut self, write: impl Fn(&'s S) -> F) -> Result<Written, Failed>
    where
        F: Future<Output = Result<Written, StoreError>>,
        Self: 's,
    {
        if !self.closing.allows(Duration::ZERO) || self.halted.get().is_some() {
            return Err(Failed::Closed);
        }
        let Worker { store, settings, .. } = self.worker;
        let sent = send(settings, self.closing, &mut self.jitter, &mut self.counters, || {
            write(store)
        });
        sent.await.map_err(Failed::Store)
    }
}

/// Keeps a problem or a doubt of one view and goes on; what ends the item's turn is handed up.
fn collect<'p>(
    result: Result<(), Failed>,
    place: Option<&'p PlannedDelete>,
    outcome: &mut ItemOutcome,
    doubts: &mut Vec<Doubtful<'p>>,
) -> Result<(), Ended> {
    let problem = match result {
        Ok(()) => return Ok(()),
        Err(Failed::Closed) => return Err(Ended::Closed),
        Err(Failed::Store(error)) if error.disposition() != Disposition::Park => return Err(Ended::Store(error)),
        Err(Failed::Store(error)) => Problem::of_store(&error),
        Err(Failed::Problem(problem)) => problem,
        Err(Failed::Doubt(doubt)) => {
            doubts.push((doubt, place.map(|place| (place.view.as_str(), &place.delete.key))));
            return Ok(());
        }
    };
    outcome.problems.push(match place {
        Some(place) => problem.of(&place.view, &place.delete.key),
        None => problem,
    });
    Ok(())
}

/// Whether it is not known yet where the view's shadows will be.
fn is_undecided(view: &str, outcome: &ItemOutcome, doubts: &[Doubtful<'_>]) -> bool {
    let undecided = |problem: &Problem| problem.cause != Cause::Permanent && problem.view.as_deref() == Some(view);
    outcome.problems.iter().any(undecided)
        || doubts
            .iter()
            .any(|(_, place)| place.is_some_and(|(doubtful, _)| doubtful == view))
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

fn collision(planned: &PlannedPut) -> Problem {
    let message = format!(
        "the place in table `{}` is taken by an item that is not this view's shadow of this source, and was left as it is; change \
         the view's key, or move that item",
        planned.put.table
    );
    Problem::new(Cause::Permanent, "collision", message)
}
