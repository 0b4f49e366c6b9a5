//! What cannot succeed, one entry for each view of each item.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shadowkey_item::{Key, TableName, item_to_json};
use shadowkey_worker::{Cause, ItemOutcome, Problem};

/// The parked views of items, as the last delivery that touched each left them.
#[derive(Debug, Default)]
pub(crate) struct Parked(BTreeMap<(Key, Option<String>), Problem>);

impl Parked {
    /// Takes over what became of an item: a failure to derive is gone with the next change that derives, and a write that
    /// was refused for good with the next one at its place.
    pub(crate) fn update(&mut self, item: &ItemOutcome) {
        let planned = |view: &str, key: &Key| item.planned.iter().any(|(v, k)| v == view && k == key);
        self.0.retain(|(of, view), problem| {
            let place = view.as_deref().zip(problem.key.as_ref());
            *of != item.key || place.is_some_and(|(view, key)| !planned(view, key))
        });
        for problem in item.problems.iter().filter(|problem| problem.cause == Cause::Permanent) {
            let entry = self.0.entry((item.key.clone(), problem.view.clone()));
            entry.or_insert_with(|| problem.clone());
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Key, Option<&str>, &Problem)> {
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
