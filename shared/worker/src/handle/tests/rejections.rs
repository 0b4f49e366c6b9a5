//! What the service rejects for good, and what a panic leaves: nothing else of the item suffers, and nothing is forgotten.

use std::collections::BTreeSet;

use super::*;

type Script = fn(&[Action]) -> Option<Fault>;

/// A worker with a state table over a store that fails as scripted.
fn failing(file: &str, script: Script) -> Worker<FaultyStore<MemoryStore, Script>> {
    let file = parked_in_state(file);
    worker_of(&file, FaultyStore::new(memory_of(&file), script))
}

fn reject() -> Option<Fault> {
    Some(Fault::Before(StoreError::Rejected {
        operation: "TransactWriteItems",
        table: TableName("app".to_owned()),
        message: "a parameter is not valid".to_owned(),
        cause: "validation".into(),
    }))
}

fn puts_at(actions: &[Action], key: &str) -> bool {
    let puts = |action: &Action| matches!(action, Action::Put(put) if put.item.get("PK") == Some(&key.into()));
    actions.iter().any(puts)
}

fn deletes(actions: &[Action]) -> bool {
    matches!(actions, [Action::Delete(delete)] if delete.table.0 == "app")
}

fn updates(actions: &[Action], name: &str) -> bool {
    let sets = |action: &Action| matches!(action, Action::Update(update) if update.names().any(|set| set == name));
    actions.iter().any(sets)
}

fn coded(id: &str, code: &str) -> Value {
    with(ticket(id, "1", "x"), "code", json!({ "N": code }))
}

fn bare(item: Value) -> Value {
    let mut item = item;
    item.as_object_mut().expect("item").remove("label");
    item
}

async fn deliver<S: Store>(worker: &Worker<S>, records: &[Value]) -> Outcome {
    worker.handle(&event(records), None).await.expect("outcome")
}

fn problems(outcome: &Outcome) -> Vec<(Option<&str>, &str)> {
    let problems = outcome.items.iter().flat_map(|item| &item.problems);
    problems
        .map(|problem| (problem.view.as_deref(), problem.code))
        .collect()
}

#[tokio::test]
async fn a_transaction_that_is_rejected_as_a_whole_is_tried_write_by_write() {
    let worker = failing(&in_transactions(FILE), |actions| {
        puts_at(actions, "CODE#07").then(reject).flatten()
    });
    let item = bare(coded("T", "7"));
    write(worker.store.inner(), &item).await;
    let outcome = deliver(&worker, &[record(1, None, Some(item))]).await;
    assert_eq!(problems(&outcome), [(Some("by-code"), "rejected")]);
    assert_eq!(shadows(worker.store.inner()), ["RANK#1#T"]);
}

#[tokio::test]
async fn a_rejected_put_takes_its_older_self_away_and_an_update_goes_on_without_it() {
    let worker = failing(&in_transactions(FILE), |actions| {
        let titled =
            |action: &Action| matches!(action, Action::Put(put) if put.item.get("title") == Some(&"bad".into()));
        actions.iter().any(titled).then(reject).flatten()
    });
    write(worker.store.inner(), &ticket("T", "1", "x")).await;
    deliver(&worker, &[record(1, None, Some(ticket("T", "1", "x")))]).await;
    let changed = with(ticket("T", "1", "x"), "title", json!({ "S": "bad" }));
    write(worker.store.inner(), &changed).await;
    let outcome = deliver(&worker, &[record(2, Some(ticket("T", "1", "x")), Some(changed))]).await;
    assert_eq!(problems(&outcome), [(Some("by-rank"), "rejected")]);
    assert_eq!(shadows(worker.store.inner()), Vec::<String>::new());
    assert_eq!(label(worker.store.inner(), "T").as_deref(), Some("bad!"));
}

fn label(store: &MemoryStore, id: &str) -> Option<String> {
    let items = store.items(&TableName("app".to_owned()));
    let item = items.iter().find(|item| item["PK"] == id.into())?;
    item.get("label")?.as_s().map(str::to_owned)
}

