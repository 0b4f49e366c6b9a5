//! Writing all at once, where the view file asks for it: source and shadows agree at every moment, and nothing that comes
//! late can land.

use shadowkey_item::Item;
use shadowkey_plan::{
    Action, Change, DeleteVerdict, Plan, PlannedDelete, PlannedPut, PutVerdict, Transaction, Update, judge_delete,
    judge_put, plan, transactions,
};
use shadowkey_store::{Disposition, Reason, Store, StoreError, Transacted, Written};

use crate::apply::rejected;
use crate::turn::{RACES, Stop, Turn};
use crate::{ItemOutcome, Problem};

/// What refused a transaction. What is not in here did not stand in its way.
#[derive(Debug, Default)]
pub(crate) struct Refusal {
    /// The source item as it is now, where it is not as in the image.
    source: Option<Option<Item>>,
    puts: Vec<(PlannedPut, Option<Item>)>,
    deletes: Vec<(PlannedDelete, Option<Item>)>,
}

/// How the writes of a change ended.
enum Ended {
    Done,
    /// Only reconciling tells what is true.
    Doubt,
    /// The source item has moved on to this.
    Moved(Option<Item>),
}

impl<S: Store> Turn<'_, S> {
    /// Writes what the chain of images calls for, and says whether a doubt is left. A source item that has moved on is
    /// derived again as one more image of the chain.
    pub(crate) async fn plan_and_transact(&mut self, change: &Change, outcome: &mut ItemOutcome) -> Result<bool, Stop> {
        let views = &self.worker.views;
        let mut change = change.clone();
        self.counters.unchanged = u64::from(plan(views, &change).is_empty());
        for _ in 0..RACES {
            let Plan {
                update,
                puts,
                deletes,
                failures,
                recovered,
            } = plan(views, &change);
            outcome.recovered = recovered;
            outcome.problems = failures.iter().map(Problem::of_failure).collect();
            let parts = transactions(views, &change.key, change.new_image(), update, puts, deletes);
            match self.transact_parts(parts, outcome).await? {
                Ended::Done => return Ok(false),
                Ended::Doubt => return Ok(true),
                Ended::Moved(now) => change.chain.push(now),
            }
        }
        Err(Stop::LostRace)
    }

    async fn transact_parts(&mut self, parts: Vec<Transaction>, outcome: &mut ItemOutcome) -> Result<Ended, Stop> {
        for mut part in parts {
            let mut races = 0..RACES;
            while let Some(refusal) = self.transact(&mut part, &mut outcome.problems).await? {
                races.next().ok_or(Stop::LostRace)?;
                if let Some(now) = refusal.source {
                    return Ok(Ended::Moved(now));
                }
                if self.judge(refusal, &mut part, outcome) {
                    return Ok(Ended::Doubt);
                }
            }
        }
        Ok(Ended::Done)
    }

    /// Takes out of a transaction what is done or cannot be, and says whether a doubt is left.
    fn judge(&self, refusal: Refusal, part: &mut Transaction, outcome: &mut ItemOutcome) -> bool {
        let views = &self.worker.views;
        for (planned, found) in refusal.puts {
            match judge_put(views, &planned, found.as_ref()) {
                PutVerdict::Again => continue,
                PutVerdict::Doubt => return true,
                PutVerdict::Done => {}
                PutVerdict::Collision => {
                    let problem = Problem::collision(&planned).of(&planned.withdrawal);
                    outcome.problems.push(problem);
                }
            }
            part.puts.retain(|put| *put != planned);
        }
        for (planned, found) in refusal.deletes {
            match judge_delete(views, &planned, found.as_ref()) {
                DeleteVerdict::Again => {}
                DeleteVerdict::Doubt => return true,
                DeleteVerdict::Absent | DeleteVerdict::Displaced => {
                    outcome.recovered.insert(planned.view.clone());
                    return true;
                }
            }
        }
        false
    }

    /// Sends a transaction until it takes effect or is refused. A write that the service refuses for good is taken out, and
    /// its problem kept.
    pub(crate) async fn transact(
        &mut self,
        part: &mut Transaction,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<Refusal>, Stop> {
        while !part.is_idle() {
            let actions = part.actions();
            if let [Action::Update(update)] = &actions[..] {
                return self.update_alone(update, problems).await;
            }
            let store = &self.worker.store;
            let sent = self.send(|| transact_or_fail(store, &actions)).await;
            match sent {
                Ok(Transacted::Done { write_units }) => {
                    self.count(part, write_units);
                    return Ok(None);
                }
                Ok(Transacted::Cancelled { reasons }) => {
                    if let Some(refusal) = self.sort_out(part, reasons, problems) {
                        return Ok(Some(refusal));
                    }
                }
                // Which of the writes it is, the service does not say.
                Err(Stop::Store(error)) if error.disposition() == Disposition::Park && actions.len() > 2 => {
                    return Box::pin(self.transact_one_by_one(part, problems)).await;
                }
                Err(Stop::Store(error)) if error.disposition() == Disposition::Park => {
                    problems.push(problem_of(part, &error));
                    return Ok(None);
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(None)
    }

    /// An update by itself needs no transaction to be all or nothing.
    async fn update_alone(&mut self, update: &Update, problems: &mut Vec<Problem>) -> Result<Option<Refusal>, Stop> {
        match self.write_update(update).await {
            Ok(Written::Done { .. }) => Ok(None),
            Ok(Written::Refused { found }) => Ok(Some(Refusal {
                source: Some(found),
                ..Refusal::default()
            })),
            Err(stop) => {
                problems.push(rejected(stop)?);
                Ok(None)
            }
        }
    }

    async fn transact_one_by_one(
        &mut self,
        part: &Transaction,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<Refusal>, Stop> {
        for mut single in part.clone().split() {
            if let Some(refusal) = self.transact(&mut single, problems).await? {
                return Ok(Some(refusal));
            }
        }
        Ok(None)
    }

    /// Reads a cancellation action by action.
    fn sort_out(
        &mut self,
        part: &mut Transaction,
        reasons: Vec<Reason>,
        problems: &mut Vec<Problem>,
    ) -> Option<Refusal> {
        let mut refusal = Refusal::default();
        let mut reasons = reasons.into_iter();
        match reasons.next() {
            Some(Reason::Refused { found }) => refusal.source = Some(found),
            Some(Reason::Failed(error)) => {
                problems.push(Problem::of_store(&error));
                part.without_update();
            }
            _ => {}
        }
        let mut kept = Vec::new();
        for (planned, reason) in std::mem::take(&mut part.puts).into_iter().zip(reasons.by_ref()) {
            match reason {
                Reason::None => kept.push(planned),
                Reason::Refused { found } => {
                    kept.push(planned.clone());
                    refusal.puts.push((planned, found));
                }
                // An index that lies is worse than one that misses: the shadow's older self goes.
                Reason::Failed(error) => {
                    problems.push(Problem::of_store(&error).of(&planned.withdrawal));
                    part.deletes.push(planned.withdrawal.or_absent());
                }
            }
        }
        part.puts = kept;
        let mut kept = Vec::new();
        for planned in std::mem::take(&mut part.deletes) {
            match reasons.next() {
                None | Some(Reason::None) => kept.push(planned),
                Some(Reason::Refused { found }) => {
                    kept.push(planned.clone());
                    refusal.deletes.push((planned, found));
                }
                Some(Reason::Failed(error)) => problems.push(Problem::of_store(&error).of(&planned)),
            }
        }
        part.deletes = kept;
        let refused = usize::from(refusal.source.is_some()) + refusal.puts.len() + refusal.deletes.len();
        self.counters.refused += u64::try_from(refused).unwrap_or(u64::MAX);
        (refused > 0).then_some(refusal)
    }

    fn count(&mut self, part: &Transaction, write_units: u64) {
        let number = |len: usize| u64::try_from(len).unwrap_or(u64::MAX);
        self.counters.puts += number(part.puts.len());
        self.counters.deletes += number(part.deletes.len());
        self.counters.updates += u64::from(matches!(part.source, Action::Update(_)));
        self.counters.write_units += write_units;
    }
}

/// A cancellation for a reason that may pass is an error that may pass.
async fn transact_or_fail<S: Store>(store: &S, actions: &[Action]) -> Result<Transacted, StoreError> {
    let transacted = store.transact(actions).await?;
    let Transacted::Cancelled { reasons } = transacted else {
        return Ok(transacted);
    };
    let mut kept = Vec::new();
    for reason in reasons {
        match reason {
            Reason::Failed(error) if error.disposition() != Disposition::Park => return Err(error),
            reason => kept.push(reason),
        }
    }
    Ok(Transacted::Cancelled { reasons: kept })
}

/// The problem of the one write that a transaction has beside its source item's.
fn problem_of(part: &Transaction, error: &StoreError) -> Problem {
    let problem = Problem::of_store(error);
    match (part.puts.first(), part.deletes.first()) {
        (Some(put), _) => problem.of(&put.withdrawal),
        (None, Some(delete)) => problem.of(delete),
        (None, None) => problem,
    }
}
