//! A decorator that makes calls fail on purpose.

use std::sync::{Mutex, PoisonError};

use shadowkey_item::{Item, Key, TableName};
use shadowkey_plan::{Action, Delete, Put, Update};

use crate::{Page, Store, StoreError, Transacted, Written};

/// What goes wrong with a call.
#[derive(Debug)]
pub enum Fault {
    /// It fails and has no effect.
    Before(StoreError),
    /// It takes effect, and then its answer is lost.
    After(StoreError),
}

/// Passes calls on unless its script says otherwise.
///
/// The script is asked before every request that writes, with its actions: one, unless it is a transaction.
pub struct FaultyStore<S, F> {
    inner: S,
    script: Mutex<F>,
}

impl<S, F: FnMut(&[Action]) -> Option<Fault> + Send> FaultyStore<S, F> {
    /// A store whose writes fail as the script says.
    pub fn new(inner: S, script: F) -> Self {
        Self {
            inner,
            script: Mutex::new(script),
        }
    }

    /// The store behind the faults.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    async fn run<T>(
        &self,
        actions: &[Action],
        call: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> Result<T, StoreError> {
        let fault = self.script.lock().unwrap_or_else(PoisonError::into_inner)(actions);
        match fault {
            None => call.await,
            Some(Fault::Before(error)) => Err(error),
            Some(Fault::After(error)) => {
                call.await?;
                Err(error)
            }
        }
    }
}

impl<S: Store, F: FnMut(&[Action]) -> Option<Fault> + Send> Store for FaultyStore<S, F> {
    async fn get(&self, table: &TableName, key: &Key) -> Result<Option<Item>, StoreError> {
        self.inner.get(table, key).await
    }

    async fn put(&self, put: &Put) -> Result<Written, StoreError> {
        self.run(&[Action::Put(put.clone())], self.inner.put(put)).await
    }

    async fn update(&self, update: &Update) -> Result<Written, StoreError> {
        let call = self.inner.update(update);
        self.run(&[Action::Update(update.clone())], call).await
    }

    async fn delete(&self, delete: &Delete) -> Result<Written, StoreError> {
        let call = self.inner.delete(delete);
        self.run(&[Action::Delete(delete.clone())], call).await
    }

    async fn transact(&self, actions: &[Action]) -> Result<Transacted, StoreError> {
        self.run(actions, self.inner.transact(actions)).await
    }

    async fn scan(&self, table: &TableName, start: Option<&Item>) -> Result<Page, StoreError> {
        self.inner.scan(table, start).await
    }
}