#[tokio::test]
async fn many_writes_one_by_one_are_done_however_often_they_are_delivered() {
    let file = in_transactions(FILE)
        + r#"[shadow.by-tag]
source = "ticket"
for_each = { tag = "tags" }
key = { PK = "TAG#{tag}#{PK}" }
"#;
    let worker = failing(&file, |actions| puts_at(actions, "CODE#07").then(reject).flatten());
    let tags: Vec<Value> = (10..50).map(|n| json!({ "S": n.to_string() })).collect();
    let item = with(coded("T", "7"), "tags", json!({ "L": tags }));
    write(worker.store.inner(), &item).await;
    for _ in 0..2 {
        let outcome = deliver(&worker, &[record(1, None, Some(item.clone()))]).await;
        assert_eq!(problems(&outcome), [(Some("by-code"), "rejected")]);
        assert_eq!(shadows(worker.store.inner()).len(), 41);
    }
}

#[tokio::test]
async fn a_place_that_two_views_have_left_is_empty() {
    let file = FILE.replace("RANK#{rank}#{PK}", "CODE#{rank | pad(2)}");
    for file in [in_transactions(&file), file] {
        let worker = worker_of(&file, memory_of(&file));
        let ranked = |rank: &str, code: &str| with(coded("T", code), "rank", json!({ "N": rank }));
        let images = [ranked("1", "2"), ranked("2", "3"), ranked("4", "5")];
        write(&worker.store, &images[0]).await;
        deliver(&worker, &[record(1, None, Some(images[0].clone()))]).await;
        write(&worker.store, &images[2]).await;
        let records: Vec<Value> = images
            .windows(2)
            .zip(2..)
            .map(|(pair, number)| record(number, Some(pair[0].clone()), Some(pair[1].clone())))
            .collect();
        let outcome = deliver(&worker, &records).await;
        assert_eq!(problems(&outcome), []);
        assert_eq!(shadows(&worker.store), ["CODE#04", "CODE#05"]);
    }
}

#[tokio::test]
async fn an_attribute_that_is_rejected_keeps_neither_the_others_nor_the_shadows_back() {
    let file = FILE.replace(
        "[shadow.by-rank]",
        "[attribute.rated]\nsource = \"ticket\"\nvalue = \"{rank}!\"\n[shadow.by-rank]",
    ) + "[shadow.by-rated]\nsource = \"ticket\"\nkey = { PK = \"RATED#{rated}#{PK}\" }\n";
    for file in [in_transactions(&file), file] {
        let worker = failing(&file, |actions| updates(actions, "rated").then(reject).flatten());
        let item = bare(ticket("T", "1", "x"));
        write(worker.store.inner(), &item).await;
        for _ in 0..2 {
            let outcome = deliver(&worker, &[record(1, None, Some(item.clone()))]).await;
            assert_eq!(outcome.earliest_failed, None);
            assert_eq!(problems(&outcome), [(Some("rated"), "rejected")]);
            assert!(outcome.items[0].problems[0].message.contains("`rated`"));
            assert_eq!(label(worker.store.inner(), "T").as_deref(), Some("x!"));
            assert_eq!(shadows(worker.store.inner()), ["RANK#1#T", "RATED#1!#T"]);
        }
        let outcome = worker.retry_parked("retry", None).await.expect("outcome");
        assert_eq!(problems(&outcome), [(Some("rated"), "rejected")]);
    }
}

#[tokio::test]
async fn an_update_that_is_too_long_is_halved() {
    let views: String = (0..9)
        .map(|n| format!("[attribute.a{n}]\nsource = \"ticket\"\nvalue = \"{{rank}}-{n}\"\n"))
        .collect();
    let file = FILE.to_owned() + &views;
    let too_long: Script = |actions| match actions {
        [Action::Update(update)] if update.names().count() > 6 => reject(),
        _ => None,
    };
    let worker = failing(&file, too_long);
    let item = bare(ticket("T", "1", "x"));
    write(worker.store.inner(), &item).await;
    let outcome = deliver(&worker, &[record(1, None, Some(item))]).await;
    assert_eq!((problems(&outcome), outcome.counters.updates), (vec![], 2));
    assert_eq!(label(worker.store.inner(), "T").as_deref(), Some("x!"));
}

#[tokio::test]
async fn a_panic_concerns_the_item_that_causes_it_and_no_other() {
    let worker = failing(FILE, |actions| {
        assert!(!puts_at(actions, "RANK#1#P"), "the bug");
        None
    });
    let ids = ["A", "P", "Z"].into_iter().zip(1..);
    let records: Vec<Value> = ids.map(|(id, n)| record(n, None, Some(ticket(id, "1", "x")))).collect();
    let outcome = deliver(&worker, &records).await;
    assert_eq!(outcome.earliest_failed, None);
    assert_eq!(shadows(worker.store.inner()), ["RANK#1#A", "RANK#1#Z"]);
    let parked = worker.parked().await.expect("parked");
    let [entry] = &parked[..] else { panic!("{parked:?}") };
    assert_eq!((entry.code.as_str(), entry.view.as_deref()), ("panic", None));
    assert!(entry.message.contains("the bug"), "{}", entry.message);
}

