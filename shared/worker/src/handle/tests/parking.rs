//! What cannot succeed is set aside, and found again.

use super::*;
use crate::Parked;

const STATE: &str = "state";

fn views_with_state() -> Views {
    let file = FILE.replace("[source.ticket]", "[state]\ntable = \"state\"\n[source.ticket]");
    load(&file).views.expect("views")
}

fn parking() -> Worker<Counted> {
    let views = views_with_state();
    let tables: Vec<_> = views
        .tables()
        .into_iter()
        .map(|table| (table.name, table.key))
        .collect();
    let store = CountingStore::new(MemoryStore::new(tables));
    Worker::new(
        views,
        store,
        Settings::default(),
        Clock::at(Duration::from_secs(1_700_000_000)),
    )
}

fn coded(id: &str, code: &str) -> Value {
    with(ticket(id, "1", "x"), "code", json!({ "N": code }))
}

fn entries(worker: &Worker<Counted>) -> Vec<Parked> {
    let items = worker.store.inner().items(&TableName(STATE.to_owned()));
    items
        .iter()
        .filter_map(|item| Parked::of_item(item, worker.views()))
        .collect()
}

fn state_items(worker: &Worker<Counted>) -> usize {
    worker.store.inner().items(&TableName(STATE.to_owned())).len()
}

#[tokio::test]
async fn one_poison_item_is_parked_with_its_reason_and_blocks_nobody() {
    let worker = parking();
    let mut records: Vec<Value> = (1..=1000)
        .map(|n| record(n, None, Some(ticket(&format!("T{n}"), "1", "x"))))
        .collect();
    records[500] = record(501, None, Some(coded("P", "700")));
    let (outcome, _) = handle(&worker, &records).await;
    assert_eq!((outcome.earliest_failed, outcome.counters.parked), (None, 1));
    assert_eq!(shadows(worker.store.inner()).len(), 1000);
    let [entry] = &entries(&worker)[..] else {
        panic!("{:?}", entries(&worker))
    };
    assert_eq!(
        (entry.view.as_deref(), entry.code.as_str()),
        (Some("by-code"), "does-not-fit")
    );
    assert!(entry.message.contains("700") && entry.at.ends_with("501"), "{entry:?}");
    assert!(entry.time.starts_with("2023-11-14T22:13:2"), "{}", entry.time);
}

#[tokio::test]
async fn healthy_items_never_touch_the_state_table() {
    let worker = parking();
    let (_, requests) = handle(&worker, &[record(1, None, Some(coded("T", "7")))]).await;
    assert_eq!(
        requests,
        Requests {
            puts: 2,
            ..Requests::default()
        }
    );
    let (_, requests) = handle(&worker, &[record(2, Some(coded("T", "7")), Some(coded("T", "8")))]).await;
    assert_eq!(
        requests,
        Requests {
            puts: 1,
            deletes: 1,
            ..Requests::default()
        }
    );
    assert_eq!(state_items(&worker), 0);
}

#[tokio::test]
async fn the_next_change_that_derives_clears_the_entry() {
    let worker = parking();
    handle(&worker, &[record(2, None, Some(coded("T", "700")))]).await;
    // An older change that comes late parks nothing newer away, and one that fails again says so anew.
    handle(&worker, &[record(1, None, Some(coded("T", "900")))]).await;
    assert!(entries(&worker)[0].message.contains("700"));
    handle(&worker, &[record(3, Some(coded("T", "700")), Some(coded("T", "800")))]).await;
    assert!(entries(&worker)[0].message.contains("800"));
    let touched = with(coded("T", "800"), "notes", json!({ "S": "touched" }));
    let (_, requests) = handle(&worker, &[record(4, Some(coded("T", "800")), Some(touched.clone()))]).await;
    assert_eq!(requests, Requests::default(), "what fails as before is parked already");
    handle(&worker, &[record(5, Some(touched), Some(coded("T", "7")))]).await;
    assert_eq!(state_items(&worker), 0);
    handle(&worker, &[record(6, Some(coded("T", "7")), Some(coded("T", "700")))]).await;
    handle(&worker, &[record(7, Some(coded("T", "700")), None)]).await;
    assert_eq!(state_items(&worker), 0, "an item that is gone has nothing parked");
}

#[tokio::test]
async fn a_collision_is_cleared_when_its_key_leaves_the_plan() {
    let worker = parking();
    for (number, id) in [(1, "A"), (2, "B")] {
        write(worker.store.inner(), &coded(id, "7")).await;
        handle(&worker, &[record(number, None, Some(coded(id, "7")))]).await;
    }
    assert_eq!(entries(&worker)[0].code, "collision");
    write(worker.store.inner(), &coded("B", "8")).await;
    let (outcome, _) = handle(&worker, &[record(3, Some(coded("B", "7")), Some(coded("B", "8")))]).await;
    assert_eq!((outcome.earliest_failed, state_items(&worker)), (None, 0));
}

