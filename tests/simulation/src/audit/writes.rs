//! At every step: the worker's writes disturb nobody, and a new place is written before the old one goes.

use std::collections::{BTreeMap, BTreeSet};

use shadowkey_item::{AttributePath, AttributeValue, Item, Key, TableName};
use shadowkey_plan::{Comparison, Condition, Delete, Put};
use shadowkey_views::{MARKER, Marker, Views};

use crate::call::Call;
use crate::stream::Author;
use crate::tables::{Effect, Tables};

/// A place of one view's shadow of one source.
type Place = (TableName, Key, String, Item);

/// What the auditors remember of the steps so far.
#[derive(Debug, Default)]
pub(crate) struct Auditor {
    /// The highest version at which a place was written or emptied.
    touched: BTreeMap<Place, String>,
    /// Who gave an owned attribute of an item the value it has.
    authors: BTreeMap<(Key, String), Author>,
    /// The sources of changes that were given up and may come later than those behind them.
    given_up: BTreeSet<Item>,
}

/// A version that sorts behind all others.
const LAST: &str = "~";

impl Auditor {
    /// A write of the application's.
    pub(crate) fn saw_application(&mut self, views: &Views, call: &Call, effect: &Effect) {
        self.remember_authors(views, call, effect, Author::Application);
    }

    /// A call of the worker's, by a run that began at step `since`; nothing is known of it where the call came late.
    pub(crate) fn saw(
        &mut self,
        views: &Views,
        tables: &Tables,
        (call, effect): (&Call, &Effect),
        since: Option<u64>,
    ) -> Result<(), String> {
        if views.state_table().is_some_and(|state| state.name == *call.table()) {
            return Ok(());
        }
        self.remember_authors(views, call, effect, Author::Worker);
        let Some(key) = &effect.key else { return Ok(()) };
        match call {
            Call::Put(put) => {
                self.touch_put(put, key);
                if effect.is_done() {
                    check_put(views, tables, put, effect, since)?;
                }
            }
            Call::Delete(delete) => {
                let wanted = wanted_version(&delete.condition);
                // In a transaction no place is first; what it puts is checked against the source item of that moment.
                if since.is_some() && !views.is_transactional() {
                    self.check_new_place_first(views, tables, delete)?;
                }
                self.touch_delete(delete, wanted);
                if effect.is_done() && effect.before.is_some() {
                    check_delete(views, delete, effect)?;
                }
            }
            Call::Update(update) if effect.is_done() => check_update(views, &update.table, key, effect)?,
            Call::Update(_) | Call::Transact(_) | Call::Get(..) | Call::Scan(_) => {}
        }
        Ok(())
    }

    /// A put that the service refused for good: what it was to replace may go.
    pub(crate) fn refused_for_good(&mut self, tables: &Tables, call: &Call) {
        if let Call::Put(put) = call
            && let (Some(marker), Some(key)) = (Marker::of_item(&put.item), tables.key_of(&put.table, &put.item))
        {
            let place = (put.table.clone(), key, marker.view, marker.of);
            self.touched.insert(place, LAST.to_owned());
        }
    }

    /// Changes of these sources are delivered no more, until they are redriven.
    pub(crate) fn gave_up<'a>(&mut self, sources: impl IntoIterator<Item = &'a Key>) {
        let sources = sources.into_iter().map(|key| key.attributes().clone());
        self.given_up.extend(sources);
    }

    /// Who gave the attribute its value.
    pub(crate) fn author(&self, key: &Key, attribute: &str) -> Option<Author> {
        self.authors.get(&(key.clone(), attribute.to_owned())).copied()
    }

    fn remember_authors(&mut self, views: &Views, call: &Call, effect: &Effect, author: Author) {
        let Some(key) = effect.key.as_ref().filter(|_| *call.table() == views.table().name) else {
            return;
        };
        if effect.before == effect.after {
            return;
        }
        for name in views.attribute_views().iter().map(|view| view.attribute()) {
            let value = |item: &Option<Item>| item.as_ref().and_then(|item| item.get(name)).cloned();
            if value(&effect.before) != value(&effect.after) {
                self.authors.insert((key.clone(), name.to_owned()), author);
            }
        }
    }

    fn touch(&mut self, place: Place, version: String) {
        let highest = self.touched.entry(place).or_default();
        *highest = version.max(std::mem::take(highest));
    }

    fn touch_put(&mut self, put: &Put, key: &Key) {
        if let Some(Marker {
            view, of, at: Some(at), ..
        }) = Marker::of_item(&put.item)
        {
            self.touch((put.table.clone(), key.clone(), view, of), at);
        }
    }

    fn touch_delete(&mut self, delete: &Delete, version: Option<&str>) {
        if let Some((view, of)) = owner(&delete.condition) {
            let place = (delete.table.clone(), delete.key.clone(), view, of);
            // A reconciling delete names what it saw and no version of its own.
            self.touch(place, version.unwrap_or(LAST).to_owned());
        }
    }

    /// A delete of a change at a version is sent only when what the image at that version wants of the view is there, or
    /// was, or cannot be.
    fn check_new_place_first(&self, views: &Views, tables: &Tables, delete: &Delete) -> Result<(), String> {
        let (Some(version), Some((view, of))) = (wanted_version(&delete.condition), owner(&delete.condition)) else {
            return Ok(());
        };
        let Some((_, Some(image))) = tables.versions.get(version) else {
            return Ok(());
        };
        if super::costs::is_odd(views, image) || self.given_up.contains(&of) {
            return Ok(());
        }
        let derived = views.derive(image);
        let wanted: Vec<_> = derived.shadows.iter().filter(|shadow| shadow.view == view).collect();
        let is_own_place = |table: &TableName, key: &Key| *table == delete.table && *key == delete.key;
        if wanted.iter().any(|shadow| is_own_place(&shadow.table, &shadow.key)) {
            return Ok(());
        }
        for shadow in wanted {
            let place = (shadow.table.clone(), shadow.key.clone(), view.clone(), of.clone());
            let touched = self
                .touched
                .get(&place)
                .is_some_and(|highest| highest.as_str() >= version);
            if tables.get(&shadow.table, &shadow.key).is_none() && !touched {
                return Err(format!(
                    "the delete of {} in {} at {version} comes before {} was written",
                    delete.key, delete.table, shadow.key
                ));
            }
        }
        Ok(())
    }
}

