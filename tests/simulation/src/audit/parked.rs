//! What is excepted from convergence, because it is listed: parked entries, and records that were given up.

use std::collections::BTreeSet;

use shadowkey_item::{Key, item_to_json};
use shadowkey_views::{Marker, Shadow};
use shadowkey_worker::Parked;

use crate::sim::Sim;
use crate::tables::Tables;

/// The sources, each with the view it concerns or all its views, that are listed as not done.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    /// Parked entries.
    pub(crate) parked: BTreeSet<(Key, Option<String>)>,
    /// Items of records in the failure destination.
    given_up: BTreeSet<Key>,
    /// Records are lost and there is nowhere else to list anything.
    unlisted: bool,
}

impl Listed {
    pub(crate) fn of(sim: &Sim) -> Self {
        let state = sim.views.state_table().map(|table| sim.tables().items(&table.name));
        let items = state.into_iter().flatten();
        let parked = items.filter_map(|item| Parked::of_item(&item, &sim.views));
        let destination = sim.destination.borrow();
        let records = destination.objects.iter().flat_map(|object| &object.records);
        Self {
            parked: parked.map(|entry| (entry.of, entry.view)).collect(),
            given_up: records.map(|record| record.key.clone()).collect(),
            unlisted: sim.profile.mode.is_broken() && !sim.profile.state,
        }
    }

    /// Whether a source's view is listed as not done and may be missing.
    pub(crate) fn excepts(&self, source: &Key, view: &str) -> bool {
        self.unlisted || self.contains(source, view)
    }

    /// Whether a source's view is listed as not done.
    pub(crate) fn contains(&self, source: &Key, view: &str) -> bool {
        let is_parked = |view: Option<String>| self.parked.contains(&(source.clone(), view));
        self.given_up.contains(source) || is_parked(Some(view.to_owned())) || is_parked(None)
    }
}

/// Everything in the state table is true: no note is open, and what is parked cannot be otherwise.
pub(super) fn check(sim: &Sim, tables: &Tables) -> Result<(), String> {
    let Some(state) = sim.views.state_table() else {
        return Ok(());
    };
    for item in tables.items(&state.name) {
        let Some(entry) = Parked::of_item(&item, &sim.views) else {
            return Err(format!("left in the state table: {}", item_to_json(&item)));
        };
        let image = tables.get(&sim.views.table().name, &entry.of);
        let derived = image.map(|image| sim.views.derive(&image)).unwrap_or_default();
        let is_it = |view: &String| entry.view.as_ref() == Some(view);
        let cannot_derive = derived.failures.iter().any(|failure| is_it(&failure.view));
        let has_lost = |shadow: &Shadow| {
            let found = tables
                .get(&shadow.table, &shadow.key)
                .as_ref()
                .and_then(Marker::of_item);
            let own = &sim.views.table().name;
            let is_own = |marker: Marker| {
                marker.from == *own && marker.of == *entry.of.attributes() && marker.view == shadow.view
            };
            !found.is_some_and(is_own)
        };
        let mut shadows = derived.shadows.iter().filter(|shadow| is_it(&shadow.view));
        if !cannot_derive && !shadows.any(has_lost) {
            return Err(format!("parked without reason: {}", item_to_json(&item)));
        }
    }
    Ok(())
}
