//! Which branch of the worker a call shows.

use std::cmp::Ordering;

use shadowkey_item::Item;
use shadowkey_plan::Put;
use shadowkey_views::{Marker, Views};

use crate::call::Call;
use crate::tables::Effect;
use crate::{Coverage, Event};

/// Counts the branch that a call of the worker's shows.
pub(crate) fn count_branch(coverage: &mut Coverage, views: &Views, call: &Call, effect: &Effect) -> Event {
    let is_state = views.state_table().is_some_and(|state| state.name == *call.table());
    let event = match call {
        Call::Get(..) | Call::Scan(_) if is_state => Event::StateRead,
        _ if is_state && effect.is_refused() => Event::StateRefused,
        _ if is_state => Event::StateWritten,
        Call::Get(table, _) if *table == views.table().name && !is_marked(effect.before.as_ref()) => Event::ReadSource,
        Call::Get(..) | Call::Scan(_) | Call::Transact(_) => Event::ReadShadow,
        Call::Put(put) => put_branch(views, put, effect),
        Call::Update(_) if !effect.is_refused() => Event::UpdateDone,
        Call::Update(_) if effect.before.is_none() => Event::UpdateRefusedGone,
        Call::Update(_) => Event::UpdateRefusedChanged,
        Call::Delete(_) if !effect.is_refused() => Event::DeleteDone,
        Call::Delete(_) if effect.before.is_none() => Event::DeleteRefusedAbsent,
        Call::Delete(delete) => {
            let wanted = super::writes::owner(&delete.condition);
            let found = effect.before.as_ref().and_then(Marker::of_item);
            match (wanted, found) {
                (Some((view, of)), Some(found))
                    if found.from == views.table().name && found.view == view && found.of == of =>
                {
                    Event::DeleteRefusedNewer
                }
                _ => Event::DeleteRefusedOther,
            }
        }
    };
    coverage.add(event, 1);
    event
}

fn is_marked(item: Option<&Item>) -> bool {
    item.is_some_and(|item| Marker::of_item(item).is_some())
}

fn put_branch(views: &Views, put: &Put, effect: &Effect) -> Event {
    let Some(found) = &effect.before else {
        return Event::PutCreates;
    };
    let (Some(mine), Some(theirs)) = (Marker::of_item(&put.item), Marker::of_item(found)) else {
        return Event::PutRefusedApplication;
    };
    let refused = effect.is_refused();
    if theirs.from != views.table().name {
        Event::PutRefusedForeign
    } else if theirs.same_owner(&mine) {
        match theirs.at.cmp(&mine.at) {
            _ if !refused => Event::PutReplaces,
            Ordering::Less => Event::PutRefusedLower,
            Ordering::Equal => Event::PutRefusedSame,
            Ordering::Greater => Event::PutRefusedHigher,
        }
    } else if refused {
        Event::PutRefusedClaimed
    } else if theirs.of == mine.of {
        Event::PutFollows
    } else {
        Event::PutTakesOver
    }
}
