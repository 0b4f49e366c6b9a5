//! The tables of a replay: made at the start, written as the records say, read at the end.

use std::collections::BTreeMap;

use shadowkey_item::{Item, KeyAttribute, KeySchema, ScalarType, TableDefinition, TableName};
use shadowkey_plan::{Condition, Delete, Put};
use shadowkey_store::{Store, StoreError};
use shadowkey_store_dynamodb::{ChangeStream, Connection, create_table};
use shadowkey_stream::Record;
use shadowkey_views::Views;

use crate::error::CommandError;

/// The state table's name where the view file declares none and the engine is the replay's own.
const STATE_TABLE: &str = "shadowkey-state";

/// Makes every table that is not there, the sources' own with a stream.
pub(crate) async fn create(
    connection: &Connection,
    views: &Views,
    physical: &BTreeMap<TableName, String>,
    embedded: bool,
) -> Result<(), CommandError> {
    let name_of = |table: &TableDefinition| {
        physical
            .get(&table.name)
            .cloned()
            .unwrap_or_else(|| table.name.to_string())
    };
    create_table(connection, &name_of(views.table()), views.table(), ChangeStream::On).await?;
    for table in views.other_tables().into_iter().chain(state_table(views, embedded)) {
        create_table(connection, &name_of(&table), &table, ChangeStream::Off).await?;
    }
    Ok(())
}

/// The companion table: the declared one, or one of the replay's own engine.
fn state_table(views: &Views, embedded: bool) -> Option<TableDefinition> {
    let default = embedded.then(|| TableName(STATE_TABLE.to_owned()));
    Some(TableDefinition {
        name: views.state_table().cloned().or(default)?,
        key: KeySchema {
            partition: KeyAttribute {
                name: "id".to_owned(),
                kind: ScalarType::S,
            },
            sort: None,
        },
        indexes: Vec::new(),
    })
}

/// Every table of the view file with its key schema.
pub(crate) fn of_view_file(views: &Views) -> Vec<TableDefinition> {
    let declared = views.state_table().and_then(|_| state_table(views, false));
    std::iter::once(views.table().clone())
        .chain(views.other_tables())
        .chain(declared)
        .collect()
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

/// Does to the sources' table what a record says was done to it.
///
/// An attribute that a view owns stays where the table has it and the image lacks it: the image is from before the worker
/// wrote it.
pub(crate) async fn apply<S: Store>(store: &S, views: &Views, record: &Record) -> Result<(), StoreError> {
    let table = &views.table().name;
    let Some(new) = &record.new else {
        if record.lacks_image() || record.old.as_ref().is_some_and(|old| views.is_shadow(old)) {
            return Ok(());
        }
        let delete = Delete {
            table: table.clone(),
            key: record.key.clone(),
            condition: Condition::ALWAYS,
        };
        return store.delete(&delete).await.map(drop);
    };
    if views.is_shadow(new) {
        return Ok(());
    }
    let there = store.get(table, &record.key).await?.unwrap_or_default();
    let mut item = new.clone();
    for (name, value) in there.into_iter().filter(|(name, _)| views.owns_attribute(name)) {
        item.entry(name).or_insert(value);
    }
    put(store, table, item).await
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
