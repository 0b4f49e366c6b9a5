//! Joining the records of one item into one change.

use std::collections::BTreeMap;

use shadowkey_item::{Key, Version};
use shadowkey_plan::Change;

use crate::Record;

/// Makes one change of all records of an item, with its whole chain of images; changes come in the order of their first
/// records.
pub fn coalesce(records: impl IntoIterator<Item = Record>) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for record in records {
        let place = *places.entry(record.key.clone()).or_insert(changes.len());
        if place == changes.len() {
            changes.push(Change {
                key: record.key,
                chain: Vec::new(),
                version: Version::lowest(),
                position: record.position,
                flaw: None,
            });
        }
        if let Some(change) = changes.get_mut(place) {
            if change.chain.last() != Some(&record.old) {
                change.chain.push(record.old);
            }
            change.chain.push(record.new);
            if let Some(version) = record.version {
                change.version = version;
            }
            change.flaw = change.flaw.take().max(record.flaw);
        }
    }
    changes
}
