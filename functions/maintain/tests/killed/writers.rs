//! An application that keeps changing a few items, and in time others: what goes wrong in an item's last changes, no later
//! change mends.

use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};
use shadowkey_item::{Item, Key, item_from_json};
use shadowkey_plan::{Condition, Delete, Put, Update};
use shadowkey_store::Store;
use tokio::time::sleep;

use crate::mapping::Stream;
use crate::world::World;

/// How many tickets are changed at a time, and how many changes a writer makes until the next takes the place of the first.
const TICKETS: u32 = 6;
const CHANGES: u32 = 10;
/// How many records may wait before the writers do.
const BACKLOG: usize = 50;
const TIMES: [&str; 4] = ["2026-01-05", "2026-01-05T10:00:00Z", "2026-02-01", "2027-01-01"];

/// The reference whose place has always been taken by an item of the application's own.
pub(crate) const TAKEN: &str = "REFERENCE#taken";

/// Puts the application's own item.
pub(crate) async fn take_place(world: &World) -> Item {
    let item = item(json!({"id": {"S": TAKEN}, "Note": {"S": "not a shadow"}}));
    let [lookup] = &world.views.other_tables()[..] else {
        panic!("one other table")
    };
    let put = Put {
        table: lookup.name.clone(),
        item: item.clone(),
        condition: Condition::ALWAYS,
    };
    world.store.put(&put).await.expect("put");
    item
}

/// Changes one ticket after the other until the world is over.
pub(crate) async fn write(world: &World, stream: &Stream, mut rng: Rng) {
    let mut changes = 0;
    while !world.is_over() {
        let ticket = changes / CHANGES + rng.u32(0..TICKETS);
        changes += 1;
        change(world, &mut rng, ticket).await;
        stream.changed();
        sleep(Duration::from_millis(rng.u64(0..4))).await;
        while stream.backlog() > BACKLOG && !world.is_over() {
            sleep(Duration::from_millis(5)).await;
        }
    }
}

async fn change(world: &World, rng: &mut Rng, ticket: u32) {
    match rng.u32(0..20) {
        0..=1 => delete(world, ticket).await,
        // A whole item knows nothing of derived attributes.
        2..=4 => put(world, rng, ticket).await,
        5..=6 => {
            let (there, back) = (rng.choice(TIMES), rng.choice(TIMES));
            for time in [there, back, there] {
                let set = time.map(|time| json!({"UpdatedAt": {"S": time}}));
                update(world, ticket, set.unwrap_or_default(), &[]).await;
            }
        }
        _ => {
            let (name, value) = attribute(rng, ticket);
            match value {
                Some(value) => update(world, ticket, json!({name: value}), &[]).await,
                None => update(world, ticket, json!({}), &[name]).await,
            }
        }
    }
}

/// Any attribute with any value; none is to remove it.
fn attribute(rng: &mut Rng, ticket: u32) -> (&'static str, Option<Value>) {
    let text = |text: &str| json!({"S": text});
    let number = |number: i32| json!({"N": number.to_string()});
    let name = rng.choice([
        "UpdatedAt",
        "UpdatedAt",
        "Tags",
        "Reference",
        "Status",
        "Team",
        "Priority",
        "Estimate",
        "Title",
    ]);
    let name = name.unwrap_or("Title");
    let value = match name {
        "UpdatedAt" => text(rng.choice(TIMES).unwrap_or_default()),
        "Tags" => {
            let tags = ["red", "Green", "BLUE", "green"];
            json!({"L": rng.choose_multiple(tags, 3).into_iter().map(text).collect::<Vec<_>>()})
        }
        "Reference" => match rng.choice(["A", "a", "B"]) {
            Some(letter) if rng.u32(0..8) > 0 => text(&format!("{letter}{}", ticket / TICKETS)),
            _ => text("taken"),
        },
        "Status" => text(rng.choice(["open", "open", "closed"]).unwrap_or_default()),
        "Team" => text(rng.choice(["one", "two"]).unwrap_or_default()),
        "Priority" | "Estimate" => number(rng.i32(-1..3)),
        _ => text(rng.choice(["short", "long"]).unwrap_or_default()),
    };
    (name, (rng.u32(0..8) > 0).then_some(value))
}

async fn put(world: &World, rng: &mut Rng, ticket: u32) {
    let mut item = key(world, ticket).attributes().clone();
    item.extend(crate::writers::item(json!({"TicketId": {"S": ticket.to_string()}})));
    for _ in 0..12 {
        let (name, value) = attribute(rng, ticket);
        item.extend(crate::writers::item(
            value.map_or(json!({}), |value| json!({name: value})),
        ));
    }
    let put = Put {
        table: world.views.table().name.clone(),
        item,
        condition: Condition::ALWAYS,
    };
    world.store.put(&put).await.expect("put");
}

async fn update(world: &World, ticket: u32, set: Value, remove: &[&str]) {
    let update = Update {
        table: world.views.table().name.clone(),
        key: key(world, ticket),
        set: item(set),
        remove: remove.iter().map(|name| (*name).to_owned()).collect(),
        condition: Condition::ALWAYS,
    };
    world.store.update(&update).await.expect("update");
}

async fn delete(world: &World, ticket: u32) {
    let delete = Delete {
        table: world.views.table().name.clone(),
        key: key(world, ticket),
        condition: Condition::ALWAYS,
    };
    world.store.delete(&delete).await.expect("delete");
}

fn key(world: &World, ticket: u32) -> Key {
    let key = item(json!({"PK": {"S": "ORG#1"}, "SK": {"S": format!("TICKET#{ticket}")}}));
    world.views.table().key.key_of(&key).expect("key")
}

fn item(json: Value) -> Item {
    item_from_json(&json.to_string()).expect("item")
}
