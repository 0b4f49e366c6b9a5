//! A repair from scratch, for runs that broke an assumption.

use std::rc::Rc;

use shadowkey_item::{Key, TableName};
use shadowkey_plan::{Condition, Delete};
use shadowkey_views::Marker;

use crate::Event;
use crate::actors::{Work, once};
use crate::call::Call;
use crate::desk::Ready;
use crate::sim::Sim;

/// Removes every shadow that its source does not derive, and has every source reconciled.
pub(crate) async fn repair(sim: &Rc<Sim>) {
    let actor = sim.actor("repair".to_owned(), 1);
    let worker = sim.worker(actor);
    sim.turn(actor, Ready::Always).await;
    for (table, key) in left_over(sim) {
        let condition = Condition::ALWAYS;
        sim.perform(None, &Call::Delete(Delete { table, key, condition }));
    }
    let work = Work::Reconcile(sources(sim));
    let endings = [Event::BackfillDone, Event::BackfillFailed, Event::BackfillCrash];
    if !once(sim, actor, &worker, &work, endings).await {
        sim.violate("the repair fails without a fault".to_owned());
    }
}

fn sources(sim: &Sim) -> Vec<Key> {
    let tables = sim.tables();
    let base = &sim.views.table().name;
    let items = tables.items(base).into_iter();
    let sources = items.filter(|item| !sim.views.is_shadow(item));
    sources.filter_map(|item| tables.key_of(base, &item)).collect()
}

/// The places of shadows of this deployment that their sources do not derive.
fn left_over(sim: &Sim) -> Vec<(TableName, Key)> {
    let (views, tables) = (&sim.views, sim.tables());
    let base = &views.table().name;
    let mut places = Vec::new();
    for table in views.tables() {
        for item in tables.items(&table.name) {
            let is_shadow = table.name != *base || views.is_shadow(&item);
            let marker = Marker::of_item(&item).filter(|marker| is_shadow && marker.from == *base);
            let (Some(marker), Some(key)) = (marker, tables.key_of(&table.name, &item)) else {
                continue;
            };
            let source = views.table().key.key_of(&marker.of).ok();
            let image = source.and_then(|source| tables.get(base, &source));
            let derived = image.map(|image| views.derive(&image)).unwrap_or_default();
            let is_it = |shadow: &shadowkey_views::Shadow| {
                shadow.view == marker.view && shadow.table == table.name && shadow.key == key
            };
            if !derived.shadows.iter().any(is_it) {
                places.push((table.name.clone(), key));
            }
        }
    }
    places
}
