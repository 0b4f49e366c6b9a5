//! The tables of the contract, and short ways to write down items and writes.

use serde_json::Value;
use shadowkey_item::{
    AttributePath, AttributeValue, Item, Key, KeyAttribute, KeySchema, ScalarType, TableDefinition, TableName,
    item_from_json,
};
use shadowkey_plan::{Comparison, Condition, Delete, Put, Update};
use shadowkey_store::{Store, Written};

/// `app` has the key PK and SK, `numbered` the key PK and the number N, `bytes` only the key B of bytes.
pub(crate) fn definitions() -> Vec<TableDefinition> {
    let text = |name| attribute(name, ScalarType::S);
    vec![
        table("app", text("PK"), Some(text("SK"))),
        table("numbered", text("PK"), Some(attribute("N", ScalarType::N))),
        table("bytes", attribute("B", ScalarType::B), None),
    ]
}

fn table(name: &str, partition: KeyAttribute, sort: Option<KeyAttribute>) -> TableDefinition {
    TableDefinition {
        name: TableName(name.to_owned()),
        key: KeySchema { partition, sort },
        indexes: Vec::new(),
    }
}

fn attribute(name: &str, kind: ScalarType) -> KeyAttribute {
    KeyAttribute {
        name: name.to_owned(),
        kind,
    }
}

pub(crate) fn app() -> TableName {
    TableName("app".to_owned())
}

/// An item from DynamoDB JSON.
pub(crate) fn item(json: Value) -> Item {
    item_from_json(&json.to_string()).expect("item")
}

/// An item of `app` under the key `a`, `1`.
pub(crate) fn item_a(attributes: Value) -> Item {
    let mut item = item(attributes);
    item.extend(key_a().attributes().clone());
    item
}

/// The key `a`, `1` of `app`.
pub(crate) fn key_a() -> Key {
    key("app", serde_json::json!({"PK": {"S": "a"}, "SK": {"S": "1"}}))
}

pub(crate) fn key(table: &str, json: Value) -> Key {
    let mut definitions = definitions().into_iter();
    let definition = definitions
        .find(|definition| definition.name.0 == table)
        .expect("table");
    definition.key.key_of(&item(json)).expect("key")
}

pub(crate) fn value(json: Value) -> AttributeValue {
    serde_json::from_value(json).expect("value")
}

pub(crate) fn path(text: &str) -> AttributePath {
    AttributePath::parse(text).expect("path")
}

pub(crate) fn present(at: &str) -> Condition {
    Condition::Present(path(at))
}

pub(crate) fn absent(at: &str) -> Condition {
    Condition::Absent(path(at))
}

pub(crate) fn equal(at: &str, to: Value) -> Condition {
    Condition::Compare(path(at), Comparison::Equal, value(to))
}

pub(crate) fn not_equal(at: &str, to: Value) -> Condition {
    Condition::Compare(path(at), Comparison::NotEqual, value(to))
}

pub(crate) fn less(at: &str, than: Value) -> Condition {
    Condition::Compare(path(at), Comparison::Less, value(than))
}

pub(crate) fn put(item: Item, condition: Condition) -> Put {
    Put {
        table: app(),
        item,
        condition,
    }
}

/// An update of the item `a`, `1`.
pub(crate) fn update(set: Value, remove: &[&str], condition: Condition) -> Update {
    Update {
        table: app(),
        key: key_a(),
        set: item(set),
        remove: remove.iter().map(|name| (*name).to_owned()).collect(),
        condition,
    }
}

/// A deletion of the item `a`, `1`.
pub(crate) fn delete(condition: Condition) -> Delete {
    Delete {
        table: app(),
        key: key_a(),
        condition,
    }
}

/// Puts an item of `app` whatever is there.
pub(crate) async fn given(store: &impl Store, item: &Item) {
    let written = store.put(&put(item.clone(), Condition::ALWAYS)).await;
    assert!(matches!(written, Ok(Written::Done { .. })), "{written:?}");
}

/// What stands at the key `a`, `1`.
pub(crate) async fn found(store: &impl Store) -> Option<Item> {
    store.get(&app(), &key_a()).await.expect("get")
}

/// That a write took effect.
#[track_caller]
pub(crate) fn assert_done(written: &Written) {
    assert!(matches!(written, Written::Done { .. }), "{written:?}");
}
