//! The store's memory twin: the same answers, no I/O.

mod rules;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use shadowkey_item::{Item, Key, KeySchema, TableName, item_size};
use shadowkey_plan::{Condition, Delete, Put, Update};

use crate::{Page, Store, StoreError, Written};
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

    fn write(
        &self,
        operation: &'static str,
        name: &TableName,
        key: impl FnOnce(&KeySchema) -> Result<Key, RuleError>,
        condition: &Condition,
        change: impl FnOnce(Option<Item>, &Key) -> Option<Item>,
    ) -> Result<Written, StoreError> {
        let mut tables = self.lock();
        let table = tables.get_mut(name).ok_or_else(|| no_table(operation, name))?;
        let key = key(&table.schema).map_err(|error| rejected(operation, name, error))?;
        let before = table.items.get(&key);
        if !condition.holds(before) {
            return Ok(Written::Refused { found: before.cloned() });
        }
        let size = before.map_or(0, item_size);
        let after = change(before.cloned(), &key);
        if let Some(item) = &after {
            rules::check_size(item).map_err(|error| rejected(operation, name, error))?;
        }
        let bytes = size.max(after.as_ref().map_or(0, item_size)).max(1);
        match after {
            Some(item) => table.items.insert(key, item),
            None => table.items.remove(&key),
        };
        Ok(Written::Done {
            write_units: u64::try_from(bytes.div_ceil(1024)).unwrap_or(u64::MAX),
        })
    }
}

fn rejected(operation: &'static str, table: &TableName, error: RuleError) -> StoreError {
    StoreError::Rejected {
        operation,
        table: table.clone(),
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
        let key = |schema: &KeySchema| rules::check_put(schema, &put.item);
        self.write("PutItem", &put.table, key, &put.condition, |_, _| {
            Some(put.item.clone())
        })
    }

    async fn update(&self, update: &Update) -> Result<Written, StoreError> {
        let key = |schema: &KeySchema| rules::check_update(schema, update);
        self.write("UpdateItem", &update.table, key, &update.condition, |before, key| {
            let mut item = before.unwrap_or_else(|| key.attributes().clone());
            item.retain(|name, _| !update.remove.contains(name));
            item.extend(update.set.clone());
            Some(item)
        })
    }

    async fn delete(&self, delete: &Delete) -> Result<Written, StoreError> {
        let key = |schema: &KeySchema| rules::check_key(schema, delete.key.attributes());
        self.write("DeleteItem", &delete.table, key, &delete.condition, |_, _| None)
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
