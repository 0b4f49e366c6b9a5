//! What a refused write means, read from what stands in its place.

use std::cmp::Ordering;

use shadowkey_item::Item;
use shadowkey_views::{Marker, Views};

use crate::{PlannedDelete, PlannedPut};

/// What to make of a refused put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutVerdict {
    /// The shadow stands there already, as this change wants it.
    Done,
    /// What was found would not have refused it, so it changed in between: send it again.
    Again,
    /// Only reconciling tells what is true.
    Doubt(Doubt),
    /// An item of the application's, or another deployment's shadow, has the place.
    Collision,
}

/// What to make of a refused delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteVerdict {
    /// The shadow is not there.
    Done,
    /// What was found would not have refused it, so it changed in between: send it again.
    Again,
    /// Only reconciling tells what is true.
    Doubt(Doubt),
}

/// Why the images of a change do not tell what is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The shadow is as new as this change or newer, or does not say how new it is.
    Newer,
    /// Another shadow of the same table has the place: it is a collision only if its source still derives the key.
    Claimed,
    /// A record lacks an image it should have carried.
    ImageMissing,
}

/// Judges a refused put.
pub fn judge_put(views: &Views, planned: &PlannedPut, found: Option<&Item>) -> PutVerdict {
    if planned.put.condition.holds(found) {
        return PutVerdict::Again;
    }
    let mine = &planned.withdrawal.marker;
    match found.and_then(|item| Some((item, Marker::of_item(item)?))) {
        Some((_, theirs)) if theirs.same_owner(mine) => match theirs.at.cmp(&mine.at) {
            Ordering::Equal if theirs.def == mine.def => PutVerdict::Done,
            _ => PutVerdict::Doubt(Doubt::Newer),
        },
        Some((item, theirs)) if theirs.from == mine.from && !is_own_source(views, planned, &theirs, item) => {
            PutVerdict::Doubt(Doubt::Claimed)
        }
        _ => PutVerdict::Collision,
    }
}

/// Judges a refused delete.
pub fn judge_delete(planned: &PlannedDelete, found: Option<&Item>) -> DeleteVerdict {
    if planned.delete.condition.holds(found) {
        return DeleteVerdict::Again;
    }
    match found.and_then(Marker::of_item) {
        Some(theirs) if theirs.same_owner(&planned.marker) => DeleteVerdict::Doubt(Doubt::Newer),
        _ => DeleteVerdict::Done,
    }
}

/// An item that the application wrote back with the marker it had read is the application's.
fn is_own_source(views: &Views, planned: &PlannedPut, theirs: &Marker, found: &Item) -> bool {
    let table = views.table();
    planned.put.table == table.name && table.key.key_of(found).is_ok_and(|key| *key.attributes() == theirs.of)
}
