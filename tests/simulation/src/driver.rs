//! The driver: lets one task take one step at a time, until all is quiet.

use std::rc::Rc;
use std::time::Duration;

use tokio::time::sleep;

use crate::Event;
use crate::call::Call;
use crate::desk::{ActorId, Ready, Waiting};
use crate::faults::{Fault, draw_fault};
use crate::profile::Mode;
use crate::sim::Sim;

/// A run that takes more steps does not end.
const MOST_STEPS: u64 = 30_000;

/// Longer than any lease of a run.
pub(crate) const LEASE: Duration = Duration::from_secs(3600);

/// Drives every task until none has anything to do, or a promise is broken.
///
/// Under the paused clock the pause returns when every other task waits: for the driver, or for a later time.
pub(crate) async fn until_quiet(sim: &Rc<Sim>) {
    loop {
        sleep(pause(sim)).await;
        if sim.is_over() {
            return;
        }
        let step = sim.step.get() + 1;
        sim.step.set(step);
        if step > MOST_STEPS {
            sim.violate("the run does not come to rest".to_owned());
        }
        settle_abandoned(sim);
        land_late(sim, step);
        match pick(sim) {
            Some(index) => take(sim, index),
            None if sim.running.borrow().is_empty() && sim.desk.waiting().iter().all(|(_, w)| !w.is_abandoned()) => {
                return;
            }
            None => {}
        }
    }
}

/// How long the next step takes: a moment, or now and then, while no function runs, longer than any lease.
fn pause(sim: &Sim) -> Duration {
    let idle = sim.running.borrow().is_empty() && sim.profile.mode != Mode::Calm;
    if idle && sim.faults.get() && sim.chance(5) {
        LEASE
    } else {
        Duration::from_millis(1)
    }
}

/// Decides about the calls of invocations that are dead: each took effect, or never will.
fn settle_abandoned(sim: &Rc<Sim>) {
    let mut abandoned = Vec::new();
    sim.desk.waiting().retain_mut(|(actor, waiting)| {
        let gone = waiting.is_abandoned();
        if let (true, Waiting::Call(call, _)) = (gone, &waiting) {
            abandoned.push((*actor, (**call).clone()));
        }
        !gone
    });
    for (actor, call) in abandoned {
        if sim.profile.mode == Mode::LateRequests && sim.faults.get() && sim.draw(|rng| rng.bool()) {
            put_off(sim, call);
        } else if sim.draw(|rng| rng.bool()) {
            sim.cover(Event::FaultAbandonedDone);
            sim.note(|| format!("{} (dead): {}", sim.name(actor), describe(&call)));
            sim.perform(None, &call);
        } else {
            sim.cover(Event::FaultAbandoned);
        }
    }
}

fn put_off(sim: &Rc<Sim>, call: Call) {
    if call.is_write() {
        let at = sim.step.get() + sim.draw(|rng| rng.u64(1..400));
        sim.cover(Event::FaultLate);
        sim.late.borrow_mut().push((at, call));
    }
}

fn land_late(sim: &Rc<Sim>, step: u64) {
    let due: Vec<Call> = {
        let mut late = sim.late.borrow_mut();
        let due = late.iter().filter(|(at, _)| *at <= step).map(|(_, call)| call.clone());
        let due = due.collect();
        late.retain(|(at, _)| *at > step);
        due
    };
    for call in due {
        sim.note(|| format!("late: {}", describe(&call)));
        sim.perform(None, &call);
    }
}

/// Everything that was put off takes effect.
pub(crate) fn land_all(sim: &Rc<Sim>) {
    land_late(sim, u64::MAX);
}

/// Draws who goes next, among those that can.
fn pick(sim: &Sim) -> Option<usize> {
    let waiting = sim.desk.waiting();
    let calm = sim.profile.mode == Mode::Calm;
    let mut able: Vec<(usize, ActorId)> = Vec::new();
    let mut writer = None;
    for (index, (actor, waiting)) in waiting.iter().enumerate() {
        match waiting {
            Waiting::Turn(Ready::Writer, _) if calm => writer = Some(index),
            Waiting::Turn(ready, _) if !is_ready(sim, *ready) => {}
            _ => able.push((index, *actor)),
        }
    }
    if able.is_empty() {
        return writer.filter(|_| sim.running.borrow().is_empty());
    }
    let mut actors = sim.actors.borrow_mut();
    let step = sim.step.get();
    let weight = |actors: &[crate::sim::Actor], actor: ActorId, stalled: bool| match actors.get(actor.0) {
        Some(actor) if stalled || actor.stalled_until <= step => actor.weight,
        _ => 0,
    };
    let all_stalled = able.iter().all(|(_, actor)| weight(&actors, *actor, false) == 0);
    let weights: Vec<u32> = able
        .iter()
        .map(|(_, actor)| weight(&actors, *actor, all_stalled))
        .collect();
    let mut rng = sim.rng.borrow_mut();
    if !calm && rng.u32(0..60) == 0 {
        let until = step + rng.u64(5..200);
        if let Some(actor) = rng.choice(actors.iter_mut()) {
            actor.stalled_until = until;
        }
    }
    let mut drawn = rng.u32(0..weights.iter().sum::<u32>().max(1));
    let (index, picked) = able.iter().zip(&weights).find_map(|(able, weight)| {
        let hit = drawn < *weight;
        drawn = drawn.saturating_sub(*weight);
        hit.then_some(*able)
    })?;
    // What a run beside the stream has read grows old before it puts: that is when its notes and second readings count.
    let puts = waiting.get(index).is_some_and(|(_, waiting)| puts_shadow(waiting));
    if let Some(actor) = actors.get_mut(picked.0).filter(|actor| actor.beside && puts && !calm)
        && actor.stalled_until < step
        && rng.u32(0..3) == 0
    {
        actor.stalled_until = step + rng.u64(20..150);
        return None;
    }
    Some(index)
}

