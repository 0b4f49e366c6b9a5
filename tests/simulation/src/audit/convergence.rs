//! At rest: the derived data of every source item is what deriving it from nothing gives.

use std::collections::BTreeMap;

use shadowkey_item::{Item, Key, TableName, item_to_json};
use shadowkey_views::{MARKER, Marker, Shadow, Views};

use super::parked::Listed;
use crate::Event;
use crate::sim::Sim;
use crate::stream::Author;
use crate::tables::Tables;

/// Everything that is to stand at one place, with the source of each.
type Claims = BTreeMap<(TableName, Key), Vec<(Key, Shadow)>>;

/// Checks the tables once nothing happens any more.
pub(crate) fn at_rest(sim: &Sim) {
    if let Err(violation) = check(sim) {
        sim.violate(format!("at rest: {violation}"));
    }
}

fn check(sim: &Sim) -> Result<(), String> {
    let (views, tables) = (&sim.views, &*sim.tables());
    let listed = Listed::of(sim);
    sim.coverage
        .borrow_mut()
        .add(Event::ParkedAtEnd, listed.parked.len() as u64);
    count_lengths(sim, tables);
    let base = &views.table().name;
    let mut claims = Claims::new();
    let sources = tables.items(base).into_iter().filter(|item| !views.is_shadow(item));
    for item in sources {
        let Some(key) = tables.key_of(base, &item) else {
            continue;
        };
        check_attributes(sim, &key, &item)?;
        let derived = views.derive(&item);
        for failure in &derived.failures {
            if sim.profile.state && !sim.profile.mode.is_broken() && !listed.contains(&key, &failure.view) {
                return Err(format!("{key}: `{}` cannot be derived and is not parked", failure.view));
            }
        }
        for shadow in derived.shadows {
            let place = (shadow.table.clone(), shadow.key.clone());
            claims.entry(place).or_default().push((key.clone(), shadow));
        }
    }
    if !sim.profile.mode.is_broken() {
        super::parked::check(sim, tables)?;
    }
    for (place, claimants) in &claims {
        check_claims(views, tables, &listed, place, claimants)?;
    }
    for table in views.tables() {
        for item in tables.items(&table.name) {
            check_left_over(views, tables, &claims, &listed, &table.name, &item)?;
        }
    }
    Ok(())
}

fn check_attributes(sim: &Sim, key: &Key, item: &Item) -> Result<(), String> {
    let derived = sim.views.derive(item);
    for name in sim.views.attribute_views().iter().map(|view| view.attribute()) {
        let carried = item.get(name);
        match derived.attributes.get(name) {
            Some(wanted) if wanted.as_ref() != carried => {
                return Err(format!("{key}: `{name}` is {carried:?} and should be {wanted:?}"));
            }
            Some(_) => {}
            None => {
                let author = sim.auditor.borrow().author(key, name);
                // Which change it stems from, only the stream tells.
                let told = !sim.profile.mode.is_broken();
                if told && carried.is_some() && author == Some(Author::Worker) {
                    return Err(format!("{key}: `{name}` is left over: {carried:?}"));
                }
            }
        }
    }
    Ok(())
}

/// A place is held by one of those who derive it; where someone else's item has it, they are listed.
fn check_claims(
    views: &Views,
    tables: &Tables,
    listed: &Listed,
    (table, key): &(TableName, Key),
    claimants: &[(Key, Shadow)],
) -> Result<(), String> {
    let found = tables.get(table, key);
    let marker = found.as_ref().and_then(Marker::of_item).filter(|marker| {
        let is_shadow = *table != views.table().name || found.as_ref().is_some_and(|item| views.is_shadow(item));
        is_shadow && marker.from == views.table().name
    });
    let holder = marker.as_ref().and_then(|marker| {
        let is_holder =
            |(source, shadow): &&(Key, Shadow)| *source.attributes() == marker.of && shadow.view == marker.view;
        claimants.iter().find(is_holder)
    });
    if let (Some((source, shadow)), Some(item)) = (holder, &found) {
        if without_version(item) == *shadow.item() || listed.contains(source, &shadow.view) {
            return all_others_listed(listed, claimants, source, &shadow.view, key);
        }
        return Err(format!(
            "{key} in {table} is stale: {} instead of {}",
            item_to_json(item),
            item_to_json(shadow.item())
        ));
    }
    for (source, shadow) in claimants {
        let excepted = found.is_some() && listed.excepts(source, &shadow.view);
        if !excepted && !listed.contains(source, &shadow.view) {
            let found = found.as_ref().map(item_to_json);
            return Err(format!(
                "{key} in {table} is missing: `{}` of {source} derives it, and found is {found:?}",
                shadow.view
            ));
        }
    }
    Ok(())
}

/// Of several who derive one place, all but one are listed.
fn all_others_listed(
    listed: &Listed,
    claimants: &[(Key, Shadow)],
    holder: &Key,
    view: &str,
    key: &Key,
) -> Result<(), String> {
    let others = claimants
        .iter()
        .filter(|(source, shadow)| (source, shadow.view.as_str()) != (holder, view));
    for (source, shadow) in others {
        if !listed.excepts(source, &shadow.view) {
            return Err(format!(
                "{key}: `{}` of {source} collides and is not listed",
                shadow.view
            ));
        }
    }
    Ok(())
}

/// A shadow of this deployment is derived by its source.
fn check_left_over(
    views: &Views,
    tables: &Tables,
    claims: &Claims,
    listed: &Listed,
    table: &TableName,
    item: &Item,
) -> Result<(), String> {
    let is_shadow = *table != views.table().name || views.is_shadow(item);
    let marker = Marker::of_item(item).filter(|marker| is_shadow && marker.from == views.table().name);
    let (Some(marker), Some(key)) = (marker, tables.key_of(table, item)) else {
        return Ok(());
    };
    let claimants = claims
        .get(&(table.clone(), key.clone()))
        .map(Vec::as_slice)
        .unwrap_or_default();
    let is_derived = claimants
        .iter()
        .any(|(source, shadow)| *source.attributes() == marker.of && shadow.view == marker.view);
    let source = views.table().key.key_of(&marker.of);
    if is_derived || source.is_ok_and(|source| listed.contains(&source, &marker.view)) {
        Ok(())
    } else {
        Err(format!("left over in {table}: {}", item_to_json(item)))
    }
}

fn without_version(item: &Item) -> Item {
    let mut item = item.clone();
    if let Some(marker) = Marker::of_item(&item) {
        item.insert(MARKER.to_owned(), Marker { at: None, ..marker }.to_value());
    }
    item
}

fn count_lengths(sim: &Sim, tables: &Tables) {
    let records = tables.stream.shards.iter().flat_map(|shard| &shard.records);
    let lengths: Vec<usize> = records.map(|record| record.number.len()).collect();
    if lengths.iter().min() != lengths.iter().max() {
        sim.cover(Event::StreamLonger);
    }
}
