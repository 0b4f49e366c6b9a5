//! What a refused write means, read from what stands in its place.

use std::cmp::Ordering;

use shadowkey_item::Item;
use shadowkey_views::{Marker, Views};

use crate::{PlannedDelete, PlannedPut};

/// What to make of a refused write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// What the write was for is true already.
    Done,
    /// What was found would not have refused it, so it changed in between: send it again.
    Again,
    /// A later change of the same item has been here: only reconciling tells what is true.
    Newer,
    /// Another source's shadow has the place: it is a collision only if that source still derives the key.
    Claimed,
    /// An item of the application's, or another deployment's shadow, has the place.
    Collision,
}

/// Judges a refused put.
pub fn judge_put(views: &Views, planned: &PlannedPut, found: Option<&Item>) -> Verdict {
    let Some(found) = found else {
        return Verdict::Again;
    };
    let mine = &planned.withdrawal.marker;
    match Marker::of_item(found) {
        Some(theirs) if theirs.same_owner(mine) => match theirs.at.cmp(&mine.at) {
            Ordering::Equal if theirs.def == mine.def => Verdict::Done,
            Ordering::Equal | Ordering::Less => Verdict::Again,
            Ordering::Greater => Verdict::Newer,
        },
        Some(theirs) if theirs.from == mine.from && !is_own_source(views, planned, &theirs, found) => Verdict::Claimed,
        _ => Verdict::Collision,
    }
}

/// Judges a refused delete.
pub fn judge_delete(planned: &PlannedDelete, found: Option<&Item>) -> Verdict {
    let mine = &planned.marker;
    match found.and_then(Marker::of_item) {
        Some(theirs) if theirs.same_owner(mine) && theirs.at < mine.at => Verdict::Again,
        Some(theirs) if theirs.same_owner(mine) => Verdict::Newer,
        _ => Verdict::Done,
    }
}

/// An item that the application wrote back with the marker it had read is the application's.
fn is_own_source(views: &Views, planned: &PlannedPut, theirs: &Marker, found: &Item) -> bool {
    planned.put.table == views.table().name
        && views
            .table()
            .key
            .key_of(found)
            .is_ok_and(|key| *key.attributes() == theirs.of)
}
