//! The files of one fixture world.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use shadowkey_views::{Views, render_findings};

use super::write::{PutItem, Write};
use super::{event, numbering};

/// The script of a world, without which a folder is none.
pub(crate) const WRITES: &str = "writes.json";

/// What a recording starts from.
pub(crate) struct World {
    folder: PathBuf,
    /// What the view file declares.
    pub(crate) views: Views,
    /// The items that are there before.
    pub(crate) base: Vec<PutItem>,
    /// The writes, one batch for each event.
    pub(crate) batches: Vec<Batch>,
}

/// The writes that one event is about.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Batch {
    /// Names the event's file.
    pub(crate) name: String,
    /// In this order.
    pub(crate) writes: Vec<Write>,
}

impl World {
    /// Reads a world's folder.
    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let base = read(&folder.join("base.jsonl"))?;
        Ok(Self {
            folder: folder.to_owned(),
            views: views(&folder.join("views.toml"))?,
            base: base
                .lines()
                .map(PutItem::from_json)
                .collect::<Result<_>>()
                .context("base.jsonl")?,
            batches: serde_json::from_str(&read(&folder.join(WRITES))?).context(WRITES)?,
        })
    }

    /// Writes the events in place of those of an earlier recording, and says how many records they hold.
    pub(crate) fn keep(&self, events: &[(&str, Vec<Value>)]) -> Result<usize> {
        let folder = self.folder.join("events");
        let old = earlier_numbers(&folder)?;
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir(&folder)?;
        for (index, (name, records)) in events.iter().enumerate() {
            fs::write(
                folder.join(format!("{:02}-{name}.json", index + 1)),
                event::file(records),
            )?;
        }
        let new = numbers(events.iter().flat_map(|(_, records)| records))?;
        self.renumber(&old, &new)?;
        Ok(new.len())
    }

    fn renumber(&self, old: &[String], new: &[String]) -> Result<()> {
        let path = self.folder.join("expected.json");
        if !path.exists() {
            return Ok(());
        }
        match numbering::carry_over(&read(&path)?, old, new) {
            Ok(expected) => fs::write(&path, expected)?,
            Err(reason) => eprintln!("{}: review the markers by hand, {reason}", path.display()),
        }
        Ok(())
    }
}

/// Reads a view file that has no error.
fn views(path: &Path) -> Result<Views> {
    let text = read(path)?;
    let loaded = shadowkey_views::load(&text);
    let findings = || render_findings(&path.to_string_lossy(), &text, &loaded.findings, false);
    loaded.views.with_context(findings)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

/// The sequence numbers of the recording that is there, in order.
fn earlier_numbers(folder: &Path) -> Result<Vec<String>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut files: Vec<_> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let event: Value = serde_json::from_str(&read(&file)?)?;
        let records = event.get("Records").and_then(Value::as_array);
        all.extend(numbers(
            records.with_context(|| format!("{} has no records", file.display()))?,
        )?);
    }
    Ok(all)
}

fn numbers<'a>(records: impl IntoIterator<Item = &'a Value>) -> Result<Vec<String>> {
    records
        .into_iter()
        .map(|record| Ok(event::sequence_number(record)?.to_owned()))
        .collect()
}
