use std::time::Duration;

use serde_json::{Value, json};
use shadowkey_item::{Item, TableName, item_from_json, item_to_json};
use shadowkey_plan::{Action, Condition, Put};
use shadowkey_store::{CountingStore, Fault, FaultyStore, MemoryStore, Requests, StoreError};
use shadowkey_views::{Marker, load};

use super::*;
use crate::Cause;

mod deadline;
mod doubts;
mod parking;
mod rejections;
mod transactions;

const FILE: &str = r#"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
[source.ticket]
match = { kind = ["ticket"] }
[attribute.label]
source = "ticket"
value = "{title}!"
[shadow.by-rank]
source = "ticket"
key = { PK = "RANK#{rank}#{PK}" }
project = ["title"]
[shadow.by-code]
source = "ticket"
key = { PK = "CODE#{code | pad(2)}" }
unique = true
"#;

fn views() -> Views {
    load(FILE).views.expect("views")
}

fn memory() -> MemoryStore {
    MemoryStore::new([(views().table().name.clone(), views().table().key.clone())])
}

/// The same view file, with its writes made at once.
fn in_transactions(file: &str) -> String {
    file.replace("[table]", "[table]\nwrites = \"transaction\"")
}

/// The same view file with a state table.
fn parked_in_state(file: &str) -> String {
    file.replace("[source.ticket]", "[state]\ntable = \"state\"\n[source.ticket]")
}

fn worker_of<S: Store>(file: &str, store: S) -> Worker<S> {
    let views = load(file).views.expect("views");
    Worker::new(views, store, Settings::default(), Clock::at(Duration::ZERO))
}

fn memory_of(file: &str) -> MemoryStore {
    let tables = load(file).views.expect("views").tables();
    MemoryStore::new(tables.into_iter().map(|table| (table.name, table.key)))
}

type Counted = CountingStore<MemoryStore>;

fn worker() -> Worker<Counted> {
    Worker::new(
        views(),
        CountingStore::new(memory()),
        Settings::default(),
        Clock::at(Duration::ZERO),
    )
}

/// The attributes of the ticket `id`, as the application and the worker leave it.
fn ticket(id: &str, rank: &str, title: &str) -> Value {
    json!({
        "PK": { "S": id }, "kind": { "S": "ticket" }, "rank": { "S": rank }, "title": { "S": title },
        "label": { "S": format!("{title}!") },
    })
}

fn with(mut item: Value, name: &str, value: Value) -> Value {
    item[name] = value;
    item
}

