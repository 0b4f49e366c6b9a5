//! One invocation of a function: it answers, runs out of time or dies.

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::desk::ActorId;
use crate::sim::{Running, Sim};

/// How an invocation ended.
#[derive(Debug)]
pub(crate) enum Ended<T> {
    Answered(T),
    TimedOut,
    Crashed,
}

/// Runs a function's work until its deadline; gives what it sent, too.
pub(crate) async fn invoke<T>(
    sim: &Sim,
    actor: ActorId,
    timeout: Duration,
    work: impl AsyncFnOnce(Instant) -> T,
) -> (Ended<T>, Running) {
    let (kill, killed) = oneshot::channel();
    let running = Running {
        kill: Some(kill),
        since: sim.step.get(),
        calls: Vec::new(),
    };
    sim.running.borrow_mut().insert(actor, running);
    let deadline = Instant::now() + timeout;
    // Not before it has ended does the next line run: what it has not been answered by then is abandoned.
    let ended = tokio::select! {
        biased;
        _ = killed => Ended::Crashed,
        answer = timeout_at(deadline, work(deadline)) => match answer {
            Ok(answer) => Ended::Answered(answer),
            Err(_) => Ended::TimedOut,
        },
    };
    let running = sim.running.borrow_mut().remove(&actor);
    (ended, running.expect("it was registered above"))
}
