//! A decorator that counts what passes the port.

use std::sync::atomic::{AtomicU64, Ordering};

use shadowkey_item::{Item, Key, TableName};
use shadowkey_plan::{Action, Delete, Put, Update};

use crate::{Page, Store, StoreError, Transacted, Written};

/// Passes every call on and counts it.
#[derive(Debug, Default)]
pub struct CountingStore<S> {
    inner: S,
    gets: AtomicU64,
    puts: AtomicU64,
    updates: AtomicU64,
    deletes: AtomicU64,
    transactions: AtomicU64,
}

/// How many requests of each kind have passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requests {
    /// GetItem.
    pub gets: u64,
    /// PutItem.
    pub puts: u64,
    /// UpdateItem.
    pub updates: u64,
    /// DeleteItem.
    pub deletes: u64,
    /// TransactWriteItems.
    pub transactions: u64,
}

impl<S> CountingStore<S> {
    /// Starts counting at zero.
    pub fn new(inner: S) -> Self {
        Self {
            inner,
            gets: AtomicU64::new(0),
            puts: AtomicU64::new(0),
            updates: AtomicU64::new(0),
            deletes: AtomicU64::new(0),
            transactions: AtomicU64::new(0),
        }
    }

    /// The store behind the counter.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// What has passed since the last call.
    pub fn take(&self) -> Requests {
        let take = |counter: &AtomicU64| counter.swap(0, Ordering::Relaxed);
        Requests {
            gets: take(&self.gets),
            puts: take(&self.puts),
            updates: take(&self.updates),
            deletes: take(&self.deletes),
            transactions: take(&self.transactions),
        }
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl<S: Store> Store for CountingStore<S> {
    async fn get(&self, table: &TableName, key: &Key) -> Result<Option<Item>, StoreError> {
        count(&self.gets);
        self.inner.get(table, key).await
    }

    async fn put(&self, put: &Put) -> Result<Written, StoreError> {
        count(&self.puts);
        self.inner.put(put).await
    }

    async fn update(&self, update: &Update) -> Result<Written, StoreError> {
        count(&self.updates);
        self.inner.update(update).await
    }

    async fn delete(&self, delete: &Delete) -> Result<Written, StoreError> {
        count(&self.deletes);
        self.inner.delete(delete).await
    }

    async fn transact(&self, actions: &[Action]) -> Result<Transacted, StoreError> {
        count(&self.transactions);
        self.inner.transact(actions).await
    }

    async fn scan(&self, table: &TableName, start: Option<&Item>) -> Result<Page, StoreError> {
        self.inner.scan(table, start).await
    }
}