/// A put replaces nothing but this view's shadow of this source, a shadow that its owner does not derive there, or one
/// that another view of the same source leaves; and it is a shadow itself.
fn check_put(views: &Views, tables: &Tables, put: &Put, effect: &Effect, since: Option<u64>) -> Result<(), String> {
    let place = || {
        format!(
            "the put of {} into {}",
            shadowkey_item::item_to_json(&put.item),
            put.table
        )
    };
    let own = views.table().name.clone();
    let Some(mine) = Marker::of_item(&put.item).filter(|marker| marker.from == own) else {
        return Err(format!("{} writes no shadow", place()));
    };
    if put.table == own && !views.is_shadow(&put.item) {
        return Err(format!("{} creates a source item", place()));
    }
    let Some(before) = &effect.before else { return Ok(()) };
    let theirs = Marker::of_item(before).filter(|marker| {
        let is_shadow = put.table != own || views.is_shadow(before);
        is_shadow && marker.from == own
    });
    match theirs {
        None => Err(format!("{} replaces {}", place(), shadowkey_item::item_to_json(before))),
        Some(theirs) if theirs.of == mine.of => match (&theirs.at, &mine.at) {
            (Some(seen), Some(written)) if theirs.view == mine.view && seen > written => {
                Err(format!("{} takes the version back from {seen} to {written}", place()))
            }
            _ => Ok(()),
        },
        Some(theirs) => {
            let key = effect.key.as_ref();
            let gone = since.is_none_or(|since| {
                key.is_none_or(|key| was_not_derived(views, tables, &theirs, (&put.table, key), since))
            });
            if gone {
                Ok(())
            } else {
                Err(format!(
                    "{} takes the place of {:?}, which derives it",
                    place(),
                    theirs.of
                ))
            }
        }
    }
}

/// Whether, at some time from a step on, a shadow's source did not derive it.
fn was_not_derived(views: &Views, tables: &Tables, marker: &Marker, place: (&TableName, &Key), since: u64) -> bool {
    let Ok(source) = views.table().key.key_of(&marker.of) else {
        return true;
    };
    let Some(images) = tables.images.get(&source) else {
        return true;
    };
    let before = images.iter().rev().find(|(step, _)| *step < since);
    let recent = images.iter().filter(|(step, _)| *step >= since);
    before.into_iter().chain(recent).any(|(_, image)| {
        let derived = image.as_ref().map(|image| views.derive(image)).unwrap_or_default();
        let is_it =
            |shadow: &shadowkey_views::Shadow| shadow.view == marker.view && (&shadow.table, &shadow.key) == place;
        !derived.shadows.iter().any(is_it)
    })
}

/// A delete only removes a shadow of this deployment.
fn check_delete(views: &Views, delete: &Delete, effect: &Effect) -> Result<(), String> {
    let own = &views.table().name;
    let is_ours = effect.before.as_ref().is_some_and(|before| {
        let is_shadow = delete.table != *own || views.is_shadow(before);
        is_shadow && Marker::of_item(before).is_some_and(|marker| marker.from == *own)
    });
    if is_ours {
        Ok(())
    } else {
        let found = effect.before.as_ref().map(shadowkey_item::item_to_json);
        Err(format!(
            "the delete of {} in {} removes {found:?}",
            delete.key, delete.table
        ))
    }
}

/// An update changes nothing but owned attributes of a source item that is there.
fn check_update(views: &Views, table: &TableName, key: &Key, effect: &Effect) -> Result<(), String> {
    let (Some(before), Some(after)) = (&effect.before, &effect.after) else {
        return Err(format!("the update of {key} creates an item"));
    };
    if *table != views.table().name || views.is_shadow(before) {
        return Err(format!("the update of {key} in {table} is not of a source item"));
    }
    let names = before.keys().chain(after.keys());
    match names
        .filter(|name| before.get(*name) != after.get(*name))
        .find(|name| !views.owns_attribute(name))
    {
        Some(name) => Err(format!("the update of {key} changes `{name}`, which no view owns")),
        None => Ok(()),
    }
}

fn marker_path(name: &str) -> AttributePath {
    AttributePath::attribute(MARKER).child(name)
}

/// The version below which a write's condition wants the shadow to be.
fn wanted_version(condition: &Condition) -> Option<&str> {
    find(condition, "at", Comparison::Less)?.as_s()
}

/// The view and source that a write's condition wants the shadow to be of.
pub(super) fn owner(condition: &Condition) -> Option<(String, Item)> {
    let view = find(condition, "view", Comparison::Equal)?.as_s()?;
    let of = find(condition, "of", Comparison::Equal)?.as_m()?;
    Some((view.to_owned(), of.clone()))
}

fn find<'a>(condition: &'a Condition, name: &str, how: Comparison) -> Option<&'a AttributeValue> {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().find_map(|part| find(part, name, how)),
        Condition::Compare(path, comparison, value) if *comparison == how && *path == marker_path(name) => Some(value),
        _ => None,
    }
}
