//! The store contract on the memory twin.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "contract/mod.rs"]
mod contract;

use shadowkey_store::{MemoryStore, Store};

/// A store with the contract's tables, all empty.
pub(crate) async fn store() -> impl Store {
    let definitions = contract::tables::definitions();
    MemoryStore::new(definitions.into_iter().map(|table| (table.name, table.key)))
}
