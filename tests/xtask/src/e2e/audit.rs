//! What is in the deployed tables, compared with what every source item derives.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use shadowkey_item::{AttributeValue, Item, Key, TableName, image_from_wire, item_to_json};
use shadowkey_store_dynamodb::Connection;
use shadowkey_views::{MARKER, Views};

type Place = (TableName, Key);
/// A view of a source item.
type Part = (Key, String);

/// All that is not as it should be: what cannot be at its place has to be parked, and nothing else may be.
pub(super) async fn differences(
    views: &Views,
    physical: &BTreeMap<TableName, String>,
    connection: &Connection,
) -> Result<Vec<String>> {
    let (mut there, mut parked) = (BTreeMap::new(), BTreeSet::new());
    let state = views.state_table().context("the view file has no state table")?;
    for table in views.tables() {
        for item in scan(connection, physical.get(&table.name).context("a table without a name")?).await? {
            match table.name == state.name {
                true => parked.extend(part(views, &item)),
                false => drop(there.insert((table.name.clone(), table.key.key_of(&item)?), item)),
            }
        }
    }
    let is_source = |item: &Item| item.get("SK").and_then(AttributeValue::as_s) == Some("PROFILE");
    let (sources, mut shadows): (BTreeMap<Place, Item>, _) = there.into_iter().partition(|(_, item)| is_source(item));
    let mut differences = Vec::new();
    for ((_, key), source) in &sources {
        differences.extend(of_item(views, key, source, &mut shadows, &mut parked));
    }
    let left_over = shadows.into_iter().filter(|(_, item)| item.contains_key(MARKER));
    differences.extend(left_over.map(|((table, key), _)| format!("left over in {table}: {key}")));
    differences.extend(
        parked
            .iter()
            .map(|(key, view)| format!("parked without a reason: {view} of {key}")),
    );
    Ok(differences)
}

fn of_item(
    views: &Views,
    key: &Key,
    source: &Item,
    shadows: &mut BTreeMap<Place, Item>,
    parked: &mut BTreeSet<Part>,
) -> Vec<String> {
    let derived = views.derive(source);
    let mut differences = Vec::new();
    for (name, wanted) in &derived.attributes {
        if source.get(name) != wanted.as_ref() {
            differences.push(format!("{key}: `{name}` is not {wanted:?}"));
        }
    }
    for failure in derived.failures {
        if !parked.remove(&(key.clone(), failure.view.clone())) {
            differences.push(format!("not parked: {} of {key}", failure.view));
        }
    }
    for shadow in derived.shadows {
        let place = (shadow.table.clone(), shadow.key.clone());
        let is_there = shadows
            .get(&place)
            .is_some_and(|item| without_version(item) == *shadow.item());
        if is_there {
            shadows.remove(&place);
        } else if !parked.remove(&(key.clone(), shadow.view.clone())) {
            differences.push(format!(
                "{} of {key} is not {}",
                shadow.view,
                item_to_json(shadow.item())
            ));
        }
    }
    differences
}

/// What an entry of the state table is about; a note of a run is none.
fn part(views: &Views, entry: &Item) -> Option<Part> {
    let key = views.table().key.key_of(entry.get("of")?.as_m()?).ok()?;
    Some((key, entry.get("view")?.as_s()?.to_owned()))
}

/// A shadow as `derive` gives it.
fn without_version(item: &Item) -> Item {
    let mut item = item.clone();
    if let Some(AttributeValue::M(marker)) = item.get_mut(MARKER) {
        marker.remove("at");
    }
    item
}

/// The rehearsal's tables fit into one page.
async fn scan(connection: &Connection, table: &str) -> Result<Vec<Item>> {
    let request = connection.dynamodb().scan().table_name(table).consistent_read(true);
    let items = request.send().await.with_context(|| format!("reading {table}"))?.items;
    let items = items.unwrap_or_default().into_iter();
    items
        .map(|item| image_from_wire(item.into())?.context("an empty item"))
        .collect()
}
