//! The application: random operations on few hot items.

use std::rc::Rc;

use shadowkey_item::{AttributeValue, Item, Key, TableName};
use shadowkey_plan::{Condition, Delete, Put};
use shadowkey_views::Marker;

use crate::Event;
use crate::call::Call;
use crate::desk::Ready;
use crate::sim::Sim;
use crate::stream::Author;

/// Does the operations of a run, one at each turn.
pub(crate) async fn write(sim: Rc<Sim>) {
    let actor = sim.actor("writer".to_owned(), sim.draw(|rng| rng.choice([2, 5, 30])).unwrap_or(5));
    for _ in 0..sim.profile.operations {
        sim.turn(actor, Ready::Writer).await;
        operate(&sim);
        if sim.draw(|rng| rng.u32(0..sim.profile.split_every)) == 0 {
            let split = sim.draw(|rng| sim.tables.borrow_mut().stream.split(rng));
            if split {
                sim.cover(Event::StreamSplit);
            }
        }
    }
    sim.storm.set(false);
    sim.note(|| "the writers are done".to_owned());
}

fn operate(sim: &Sim) {
    let item = draw_key(sim);
    let drawn = sim.draw(|rng| rng.u32(0..100));
    match drawn {
        0..28 => put(sim, &item),
        28..62 => update(sim, &item),
        62..74 => delete(sim, &item),
        74..82 => there_and_back(sim, &item),
        82..90 => hand_over(sim, &item),
        90..93 => write_back(sim, &item),
        _ => intrude(sim),
    }
}

/// An item of the application's own.
struct Own {
    key: Key,
    now: Option<Item>,
}

fn base(sim: &Sim) -> TableName {
    sim.views.table().name.clone()
}

fn draw_key(sim: &Sim) -> Own {
    let application = &sim.profile.world.application;
    let hot = application.keys.iter().take(sim.profile.items);
    let attributes = sim.draw(|rng| rng.choice(hot)).expect("there are items").clone();
    own(sim, &attributes)
}

fn own(sim: &Sim, attributes: &Item) -> Own {
    let key = sim
        .views
        .table()
        .key
        .key_of(attributes)
        .expect("the application's keys are whole");
    let now = sim.tables().get(&base(sim), &key);
    Own { key, now }
}

/// Writes an item, or its absence, if anything changes.
fn store(sim: &Sim, table: TableName, key: &Key, item: Option<Item>) {
    let condition = Condition::ALWAYS;
    let now = sim.tables().get(&table, key);
    if now == item {
        sim.cover(Event::WriterUnchanged);
        return;
    }
    if now.is_none() {
        sim.cover(Event::WriterCreate);
    }
    let call = match item {
        Some(item) => Call::Put(Put { table, item, condition }),
        None => Call::Delete(Delete {
            table,
            key: key.clone(),
            condition,
        }),
    };
    let step = sim.step.get();
    sim.note(|| format!("writer: {}", crate::driver::describe(&call)));
    let effect = sim.draw(|rng| sim.tables.borrow_mut().execute(&call, Author::Application, step, rng));
    sim.auditor.borrow_mut().saw_application(&sim.views, &call, &effect);
}

/// A whole item with random attributes; those that views own it often keeps, as an application that reads first.
fn whole(sim: &Sim, own: &Own, keep: bool) -> Item {
    let mut item = own.key.attributes().clone();
    for (name, values) in &sim.profile.world.application.attributes {
        if let Some(value) = sim.draw(|rng| rng.choice(values)).cloned().flatten() {
            item.insert(name.clone(), value);
        }
    }
    let kept = own.now.iter().flatten();
    let kept = kept.filter(|(name, _)| keep && sim.views.owns_attribute(name));
    for (name, value) in kept {
        item.insert(name.clone(), value.clone());
    }
    item
}

fn put(sim: &Sim, own: &Own) {
    sim.cover(Event::WriterPut);
    let keep = sim.draw(|rng| rng.u32(0..4)) > 0;
    let item = whole(sim, own, keep);
    store(sim, base(sim), &own.key, Some(item));
}

