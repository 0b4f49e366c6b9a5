//! Writing all at once, where the view file asks for it: source and shadows agree at every moment, and nothing that comes
//! late can land.

use shadowkey_item::Item;
use shadowkey_plan::{
    Action, Change, DeleteVerdict, Plan, PutVerdict, ShadowWrite, Transactions, judge_delete, judge_put, plan,
};
use shadowkey_store::{Disposition, Reason, Store, StoreError, Transacted, Written};

use crate::turn::{RACES, Stop, Turn};
use crate::{ItemOutcome, Problem};

/// What refused a transaction. What is not in here did not stand in its way.
#[derive(Debug, Default)]
pub(crate) struct Refusal {
    /// The source item as it is now, where it is not as in the image.
    source: Option<Option<Item>>,
    shadows: Vec<(ShadowWrite, Option<Item>)>,
}

/// How the writes of a change ended.
enum Ended {
    Done,
    /// Only reconciling tells what is true.
    Doubt,
    /// The source item has moved on to this.
    Moved(Option<Item>),
}

/// What a refusal leaves to do.
enum Next {
    /// What refused is out of the way.
    GoOn,
    /// The same again, since it has changed in between.
    Again,
    Doubt,
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
            let parts = Transactions::new(views, &change.key, change.new_image(), update, puts, deletes);
            match self.transact_change(parts, outcome).await? {
                Ended::Done => return Ok(false),
                Ended::Doubt => return Ok(true),
                Ended::Moved(now) => change.chain.push(now),
            }
        }
        Err(Stop::LostRace)
    }

    async fn transact_change(&mut self, mut parts: Transactions<'_>, outcome: &mut ItemOutcome) -> Result<Ended, Stop> {
        let mut races = 0..RACES;
        while let Some(refusal) = self.transact(&mut parts, &mut outcome.problems).await? {
            if let Some(now) = refusal.source {
                return Ok(Ended::Moved(now));
            }
            match self.judge(refusal, &mut parts, outcome) {
                Next::GoOn => {}
                Next::Again => drop(races.next().ok_or(Stop::LostRace)?),
                Next::Doubt => return Ok(Ended::Doubt),
            }
        }
        Ok(Ended::Done)
    }

    /// Takes out of the next transaction what is done or cannot be.
    fn judge(&self, refusal: Refusal, parts: &mut Transactions<'_>, outcome: &mut ItemOutcome) -> Next {
        let views = &self.worker.views;
        let mut next = Next::GoOn;
        for (write, found) in refusal.shadows {
            match &write {
                ShadowWrite::Put(planned) => match judge_put(views, planned, found.as_ref()) {
                    PutVerdict::Again => next = Next::Again,
                    PutVerdict::Doubt => return Next::Doubt,
                    PutVerdict::Done => parts.drop_shadow(&write),
                    PutVerdict::Collision => {
                        let problem = Problem::collision(planned).of(&planned.withdrawal);
                        outcome.problems.push(problem);
                        parts.drop_shadow(&write);
                    }
                },
                ShadowWrite::Delete(planned) => match judge_delete(views, planned, found.as_ref()) {
                    DeleteVerdict::Again => next = Next::Again,
                    DeleteVerdict::Doubt => return Next::Doubt,
                    DeleteVerdict::Absent | DeleteVerdict::Displaced => {
                        outcome.recovered.insert(planned.view.clone());
                        return Next::Doubt;
                    }
                },
            }
        }
        next
    }

    /// Sends transactions until all have taken effect, or one is refused. What the service rejects for good is given up, and
    /// its problem kept.
    pub(crate) async fn transact(
        &mut self,
        parts: &mut Transactions<'_>,
        problems: &mut Vec<Problem>,
    ) -> Result<Option<Refusal>, Stop> {
        while let Some(actions) = parts.actions() {
            self.check_lease()?;
            let store = &self.worker.store;
            let reasons = match self.send(|| transact_or_fail(store, &actions)).await {
                Ok(Transacted::Done { write_units }) => {
                    self.count(&actions, write_units);
                    parts.done();
                    continue;
                }
                Ok(Transacted::Cancelled { reasons }) => reasons,
                Err(Stop::Store(error)) if error.disposition() == Disposition::Park => {
                    // Which of the writes it is, the service does not say.
                    if parts.isolate() {
                        continue;
                    }
                    let before = actions.iter().skip(1).map(|_| Reason::None);
                    before.chain([Reason::Failed(error)]).collect()
                }
                Err(stop) => return Err(stop),
            };
            if let Some(refusal) = self.sort_out(parts, &actions, reasons, problems) {
                return Ok(Some(refusal));
            }
        }
        Ok(None)
    }

    /// Reads a cancellation action by action.
    fn sort_out(
        &mut self,
        parts: &mut Transactions<'_>,
        actions: &[Action],
        reasons: Vec<Reason>,
        problems: &mut Vec<Problem>,
    ) -> Option<Refusal> {
        let mut refusal = Refusal::default();
        let mut reasons = reasons.into_iter();
        let source = reasons.next();
        for (write, reason) in parts.shadows().to_vec().into_iter().zip(reasons) {
            match reason {
                Reason::None => {}
                Reason::Refused { found } => refusal.shadows.push((write, found)),
                Reason::Failed(error) => {
                    problems.push(Problem::of_store(&error).of(write.shadow()));
                    parts.reject_shadow(&write);
                }
            }
        }
        match source {
            Some(Reason::Refused { found }) => refusal.source = Some(found),
            Some(Reason::Failed(error)) => {
                let problem = self.of_source(parts, actions.first(), &error);
                if parts.reject_source() {
                    problems.push(problem);
                }
            }
            _ => {}
        }
        let refused = usize::from(refusal.source.is_some()) + refusal.shadows.len();
        self.counters.refused += u64::try_from(refused).unwrap_or(u64::MAX);
        (refused > 0).then_some(refusal)
    }

    /// The problem of what the next transaction does to its source item. Where it only checks the item, its shadows stay undone.
    fn of_source(&self, parts: &Transactions<'_>, source: Option<&Action>, error: &StoreError) -> Problem {
        let problem = Problem::of_store(error);
        let update = match source {
            Some(Action::Update(update)) => update,
            _ => return problem.at(parts.shadows().iter().map(|write| write.shadow().place()).collect()),
        };
        match (update.names().next(), parts.image()) {
            (Some(name), Some(image)) => problem.of_attribute(self.worker.views.writer_of(name, image), name),
            _ => problem,
        }
    }

    fn count(&mut self, actions: &[Action], write_units: u64) {
        for action in actions {
            match action {
                Action::Put(_) => self.counters.puts += 1,
                Action::Delete(_) => self.counters.deletes += 1,
                Action::Update(_) => self.counters.updates += 1,
                Action::Check(_) => {}
            }
        }
        self.counters.write_units += write_units;
    }
}

/// A cancellation for a reason that may pass is an error that may pass.
async fn transact_or_fail<S: Store>(store: &S, actions: &[Action]) -> Result<Transacted, StoreError> {
    // An update by itself needs no transaction to be all or nothing.
    if let [Action::Update(update)] = actions {
        return Ok(match store.update(update).await? {
            Written::Done { write_units } => Transacted::Done { write_units },
            Written::Refused { found } => Transacted::Cancelled {
                reasons: vec![Reason::Refused { found }],
            },
        });
    }
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
