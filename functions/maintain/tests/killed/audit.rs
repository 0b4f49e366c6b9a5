//! What is in the tables, compared with what every source item derives.
//!
//! Nothing of the worker's or the planner's is asked: the items come from a scan, and what should be there from `derive`.

use std::collections::{BTreeMap, BTreeSet};

use shadowkey_item::{AttributeValue, Item, Key, TableDefinition, TableName, item_to_json};
use shadowkey_store::Store;
use shadowkey_views::MARKER;

use crate::world::World;

type Place = (TableName, Key);
/// A view of a source item.
type Part = (Key, String);

/// Whether parked entries have been tried again, after which no place that is claimed is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retried {
    No,
    Yes,
}

/// What every source item derives, taken together.
#[derive(Default)]
struct Expected {
    /// Who claims a place, and with which item.
    claims: BTreeMap<Place, Vec<(Part, Item)>>,
    failures: BTreeSet<Part>,
    differences: Vec<String>,
}

/// All that is not as it should be.
pub(crate) async fn differences(world: &World, own: &Item, retried: Retried) -> Vec<String> {
    let table = world.views.table();
    let (sources, rest): (Vec<_>, Vec<_>) = scan(world, table).await.into_iter().partition(is_source);
    let mut expected = Expected::default();
    for source in &sources {
        expected.add(world, &table.key.key_of(source).expect("key"), source);
    }
    let mut shadows = places(table, rest);
    for other in world.views.other_tables() {
        shadows.extend(places(&other, scan(world, &other).await));
    }
    let mut parked = parked(world).await;
    let Expected {
        claims,
        failures,
        mut differences,
    } = expected;
    if !shadows.values().any(|there| there == own) {
        differences.push("the application's own item is gone or was changed".to_owned());
    }
    for failure in failures {
        if !parked.remove(&failure) {
            differences.push(format!("not parked: {failure:?}"));
        }
    }
    for (place, claims) in claims {
        let there = shadows.remove(&place);
        differences.extend(judge(&place, &claims, there.as_ref(), own, &mut parked, retried));
    }
    differences.extend(
        shadows
            .into_iter()
            .filter(|(_, there)| there != own)
            .map(|(place, there)| format!("left over at {}: {}", shown(&place), item_to_json(&there))),
    );
    if retried == Retried::No {
        // Whoever got its place in a later delivery of the same change stays listed until it is tried again.
        parked.retain(|(_, view)| !is_unique(world, view));
    }
    differences.extend(parked.iter().map(|part| format!("parked without a reason: {part:?}")));
    differences
}

impl Expected {
    fn add(&mut self, world: &World, key: &Key, source: &Item) {
        let derived = world.views.derive(source);
        for view in world.views.attribute_views() {
            let name = view.attribute();
            let wanted = derived.attributes.get(name).and_then(Option::as_ref);
            if source.get(name) != wanted {
                let there = source.get(name);
                self.differences
                    .push(format!("{key}: `{name}` is {there:?} instead of {wanted:?}"));
            }
        }
        for shadow in derived.shadows {
            let claim = ((key.clone(), shadow.view.clone()), shadow.item().clone());
            let place = (shadow.table.clone(), shadow.key.clone());
            self.claims.entry(place).or_default().push(claim);
        }
        let failures = derived.failures.into_iter();
        self.failures
            .extend(failures.map(|failure| (key.clone(), failure.view)));
    }
}

/// A place belongs to one of those who claim it, and the others are parked.
fn judge(
    place: &Place,
    claims: &[(Part, Item)],
    there: Option<&Item>,
    own: &Item,
    parked: &mut BTreeSet<Part>,
    retried: Retried,
) -> Option<String> {
    let there = there.map(without_version);
    let holder = claims.iter().position(|(_, item)| there.as_ref() == Some(item));
    let waiting = claims
        .iter()
        .enumerate()
        .filter(|(position, _)| Some(*position) != holder);
    let all_wait = waiting.fold(true, |all, (_, (part, _))| parked.remove(part) && all);
    let held = match &there {
        Some(there) => holder.is_some() || there == own,
        None => retried == Retried::No,
    };
    (!held || !all_wait).then(|| {
        let claims: Vec<_> = claims
            .iter()
            .map(|((key, view), item)| format!("{view} of {key}: {}", item_to_json(item)))
            .collect();
        let there = there.as_ref().map(item_to_json);
        format!(
            "at {} is {there:?}, claimed by {claims:?}, others parked: {all_wait}",
            shown(place)
        )
    })
}

/// What is parked, as it is written down.
async fn parked(world: &World) -> BTreeSet<Part> {
    let state = world.views.state_table().expect("state table");
    let items = scan(world, &state).await;
    let part = |item: &Item| {
        let of = item.get("of")?.as_m()?;
        let key = world.views.table().key.key_of(of).ok()?;
        Some((key, item.get("view")?.as_s()?.to_owned()))
    };
    items
        .iter()
        .map(|item| part(item).unwrap_or_else(|| panic!("no parked view: {}", item_to_json(item))))
        .collect()
}

async fn scan(world: &World, table: &TableDefinition) -> Vec<Item> {
    let mut items = Vec::new();
    let mut start = None;
    loop {
        let page = world.store.scan(&table.name, start.as_ref()).await.expect("page");
        items.extend(page.items);
        start = page.next;
        if start.is_none() {
            return items;
        }
    }
}

fn places(table: &TableDefinition, items: Vec<Item>) -> BTreeMap<Place, Item> {
    let place = |item: &Item| (table.name.clone(), table.key.key_of(item).expect("key"));
    items.into_iter().map(|item| (place(&item), item)).collect()
}

fn is_unique(world: &World, name: &str) -> bool {
    let mut views = world.views.shadow_views().iter();
    views.any(|view| view.name() == name && view.is_unique())
}

/// In this world the sort key tells sources from shadows.
fn is_source(item: &Item) -> bool {
    item.get("SK")
        .and_then(AttributeValue::as_s)
        .is_some_and(|key| key.starts_with("TICKET#"))
}

/// A shadow as `derive` gives it.
fn without_version(item: &Item) -> Item {
    let mut item = item.clone();
    if let Some(AttributeValue::M(marker)) = item.get_mut(MARKER) {
        marker.remove("at").expect("a shadow has a version");
    }
    item
}

fn shown((table, key): &Place) -> String {
    format!("{table} {key}")
}
