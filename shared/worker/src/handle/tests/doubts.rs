//! What the images of a change do not tell is read from the item itself.

use super::*;

/// The code's shadow does not name its item, so that two items can claim it.
fn coded(id: &str, code: &str) -> Value {
    with(ticket(id, "1", "x"), "code", json!({ "N": code }))
}

/// Writes the item as the application would and hands the worker the record of it.
async fn written(worker: &Worker<Counted>, number: u32, old: Option<Value>, new: Value) -> (Outcome, Requests) {
    write(worker.store.inner(), &new).await;
    handle(worker, &[record(number, old, Some(new))]).await
}

fn codes(worker: &Worker<Counted>) -> Vec<String> {
    let keys = shadows(worker.store.inner());
    keys.into_iter().filter(|key| key.starts_with("CODE")).collect()
}

/// Whose shadow stands at a key.
fn owner(worker: &Worker<Counted>, key: &str) -> Option<String> {
    let items = worker.store.inner().items(&TableName("app".to_owned()));
    let item = items.iter().find(|item| item["PK"] == key.into())?;
    let marker = shadowkey_views::Marker::of_item(item)?;
    Some(marker.of["PK"].as_s()?.to_owned())
}

#[tokio::test]
async fn a_late_change_leaves_what_a_newer_one_wrote() {
    let worker = worker();
    written(&worker, 5, None, coded("A", "7")).await;
    let (late, _) = handle(&worker, &[record(3, Some(coded("A", "5")), Some(coded("A", "6")))]).await;
    assert_eq!(
        (late.earliest_failed, late.counters.reconciled),
        (None, 0),
        "an empty place is not a doubt"
    );
    assert_eq!(
        codes(&worker),
        ["CODE#06", "CODE#07"],
        "the change that follows will remove it"
    );
    let (late, _) = handle(&worker, &[record(4, Some(coded("A", "7")), Some(coded("A", "8")))]).await;
    assert_eq!(
        (late.earliest_failed, late.counters.reconciled),
        (None, 1),
        "its delete found a newer shadow"
    );
    assert_eq!(
        codes(&worker),
        ["CODE#06", "CODE#07"],
        "reconciled to what the item is now"
    );
    let (last, _) = handle(&worker, &[record(5, Some(coded("A", "6")), Some(coded("A", "7")))]).await;
    assert_eq!(
        (last.earliest_failed, codes(&worker)),
        (None, vec!["CODE#07".to_owned()])
    );
}

#[tokio::test]
async fn a_key_that_its_owner_derives_is_a_collision_and_else_is_taken_over() {
    let worker = worker();
    written(&worker, 1, None, coded("A", "7")).await;
    let (collides, _) = written(&worker, 2, None, coded("B", "7")).await;
    let problem = &collides.items[0].problems[0];
    assert_eq!((problem.code, problem.view.as_deref()), ("collision", Some("by-code")));
    assert_eq!(owner(&worker, "CODE#07").as_deref(), Some("A"));

    // A has left the key, and its own record is still on its way.
    write(worker.store.inner(), &coded("A", "8")).await;
    let (takes, _) = handle(&worker, &[record(2, None, Some(coded("B", "7")))]).await;
    assert_eq!((takes.earliest_failed, takes.counters.reconciled), (None, 1));
    assert_eq!(owner(&worker, "CODE#07").as_deref(), Some("B"));
    let (leaves, _) = handle(&worker, &[record(3, Some(coded("A", "7")), Some(coded("A", "8")))]).await;
    assert_eq!(leaves.earliest_failed, None);
    assert_eq!(
        owner(&worker, "CODE#07").as_deref(),
        Some("B"),
        "a delete never takes another's shadow"
    );
    assert_eq!(owner(&worker, "CODE#08").as_deref(), Some("A"));
}

#[tokio::test]
async fn a_view_that_collides_loses_its_old_place_since_nothing_else_may_be_shown_there() {
    let worker = worker();
    written(&worker, 1, None, coded("A", "7")).await;
    written(&worker, 2, None, coded("B", "8")).await;
    let (moved, _) = written(&worker, 3, Some(coded("B", "8")), coded("B", "7")).await;
    assert_eq!(moved.items[0].problems[0].code, "collision");
    assert_eq!(codes(&worker), ["CODE#07"]);
}

#[tokio::test]
async fn a_record_that_lacks_an_image_is_reconciled_and_stays_a_problem() {
    let worker = worker();
    let mut lacking = record(7, Some(coded("A", "6")), Some(coded("A", "7")));
    lacking["dynamodb"].as_object_mut().expect("object").remove("OldImage");
    write(worker.store.inner(), &coded("A", "7")).await;
    let (lacking, _) = handle(&worker, &[lacking]).await;
    assert_eq!(lacking.items[0].problems[0].code, "image-missing");
    assert_eq!(
        (lacking.counters.reconciled, codes(&worker)),
        (1, vec!["CODE#07".to_owned()])
    );
}

#[tokio::test]
async fn a_record_without_a_version_is_reconciled_and_done() {
    let worker = worker();
    written(&worker, 1, None, coded("A", "6")).await;
    let mut odd = record(2, Some(coded("A", "6")), Some(coded("A", "7")));
    odd["dynamodb"]["SequenceNumber"] = json!("not a number");
    write(worker.store.inner(), &coded("A", "7")).await;
    let (odd, _) = handle(&worker, &[odd]).await;
    assert_eq!((odd.earliest_failed, odd.items[0].problems.len()), (None, 0));
    assert_eq!(codes(&worker), ["CODE#07"]);
}

/// A view file whose two views may meet, and an item for which they do.
fn meeting() -> (String, Value) {
    let file = FILE.replace("RANK#{rank}#{PK}", "CODE#{rank | pad(2)}");
    let item = with(coded("T", "7"), "rank", json!({ "N": "7" }));
    (file, item)
}

#[tokio::test]
async fn of_two_views_of_one_item_that_meet_in_a_key_the_first_has_it_until_it_leaves() {
    let (file, item) = meeting();
    for file in [in_transactions(&file), file] {
        let worker = worker_of(&file, CountingStore::new(memory_of(&file)));
        let (outcome, requests) = written(&worker, 1, None, item.clone()).await;
        let problems: Vec<_> = outcome.items[0]
            .problems
            .iter()
            .map(|problem| (problem.view.as_deref(), problem.code))
            .collect();
        assert_eq!(problems, [(Some("by-rank"), "same-key")]);
        assert_eq!(requests.puts + requests.transactions, 1);
        let owner = || {
            let items = worker.store.inner().items(&TableName("app".to_owned()));
            items.iter().find_map(Marker::of_item).map(|marker| marker.view)
        };
        assert_eq!(owner().as_deref(), Some("by-code"));
        let moved = with(item.clone(), "code", json!({ "N": "8" }));
        let (outcome, _) = written(&worker, 2, Some(item.clone()), moved).await;
        assert_eq!(outcome.items[0].problems, []);
        assert_eq!(shadows(worker.store.inner()), ["CODE#07", "CODE#08"]);
        assert_eq!(owner().as_deref(), Some("by-rank"));
    }
}
