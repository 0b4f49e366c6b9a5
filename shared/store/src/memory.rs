//! The store's memory twin: the same answers, no I/O.

mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use shadowkey_item::{Item, Key, KeySchema, TableName, item_size};
use shadowkey_plan::{Action, Delete, Put, Update};

use crate::{MAX_ACTIONS, MAX_TRANSACTION_BYTES, Page, Reason, Store, StoreError, Transacted, Written};
use rules::RuleError;

/// Tables in memory, each item by its key.
///
/// It answers as DynamoDB does within what the [`Store`] port can ask; the contract suite runs on both.
#[derive(Debug, Default)]
pub struct MemoryStore {
    tables: Mutex<BTreeMap<TableName, Table>>,
}

#[derive(Debug)]
struct Table {
    schema: KeySchema,
    items: BTreeMap<Key, Item>,
}

/// The memory store knows no such table.
#[derive(Debug, thiserror::Error)]
#[error("no table of this name was created in memory")]
struct Unknown;

/// What an action comes to, before it takes effect.
struct Effect {
    key: Key,
    after: Option<Item>,
    /// The larger of the item's sizes before and after.
    bytes: usize,
}

/// What an action would do.
enum Trial {
    Takes(Effect),
    Refused(Option<Item>),
}

impl MemoryStore {
    /// A store with these tables, all empty.
    pub fn new(tables: impl IntoIterator<Item = (TableName, KeySchema)>) -> Self {
        let empty = |schema| Table {
            schema,
            items: BTreeMap::new(),
        };
        Self {
            tables: Mutex::new(tables.into_iter().map(|(name, schema)| (name, empty(schema))).collect()),
        }
    }

    /// Every item of a table.
    pub fn items(&self, table: &TableName) -> Vec<Item> {
        self.lock()
            .get(table)
            .map(|table| table.items.values().cloned().collect())
            .unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TableName, Table>> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, action: &Action) -> Result<Written, StoreError> {
        let mut tables = self.lock();
        let table = table_mut(&mut tables, action)?;
        match table.attempt(action)? {
            Trial::Refused(found) => Ok(Written::Refused { found }),
            Trial::Takes(effect) => Ok(Written::Done {
                write_units: table.take(effect),
            }),
        }
    }

    fn write_all(&self, actions: &[Action]) -> Result<Transacted, StoreError> {
        let mut tables = self.lock();
        let mut effects = Vec::new();
        let mut reasons = Vec::new();
        for action in actions {
            let trial = table_mut(&mut tables, action)?.attempt(action);
            reasons.push(match trial {
                Ok(Trial::Takes(effect)) => {
                    effects.push((action, effect));
                    Reason::None
                }
                Ok(Trial::Refused(found)) => Reason::Refused { found },
                Err(error) => Reason::Failed(error),
            });
        }
        check_transaction(actions, &effects)?;
        if effects.len() < actions.len() {
            return Ok(Transacted::Cancelled { reasons });
        }
        let mut write_units = 0;
        for (action, effect) in effects {
            // The service prepares and commits: each counts.
            write_units += 2 * table_mut(&mut tables, action)?.take(effect);
        }
        Ok(Transacted::Done { write_units })
    }
}

impl Table {
    /// Finds out what an action would do to what is there now.
    fn attempt(&self, action: &Action) -> Result<Trial, StoreError> {
        let checked = match action {
            Action::Put(put) => rules::check_put(&self.schema, &put.item),
            Action::Update(update) => rules::check_update(&self.schema, update),
            Action::Delete(delete) => rules::check_key(&self.schema, delete.key.attributes()),
            Action::Check(check) => rules::check_key(&self.schema, check.key.attributes()),
        };
        let key = checked.map_err(|error| rejected(action, error))?;
        let before = self.items.get(&key);
        if !action.condition().holds(before) {
            return Ok(Trial::Refused(before.cloned()));
        }
        let after = match action {
            Action::Put(put) => Some(put.item.clone()),
            Action::Update(update) => Some(updated(before, &key, update)),
            Action::Delete(_) => None,
            Action::Check(_) => before.cloned(),
        };
        if let Some(item) = &after {
            rules::check_size(item).map_err(|error| rejected(action, error))?;
        }
        let bytes = before.map_or(0, item_size).max(after.as_ref().map_or(0, item_size));
        Ok(Trial::Takes(Effect { key, after, bytes }))
    }

