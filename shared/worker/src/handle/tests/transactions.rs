//! Writing all at once.

use super::*;

fn all_at_once<S: Store>(store: S) -> Worker<S> {
    let file = in_transactions(FILE);
    worker_of(&file, store)
}

fn bare(id: &str, rank: &str) -> Value {
    let mut item = ticket(id, rank, "x");
    item.as_object_mut().expect("item").remove("label");
    item
}

#[tokio::test]
async fn a_change_is_one_transaction_and_one_that_alters_nothing_is_none() {
    let worker = all_at_once(CountingStore::new(memory()));
    let one = Requests {
        transactions: 1,
        ..Requests::default()
    };
    write(worker.store.inner(), &bare("T", "1")).await;
    let (outcome, requests) = handle(&worker, &[record(1, None, Some(bare("T", "1")))]).await;
    assert_eq!((outcome.earliest_failed, requests), (None, one));
    assert_eq!(
        (
            outcome.counters.puts,
            outcome.counters.updates,
            outcome.counters.write_units
        ),
        (1, 1, 4)
    );
    let (_, requests) = handle(&worker, &[record(2, Some(bare("T", "1")), Some(ticket("T", "1", "x")))]).await;
    assert_eq!(requests, Requests::default(), "its own update comes back");

    write(worker.store.inner(), &ticket("T", "2", "x")).await;
    let moved = record(3, Some(ticket("T", "1", "x")), Some(ticket("T", "2", "x")));
    let (outcome, requests) = handle(&worker, &[moved]).await;
    assert_eq!((requests, outcome.counters.puts, outcome.counters.deletes), (one, 1, 1));
    assert_eq!(shadows(worker.store.inner()), ["RANK#2#T"]);
}

#[tokio::test]
async fn a_source_that_has_moved_on_is_derived_again() {
    let worker = all_at_once(CountingStore::new(memory()));
    write(worker.store.inner(), &ticket("T", "1", "x")).await;
    handle(&worker, &[record(1, None, Some(ticket("T", "1", "x")))]).await;
    write(worker.store.inner(), &ticket("T", "3", "x")).await;
    let late = record(2, Some(ticket("T", "1", "x")), Some(ticket("T", "2", "x")));
    let (outcome, requests) = handle(&worker, &[late]).await;
    assert_eq!((outcome.earliest_failed, requests.transactions), (None, 2));
    assert_eq!(
        shadows(worker.store.inner()),
        ["RANK#3#T"],
        "what the image says is never there"
    );
}

#[tokio::test]
async fn what_cannot_be_written_does_not_keep_the_rest_from_it() {
    let worker = all_at_once(CountingStore::new(memory()));
    let taken = json!({ "PK": { "S": "RANK#1#T" }, "mine": { "S": "precious" } });
    write(worker.store.inner(), &taken).await;
    let coded = with(ticket("T", "1", "x"), "code", json!({ "N": "7" }));
    write(worker.store.inner(), &coded).await;
    let (outcome, _) = handle(&worker, &[record(1, None, Some(coded))]).await;
    assert_eq!(outcome.items[0].problems[0].code, "collision");
    assert_eq!(shadows(worker.store.inner()), ["CODE#07"]);
}

#[tokio::test]
async fn more_than_one_transaction_holds_are_several() {
    let file = r#"version = 1
[table]
name = "app"
writes = "transaction"
partition_key = { name = "PK", type = "S" }
[source.post]
match = { tags = [{ exists = true }] }
[shadow.by-tag]
source = "post"
for_each = { tag = "tags" }
key = { PK = "TAG#{tag}#{PK}" }
"#;
    let views = load(file).views.expect("views");
    let worker = Worker::new(
        views,
        CountingStore::new(memory()),
        Settings::default(),
        Clock::at(Duration::ZERO),
    );
    let tagged = |from: usize, to: usize| {
        let tags: Vec<Value> = (from..to).map(|n| json!({ "S": n.to_string() })).collect();
        json!({ "PK": { "S": "P" }, "tags": { "L": tags } })
    };
    write(worker.store.inner(), &tagged(0, 150)).await;
    let (outcome, requests) = handle(&worker, &[record(1, None, Some(tagged(0, 150)))]).await;
    assert_eq!((outcome.counters.puts, requests.transactions), (150, 2));
    write(worker.store.inner(), &tagged(100, 250)).await;
    let (outcome, requests) = handle(&worker, &[record(2, Some(tagged(0, 150)), Some(tagged(100, 250)))]).await;
    assert_eq!(
        (outcome.counters.puts, outcome.counters.deletes, requests.transactions),
        (100, 100, 3)
    );
    assert_eq!(shadows(worker.store.inner()).len(), 150);
}
