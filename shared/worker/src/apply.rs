//! Applying one item's change: its attributes, then the puts, then the deletes.

use std::collections::BTreeSet;

use shadowkey_item::{Item, Key};
use shadowkey_plan::{
    Change, DeleteVerdict, PlannedDelete, PlannedPut, PutVerdict, Update, judge_delete, judge_put, plan,
    plan_attributes,
};
use shadowkey_store::{Disposition, Store, Written};

use crate::reconcile::Job;
use crate::turn::{RACES, Stop, Turn};
use crate::{ItemOutcome, Problem};

/// How the writing of one shadow ended.
enum Ended {
    /// It is as it should be.
    Done,
    /// Only reconciling tells what is true.
    Doubt,
    /// Something else stands there.
    Problem(Problem),
    /// The service refuses it for good.
    Rejected(Problem),
}

impl<S: Store> Turn<'_, S> {
    /// Makes the derived data of a changed item true. What goes wrong for good is collected in the outcome and concerns one
    /// view each; what may pass ends the turn.
    pub(crate) async fn apply(&mut self, change: &Change, outcome: &mut ItemOutcome) -> Result<(), Stop> {
        let job = || Job::of_change(&self.worker.views, change);
        if let Some(flaw) = &change.flaw {
            let job = job();
            outcome.problems.extend(Problem::of_flaw(flaw));
            let problems = self.reconcile(&job).await?;
            outcome.problems.extend(problems);
            return Ok(());
        }
        let doubtful = match self.worker.views.is_transactional() {
            true => self.plan_and_transact(change, outcome).await?,
            false => self.plan_and_write(change, outcome).await?,
        };
        if doubtful {
            let job = job();
            outcome.problems = self.reconcile(&job).await?;
        }
        Ok(())
    }

    /// Writes what the chain of images calls for, and says whether a doubt is left.
    async fn plan_and_write(&mut self, change: &Change, outcome: &mut ItemOutcome) -> Result<bool, Stop> {
        let plan = plan(&self.worker.views, change);
        outcome.problems.extend(plan.failures.iter().map(Problem::of_failure));
        self.counters.unchanged = u64::from(plan.is_empty());
        outcome.recovered = plan.recovered;
        if let (Some(update), Some(image)) = (plan.update, change.new_image()) {
            let before: Vec<&Item> = change.images().collect();
            let problems = self.update(update, &change.key, image, &before).await?;
            outcome.problems.extend(problems);
        }
        let mut doubtful: BTreeSet<&str> = BTreeSet::new();
        // An index that lies is worse than one that misses: what cannot be put takes its older self away.
        let mut withdrawn = Vec::new();
        for planned in &plan.puts {
            match self.put(planned).await? {
                Ended::Done => {}
                Ended::Doubt => drop(doubtful.insert(&planned.view)),
                Ended::Problem(problem) => outcome.problems.push(problem.of(&planned.withdrawal)),
                Ended::Rejected(problem) => {
                    outcome.problems.push(problem.of(&planned.withdrawal));
                    withdrawn.push(&planned.withdrawal);
                }
            }
        }
        for planned in &plan.deletes {
            // The old place stays until the new one is certain: a reader never misses the item.
            if doubtful.contains(planned.view.as_str()) {
                continue;
            }
            match self.delete_older(planned, outcome).await? {
                Ended::Done => {}
                Ended::Doubt => drop(doubtful.insert(&planned.view)),
                Ended::Problem(problem) | Ended::Rejected(problem) => outcome.problems.push(problem.of(planned)),
            }
        }
        for planned in withdrawn {
            self.delete(planned).await?;
        }
        Ok(!doubtful.is_empty())
    }

    /// Brings the attributes of an item up to date. Where the service rejects the update for good, as one that is too long
    /// or one that has a bad attribute in it, each half of it is tried by itself.
    pub(crate) async fn update(
        &mut self,
        update: Update,
        key: &Key,
        image: &Item,
        before: &[&Item],
    ) -> Result<Vec<Problem>, Stop> {
        let views = &self.worker.views;
        let mut problems = Vec::new();
        let mut all = Some(update);
        let mut waiting: Vec<Option<Vec<String>>> = vec![None];
        while let Some(only) = waiting.pop() {
            let some = || plan_attributes(views, key, image, before.iter().copied(), only.as_deref());
            let Some(update) = all.take().or_else(some) else {
                continue;
            };
            if let Err((problem, names)) = self.update_until_done(update, before, only.as_deref()).await? {
                match names.split_at(names.len() / 2) {
                    ([], [name]) => problems.push(problem.of_attribute(views.writer_of(name, image), name)),
                    (first, second) => waiting.extend([Some(second.to_vec()), Some(first.to_vec())]),
                }
            }
        }
        Ok(problems)
    }

    /// Sends an update of all attributes, or of `only` some. A refusal says what the item is now, and everything starts from
    /// there; a rejection says of which attributes the update was.
    async fn update_until_done(
        &mut self,
        mut update: Update,
        before: &[&Item],
        only: Option<&[String]>,
    ) -> Result<Result<(), (Problem, Vec<String>)>, Stop> {
        for _ in 0..RACES {
            let found = match self.write_update(&update).await {
                Ok(Written::Done { .. }) => return Ok(Ok(())),
                Ok(Written::Refused { found }) => found,
                Err(stop) => return Ok(Err((rejected(stop)?, update.names().map(str::to_owned).collect()))),
            };
            let views = &self.worker.views;
            let again =
                found.and_then(|image| plan_attributes(views, &update.key, &image, before.iter().copied(), only));
            match again {
                Some(again) => update = again,
                None => return Ok(Ok(())),
            }
        }
        Err(Stop::LostRace)
    }

    async fn put(&mut self, planned: &PlannedPut) -> Result<Ended, Stop> {
        for _ in 0..RACES {
            let found = match self.write_put(planned).await? {
                Ok(Written::Done { .. }) => return Ok(Ended::Done),
                Ok(Written::Refused { found }) => found,
                Err(problem) => return Ok(Ended::Rejected(problem)),
            };
            match judge_put(&self.worker.views, planned, found.as_ref()) {
                PutVerdict::Done => return Ok(Ended::Done),
                PutVerdict::Again => {}
                PutVerdict::Doubt => return Ok(Ended::Doubt),
                PutVerdict::Collision => return Ok(Ended::Problem(Problem::collision(planned))),
            }
        }
        Err(Stop::LostRace)
    }

    async fn delete_older(&mut self, planned: &PlannedDelete, outcome: &mut ItemOutcome) -> Result<Ended, Stop> {
        for _ in 0..RACES {
            let found: Option<Item> = match self.delete(planned).await {
                Ok(Written::Done { .. }) => return Ok(Ended::Done),
                Ok(Written::Refused { found }) => found,
                Err(stop) => return rejected(stop).map(Ended::Rejected),
            };
            match judge_delete(&self.worker.views, planned, found.as_ref()) {
                DeleteVerdict::Absent => return Ok(Ended::Done),
                DeleteVerdict::Again => {}
                DeleteVerdict::Doubt => return Ok(Ended::Doubt),
                DeleteVerdict::Displaced => {
                    // The view may be parked because of that item, and whether it still is, only reconciling tells.
                    outcome.recovered.insert(planned.view.clone());
                    return Ok(Ended::Doubt);
                }
            }
        }
        Err(Stop::LostRace)
    }

    /// Sends an update of the source item.
    async fn write_update(&mut self, update: &Update) -> Result<Written, Stop> {
        let store = &self.worker.store;
        let written = self.write(|| store.update(update)).await?;
        self.counters.updates += u64::from(written.is_done());
        Ok(written)
    }

    /// Sends a put, and gives the problem where the service refuses it for good.
    pub(crate) async fn write_put(&mut self, planned: &PlannedPut) -> Result<Result<Written, Problem>, Stop> {
        let store = &self.worker.store;
        match self.write(|| store.put(&planned.put)).await {
            Ok(written) => {
                self.counters.puts += u64::from(written.is_done());
                Ok(Ok(written))
            }
            Err(stop) => rejected(stop).map(Err),
        }
    }
}

/// The problem of a write that the service refuses for good; any other error ends the turn.
pub(crate) fn rejected(stop: Stop) -> Result<Problem, Stop> {
    match stop {
        Stop::Store(error) if error.disposition() == Disposition::Park => Ok(Problem::of_store(&error)),
        other => Err(other),
    }
}