fn record(number: u32, old: Option<Value>, new: Option<Value>) -> Value {
    let name = match (&old, &new) {
        (None, Some(_)) => "INSERT",
        (Some(_), None) => "REMOVE",
        _ => "MODIFY",
    };
    let key = old.as_ref().or(new.as_ref()).expect("an image")["PK"].clone();
    json!({
        "eventName": name,
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000",
        "dynamodb": {
            "Keys": { "PK": key }, "OldImage": old, "NewImage": new,
            "SequenceNumber": number.to_string(), "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    })
}

fn event(records: &[Value]) -> String {
    json!({ "Records": records }).to_string()
}

/// Puts an item as the application would.
async fn write(store: &impl Store, item: &Value) {
    let put = Put {
        table: TableName("app".to_owned()),
        item: item_from_json(&item.to_string()).expect("item"),
        condition: Condition::ALWAYS,
    };
    store.put(&put).await.expect("put");
}

fn shadows(store: &MemoryStore) -> Vec<String> {
    let key = |item: &Item| item["PK"].as_s().expect("key").to_owned();
    let items = store.items(&TableName("app".to_owned()));
    items.iter().filter(|item| item.contains_key(MARKER)).map(key).collect()
}

async fn handle(worker: &Worker<Counted>, records: &[Value]) -> (Outcome, Requests) {
    worker.store.take();
    let outcome = worker.handle(&event(records), None).await.expect("outcome");
    (outcome, worker.store.take())
}

#[tokio::test]
async fn each_kind_of_change_costs_its_minimum_of_requests() {
    let worker = worker();
    let none = Requests::default();
    let (outcome, requests) = handle(&worker, &[record(1, None, Some(ticket("T", "1", "x")))]).await;
    assert_eq!(requests, Requests { puts: 1, ..none });
    assert_eq!(
        (
            outcome.counters.puts,
            outcome.counters.requests,
            outcome.counters.write_units
        ),
        (1, 1, 1)
    );

    let touched = with(ticket("T", "1", "x"), "notes", json!({ "S": "touched" }));
    let (outcome, requests) = handle(&worker, &[record(2, Some(ticket("T", "1", "x")), Some(touched))]).await;
    assert_eq!((requests, outcome.counters.unchanged), (none, 1));

    let (_, requests) = handle(
        &worker,
        &[record(3, Some(ticket("T", "1", "x")), Some(ticket("T", "2", "x")))],
    )
    .await;
    assert_eq!(
        requests,
        Requests {
            puts: 1,
            deletes: 1,
            ..none
        }
    );
    assert_eq!(shadows(worker.store.inner()), ["RANK#2#T"]);

    let (_, requests) = handle(
        &worker,
        &[record(4, Some(ticket("T", "2", "x")), Some(ticket("T", "2", "y")))],
    )
    .await;
    assert_eq!(requests, Requests { puts: 1, ..none });

    let (outcome, requests) = handle(&worker, &[record(5, Some(ticket("T", "2", "y")), None)]).await;
    assert_eq!(
        (requests, outcome.counters.deletes),
        (Requests { deletes: 1, ..none }, 1)
    );
    assert_eq!(shadows(worker.store.inner()), Vec::<String>::new());
}

#[tokio::test]
async fn the_workers_own_writes_come_back_without_a_request() {
    let worker = worker();
    let mut plain = ticket("T", "1", "x");
    plain.as_object_mut().expect("item").remove("label");
    write(worker.store.inner(), &plain).await;
    let (outcome, requests) = handle(&worker, &[record(1, None, Some(plain.clone()))]).await;
    assert_eq!(
        requests,
        Requests {
            puts: 1,
            updates: 1,
            ..Requests::default()
        }
    );
    assert_eq!(outcome.counters.updates, 1);
    let stored = worker.store.inner().items(&TableName("app".to_owned()));
    let shadow = stored.iter().find(|item| item.contains_key(MARKER)).expect("shadow");
    let echo = [
        record(2, Some(plain), Some(ticket("T", "1", "x"))),
        record(3, None, Some(item_to_json(shadow))),
    ];
    let (outcome, requests) = handle(&worker, &echo).await;
    assert_eq!(requests, Requests::default());
    let counters = outcome.counters;
    assert_eq!((counters.records, counters.changes, counters.unchanged), (2, 1, 1));
}

#[tokio::test]
async fn a_batch_delivered_twice_changes_nothing_more() {
    let worker = worker();
    let batch = [
        record(8, None, Some(ticket("T", "1", "x"))),
        record(9, Some(ticket("T", "1", "x")), Some(ticket("T", "2", "x"))),
        record(10, Some(ticket("T", "2", "x")), Some(ticket("T", "1", "y"))),
    ];
    handle(&worker, &batch).await;
    let first = worker.store.inner().items(&TableName("app".to_owned()));
    let (outcome, _) = handle(&worker, &batch).await;
    assert_eq!(outcome.earliest_failed, None);
    assert_eq!(worker.store.inner().items(&TableName("app".to_owned())), first);
    assert_eq!((outcome.counters.puts, outcome.counters.deletes), (0, 0));
    let (outcome, _) = handle(&worker, batch.get(1..).expect("suffix")).await;
    assert_eq!(
        (
            outcome.earliest_failed,
            worker.store.inner().items(&TableName("app".to_owned()))
        ),
        (None, first)
    );
}

#[tokio::test]
async fn an_item_of_the_applications_own_is_never_overwritten() {
    let worker = worker();
    let taken = json!({ "PK": { "S": "RANK#1#T" }, "mine": { "S": "precious" } });
    write(worker.store.inner(), &taken).await;
    let coded = with(ticket("T", "1", "x"), "code", json!({ "N": "7" }));
    let (outcome, _) = handle(&worker, &[record(1, None, Some(coded))]).await;
    let kept = worker.store.inner().items(&TableName("app".to_owned()));
    assert!(kept.iter().any(|item| item_to_json(item) == taken));
    assert_eq!(
        outcome.earliest_failed.map(|number| number.to_string()),
        Some("1".to_owned())
    );
    let problem = &outcome.items[0].problems[0];
    assert_eq!(
        (problem.code, problem.cause, problem.view.as_deref()),
        ("collision", Cause::Permanent, Some("by-rank"))
    );
    assert_eq!(shadows(worker.store.inner()), ["CODE#07"], "the other view goes on");
}

#[tokio::test]
async fn a_view_that_fails_drops_out_and_its_record_is_reported() {
    let worker = worker();
    let coded = |code: &str| with(ticket("T", "1", "x"), "code", json!({ "N": code }));
    handle(&worker, &[record(1, None, Some(coded("7")))]).await;
    let (outcome, _) = handle(&worker, &[record(2, Some(coded("7")), Some(coded("700")))]).await;
    assert_eq!(shadows(worker.store.inner()), ["RANK#1#T"], "the stale shadow is gone");
    assert_eq!(
        outcome.earliest_failed.map(|number| number.to_string()),
        Some("2".to_owned())
    );
    assert_eq!(
        (outcome.counters.parked, outcome.items[0].problems[0].code),
        (0, "does-not-fit"),
        "there is no state table to park it in"
    );
}

#[tokio::test]
async fn the_earliest_failed_record_is_named() {
    let worker = worker();
    let bad = |id: &str| with(ticket(id, "1", "x"), "code", json!({ "N": "700" }));
    let mut unreadable = record(4, None, Some(ticket("D", "1", "x")));
    unreadable["dynamodb"]["Keys"] = json!({ "other": { "S": "D" } });
    let batch = [
        record(1, None, Some(ticket("A", "1", "x"))),
        record(2, None, Some(ticket("B", "1", "x"))),
        record(3, Some(ticket("B", "1", "x")), Some(bad("B"))),
        unreadable.clone(),
        record(5, None, Some(bad("C"))),
    ];
    let failed = |outcome: &Outcome| outcome.earliest_failed.as_ref().map(ToString::to_string);
    let (outcome, _) = handle(&worker, &batch).await;
    assert_eq!(
        failed(&outcome).as_deref(),
        Some("2"),
        "the first record of the failed change"
    );
    let (outcome, _) = handle(&worker, &[batch[0].clone(), batch[3].clone(), batch[4].clone()]).await;
    assert_eq!(failed(&outcome).as_deref(), Some("4"));
    unreadable["dynamodb"]["SequenceNumber"] = json!(null);
    let (outcome, _) = handle(&worker, &[batch[0].clone(), unreadable.clone()]).await;
    assert_eq!(failed(&outcome).as_deref(), Some("1"), "the nearest number before it");
    let alone = worker.handle(&event(&[unreadable]), None).await;
    assert!(matches!(alone, Err(WorkerError::Unreportable { position: 0 })));
}

fn throttled() -> StoreError {
    StoreError::Throttled {
        operation: "PutItem",
        table: TableName("app".to_owned()),
        cause: "slow down".into(),
    }
}

#[tokio::test(start_paused = true)]
async fn transient_errors_are_tried_again_and_a_lost_answer_is_recognised() {
    let mut faults = vec![Some(Fault::After(throttled())), Some(Fault::Before(throttled()))];
    let store = FaultyStore::new(memory(), move |_: &[Action]| faults.pop().flatten());
    let worker = Worker::new(views(), store, Settings::default(), Clock::at(Duration::ZERO));
    let outcome = worker
        .handle(&event(&[record(1, None, Some(ticket("T", "1", "x")))]), None)
        .await
        .expect("outcome");
    assert_eq!(outcome.earliest_failed, None);
    assert_eq!(
        (
            outcome.counters.requests,
            outcome.counters.retried,
            outcome.counters.refused
        ),
        (3, 2, 1)
    );
    assert_eq!(shadows(worker.store.inner()), ["RANK#1#T"]);
}

#[tokio::test(start_paused = true)]
async fn transient_errors_that_last_are_reported_and_keep_the_old_place() {
    let plain = Worker::new(views(), memory(), Settings::default(), Clock::at(Duration::ZERO));
    let created = event(&[record(1, None, Some(ticket("T", "1", "x")))]);
    plain.handle(&created, None).await.expect("outcome");
    let store = FaultyStore::new(plain.store, |actions: &[Action]| {
        matches!(actions, [Action::Put(_)]).then(|| Fault::Before(throttled()))
    });
    let worker = Worker::new(views(), store, Settings::default(), Clock::at(Duration::ZERO));
    let moved = event(&[record(2, Some(ticket("T", "1", "x")), Some(ticket("T", "2", "x")))]);
    let outcome = worker.handle(&moved, None).await.expect("outcome");
    assert!(outcome.earliest_failed.is_some());
    assert_eq!(outcome.counters.requests, u64::from(Settings::default().attempts));
    assert_eq!(outcome.items[0].problems[0].cause, Cause::Transient);
    assert_eq!(shadows(worker.store.inner()), ["RANK#1#T"]);
}

#[tokio::test]
async fn a_refused_update_starts_from_the_item_as_it_is_now() {
    let worker = worker();
    let bare = |title: &str| {
        let mut item = ticket("T", "1", title);
        item.as_object_mut().expect("item").remove("label");
        item
    };
    write(worker.store.inner(), &bare("now")).await;
    let (outcome, requests) = handle(&worker, &[record(1, None, Some(bare("then")))]).await;
    assert_eq!((outcome.earliest_failed, requests.updates), (None, 2));
    let items = worker.store.inner().items(&TableName("app".to_owned()));
    let item = items.iter().find(|item| !item.contains_key(MARKER)).expect("item");
    assert_eq!(item["label"], "now!".into());
    let (gone, requests) = handle(
        &worker,
        &[record(2, None, Some(with(bare("x"), "PK", json!({ "S": "U" }))))],
    )
    .await;
    assert_eq!(
        (gone.earliest_failed, requests.updates),
        (None, 1),
        "an item that is gone is never made again"
    );
    let items = worker.store.inner().items(&TableName("app".to_owned()));
    assert!(!items.iter().any(|item| item["PK"] == "U".into()));
}

#[tokio::test]
async fn a_rejected_put_takes_its_older_self_away() {
    let rejected = || StoreError::Rejected {
        operation: "PutItem",
        table: TableName("app".to_owned()),
        message: "too large".to_owned(),
        cause: "validation".into(),
    };
    let memory = memory();
    let plain = Worker::new(views(), memory, Settings::default(), Clock::at(Duration::ZERO));
    plain
        .handle(&event(&[record(1, None, Some(ticket("T", "1", "x")))]), None)
        .await
        .expect("outcome");
    let store = FaultyStore::new(plain.store, |actions: &[Action]| {
        matches!(actions, [Action::Put(_)]).then(|| Fault::Before(rejected()))
    });
    let worker = Worker::new(views(), store, Settings::default(), Clock::at(Duration::ZERO));
    let changed = event(&[record(2, Some(ticket("T", "1", "x")), Some(ticket("T", "1", "y")))]);
    let outcome = worker.handle(&changed, None).await.expect("outcome");
    assert_eq!(outcome.items[0].problems[0].code, "rejected");
    assert_eq!(shadows(worker.store.inner()), Vec::<String>::new());
}

#[tokio::test]
async fn no_permission_stops_the_function_and_every_item_in_it() {
    let calls = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let counted = calls.clone();
    let store = FaultyStore::new(memory(), move |actions: &[Action]| {
        counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Some(Fault::Before(StoreError::NotPermitted {
            operation: "PutItem",
            table: actions[0].table().clone(),
            cause: "denied".into(),
        }))
    });
    let worker = Worker::new(views(), store, Settings::default(), Clock::at(Duration::ZERO));
    let records: Vec<Value> = (1..100)
        .map(|n| record(n, None, Some(ticket(&format!("T{n}"), "1", "x"))))
        .collect();
    let result = worker.handle(&event(&records), None).await;
    assert!(matches!(result, Err(WorkerError::Halted(_))));
    assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_marker_written_back_is_counted_and_the_item_stays_a_source() {
    let worker = worker();
    let marker = json!({ "M": {
        "from": { "S": "app" }, "view": { "S": "by-rank" }, "of": { "M": { "PK": { "S": "T" } } },
        "at": { "S": "1" }, "def": { "S": "d" },
    } });
    let (outcome, requests) = handle(
        &worker,
        &[record(1, None, Some(with(ticket("T", "1", "x"), MARKER, marker)))],
    )
    .await;
    assert_eq!((outcome.counters.written_back, requests.puts), (1, 1));
}
