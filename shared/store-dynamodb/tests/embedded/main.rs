//! Tables, connections and streams on the embedded engine.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

mod follow;
mod streams;
mod tables;

use std::collections::BTreeMap;

use serde_json::Value;
use shadowkey_item::{Item, KeyAttribute, KeySchema, ScalarType, TableDefinition, TableName, item_from_json};
use shadowkey_local::Engine;
use shadowkey_plan::{Condition, Put};
use shadowkey_store::{Store, StoreError, Written};
use shadowkey_store_dynamodb::{Connection, DynamoStore};

/// The table `app` with the key `id` and no index.
fn app() -> TableDefinition {
    TableDefinition {
        name: TableName("app".to_owned()),
        key: KeySchema {
            partition: attribute("id", ScalarType::S),
            sort: None,
        },
        indexes: Vec::new(),
    }
}

fn attribute(name: &str, kind: ScalarType) -> KeyAttribute {
    KeyAttribute {
        name: name.to_owned(),
        kind,
    }
}

fn item(json: Value) -> Item {
    item_from_json(&json.to_string()).expect("item")
}

async fn started() -> (Engine, Connection) {
    let engine = Engine::start().await.expect("engine");
    let connection = Connection::local(engine.endpoint_url());
    (engine, connection)
}

/// A store whose table `app` has the same name in the engine.
fn store(connection: &Connection) -> DynamoStore {
    DynamoStore::new(connection, BTreeMap::from([(app().name, "app".to_owned())]))
}

async fn put(connection: &Connection, json: Value) -> Result<Written, StoreError> {
    let put = Put {
        table: app().name,
        item: item(json),
        condition: Condition::ALWAYS,
    };
    store(connection).put(&put).await
}
