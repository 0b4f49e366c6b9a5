//! `record-fixtures`: performs a world's writes on the embedded engine and keeps what its stream says about them.
//!
//! A world is a folder with a view file, the items that are there before (`base.jsonl`) and the writes (`writes.json`).
//! Each batch of writes becomes one Lambda event, `events/01-name.json`. The expected end state is not recorded: it was
//! worked out without this program.

mod event;
mod numbering;
mod stage;
mod world;
mod write;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use self::stage::Stage;
use self::world::World;

/// Records the named worlds, or all of them.
pub(crate) async fn run(fixtures: &Path, named: Vec<String>) -> Result<()> {
    let names = if named.is_empty() {
        every_world(fixtures)?
    } else {
        named
    };
    for name in names {
        let recording = record(fixtures, &name).await;
        let records = recording.with_context(|| format!("recording `{name}`"))?;
        eprintln!("{name}: {records} records");
    }
    Ok(())
}

fn every_world(fixtures: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(fixtures).with_context(|| format!("reading {}", fixtures.display()))? {
        let entry = entry?;
        if entry.path().join(world::WRITES).exists() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Records one world and says how many records its stream carried.
async fn record(fixtures: &Path, name: &str) -> Result<usize> {
    let world = World::load(&fixtures.join(name))?;
    let mut stage = Stage::set(&world).await?;
    let mut events = Vec::new();
    for batch in &world.batches {
        let records = stage.play(batch).await;
        let records = records.with_context(|| format!("batch `{}`", batch.name))?;
        events.push((batch.name.as_str(), records));
    }
    world.keep(&events)
}
