//! The store contract on any other engine, which is running at the URL in `SHADOWKEY_TEST_ENDPOINT`.
//!
//! Only `--features another-engine` builds it. Every test makes tables of its own and leaves them.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "contract/mod.rs"]
mod contract;

use std::collections::BTreeMap;
use std::time::SystemTime;

use shadowkey_store_dynamodb::{ChangeStream, Connection, DynamoStore, create_table};

/// A store with the contract's tables, all empty.
pub(crate) async fn store() -> DynamoStore {
    let endpoint_url =
        std::env::var("SHADOWKEY_TEST_ENDPOINT").expect("set SHADOWKEY_TEST_ENDPOINT to an engine's URL");
    let connection = Connection::local(endpoint_url);
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("a time after 1970");
    let run = format!("{}-{}", std::process::id(), now.as_nanos());
    let mut physical = BTreeMap::new();
    for table in contract::tables::definitions() {
        let name = format!("{}-{run}", table.name);
        create_table(&connection, &name, &table, ChangeStream::Off)
            .await
            .expect("table");
        physical.insert(table.name, name);
    }
    DynamoStore::new(&connection, physical)
}
