//! The calls that pass the port, as data.

use shadowkey_item::{Item, Key, TableName};
use shadowkey_plan::{Action, Delete, Put, Update};
use shadowkey_store::{Page, Transacted, Written};

/// One request of the worker's.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    Get(TableName, Key),
    Put(Put),
    Update(Update),
    Delete(Delete),
    Transact(Vec<Action>),
    Scan(TableName),
}

/// What answers a call.
#[derive(Debug)]
pub(crate) enum Answer {
    Item(Option<Item>),
    Written(Written),
    Transacted(Transacted),
    Page(Page),
}

impl Call {
    pub(crate) fn operation(&self) -> &'static str {
        match self {
            Self::Get(..) => "GetItem",
            Self::Put(_) => "PutItem",
            Self::Update(_) => "UpdateItem",
            Self::Delete(_) => "DeleteItem",
            Self::Transact(_) => "TransactWriteItems",
            Self::Scan(_) => "Scan",
        }
    }

    pub(crate) fn table(&self) -> &TableName {
        match self {
            Self::Get(table, _) | Self::Scan(table) => table,
            Self::Put(put) => &put.table,
            Self::Update(update) => &update.table,
            Self::Delete(delete) => &delete.table,
            Self::Transact(actions) => actions.first().expect("a transaction has its source item").table(),
        }
    }

    /// Whether it puts a shadow, by itself.
    pub(crate) fn puts_shadow(&self) -> bool {
        matches!(self, Self::Put(put) if put.item.contains_key(shadowkey_views::MARKER))
    }

    pub(crate) fn is_write(&self) -> bool {
        !matches!(self, Self::Get(..) | Self::Scan(_))
    }
}