fn puts_shadow(waiting: &Waiting) -> bool {
    matches!(waiting, Waiting::Call(call, _) if call.puts_shadow())
}

fn is_ready(sim: &Sim, ready: Ready) -> bool {
    match ready {
        Ready::Always | Ready::Writer => true,
        Ready::Storm => sim.storm.get(),
        Ready::Object => sim.destination.borrow().has_work(),
        Ready::Records { shard, from } => {
            let tables = sim.tables();
            let shard = tables.stream.shards.get(shard);
            shard.is_some_and(|shard| shard.records.len() > from || shard.is_closed())
        }
    }
}

fn take(sim: &Rc<Sim>, index: usize) {
    let (actor, waiting) = sim.desk.waiting().remove(index);
    match waiting {
        Waiting::Turn(_, granted) => drop(granted.send(())),
        Waiting::Call(call, answer) => {
            let fault = draw_fault(sim, actor, &call);
            sim.note(|| {
                let fault = fault.as_ref().map(|fault| format!(" [{fault}]")).unwrap_or_default();
                format!("{}: {}{fault}", sim.name(actor), describe(&call))
            });
            match fault {
                None => {
                    let effect = sim.perform(Some(actor), &call);
                    sim.note(|| format!("    {}", outcome(&effect)));
                    drop(answer.send(effect.answer));
                }
                Some(Fault::Before(error)) => drop(answer.send(Err(error))),
                Some(Fault::Rejected(error)) => {
                    sim.auditor.borrow_mut().refused_for_good(&sim.tables(), &call);
                    drop(answer.send(Err(error)));
                }
                Some(Fault::After(error)) => {
                    sim.perform(Some(actor), &call);
                    drop(answer.send(Err(error)));
                }
                Some(Fault::Late(error)) => {
                    put_off(sim, *call);
                    drop(answer.send(Err(error)));
                }
                Some(Fault::CrashBefore) => kill(sim, actor),
                Some(Fault::CrashAfter) => {
                    sim.perform(Some(actor), &call);
                    kill(sim, actor);
                }
            }
        }
    }
}

fn kill(sim: &Sim, actor: ActorId) {
    if let Some(kill) = sim
        .running
        .borrow_mut()
        .get_mut(&actor)
        .and_then(|running| running.kill.take())
    {
        let _ = kill.send(());
    }
}

pub(crate) fn describe(call: &Call) -> String {
    let table = call.table();
    match call {
        Call::Get(_, key) => format!("get {table} {key}"),
        Call::Put(put) => format!("put {table} {}", shadowkey_item::item_to_json(&put.item)),
        Call::Update(update) => format!(
            "update {table} {} set {} remove {:?}",
            update.key,
            shadowkey_item::item_to_json(&update.set),
            update.remove
        ),
        Call::Delete(delete) => format!("delete {table} {}", delete.key),
        Call::Transact(actions) => {
            let calls = actions.iter().map(crate::transaction::call_of);
            let parts = calls.map(|call| call.map_or("check".to_owned(), |call| describe(&call)));
            format!("transact [{}]", parts.collect::<Vec<_>>().join(", "))
        }
        Call::Scan(_) => format!("scan {table}"),
    }
}

fn outcome(effect: &crate::tables::Effect) -> String {
    let before = match &effect.before {
        Some(item) => shadowkey_item::item_to_json(item).to_string(),
        None => "nothing".to_owned(),
    };
    if let Ok(crate::call::Answer::Transacted(transacted)) = &effect.answer {
        return format!("{transacted:?}");
    }
    if effect.is_refused() {
        format!("refused, found {before}")
    } else if effect.is_done() {
        format!("done, was {before}")
    } else {
        format!("answer {before}")
    }
}
