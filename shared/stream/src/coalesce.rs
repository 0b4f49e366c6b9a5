//! Joining the records of one item into one change.

use std::collections::BTreeMap;

use shadowkey_item::Key;
use shadowkey_plan::Change;

use crate::Record;

/// Makes one change of all records of an item, with its whole chain of images; changes come in the order of their first
/// records.
pub fn coalesce(records: impl IntoIterator<Item = Record>) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    for record in records {
        let incomplete = record.is_incomplete();
        let place = *places.entry(record.key.clone()).or_insert(changes.len());
        if place == changes.len() {
            changes.push(Change {
                key: record.key,
                chain: Vec::new(),
                version: record.version.clone(),
                position: record.position,
                incomplete: false,
            });
        }
        if let Some(change) = changes.get_mut(place) {
            if change.chain.last() != Some(&record.old) {
                change.chain.push(record.old);
            }
            change.chain.push(record.new);
            change.version = record.version;
            change.incomplete |= incomplete;
        }
    }
    changes
}
