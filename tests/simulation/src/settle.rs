//! After the storm: everything that waits for its time gets it, until the tables rest.

use std::rc::Rc;

use shadowkey_item::Item;
use tokio::time::sleep;

use crate::Event;
use crate::actors::{Work, once};
use crate::desk::Ready;
use crate::driver::{LEASE, land_all, until_quiet};
use crate::sim::Sim;

/// How many retries of what is parked may change something one after the other.
const ROUNDS: usize = 8;

/// Lets the leases of dead runs expire and retries what is parked, until that changes nothing.
pub(crate) async fn settle(sim: &Rc<Sim>) {
    sim.faults.set(false);
    sim.note(|| "all is quiet; no more faults".to_owned());
    for _ in 0..ROUNDS {
        let before = contents(sim);
        sleep(LEASE).await;
        sim.destination.borrow_mut().forgive_failures();
        let last = Rc::clone(sim);
        sim.spawn(async move {
            let actor = last.actor("last parked retry".to_owned(), 1);
            let worker = last.worker(actor);
            last.turn(actor, Ready::Always).await;
            let endings = [Event::RetryDone, Event::RetryFailed, Event::RetryCrash];
            once(&last, actor, &worker, &Work::RetryParked, endings).await;
        });
        until_quiet(sim).await;
        if sim.is_over() || contents(sim) == before {
            return;
        }
    }
    sim.violate(format!("{ROUNDS} retries of what is parked do not come to an end"));
}

/// Everything that is late lands, and a repair from scratch mends what the broken assumption left.
pub(crate) async fn repair(sim: &Rc<Sim>) {
    land_all(sim);
    let repairing = Rc::clone(sim);
    sim.spawn(async move { crate::audit::repair(&repairing).await });
    until_quiet(sim).await;
}

/// Every item of every table; the time at which something was parked says nothing.
fn contents(sim: &Sim) -> Vec<Vec<Item>> {
    let tables = sim.tables();
    let state = sim.views.state_table().map(|table| table.name);
    let names = sim.views.tables().into_iter().map(|table| table.name);
    let of_table = |name| {
        let mut items = tables.items(&name);
        if Some(&name) == state.as_ref() {
            items.iter_mut().for_each(|item| drop(item.remove("time")));
        }
        items
    };
    names.map(of_table).collect()
}
