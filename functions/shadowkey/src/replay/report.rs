//! What a replay led to, for a program and for a person.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use comfy_table::{Cell, ContentArrangement, Table, presets};
use serde_json::{Value, json};
use shadowkey_item::{AttributeValue, Item, SequenceNumber, TableDefinition, TableName, item_to_json};
use shadowkey_views::{MARKER, Marker};
use shadowkey_worker::{Counters, Outcome, Parked, Problem};

use crate::parked::entry::{entry_json, entry_text};
use crate::replay::batches::{Batch, sequence_number};

/// The longest text of one attribute in a table, in characters.
const SHOWN_CHARS: usize = 48;

/// A delivered batch and its answer.
#[derive(Debug)]
pub(crate) struct Delivered {
    file: PathBuf,
    response: Value,
    failed: Failed,
}

#[derive(Debug)]
enum Failed {
    Nothing,
    From(SequenceNumber),
    Everything,
}

impl Delivered {
    pub(crate) fn new(file: &Path, response: Value, outcome: Outcome) -> Self {
        Self {
            file: file.to_owned(),
            response,
            failed: outcome.earliest_failed.map_or(Failed::Nothing, Failed::From),
        }
    }

    pub(crate) fn whole_batch(file: &Path, response: Value) -> Self {
        Self {
            file: file.to_owned(),
            response,
            failed: Failed::Everything,
        }
    }

    /// Whether something failed, so that it is delivered again.
    pub(crate) fn is_failure(&self) -> bool {
        !matches!(self.failed, Failed::Nothing)
    }

    /// The record of the batch from which it is delivered again.
    pub(crate) fn retry_from(&self, batch: &Batch) -> Option<usize> {
        match &self.failed {
            Failed::Nothing => None,
            Failed::Everything => Some(0),
            Failed::From(number) => {
                let mut records = batch.records.iter();
                let reported = records.position(|record| sequence_number(record).as_ref() == Some(number));
                Some(reported.unwrap_or(0))
            }
        }
    }
}

/// A table with its items in key order.
#[derive(Debug)]
pub(crate) struct TableContents {
    pub(crate) definition: TableDefinition,
    pub(crate) items: Vec<Item>,
}

/// What a replay led to.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) source: TableName,
    pub(crate) attributes: BTreeSet<String>,
    pub(crate) tables: Vec<TableContents>,
    pub(crate) batches: Vec<Delivered>,
    pub(crate) parked: Vec<Parked>,
    pub(crate) counters: Counters,
    pub(crate) touched: Vec<Item>,
    /// What failed at the last delivery of its item and is not parked.
    pub(crate) undecided: Vec<Problem>,
}

impl Report {
    /// Whether something was parked or failed.
    pub(crate) fn is_bad(&self) -> bool {
        !self.parked.is_empty() || self.batches.iter().any(Delivered::is_failure)
    }

    pub(crate) fn to_json(&self) -> Value {
        let tables = self.tables.iter().map(|table| {
            let items: Value = table.items.iter().map(item_to_json).collect();
            (table.definition.name.to_string(), items)
        });
        let batches = self
            .batches
            .iter()
            .map(|batch| json!({ "file": batch.file, "response": batch.response }));
        json!({
            "tables": tables.collect::<BTreeMap<_, _>>(),
            "batches": batches.collect::<Vec<_>>(),
            "parked": self.parked.iter().map(|entry| entry_json(entry, &self.source)).collect::<Vec<_>>(),
            "counters": self.counters,
        })
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            self.table_text(table, &mut text);
        }
        for entry in &self.parked {
            text += &format!("parked {}\n", entry_text(entry));
        }
        for batch in self.batches.iter().filter(|batch| batch.is_failure()) {
            text += &format!("failed {}: {}\n", batch.file.display(), batch.response);
        }
        let counters = serde_json::to_value(self.counters).unwrap_or_default();
        let counters = counters.as_object().into_iter().flatten();
        let counters: Vec<String> = counters
            .filter(|(name, count)| *name != "written_back" || **count != json!(0))
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        text + &counters.join("  ") + "\n"
    }

    /// The touched item collections of a table, one printed table each.
    fn table_text(&self, table: &TableContents, text: &mut String) {
        let partition = &table.definition.key.partition.name;
        let is_source = table.definition.name == self.source;
        let touched: BTreeSet<_> = self.touched.iter().filter_map(|key| key.get(partition)).collect();
        let mut untouched = 0;
        let mut collections: Vec<(&AttributeValue, Vec<&Item>)> = Vec::new();
        for item in &table.items {
            let Some(value) = item.get(partition) else { continue };
            if is_source && !touched.contains(value) {
                untouched += 1;
                continue;
            }
            match collections.last_mut() {
                Some((last, items)) if table.definition.key.sort.is_some() && *last == value => items.push(item),
                _ => collections.push((value, vec![item])),
            }
        }
        if table.definition.key.sort.is_none() {
            // Without a sort key every item is a collection of its own: one table shows them all.
            let items = collections
                .iter()
                .flat_map(|(_, items)| items.iter().copied())
                .collect();
            *text += &format!(
                "{}\n{}\n",
                table.definition.name,
                self.items_text(table, items, partition)
            );
        } else {
            for (value, items) in collections {
                let sort = table.definition.key.sort.as_ref().map_or(partition, |sort| &sort.name);
                let title = format!("{}  {partition} = {}", table.definition.name, plain(value));
                *text += &format!("{title}\n{}\n", self.items_text(table, items, sort));
            }
        }
        if table.items.is_empty() {
            *text += &format!("{}: no items\n\n", table.definition.name);
        }
        if untouched > 0 {
            *text += &format!(
                "{}: {untouched} more items in collections that no record touched\n\n",
                table.definition.name
            );
        }
    }

    fn items_text(&self, table: &TableContents, items: Vec<&Item>, key: &str) -> Table {
        let mut printed = Table::new();
        printed
            .load_style(presets::UTF8_FULL_CONDENSED)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_header(["", key, "attributes", "derived from"]);
        for item in items {
            let marker = Marker::of_item(item);
            let owned = |name: &String| {
                marker.is_none() && table.definition.name == self.source && self.attributes.contains(name)
            };
            let attributes = item
                .iter()
                .filter(|(name, _)| *name != MARKER && !table.definition.key.contains(name))
                .map(|(name, value)| format!("{name}{} = {}", if owned(name) { "*" } else { "" }, plain(value)));
            let of = marker.as_ref().map(|marker| {
                let key = marker.of.values().map(plain).collect::<Vec<_>>().join(" / ");
                format!("{key}  ({})", marker.view)
            });
            printed.add_row([
                Cell::new(if of.is_some() { "*" } else { "" }),
                Cell::new(item.get(key).map(plain).unwrap_or_default()),
                Cell::new(attributes.collect::<Vec<_>>().join("\n")),
                Cell::new(of.unwrap_or_default()),
            ]);
        }
        printed
    }
}

/// A value without its type, cut.
fn plain(value: &AttributeValue) -> String {
    let text = match value {
        AttributeValue::S(text) => text.clone(),
        AttributeValue::N(number) => number.to_string(),
        AttributeValue::Bool(truth) => truth.to_string(),
        other => serde_json::to_string(other).unwrap_or_default(),
    };
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text,
    }
}
