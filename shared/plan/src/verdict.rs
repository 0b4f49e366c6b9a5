//! What a refused write means, read from what stands in its place.

use std::cmp::Ordering;

use shadowkey_item::Item;
use shadowkey_views::Views;

use crate::standing::Standing;
use crate::{PlannedDelete, PlannedPut};

/// What to make of a refused put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutVerdict {
    /// The shadow stands there already, as this change wants it.
    Done,
    /// What was found would not have refused it, so it changed in between: send it again.
    Again,
    /// Only reconciling tells what is true: the shadow is newer, or another shadow of this deployment has the place.
    Doubt,
    /// An item of the application's, or another deployment's shadow, has the place.
    Collision,
}

/// What to make of a refused delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteVerdict {
    /// Nothing stands there.
    Absent,
    /// Someone else's item stands there.
    Displaced,
    /// What was found would not have refused it, so it changed in between: send it again.
    Again,
    /// Only reconciling tells what is true: the shadow is as new as this change or newer, or does not say how new it is.
    Doubt,
}

/// Judges a refused put.
pub fn judge_put(views: &Views, planned: &PlannedPut, found: Option<&Item>) -> PutVerdict {
    if planned.put.condition.holds(found) {
        return PutVerdict::Again;
    }
    let mine = &planned.withdrawal.marker;
    match Standing::of(views, &planned.put.table, found) {
        Standing::Empty => PutVerdict::Again,
        Standing::Foreign => PutVerdict::Collision,
        Standing::Shadow(theirs) if theirs.same_owner(mine) => match theirs.at.cmp(&mine.at) {
            Ordering::Equal if theirs.def == mine.def => PutVerdict::Done,
            _ => PutVerdict::Doubt,
        },
        Standing::Shadow(_) => PutVerdict::Doubt,
    }
}

/// Judges a refused delete.
pub fn judge_delete(views: &Views, planned: &PlannedDelete, found: Option<&Item>) -> DeleteVerdict {
    if planned.delete.condition.holds(found) {
        return DeleteVerdict::Again;
    }
    match Standing::of(views, &planned.delete.table, found) {
        Standing::Empty => DeleteVerdict::Absent,
        Standing::Shadow(theirs) if theirs.same_owner(&planned.marker) => DeleteVerdict::Doubt,
        _ => DeleteVerdict::Displaced,
    }
}
