//! Every fixture world: its events go through the worker on a real engine, and its readers then find what they ask for.

mod delivery;
mod library;
mod organisation;
mod profiles;
mod restaurants;
mod tickets;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use shadowkey_end_to_end::World;

/// Replays a world and compares all its tables with the end state that was worked out for it.
async fn replayed(name: &str) -> Result<World> {
    let world = World::replayed(name, &[]).await?;
    let output = &world.replay.output;
    ensure!(world.replay.exit == 0, "exit code {}: {output}", world.replay.exit);
    ensure!(
        output.get("parked") == Some(&json!([])),
        "something is parked: {output}"
    );
    let tables = output.get("tables").context("the tables")?;
    compare(tables, &world.expected_tables()?)?;
    Ok(world)
}

/// Names the first item that differs, since two whole worlds beside each other cannot be read.
fn compare(found: &Value, expected: &Value) -> Result<()> {
    let lines = |tables: &Value| -> Vec<String> {
        let tables = tables.as_object().into_iter().flatten();
        let items = tables.map(|(table, items)| (table, items.as_array().map(Vec::as_slice).unwrap_or_default()));
        items
            .flat_map(|(table, items)| items.iter().map(move |item| format!("{table}: {item}")))
            .collect()
    };
    for (found, expected) in lines(found).iter().zip(lines(expected)) {
        ensure!(*found == expected, "found\n{found}\nand not\n{expected}");
    }
    ensure!(found == expected, "found {found}");
    Ok(())
}