#[tokio::test]
async fn trying_again_settles_a_collision_once_the_place_is_free() {
    let worker = parking();
    for (number, id) in [(1, "A"), (2, "B")] {
        write(worker.store.inner(), &coded(id, "7")).await;
        handle(&worker, &[record(number, None, Some(coded(id, "7")))]).await;
    }
    let outcome = worker.retry_parked("run 1", None).await.expect("outcome");
    assert_eq!(
        (outcome.items[0].problems.len(), entries(&worker).len()),
        (1, 1),
        "still taken"
    );
    write(worker.store.inner(), &coded("A", "9")).await;
    handle(&worker, &[record(3, Some(coded("A", "7")), Some(coded("A", "9")))]).await;
    let outcome = worker.retry_parked("run 2", None).await.expect("outcome");
    assert_eq!(
        (outcome.items[0].problems.len(), state_items(&worker)),
        (0, 0),
        "{outcome:?}"
    );
    assert_eq!(
        shadows(worker.store.inner()),
        ["CODE#07", "CODE#09", "RANK#1#A", "RANK#1#B"]
    );
}

#[tokio::test]
async fn what_an_image_did_not_show_stays_parked_until_it_is_repaired() {
    let worker = parking();
    let mut lacking = record(7, Some(coded("A", "6")), Some(coded("A", "7")));
    lacking["dynamodb"].as_object_mut().expect("object").remove("OldImage");
    write(worker.store.inner(), &coded("A", "7")).await;
    let (outcome, _) = handle(&worker, &[lacking]).await;
    assert_eq!(
        (outcome.earliest_failed, entries(&worker)[0].code.as_str()),
        (None, "image-missing")
    );
    worker.retry_parked("run", None).await.expect("outcome");
    assert_eq!(entries(&worker).len(), 1);
}

#[tokio::test]
async fn a_redrive_makes_true_what_the_stream_gave_up() {
    let worker = parking();
    handle(&worker, &[record(1, None, Some(coded("T", "6")))]).await;
    let lost = event(&[record(2, Some(coded("T", "6")), Some(coded("T", "7")))]);
    write(worker.store.inner(), &coded("T", "8")).await;
    let outcome = worker.redrive(&lost, "run", None).await.expect("outcome");
    assert!(outcome.items[0].is_done());
    assert_eq!(shadows(worker.store.inner()), ["CODE#08", "RANK#1#T"]);
    assert_eq!(state_items(&worker), 0, "its note is dropped");
    worker.store.take();
    worker.redrive(&lost, "again", None).await.expect("outcome");
    let requests = worker.store.take();
    assert_eq!(
        (requests.puts, requests.deletes, requests.updates),
        (0, 0, 0),
        "nothing is written that is there"
    );
}

#[tokio::test(start_paused = true)]
async fn the_work_of_a_crashed_run_is_taken_over_when_its_lease_is_over() {
    let worker = parking();
    write(worker.store.inner(), &coded("T", "7")).await;
    let lost = event(&[record(1, None, Some(coded("T", "7")))]);
    {
        // The run dies after its put: its second reading of the source never comes.
        let calls = std::sync::atomic::AtomicU64::new(0);
        let dying = FaultyStore::new(worker.store.inner(), |actions: &[Action]| {
            let after_puts =
                matches!(actions, [Action::Put(_)]) && calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 2;
            after_puts.then(|| {
                Fault::After(StoreError::NotPermitted {
                    operation: "PutItem",
                    table: TableName("app".to_owned()),
                    cause: "crashed".into(),
                })
            })
        });
        let views = views_with_state();
        let clock = Clock::at(Duration::from_secs(1_700_000_000));
        let crashing = Worker::new(views, dying, Settings::default(), clock);
        crashing.redrive(&lost, "crashed", None).await.expect_err("crashed");
    }
    assert_eq!((codes(&worker), state_items(&worker)), (vec!["CODE#07".to_owned()], 1));
    // The item moves on and its stream has nothing to remove: its records were among those that were given up.
    write(worker.store.inner(), &coded("T", "8")).await;
    worker.retry_parked("early", None).await.expect("outcome");
    assert_eq!(
        (codes(&worker), state_items(&worker)),
        (vec!["CODE#07".to_owned()], 1),
        "the lease still holds"
    );
    tokio::time::advance(Duration::from_mins(16)).await;
    worker.retry_parked("late", None).await.expect("outcome");
    assert_eq!((codes(&worker), state_items(&worker)), (vec!["CODE#08".to_owned()], 0));
}

fn codes(worker: &Worker<Counted>) -> Vec<String> {
    let keys = shadows(worker.store.inner());
    keys.into_iter().filter(|key| key.starts_with("CODE")).collect()
}