    /// Lets an effect take place, and gives the write units it costs.
    fn take(&mut self, effect: Effect) -> u64 {
        match effect.after {
            Some(item) => self.items.insert(effect.key, item),
            None => self.items.remove(&effect.key),
        };
        u64::try_from(effect.bytes.max(1).div_ceil(1024)).unwrap_or(u64::MAX)
    }
}

fn updated(before: Option<&Item>, key: &Key, update: &Update) -> Item {
    let mut item = before.unwrap_or_else(|| key.attributes()).clone();
    item.retain(|name, _| !update.remove.contains(name));
    item.extend(update.set.clone());
    item
}

/// What holds for a transaction as a whole.
fn check_transaction(actions: &[Action], effects: &[(&Action, Effect)]) -> Result<(), StoreError> {
    let Some(first) = actions.first() else { return Ok(()) };
    let places: BTreeSet<_> = effects
        .iter()
        .map(|(action, effect)| (action.table(), &effect.key))
        .collect();
    let bytes: usize = effects.iter().map(|(_, effect)| effect.bytes).sum();
    let broken = if actions.len() > MAX_ACTIONS {
        RuleError::ManyActions
    } else if places.len() < effects.len() {
        RuleError::SameItem
    } else if bytes > MAX_TRANSACTION_BYTES {
        RuleError::LargeTransaction
    } else {
        return Ok(());
    };
    Err(StoreError::Rejected {
        operation: "TransactWriteItems",
        table: first.table().clone(),
        message: broken.to_string(),
        cause: Box::new(broken),
    })
}

fn table_mut<'a>(tables: &'a mut BTreeMap<TableName, Table>, action: &Action) -> Result<&'a mut Table, StoreError> {
    let name = action.table();
    tables.get_mut(name).ok_or_else(|| no_table(action.operation(), name))
}

fn rejected(action: &Action, error: RuleError) -> StoreError {
    StoreError::Rejected {
        operation: action.operation(),
        table: action.table().clone(),
        message: error.to_string(),
        cause: Box::new(error),
    }
}

fn no_table(operation: &'static str, table: &TableName) -> StoreError {
    StoreError::NoTable {
        operation,
        table: table.clone(),
        physical: table.to_string(),
        cause: Box::new(Unknown),
    }
}

impl Store for MemoryStore {
    async fn get(&self, table: &TableName, key: &Key) -> Result<Option<Item>, StoreError> {
        let tables = self.lock();
        let found = tables.get(table).ok_or_else(|| no_table("GetItem", table))?;
        Ok(found.items.get(key).cloned())
    }

    async fn put(&self, put: &Put) -> Result<Written, StoreError> {
        self.write(&Action::Put(put.clone()))
    }

    async fn update(&self, update: &Update) -> Result<Written, StoreError> {
        self.write(&Action::Update(update.clone()))
    }

    async fn delete(&self, delete: &Delete) -> Result<Written, StoreError> {
        self.write(&Action::Delete(delete.clone()))
    }

    async fn transact(&self, actions: &[Action]) -> Result<Transacted, StoreError> {
        self.write_all(actions)
    }

    async fn scan(&self, table: &TableName, start: Option<&Item>) -> Result<Page, StoreError> {
        debug_assert!(start.is_none(), "the memory store has one page");
        let tables = self.lock();
        let found = tables.get(table).ok_or_else(|| no_table("Scan", table))?;
        Ok(Page {
            items: found.items.values().cloned().collect(),
            next: None,
        })
    }
}
