use serde_json::json;
use shadowkey_plan::Condition;
use shadowkey_store::{Store, Written};

use super::tables::*;

#[tokio::test]
async fn a_put_to_an_empty_place_creates_the_item() {
    let store = crate::store().await;
    let new = item_a(json!({"title": {"S": "new"}}));
    assert_done(&store.put(&put(new.clone(), absent("PK"))).await.expect("put"));
    assert_eq!(found(&store).await, Some(new));
}

#[tokio::test]
async fn a_put_replaces_the_whole_item() {
    let store = crate::store().await;
    given(&store, &item_a(json!({"old": {"S": "x"}, "both": {"N": "1"}}))).await;
    let new = item_a(json!({"both": {"N": "2"}, "new": {"S": "y"}}));
    assert_done(&store.put(&put(new.clone(), Condition::ALWAYS)).await.expect("put"));
    assert_eq!(found(&store).await, Some(new));
}

#[tokio::test]
async fn a_refused_put_changes_nothing_and_gives_what_it_found() {
    let store = crate::store().await;
    let old = item_a(json!({"n": {"N": "1"}, "m": {"M": {"deep": {"L": [{"B": "AAE="}]}}}}));
    given(&store, &old).await;
    let written = store.put(&put(item_a(json!({})), absent("PK"))).await.expect("put");
    let found_there = Some(old.clone());
    assert_eq!(written, Written::Refused { found: found_there });
    assert_eq!(found(&store).await, Some(old));
}

#[tokio::test]
async fn a_put_that_is_refused_at_an_empty_place_finds_nothing() {
    let store = crate::store().await;
    let written = store.put(&put(item_a(json!({})), present("PK"))).await.expect("put");
    assert_eq!(written, Written::Refused { found: None });
    assert_eq!(found(&store).await, None);
}

#[tokio::test]
async fn a_put_leaves_the_partitions_other_items_alone() {
    let store = crate::store().await;
    let neighbour = item(json!({"PK": {"S": "a"}, "SK": {"S": "2"}, "n": {"N": "2"}}));
    given(&store, &neighbour).await;
    assert_done(&store.put(&put(item_a(json!({})), absent("n"))).await.expect("put"));
    let key = key("app", json!({"PK": {"S": "a"}, "SK": {"S": "2"}}));
    assert_eq!(store.get(&app(), &key).await.expect("get"), Some(neighbour));
}

#[tokio::test]
async fn of_many_puts_to_one_empty_place_exactly_one_takes_effect() {
    let store = crate::store().await;
    let puts: Vec<_> = (0..8)
        .map(|n| put(item_a(json!({"n": {"N": n.to_string()}})), absent("PK")))
        .collect();
    let written = futures::future::join_all(puts.iter().map(|put| store.put(put))).await;
    let written: Vec<_> = written.into_iter().map(|written| written.expect("put")).collect();
    let winner = found(&store).await.expect("item");
    for (put, written) in puts.iter().zip(&written) {
        match written {
            Written::Done { .. } => assert_eq!(put.item, winner),
            Written::Refused { found } => assert_eq!(found.as_ref(), Some(&winner)),
        }
    }
    let done = written.iter().filter(|written| matches!(written, Written::Done { .. }));
    assert_eq!(done.count(), 1);
}

#[tokio::test]
async fn a_put_costs_a_unit_for_every_started_kilobyte_of_the_larger_image() {
    let store = crate::store().await;
    let sized = |bytes: usize| item_a(json!({"x": {"S": "x".repeat(bytes)}}));
    for (bytes, units) in [(100, 1), (1500, 2), (100, 2), (100, 1)] {
        let written = store.put(&put(sized(bytes), Condition::ALWAYS)).await.expect("put");
        assert_eq!(written, Written::Done { write_units: units }, "{bytes} bytes");
    }
}
