//! Where every task waits until the driver lets it go on, and the store that makes each call wait there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shadowkey_item::{Item, Key, TableName};
use shadowkey_plan::{Action, Delete, Put, Update};
use shadowkey_store::{Page, Store, StoreError, Transacted, Written};
use tokio::sync::oneshot;

use crate::call::{Answer, Call};

/// A task that takes steps: a place in the simulation's list of actors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ActorId(pub(crate) usize);

/// When a task that asks for a turn may have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ready {
    Always,
    /// The writers are not done.
    Storm,
    /// The writers may write.
    Writer,
    /// The shard has records from there on, or ends there.
    Records {
        shard: usize,
        from: usize,
    },
    /// There is an object in the failure destination.
    Object,
}

/// What waits for the driver.
#[derive(Debug)]
pub(crate) enum Waiting {
    Turn(Ready, oneshot::Sender<()>),
    Call(Box<Call>, oneshot::Sender<Result<Answer, StoreError>>),
}

impl Waiting {
    /// Whether nobody waits for the answer any more.
    pub(crate) fn is_abandoned(&self) -> bool {
        match self {
            Self::Turn(_, answer) => answer.is_closed(),
            Self::Call(_, answer) => answer.is_closed(),
        }
    }
}

/// What waits, with whose it is, in the order in which it came.
#[derive(Debug, Default)]
pub(crate) struct Desk(Mutex<Vec<(ActorId, Waiting)>>);

impl Desk {
    pub(crate) fn waiting(&self) -> MutexGuard<'_, Vec<(ActorId, Waiting)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the driver gives the actor a turn.
    pub(crate) async fn turn(&self, actor: ActorId, ready: Ready) {
        let (answer, granted) = oneshot::channel();
        self.waiting().push((actor, Waiting::Turn(ready, answer)));
        if granted.await.is_err() {
            std::future::pending().await
        }
    }
}

/// The store as one actor's worker sees it.
#[derive(Debug)]
pub(crate) struct SimStore {
    pub(crate) desk: Arc<Desk>,
    pub(crate) actor: ActorId,
}

impl SimStore {
    async fn call(&self, call: Call) -> Result<Answer, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.desk
            .waiting()
            .push((self.actor, Waiting::Call(Box::new(call), answer)));
        match answered.await {
            Ok(answer) => answer,
            // The actor has crashed; nobody polls this any more.
            Err(_) => std::future::pending().await,
        }
    }

    async fn write(&self, call: Call) -> Result<Written, StoreError> {
        match self.call(call).await? {
            Answer::Written(written) => Ok(written),
            other => unreachable!("a write is answered by {other:?}"),
        }
    }
}

impl Store for SimStore {
    async fn get(&self, table: &TableName, key: &Key) -> Result<Option<Item>, StoreError> {
        match self.call(Call::Get(table.clone(), key.clone())).await? {
            Answer::Item(item) => Ok(item),
            other => unreachable!("a read is answered by {other:?}"),
        }
    }

    async fn put(&self, put: &Put) -> Result<Written, StoreError> {
        self.write(Call::Put(put.clone())).await
    }

    async fn update(&self, update: &Update) -> Result<Written, StoreError> {
        self.write(Call::Update(update.clone())).await
    }

    async fn delete(&self, delete: &Delete) -> Result<Written, StoreError> {
        self.write(Call::Delete(delete.clone())).await
    }

    async fn transact(&self, actions: &[Action]) -> Result<Transacted, StoreError> {
        match self.call(Call::Transact(actions.to_vec())).await? {
            Answer::Transacted(transacted) => Ok(transacted),
            other => unreachable!("a transaction is answered by {other:?}"),
        }
    }

    async fn scan(&self, table: &TableName, _start: Option<&Item>) -> Result<Page, StoreError> {
        match self.call(Call::Scan(table.clone())).await? {
            Answer::Page(page) => Ok(page),
            other => unreachable!("a scan is answered by {other:?}"),
        }
    }
}
