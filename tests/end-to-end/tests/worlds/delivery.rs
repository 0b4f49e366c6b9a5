//! However the events are delivered, the end is the same.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use shadowkey_end_to_end::World;

use crate::compare;

/// The writes that take effect in each world, by counter. None of them can be spared: a moved key takes a put and a delete,
/// a changed projection a put, changed attributes an update, and a change that alters none of these takes nothing.
const LEAST_WRITES: [(&str, [(&str, u64); 3]); 5] = [
    ("library", [("puts", 78), ("deletes", 15), ("updates", 20)]),
    ("organisation", [("puts", 28), ("deletes", 12), ("updates", 9)]),
    ("profiles", [("puts", 22), ("deletes", 11), ("updates", 11)]),
    ("restaurants", [("puts", 28), ("deletes", 11), ("updates", 0)]),
    ("tickets", [("puts", 30), ("deletes", 16), ("updates", 11)]),
];

#[tokio::test]
async fn a_second_delivery_of_every_batch_writes_nothing_more() -> Result<()> {
    for (name, least_writes) in LEAST_WRITES {
        let world = World::replayed(name, &["--duplicate"]).await?;
        ensure!(world.replay.exit == 0, "{name}: exit code {}", world.replay.exit);
        compare(tables(&world)?, &world.expected_tables()?)?;
        for (counter, least) in least_writes {
            let count = world.replay.output.pointer(&format!("/counters/{counter}"));
            assert_eq!(count.and_then(Value::as_u64), Some(least), "{counter} of {name}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn single_records_lead_to_the_same_end() -> Result<()> {
    for name in ["library", "organisation", "profiles", "restaurants", "tickets"] {
        delivered_one_by_one(name).await.context(name)?;
    }
    Ok(())
}

/// Delivers each record of a world in a batch of its own.
async fn delivered_one_by_one(name: &str) -> Result<()> {
    let world = World::replayed(name, &["--batch-size", "1"]).await?;
    ensure!(world.replay.exit == 0, "exit code {}", world.replay.exit);
    let (mut found, mut expected) = (tables(&world)?.clone(), world.expected_tables()?);
    // Where no batch brings an item's changes together, another record is the last that wrote a shadow.
    for tables in [&mut found, &mut expected] {
        remove_versions(tables);
    }
    compare(&found, &expected)
}

fn tables(world: &World) -> Result<&Value> {
    world.replay.output.get("tables").context("the tables")
}

fn remove_versions(tables: &mut Value) {
    let tables = tables
        .as_object_mut()
        .into_iter()
        .flat_map(|tables| tables.values_mut());
    for item in tables.filter_map(Value::as_array_mut).flatten() {
        if let Some(marker) = item.pointer_mut("/_shadow/M").and_then(Value::as_object_mut) {
            marker.remove("at");
        }
    }
}
