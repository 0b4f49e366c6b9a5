use serde_json::{Value, json};
use shadowkey_item::{Item, Key, TableName};
use shadowkey_plan::{Condition, Delete, Put, Update};
use shadowkey_store::{Disposition, Store, StoreError, Written};

use super::tables::*;

#[track_caller]
fn assert_rejected(result: Result<Written, StoreError>) {
    match result {
        Err(error @ StoreError::Rejected { .. }) => assert_eq!(error.disposition(), Disposition::Park),
        other => panic!("{other:?}"),
    }
}

async fn put_result(item: Item) -> Result<Written, StoreError> {
    crate::store().await.put(&put(item, Condition::ALWAYS)).await
}

#[tokio::test]
async fn an_item_without_its_whole_key_is_rejected() {
    assert_rejected(put_result(item(json!({"PK": {"S": "a"}}))).await);
}

#[tokio::test]
async fn an_item_with_a_key_of_another_type_is_rejected() {
    assert_rejected(put_result(item(json!({"PK": {"S": "a"}, "SK": {"N": "1"}}))).await);
}

#[tokio::test]
async fn an_empty_key_is_rejected() {
    assert_rejected(put_result(item(json!({"PK": {"S": ""}, "SK": {"S": "1"}}))).await);
    assert_rejected(put_result(item(json!({"PK": {"S": "a"}, "SK": {"S": ""}}))).await);
}

#[tokio::test]
async fn a_key_is_rejected_from_its_limit_on() {
    let item_of = |partition: usize, sort: usize| {
        item(json!({"PK": {"S": "p".repeat(partition)}, "SK": {"S": "s".repeat(sort)}}))
    };
    assert_done(&put_result(item_of(2048, 1024)).await.expect("put"));
    assert_rejected(put_result(item_of(2049, 1)).await);
    assert_rejected(put_result(item_of(1, 1025)).await);
}

#[tokio::test]
async fn an_item_above_400_kilobytes_is_rejected() {
    let store = crate::store().await;
    // The key takes 6 bytes, the attribute's name 1.
    let sized = |bytes: usize| json!({"x": {"S": "x".repeat(bytes - 7)}});
    let limit = 400 * 1024;
    let largest = item_a(sized(limit));
    assert_done(&store.put(&put(largest.clone(), Condition::ALWAYS)).await.expect("put"));
    assert_rejected(store.put(&put(item_a(sized(limit + 1)), Condition::ALWAYS)).await);
    assert_rejected(
        store
            .update(&update(json!({"y": {"S": ""}}), &[], Condition::ALWAYS))
            .await,
    );
    assert!(found(&store).await == Some(largest), "the item is as it was");
}

#[tokio::test]
async fn an_update_that_would_change_the_key_is_rejected() {
    let store = crate::store().await;
    assert_rejected(
        store
            .update(&update(json!({"SK": {"S": "2"}}), &[], Condition::ALWAYS))
            .await,
    );
    assert_rejected(
        store
            .update(&update(json!({"n": {"N": "1"}}), &["PK"], Condition::ALWAYS))
            .await,
    );
    assert_eq!(found(&store).await, None);
}

#[tokio::test]
async fn an_empty_set_is_rejected() {
    for empty in [json!({"SS": []}), json!({"NS": []}), json!({"BS": []})] {
        assert_rejected(put_result(item_a(json!({"a": empty}))).await);
    }
}

#[tokio::test]
async fn an_attribute_without_a_name_is_rejected() {
    assert_rejected(put_result(item_a(json!({"": {"S": "x"}}))).await);
    assert_rejected(put_result(item_a(json!({"m": {"M": {"": {"S": "x"}}}}))).await);
}

#[tokio::test]
async fn what_a_put_is_rejected_for_does_not_depend_on_its_condition() {
    let store = crate::store().await;
    let too_large = item_a(json!({"x": {"S": "x".repeat(400 * 1024)}}));
    assert_rejected(store.put(&put(too_large, present("PK"))).await);
    let empty_set = item_a(json!({"x": {"SS": []}}));
    assert_rejected(store.put(&put(empty_set, present("PK"))).await);
}

#[tokio::test]
async fn every_operation_on_a_table_that_is_not_there_halts() {
    let store = crate::store().await;
    let table = TableName("nowhere".to_owned());
    let (key, condition) = (key_a(), Condition::ALWAYS);
    let put = Put {
        item: item_a(json!({})),
        table: table.clone(),
        condition: condition.clone(),
    };
    let update = update_of(&table, &key, json!({"n": {"N": "1"}}));
    let delete = Delete {
        table: table.clone(),
        key: key.clone(),
        condition,
    };
    let errors = [
        store.get(&table, &key).await.err(),
        store.put(&put).await.err(),
        store.update(&update).await.err(),
        store.delete(&delete).await.err(),
        store.scan(&table, None).await.err(),
    ];
    for error in errors {
        let error = error.expect("an error");
        assert!(
            matches!(&error, StoreError::NoTable { table: named, .. } if *named == table),
            "{error:?}"
        );
        assert_eq!(error.disposition(), Disposition::Halt);
    }
}

fn update_of(table: &TableName, key: &Key, set: Value) -> Update {
    Update {
        table: table.clone(),
        key: key.clone(),
        set: item(set),
        remove: Default::default(),
        condition: Condition::ALWAYS,
    }
}
