//! What cannot succeed, one entry for each view of each item.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shadowkey_item::{Key, TableName, item_to_json};
use shadowkey_worker::{Cause, ItemOutcome};

/// The parked views of items, as the last delivery that touched each left them.
#[derive(Debug, Default)]
pub(crate) struct Parked(BTreeMap<(Key, Option<String>), Entry>);

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Parked {
    /// Takes over what became of an item: a failure to derive is gone with the next change that derives, and a collision
    /// with the next write of the view.
    pub(crate) fn update(&mut self, item: &ItemOutcome) {
        self.0.retain(|(key, view), entry| {
            let written = view.as_ref().is_some_and(|view| item.written_views.contains(view));
            *key != item.key || (entry.code == "collision" && !written)
        });
        for problem in item.problems.iter().filter(|problem| problem.cause == Cause::Permanent) {
            self.0
                .entry((item.key.clone(), problem.view.clone()))
                .or_insert_with(|| Entry {
                    code: problem.code,
                    message: problem.message.clone(),
                });
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Key, Option<&str>, &Entry)> {
        self.0.iter().map(|((key, view), entry)| (key, view.as_deref(), entry))
    }

    pub(crate) fn to_json(&self, table: &TableName) -> Value {
        self.entries()
            .map(|(key, view, entry)| {
                json!({
                    "view": view, "code": entry.code, "message": entry.message,
                    "table": table, "of": item_to_json(key.attributes()),
                })
            })
            .collect()
    }
}