/// The same worker over a store in which nothing fails any more.
fn mended(worker: &Worker<FaultyStore<MemoryStore, Script>>) -> Worker<&MemoryStore> {
    let views = worker.views().clone();
    Worker::new(
        views,
        worker.store.inner(),
        Settings::default(),
        Clock::at(Duration::ZERO),
    )
}

#[tokio::test]
async fn what_a_panic_leaves_over_is_found_when_the_item_is_tried_again() {
    let worker = failing(FILE, |actions| {
        assert!(!deletes(actions), "the bug");
        None
    });
    let images = [coded("T", "7"), coded("T", "8")];
    write(worker.store.inner(), &images[0]).await;
    deliver(&worker, &[record(1, None, Some(images[0].clone()))]).await;
    write(worker.store.inner(), &images[1]).await;
    let outcome = deliver(&worker, &[record(2, Some(images[0].clone()), Some(images[1].clone()))]).await;
    assert_eq!(problems(&outcome), [(None, "panic")]);
    assert_eq!(shadows(worker.store.inner()), ["CODE#07", "CODE#08", "RANK#1#T"]);
    let outcome = mended(&worker).retry_parked("retry", None).await.expect("outcome");
    assert_eq!(problems(&outcome), []);
    assert_eq!(shadows(worker.store.inner()), ["CODE#08", "RANK#1#T"]);
    assert_eq!(worker.parked().await.expect("parked"), []);
}

#[tokio::test]
async fn every_place_that_could_not_be_deleted_is_kept_with_the_entry() {
    let file = FILE.to_owned()
        + r#"[shadow.by-tag]
source = "ticket"
for_each = { tag = "tags" }
key = { PK = "TAG#{tag}#{PK}" }
"#;
    let worker = failing(&file, |actions| deletes(actions).then(reject).flatten());
    let tags: Vec<Value> = (0..250).map(|n| json!({ "S": n.to_string() })).collect();
    let tagged = with(ticket("T", "1", "x"), "tags", json!({ "L": tags }));
    write(worker.store.inner(), &tagged).await;
    deliver(&worker, &[record(1, None, Some(tagged.clone()))]).await;
    write(worker.store.inner(), &ticket("T", "1", "x")).await;
    deliver(&worker, &[record(2, Some(tagged), Some(ticket("T", "1", "x")))]).await;
    let parked = worker.parked().await.expect("parked");
    let places: BTreeSet<_> = parked.iter().flat_map(|entry| &entry.places).collect();
    assert_eq!((parked.len(), places.len()), (3, 250));
    let outcome = mended(&worker).retry_parked("retry", None).await.expect("outcome");
    assert_eq!(problems(&outcome), []);
    assert_eq!(shadows(worker.store.inner()), ["RANK#1#T"]);
    assert_eq!(worker.parked().await.expect("parked"), []);
}

#[tokio::test]
async fn a_missing_image_is_not_hidden_by_what_else_goes_wrong() {
    let worker = failing(FILE, |actions| {
        assert!(!puts_at(actions, "RANK#1#T"), "the bug");
        None
    });
    let item = coded("T", "700");
    write(worker.store.inner(), &item).await;
    let mut odd = record(1, Some(item.clone()), Some(item));
    odd["dynamodb"].as_object_mut().expect("record").remove("OldImage");
    let outcome = deliver(&worker, &[odd]).await;
    assert_eq!(outcome.earliest_failed, None);
    let codes = || async {
        let parked = worker.parked().await.expect("parked");
        parked.into_iter().map(|entry| entry.code).collect::<BTreeSet<_>>()
    };
    assert_eq!(
        codes().await,
        BTreeSet::from(["image-missing".to_owned(), "panic".to_owned()])
    );
    mended(&worker).retry_parked("retry", None).await.expect("outcome");
    assert_eq!(
        codes().await,
        BTreeSet::from(["image-missing".to_owned(), "does-not-fit".to_owned()])
    );
}