/// Sets or removes one to three attributes.
fn update(sim: &Sim, own: &Own) {
    let Some(mut item) = own.now.clone() else {
        return put(sim, own);
    };
    sim.cover(Event::WriterUpdate);
    for _ in 0..sim.draw(|rng| rng.u32(1..4)) {
        draw_attribute(sim, &mut item);
    }
    store(sim, base(sim), &own.key, Some(item));
}

fn draw_attribute(sim: &Sim, item: &mut Item) {
    let attributes = &sim.profile.world.application.attributes;
    let drawn = sim.draw(|rng| rng.choice(attributes.iter()));
    let (name, values) = drawn.expect("items have attributes");
    let value = sim.draw(|rng| rng.choice(values)).cloned().flatten();
    set(item, name, value);
}

fn set(item: &mut Item, name: &str, value: Option<AttributeValue>) {
    match value {
        Some(value) => item.insert(name.to_owned(), value),
        None => item.remove(name),
    };
}

fn delete(sim: &Sim, own: &Own) {
    sim.cover(Event::WriterDelete);
    store(sim, base(sim), &own.key, None);
}

/// A, B, A: two writes at once that leave what was there.
fn there_and_back(sim: &Sim, own: &Own) {
    sim.cover(Event::WriterAba);
    let between = match sim.draw(|rng| rng.u32(0..3)) {
        0 => None,
        _ => Some(whole(sim, own, true)),
    };
    store(sim, base(sim), &own.key, between);
    store(sim, base(sim), &own.key, own.now.clone());
}

/// One attribute goes from an item to another, in either order.
fn hand_over(sim: &Sim, from: &Own) {
    let to = draw_key(sim);
    let (Some(mut giving), Some(mut taking)) = (from.now.clone(), to.now.clone()) else {
        return put(sim, from);
    };
    if from.key == to.key {
        return update(sim, from);
    }
    sim.cover(Event::WriterSwap);
    let names: Vec<&String> = sim.profile.world.application.attributes.keys().collect();
    let name = sim.draw(|rng| rng.choice(names)).expect("items have attributes");
    let given = giving.get(name).cloned();
    let back = if sim.draw(|rng| rng.bool()) {
        taking.get(name).cloned()
    } else {
        None
    };
    set(&mut taking, name, given);
    set(&mut giving, name, back);
    let mut writes = [(&from.key, giving), (&to.key, taking)];
    if sim.draw(|rng| rng.bool()) {
        writes.reverse();
    }
    for (key, item) in writes {
        store(sim, base(sim), key, Some(item));
    }
}

/// An application writes back, as the item, what it has read from the item's shadow.
fn write_back(sim: &Sim, own: &Own) {
    let shadow = {
        let tables = sim.tables();
        let mut items = tables.items(&base(sim)).into_iter();
        items.find(|item| Marker::of_item(item).is_some_and(|marker| marker.of == *own.key.attributes()))
    };
    let Some(mut item) = shadow else {
        return update(sim, own);
    };
    sim.cover(Event::WriterWriteBack);
    item.extend(own.key.attributes().clone());
    store(sim, base(sim), &own.key, Some(item));
}

/// An item of others comes to stand at a shadow's place, or goes again.
fn intrude(sim: &Sim) {
    let intruders = &sim.profile.world.application.intruders;
    let drawn = sim.draw(|rng| rng.choice(intruders));
    let Some(intruder) = drawn else {
        return put(sim, &draw_key(sim));
    };
    let table = intruder.table();
    let key = sim
        .tables()
        .key_of(&table, &intruder.item)
        .expect("an intruder has a key");
    let now = sim.tables().get(&table, &key);
    match now {
        None => {
            sim.cover(Event::WriterIntrude);
            store(sim, table, &key, Some(intruder.item.clone()));
        }
        Some(item) if item == intruder.item => {
            sim.cover(Event::WriterRetreat);
            store(sim, table, &key, None);
        }
        Some(_) => update(sim, &draw_key(sim)),
    }
}
