//! What the actors beside the stream call of the worker, and how one such run goes.

use std::rc::Rc;
use std::time::Duration;

use shadowkey_item::Key;
use shadowkey_worker::{Cause, ItemOutcome, Outcome, Worker, WorkerError};
use tokio::time::Instant;

use crate::Event;
use crate::desk::{ActorId, SimStore};
use crate::invocation::{Ended, invoke};
use crate::sim::Sim;

/// How long a run of such an actor may take; the actors have more time than a function on the stream.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What a run does.
pub(crate) enum Work {
    /// Reconciles every item of records that were given up.
    Redrive(String),
    /// Reconciles these items.
    Reconcile(Vec<Key>),
    /// Tries what is parked.
    RetryParked,
}

/// The events that count how a run ends: done, failed, crashed.
pub(crate) type Endings = [Event; 3];

impl Work {
    fn describe(&self) -> String {
        match self {
            Self::Redrive(_) => "records that were given up".to_owned(),
            Self::Reconcile(sources) => sources.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            Self::RetryParked => "what is parked".to_owned(),
        }
    }

    /// Whether nothing is left that another try could do.
    fn is_done(&self, outcome: &Outcome) -> bool {
        let may_pass = |item: &ItemOutcome| item.problems.iter().any(|problem| problem.cause == Cause::Transient);
        match self {
            Self::Redrive(_) => outcome.earliest_failed.is_none(),
            Self::Reconcile(_) | Self::RetryParked => !outcome.items.iter().any(may_pass),
        }
    }

    async fn call(
        &self,
        worker: &Worker<SimStore>,
        run: &str,
        deadline: Option<Instant>,
    ) -> Result<Outcome, WorkerError> {
        match self {
            Self::Redrive(event) => worker.redrive(event, run, deadline).await,
            Self::Reconcile(sources) => worker.reconcile_items(sources, run, deadline).await,
            Self::RetryParked => worker.retry_parked(run, deadline).await,
        }
    }
}

/// Does a work once; whether it is done.
pub(crate) async fn once(
    sim: &Rc<Sim>,
    actor: ActorId,
    worker: &Worker<SimStore>,
    work: &Work,
    [done, failed, crashed]: Endings,
) -> bool {
    let run = sim.new_run();
    sim.note(|| format!("{} starts {run}: {}", sim.name(actor), work.describe()));
    let (ended, _) = invoke(sim, actor, TIMEOUT, async |deadline| {
        work.call(worker, &run, Some(deadline)).await
    })
    .await;
    let event = match &ended {
        Ended::Answered(Ok(outcome)) => {
            crate::audit::count_outcome(&mut sim.coverage.borrow_mut(), outcome);
            let problems = crate::mapping::problems(outcome);
            sim.note(|| format!("{} has {problems:?}", sim.name(actor)));
            if work.is_done(outcome) { done } else { failed }
        }
        Ended::Answered(Err(_)) => failed,
        Ended::TimedOut | Ended::Crashed => crashed,
    };
    sim.cover(event);
    sim.note(|| format!("{} ends {run}: {}", sim.name(actor), event.name()));
    event == done
}
