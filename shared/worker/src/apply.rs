//! Applying one item's change: its attributes, then the puts, then the deletes.

use std::sync::OnceLock;

use shadowkey_plan::{Change, PlannedDelete, PlannedPut, Verdict, judge_delete, judge_put, plan, plan_attributes};
use shadowkey_store::{Disposition, Store, StoreError, Written};

use crate::attempts::{Closing, send};
use crate::reconcile::{Doubt, reconcile_needed};
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
    jitter: fastrand::Rng,
    counters: Counters,
}

/// Why a single write did not do what it was for.
enum Failed {
    Store(StoreError),
    Problem(Problem),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl<S: Store> Worker<S> {
    /// Applies a change; nothing is started once something has halted or the time for work is over.
    pub(crate) async fn apply(&self, change: Change, closing: Closing, halted: &OnceLock<StoreError>) -> ItemRun {
        let jitter_seed = self
            .settings
            .jitter_seed
            .wrapping_add(u64::try_from(change.position).unwrap_or(0));
        let mut applying = Applying {
            worker: self,
            closing,
            jitter: fastrand::Rng::with_seed(jitter_seed),
            counters: Counters::default(),
        };
        let mut outcome = ItemOutcome {
            key: change.key.clone(),
            written_views: Vec::new(),
            problems: Vec::new(),
        };
        if !closing.allows(std::time::Duration::ZERO) || halted.get().is_some() {
            outcome.problems.push(out_of_time());
        } else if change.incomplete {
            outcome.problems.push(reconcile_needed(None, Doubt::ImageMissing));
        } else if let Err(error) = applying.plan_and_write(&change, &mut outcome).await {
            outcome.problems.push(Problem::of_store(None, &error));
            if error.disposition() == Disposition::Halt {
                let _ = halted.set(error);
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
    async fn plan_and_write(&mut self, change: &Change, outcome: &mut ItemOutcome) -> Result<(), StoreError> {
        let plan = plan(&self.worker.views, change);
        outcome.problems.extend(plan.failures.iter().map(Problem::of_failure));
        self.counters.unchanged = u64::from(plan.is_empty());
        let views = plan
            .puts
            .iter()
            .map(|put| &put.view)
            .chain(plan.deletes.iter().map(|delete| &delete.view));
        outcome.written_views = views.cloned().collect();
        if let Some(update) = plan.update {
            let result = self.update(change, update).await;
            outcome.collect(None, result)?;
        }
        for planned in &plan.puts {
            let result = self.put(planned).await;
            outcome.collect(Some(&planned.view), result)?;
        }
        for planned in &plan.deletes {
            // The old place stays until the new one is certain: a reader never misses the item.
            if !outcome.in_doubt(&planned.view) {
                let result = self.delete(planned).await;
                outcome.collect(Some(&planned.view), result)?;
            }
        }
        Ok(())
    }

    /// Brings the attributes up to date; a refusal says what the item is now, and everything starts from there.
    async fn update(&mut self, change: &Change, mut update: shadowkey_plan::Update) -> Result<(), Failed> {
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
        Err(Failed::Problem(lost_race(None)))
    }

    async fn put(&mut self, planned: &PlannedPut) -> Result<(), Failed> {
        let view = Some(planned.view.as_str());
        for _ in 0..RACES {
            let found = match self.send(|store| store.put(&planned.put)).await {
                Ok(Written::Done { .. }) => {
                    self.counters.puts += 1;
                    return Ok(());
                }
                Ok(Written::Refused { found }) => found,
                Err(error) if error.disposition() == Disposition::Park => {
                    // An index that lies is worse than one that misses.
                    self.delete(&planned.withdrawal).await?;
                    return Err(error.into());
                }
                Err(error) => return Err(error.into()),
            };
            match judge_put(&self.worker.views, planned, found.as_ref()) {
                Verdict::Done => return Ok(()),
                Verdict::Again => {}
                Verdict::Collision => return Err(Failed::Problem(collision(planned))),
                verdict @ (Verdict::Newer | Verdict::Claimed) => {
                    return Err(Failed::Problem(reconcile_needed(view, Doubt::of(verdict))));
                }
            }
        }
        Err(Failed::Problem(lost_race(view)))
    }

    async fn delete(&mut self, planned: &PlannedDelete) -> Result<(), Failed> {
        let view = Some(planned.view.as_str());
        for _ in 0..RACES {
            let found = match self.send(|store| store.delete(&planned.delete)).await? {
                Written::Done { .. } => {
                    self.counters.deletes += 1;
                    return Ok(());
                }
                Written::Refused { found } => found,
            };
            match judge_delete(planned, found.as_ref()) {
                Verdict::Again => {}
                verdict @ Verdict::Newer => return Err(Failed::Problem(reconcile_needed(view, Doubt::of(verdict)))),
                _ => return Ok(()),
            }
        }
        Err(Failed::Problem(lost_race(view)))
    }

    async fn send<'s, F>(&mut self, write: impl Fn(&'s S) -> F) -> Result<Written, StoreError>
    where
        F: Future<Output = Result<Written, StoreError>>,
        Self: 's,
    {
        let Worker { store, settings, .. } = self.worker;
        send(settings, self.closing, &mut self.jitter, &mut self.counters, || {
            write(store)
        })
        .await
    }
}

impl ItemOutcome {
    /// Keeps a problem of one view and goes on; an error that may pass is handed up.
    fn collect(&mut self, view: Option<&str>, result: Result<(), Failed>) -> Result<(), StoreError> {
        match result {
            Ok(()) => Ok(()),
            Err(Failed::Problem(problem)) => {
                self.problems.push(problem);
                Ok(())
            }
            Err(Failed::Store(error)) if error.disposition() == Disposition::Park => {
                self.problems.push(Problem::of_store(view, &error));
                Ok(())
            }
            Err(Failed::Store(error)) => Err(error),
        }
    }

    fn in_doubt(&self, view: &str) -> bool {
        let undecided = |problem: &Problem| problem.cause != Cause::Permanent && problem.view.as_deref() == Some(view);
        self.problems.iter().any(undecided)
    }
}

fn out_of_time() -> Problem {
    Problem {
        view: None,
        cause: Cause::Transient,
        code: "out-of-time",
        message: "the invocation's time for new work was over; the change is delivered again".to_owned(),
    }
}

fn lost_race(view: Option<&str>) -> Problem {
    Problem {
        view: view.map(str::to_owned),
        cause: Cause::Transient,
        code: "lost-race",
        message: format!("the item changed {RACES} times while it was being written; the change is delivered again"),
    }
}

fn collision(planned: &PlannedPut) -> Problem {
    Problem {
        view: Some(planned.view.clone()),
        cause: Cause::Permanent,
        code: "collision",
        message: format!(
            "view `{}`: the key {} in table `{}` is taken by an item that is not this view's shadow of this source; it was left \
             as it is: change the view's key, or move that item",
            planned.view,
            shadowkey_item::item_to_json(planned.withdrawal.delete.key.attributes()),
            planned.put.table,
        ),
    }
}
