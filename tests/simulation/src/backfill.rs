//! The backfill, and the scheduled retry of what is parked.

use std::rc::Rc;

use shadowkey_item::Key;

use crate::Event;
use crate::actors::{Work, once};
use crate::desk::Ready;
use crate::sim::Sim;

/// Reconciles every source item, page by page; a page that fails is done again.
pub(crate) async fn backfill(sim: Rc<Sim>, number: usize) {
    let actor = sim.actor_beside(format!("backfill {number}"), sim.draw(|rng| rng.u32(1..8)));
    let worker = sim.worker(actor);
    // It starts at some time.
    for _ in 0..sim.draw(|rng| rng.u32(0..20)) {
        sim.turn(actor, Ready::Always).await;
    }
    let mut pages = pages(&sim);
    while let Some(page) = pages.pop() {
        sim.turn(actor, Ready::Always).await;
        let work = Work::Reconcile(page.clone());
        let endings = [Event::BackfillDone, Event::BackfillFailed, Event::BackfillCrash];
        if !once(&sim, actor, &worker, &work, endings).await {
            pages.push(page);
        }
    }
}

/// Every source item's key, a few at a time, as a scan would give them.
fn pages(sim: &Sim) -> Vec<Vec<Key>> {
    let size = sim.draw(|rng| rng.usize(1..=3));
    let tables = sim.tables();
    let base = &sim.views.table().name;
    let items = tables.items(base).into_iter();
    let sources = items.filter(|item| !sim.views.is_shadow(item));
    let keys: Vec<Key> = sources.filter_map(|item| tables.key_of(base, &item)).collect();
    keys.chunks(size).map(<[Key]>::to_vec).collect()
}

/// Retries what is parked now and then, as a schedule does.
pub(crate) async fn retry_parked(sim: Rc<Sim>) {
    let actor = sim.actor_beside("parked retry".to_owned(), 1);
    let worker = sim.worker(actor);
    for _ in 0..sim.profile.parked_retries {
        for _ in 0..sim.draw(|rng| rng.u32(1..12)) {
            sim.turn(actor, Ready::Storm).await;
        }
        let endings = [Event::RetryDone, Event::RetryFailed, Event::RetryCrash];
        once(&sim, actor, &worker, &Work::RetryParked, endings).await;
    }
}
