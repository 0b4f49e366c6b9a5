//! The writes a plan consists of.

use std::collections::BTreeSet;

use shadowkey_item::{Item, Key, TableName};
use shadowkey_views::Shadow;

use crate::Condition;

/// Puts a whole item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    /// Where to.
    pub table: TableName,
    /// The item, key included.
    pub item: Item,
    /// What has to hold for what stands at the item's key.
    pub condition: Condition,
}

/// Sets and removes attributes of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// Where.
    pub table: TableName,
    /// The item's key.
    pub key: Key,
    /// The attributes to set.
    pub set: Item,
    /// The attributes to remove.
    pub remove: BTreeSet<String>,
    /// What has to hold for the item.
    pub condition: Condition,
}

/// Deletes one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// Where from.
    pub table: TableName,
    /// The item's key.
    pub key: Key,
    /// What has to hold for the item.
    pub condition: Condition,
}

/// Holds one item to a condition within a transaction, and writes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Where.
    pub table: TableName,
    /// The item's key.
    pub key: Key,
    /// What has to hold for the item.
    pub condition: Condition,
}

/// One part of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Puts an item.
    Put(Put),
    /// Updates an item.
    Update(Update),
    /// Deletes an item.
    Delete(Delete),
    /// Checks an item.
    Check(Check),
}

impl Update {
    /// The attributes that it sets or removes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.set.keys().chain(&self.remove).map(String::as_str)
    }

    /// An item as the update leaves it.
    pub fn applied_to(&self, item: &Item) -> Item {
        let mut item = item.clone();
        item.retain(|name, _| !self.remove.contains(name));
        item.extend(self.set.clone());
        item
    }
}

impl Action {
    /// The table it concerns.
    pub fn table(&self) -> &TableName {
        match self {
            Self::Put(put) => &put.table,
            Self::Update(update) => &update.table,
            Self::Delete(delete) => &delete.table,
            Self::Check(check) => &check.table,
        }
    }

    /// The API's name for a write of its kind.
    pub fn operation(&self) -> &'static str {
        match self {
            Self::Put(_) => "PutItem",
            Self::Update(_) => "UpdateItem",
            Self::Delete(_) => "DeleteItem",
            Self::Check(_) => "ConditionCheckItem",
        }
    }

    /// What has to hold for the item.
    pub fn condition(&self) -> &Condition {
        match self {
            Self::Put(put) => &put.condition,
            Self::Update(update) => &update.condition,
            Self::Delete(delete) => &delete.condition,
            Self::Check(check) => &check.condition,
        }
    }
}

/// Where an item is or could be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The table.
    pub table: TableName,
    /// The item's key.
    pub key: Key,
}

impl From<&Shadow> for Place {
    fn from(shadow: &Shadow) -> Self {
        Self {
            table: shadow.table.clone(),
            key: shadow.key.clone(),
        }
    }
}
