//! What goes wrong with a call of the worker's, by seed.

use std::fmt;

use shadowkey_store::StoreError;

use crate::Event;
use crate::call::Call;
use crate::desk::ActorId;
use crate::sim::Sim;

/// What goes wrong with one call.
#[derive(Debug)]
pub(crate) enum Fault {
    /// It fails and has no effect.
    Before(StoreError),
    /// It takes effect, and its answer is lost.
    After(StoreError),
    /// The service refuses it for good.
    Rejected(StoreError),
    /// Its answer is lost, and it takes effect later.
    Late(StoreError),
    /// The invocation dies, and the call has no effect.
    CrashBefore,
    /// The invocation dies, and the call has effect.
    CrashAfter,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Before(error) => write!(f, "no effect: {error}"),
            Self::After(error) => write!(f, "answer lost: {error}"),
            Self::Rejected(error) => write!(f, "rejected: {error}"),
            Self::Late(_) => f.write_str("late"),
            Self::CrashBefore => f.write_str("crash before"),
            Self::CrashAfter => f.write_str("crash after"),
        }
    }
}

/// What the engine would say.
#[derive(Debug)]
struct Simulated;

impl fmt::Display for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("simulated")
    }
}

impl std::error::Error for Simulated {}

/// Draws what goes wrong with a call, if anything does.
pub(crate) fn draw_fault(sim: &Sim, actor: ActorId, call: &Call) -> Option<Fault> {
    if !sim.faults.get() {
        return None;
    }
    // Without a state table a run beside the stream notes nothing, so that one that does not end leaves what nobody knows of.
    if sim.is_beside(actor) && !sim.profile.state {
        return None;
    }
    let rates = &sim.profile.rates;
    if sim.step.get() < sim.halted_until.get() {
        return Some(halt(sim, call));
    }
    if sim.chance(rates.halt) {
        let steps = sim.draw(|rng| rng.u64(1..60));
        sim.halted_until.set(sim.step.get() + steps);
        return Some(halt(sim, call));
    }
    if sim.is_beside(actor) && call.puts_shadow() && sim.chance(sim.profile.rates.crash * 3) {
        sim.cover(Event::FaultCrashAfter);
        return Some(Fault::CrashAfter);
    }
    if sim.chance(sim.crash_rate(actor)) {
        let before = sim.draw(|rng| rng.bool());
        sim.cover(if before {
            Event::FaultCrashBefore
        } else {
            Event::FaultCrashAfter
        });
        return Some(if before { Fault::CrashBefore } else { Fault::CrashAfter });
    }
    fails(sim, call)
}

fn fails(sim: &Sim, call: &Call) -> Option<Fault> {
    let rates = &sim.profile.rates;
    let drawn = |rate: u32, write: Event| {
        let hit = sim.chance(rate);
        if hit {
            sim.cover(if call.is_write() { write } else { Event::FaultRead });
        }
        hit
    };
    if drawn(rates.throttled, Event::FaultThrottled) {
        Some(Fault::Before(throttled(call)))
    } else if drawn(rates.unavailable, Event::FaultUnavailable) {
        Some(Fault::Before(unavailable(call)))
    } else if !call.is_write() {
        None
    } else if drawn(rates.conflict, Event::FaultConflict) {
        Some(Fault::Before(conflict(call)))
    } else if drawn(rates.lost_answer, Event::FaultLostAnswer) {
        Some(Fault::After(unavailable(call)))
    } else if sim.chance(rates.late) {
        Some(Fault::Late(unavailable(call)))
    } else if call.puts_shadow() && drawn(rates.rejected, Event::FaultRejected) {
        Some(Fault::Rejected(rejected(call)))
    } else {
        None
    }
}

fn halt(sim: &Sim, call: &Call) -> Fault {
    sim.cover(Event::FaultHalt);
    let (operation, table, cause) = (call.operation(), call.table().clone(), Box::new(Simulated));
    Fault::Before(if sim.draw(|rng| rng.bool()) {
        StoreError::NotPermitted {
            operation,
            table,
            cause,
        }
    } else {
        StoreError::NoTable {
            operation,
            physical: table.to_string(),
            table,
            cause,
        }
    })
}

fn throttled(call: &Call) -> StoreError {
    StoreError::Throttled {
        operation: call.operation(),
        table: call.table().clone(),
        cause: Box::new(Simulated),
    }
}

fn conflict(call: &Call) -> StoreError {
    StoreError::Conflict {
        operation: call.operation(),
        table: call.table().clone(),
        cause: Box::new(Simulated),
    }
}

fn unavailable(call: &Call) -> StoreError {
    StoreError::Unavailable {
        operation: call.operation(),
        table: call.table().clone(),
        cause: Box::new(Simulated),
    }
}

fn rejected(call: &Call) -> StoreError {
    StoreError::Rejected {
        operation: call.operation(),
        table: call.table().clone(),
        message: "simulated".to_owned(),
        cause: Box::new(Simulated),
    }
}
