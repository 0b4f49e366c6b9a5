use serde_json::json;
use shadowkey_item::{Item, TableName};
use shadowkey_plan::{Condition, Put};
use shadowkey_store::Store;

use super::tables::*;

#[tokio::test]
async fn there_is_nothing_at_an_empty_place() {
    let store = crate::store().await;
    given(&store, &item(json!({"PK": {"S": "a"}, "SK": {"S": "2"}}))).await;
    given(&store, &item(json!({"PK": {"S": "b"}, "SK": {"S": "1"}}))).await;
    assert_eq!(found(&store).await, None);
}

#[tokio::test]
async fn an_item_is_found_under_an_equal_number_in_its_key() {
    let store = crate::store().await;
    let table = TableName("numbered".to_owned());
    let stored = item(json!({"PK": {"S": "a"}, "N": {"N": "100"}, "x": {"S": "y"}}));
    let condition = Condition::ALWAYS;
    let put = Put {
        table: table.clone(),
        item: stored.clone(),
        condition,
    };
    assert_done(&store.put(&put).await.expect("put"));
    let same = key("numbered", json!({"PK": {"S": "a"}, "N": {"N": "1.0E2"}}));
    assert_eq!(store.get(&table, &same).await.expect("get"), Some(stored));
    let other = key("numbered", json!({"PK": {"S": "a"}, "N": {"N": "100.5"}}));
    assert_eq!(store.get(&table, &other).await.expect("get"), None);
}

#[tokio::test]
async fn an_item_is_found_under_a_key_of_bytes() {
    let store = crate::store().await;
    let table = TableName("bytes".to_owned());
    let stored = item(json!({"B": {"B": "AP8="}, "x": {"S": "y"}}));
    let condition = absent("B");
    let put = Put {
        table: table.clone(),
        item: stored.clone(),
        condition,
    };
    assert_done(&store.put(&put).await.expect("put"));
    let key = key("bytes", json!({"B": {"B": "AP8="}}));
    assert_eq!(store.get(&table, &key).await.expect("get"), Some(stored));
}

#[tokio::test]
async fn a_scan_of_an_empty_table_is_one_page_of_nothing() {
    let store = crate::store().await;
    let page = store.scan(&app(), None).await.expect("scan");
    assert_eq!((page.items, page.next), (vec![], None));
}

#[tokio::test]
async fn the_pages_of_a_scan_hold_every_item_once() {
    let store = crate::store().await;
    let put_here = |n: usize| {
        item(json!({"PK": {"S": format!("p{}", n % 7)}, "SK": {"S": n.to_string()}, "x": {"S": "x".repeat(100_000)}}))
    };
    let mut expected: Vec<Item> = (0..30).map(put_here).collect();
    for item in &expected {
        given(&store, item).await;
    }
    let mut scanned = Vec::new();
    let mut start = None;
    loop {
        let page = store.scan(&app(), start.as_ref()).await.expect("scan");
        scanned.extend(page.items);
        start = page.next;
        if start.is_none() {
            break;
        }
    }
    scanned.sort();
    expected.sort();
    assert!(scanned == expected, "{} of {} items", scanned.len(), expected.len());
}
