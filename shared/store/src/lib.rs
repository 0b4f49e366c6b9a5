//! The one port to the tables, and its stand-ins for tests.
//!
//! [`Store`] is what the worker, replay and the tests need of DynamoDB and no more. Below this crate nothing does I/O.

mod counting;
mod error;
mod faulty;
mod memory;

use std::future::Future;

use shadowkey_item::{Item, Key, TableName};
use shadowkey_plan::{Action, Delete, Put, Update};

pub use counting::{CountingStore, Requests};
pub use error::{Cause, Disposition, StoreError, with_causes};
pub use faulty::{Fault, FaultyStore};
pub use memory::MemoryStore;

/// What became of a conditional write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// It took effect.
    Done {
        /// The write capacity it consumed, in write units, indexes included.
        write_units: u64,
    },
    /// Its condition did not hold, and nothing changed.
    Refused {
        /// What stands in the place; `None` is nothing.
        found: Option<Item>,
    },
}

/// What became of a transaction.
#[derive(Debug)]
pub enum Transacted {
    /// All of it took effect.
    Done {
        /// The write capacity it consumed, in write units, indexes included.
        write_units: u64,
    },
    /// Nothing changed, for these reasons: one for each action, in their order.
    Cancelled {
        /// Why, action by action.
        reasons: Vec<Reason>,
    },
}

/// What an action had to do with the cancellation of its transaction.
#[derive(Debug)]
pub enum Reason {
    /// Nothing: another action was the reason.
    None,
    /// Its condition did not hold.
    Refused {
        /// What stands in the place; `None` is nothing.
        found: Option<Item>,
    },
    /// It failed as a single write could have.
    Failed(StoreError),
}

impl Written {
    /// Whether it took effect.
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done { .. })
    }
}

/// One page of a scan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The items, in the store's own order.
    pub items: Vec<Item>,
    /// Where the next page starts; `None` after the last.
    pub next: Option<Item>,
}

/// How many actions a transaction holds at most.
pub const MAX_ACTIONS: usize = 100;
/// How many bytes the items of a transaction have at most.
pub const MAX_TRANSACTION_BYTES: usize = 4 * 1024 * 1024;

/// The tables of one deployment, by their logical names.
///
/// A write is sent once: whoever calls decides about trying again, from the error's [`Disposition`]. A refused condition
/// is an answer and not an error. When a call fails with [`Disposition::Retry`], its effect is unknown.
pub trait Store: Send + Sync {
    /// The item at a key, by a strongly consistent read.
    fn get(&self, table: &TableName, key: &Key) -> impl Future<Output = Result<Option<Item>, StoreError>> + Send;

    /// Puts a whole item if its condition holds.
    fn put(&self, put: &Put) -> impl Future<Output = Result<Written, StoreError>> + Send;

    /// Sets and removes attributes of one item if its condition holds; a condition that holds for nothing creates it.
    fn update(&self, update: &Update) -> impl Future<Output = Result<Written, StoreError>> + Send;

    /// Deletes an item if its condition holds.
    fn delete(&self, delete: &Delete) -> impl Future<Output = Result<Written, StoreError>> + Send;

    /// Writes all of the actions or none. At most [`MAX_ACTIONS`] of them, [`MAX_TRANSACTION_BYTES`] in all, and each on
    /// an item of its own.
    fn transact(&self, actions: &[Action]) -> impl Future<Output = Result<Transacted, StoreError>> + Send;

    /// A page of a table's items, by a strongly consistent scan.
    fn scan(&self, table: &TableName, start: Option<&Item>) -> impl Future<Output = Result<Page, StoreError>> + Send;
}

impl<S: Store> Store for &S {
    async fn get(&self, table: &TableName, key: &Key) -> Result<Option<Item>, StoreError> {
        S::get(self, table, key).await
    }

    async fn put(&self, put: &Put) -> Result<Written, StoreError> {
        S::put(self, put).await
    }

    async fn update(&self, update: &Update) -> Result<Written, StoreError> {
        S::update(self, update).await
    }

    async fn delete(&self, delete: &Delete) -> Result<Written, StoreError> {
        S::delete(self, delete).await
    }

    async fn transact(&self, actions: &[Action]) -> Result<Transacted, StoreError> {
        S::transact(self, actions).await
    }

    async fn scan(&self, table: &TableName, start: Option<&Item>) -> Result<Page, StoreError> {
        S::scan(self, table, start).await
    }
}
