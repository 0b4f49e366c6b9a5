//! The store contract on the embedded engine, and what only a store over HTTP shows.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "contract/mod.rs"]
mod contract;

use std::collections::BTreeMap;

use shadowkey_local::Engine;
use shadowkey_store_dynamodb::{ChangeStream, Connection, Created, DynamoStore, create_table};

/// A store with the contract's tables, all empty, on an engine that lives as long as the test's runtime.
pub(crate) async fn store() -> DynamoStore {
    let engine = Engine::start().await.expect("engine");
    let connection = Connection::local(engine.endpoint_url());
    let mut physical = BTreeMap::new();
    for table in contract::tables::definitions() {
        let name = format!("stage-{}", table.name);
        let created = create_table(&connection, &name, &table, ChangeStream::Off).await;
        assert_eq!(created.expect("table"), Created::New);
        physical.insert(table.name, name);
    }
    tokio::spawn(async move {
        let _running = engine;
        std::future::pending::<()>().await;
    });
    DynamoStore::new(&connection, physical)
}
