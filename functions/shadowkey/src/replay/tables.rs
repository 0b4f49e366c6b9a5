//! The tables of a replay: made at the start, written as the records say, read at the end.

use std::collections::BTreeMap;

use shadowkey_item::{Item, TableDefinition, TableName};
use shadowkey_plan::{Condition, Delete, Put};
use shadowkey_store::{Store, StoreError};
use shadowkey_store_dynamodb::{ChangeStream, Connection, create_table};
use shadowkey_stream::{EventName, Record};
use shadowkey_views::Views;

use crate::error::CommandError;

/// Makes every table of the view file that is not there, the sources' own with a stream.
pub(crate) async fn create(
    connection: &Connection,
    views: &Views,
    physical: &BTreeMap<TableName, String>,
) -> Result<(), CommandError> {
    for table in views.tables() {
        let stream = if table.name == views.table().name {
            ChangeStream::On
        } else {
            ChangeStream::Off
        };
        let name = physical.get(&table.name).unwrap_or(&table.name.0);
        create_table(connection, name, &table, stream).await?;
    }
    Ok(())
}

/// Puts an item as it is.
pub(crate) async fn put<S: Store>(store: &S, table: &TableName, item: Item) -> Result<(), StoreError> {
    let put = Put {
        table: table.clone(),
        item,
        condition: Condition::ALWAYS,
    };
    store.put(&put).await.map(drop)
}

/// Does to the sources' table what a record says was done to it, and gives the attributes that it kept there.
///
/// An attribute that a view owns stays where the table has it and the record knows nothing of it: the record is from before
/// the worker wrote it, or from a table without a worker.
pub(crate) async fn apply<S: Store>(store: &S, views: &Views, record: &Record) -> Result<Item, StoreError> {
    let table = &views.table().name;
    let there = store.get(table, &record.key).await?.unwrap_or_default();
    let is_removal = record.event == Some(EventName::Remove);
    let new = record.new.as_ref().filter(|_| !is_removal);
    let is_unknown = new.is_none() && !is_removal;
    let last = new.or(record.old.as_ref()).unwrap_or(&there);
    if is_unknown || views.is_shadow(last) {
        return Ok(Item::new());
    }
    let known = |name: &String| {
        record
            .old
            .iter()
            .chain(&record.new)
            .any(|image| image.contains_key(name))
    };
    let kept: Item = there
        .into_iter()
        .filter(|(name, _)| views.owns_attribute(name) && !known(name))
        .collect();
    match new {
        Some(new) => {
            let item = new.clone().into_iter().chain(kept.clone()).collect();
            put(store, table, item).await?;
        }
        None => {
            let delete = Delete {
                table: table.clone(),
                key: record.key.clone(),
                condition: Condition::ALWAYS,
            };
            store.delete(&delete).await?;
        }
    }
    Ok(kept)
}

/// All items of a table in key order.
pub(crate) async fn scan<S: Store>(store: &S, table: &TableDefinition) -> Result<Vec<Item>, StoreError> {
    let mut items = Vec::new();
    let mut start = None;
    loop {
        let page = store.scan(&table.name, start.as_ref()).await?;
        items.extend(page.items);
        start = page.next;
        if start.is_none() {
            break;
        }
    }
    items.sort_by(|a, b| table.key.cmp_keys(a, b));
    Ok(items)
}
