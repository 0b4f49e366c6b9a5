use serde_json::json;
use shadowkey_plan::Condition;
use shadowkey_store::{Store, Written};

use super::tables::*;

#[tokio::test]
async fn a_delete_removes_the_item_and_no_other() {
    let store = crate::store().await;
    let neighbour = item(json!({"PK": {"S": "a"}, "SK": {"S": "10"}}));
    given(&store, &neighbour).await;
    given(&store, &item_a(json!({"n": {"N": "1"}}))).await;
    assert_done(
        &store
            .delete(&delete(equal("n", json!({"N": "1"}))))
            .await
            .expect("delete"),
    );
    assert_eq!(found(&store).await, None);
    assert_eq!(store.scan(&app(), None).await.expect("scan").items, [neighbour]);
}

#[tokio::test]
async fn deleting_what_is_not_there_is_done() {
    let store = crate::store().await;
    let written = store.delete(&delete(Condition::ALWAYS)).await.expect("delete");
    assert_eq!(written, Written::Done { write_units: 1 });
}

#[tokio::test]
async fn a_delete_costs_the_units_of_what_it_deletes() {
    let store = crate::store().await;
    given(&store, &item_a(json!({"x": {"S": "x".repeat(2500)}}))).await;
    let written = store.delete(&delete(Condition::ALWAYS)).await.expect("delete");
    assert_eq!(written, Written::Done { write_units: 3 });
}

#[tokio::test]
async fn a_refused_delete_changes_nothing_and_gives_what_it_found() {
    let store = crate::store().await;
    let there = item_a(json!({"n": {"N": "1"}}));
    given(&store, &there).await;
    let written = store
        .delete(&delete(less("n", json!({"N": "1"}))))
        .await
        .expect("delete");
    let found_there = Some(there.clone());
    assert_eq!(written, Written::Refused { found: found_there });
    assert_eq!(found(&store).await, Some(there));
}

#[tokio::test]
async fn a_delete_that_is_refused_at_an_empty_place_finds_nothing() {
    let store = crate::store().await;
    let written = store.delete(&delete(present("PK"))).await.expect("delete");
    assert_eq!(written, Written::Refused { found: None });
}
