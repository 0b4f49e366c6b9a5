//! In calm runs, at every answer: no request without need.

use std::collections::BTreeSet;
use std::rc::Rc;

use shadowkey_item::Item;
use shadowkey_views::{Derived, Shadow, Views};

use crate::Event;
use crate::call::Call;
use crate::profile::Mode;
use crate::sim::Sim;
use crate::stream::{Author, Record};

/// Checks what a batch sent against what its changes cost, where nothing disturbed them.
pub(crate) fn check(sim: &Sim, records: &[Rc<Record>], calls: &[(Call, bool)]) {
    if sim.profile.mode != Mode::Calm {
        return;
    }
    let images = records.iter().flat_map(|record| [&record.old, &record.new]);
    if images.into_iter().flatten().any(|image| is_odd(&sim.views, image)) {
        return;
    }
    if records.iter().all(|record| record.author == Author::Worker) {
        sim.cover(Event::Echo);
        if let Some((call, _)) = calls.first() {
            sim.violate(format!(
                "the worker's own records cause {}",
                crate::driver::describe(call)
            ));
        }
    } else if let [record] = records {
        check_change(sim, record, calls);
    }
}

/// The least that a change of a settled item costs: puts, deletes, updates.
fn check_change(sim: &Sim, record: &Record, calls: &[(Call, bool)]) {
    let [old, new] =
        [&record.old, &record.new].map(|image| image.as_ref().map(|image| sim.views.derive(image)).unwrap_or_default());
    if calls.iter().any(|(_, refused)| *refused) || !old.failures.is_empty() || !new.failures.is_empty() {
        return;
    }
    if [&old, &new].into_iter().any(has_shared_place) {
        return;
    }
    let puts = new
        .shadows
        .iter()
        .filter(|shadow| !old.shadows.contains(shadow))
        .count();
    // Where another view's put takes the place, nothing is left to delete.
    let has_place = |derived: &Derived, shadow: &Shadow| derived.shadows.iter().any(|other| same_place(other, shadow));
    let deletes = old.shadows.iter().filter(|shadow| !has_place(&new, shadow)).count();
    let carried = record.new.as_ref();
    let is_carried = |name: &String| carried.and_then(|item| item.get(name));
    let updates = usize::from(
        new.attributes
            .iter()
            .any(|(name, value)| is_carried(name) != value.as_ref()),
    );
    let count = |of: fn(&Call) -> bool| calls.iter().filter(|(call, _)| of(call)).count();
    let sent = [
        count(|call| matches!(call, Call::Put(_))),
        count(|call| matches!(call, Call::Delete(_))),
        count(|call| matches!(call, Call::Update(_))),
        count(|call| matches!(call, Call::Get(..) | Call::Scan(_))),
    ];
    if sent != [puts, deletes, updates, 0] {
        sim.violate(format!(
            "change {} cost {sent:?} puts, deletes, updates and reads instead of {:?}",
            record.number,
            [puts, deletes, updates, 0]
        ));
    }
}

/// Whether two views want one place, so that one of them is parked.
fn has_shared_place(derived: &Derived) -> bool {
    let places: BTreeSet<_> = derived
        .shadows
        .iter()
        .map(|shadow| (&shadow.table, &shadow.key))
        .collect();
    places.len() < derived.shadows.len()
}

fn same_place(a: &Shadow, b: &Shadow) -> bool {
    (&a.table, &a.key) == (&b.table, &b.key)
}

/// Whether more than the image itself decides: a marker, or an owned attribute that no matching view writes.
///
/// Such an attribute goes if earlier images tell that a view wrote it, and what one image alone derives is something else.
pub(super) fn is_odd(views: &Views, image: &Item) -> bool {
    let derived = views.derive(image);
    let owned = views.attribute_views().iter().map(|view| view.attribute());
    image.contains_key(shadowkey_views::MARKER)
        || owned
            .into_iter()
            .any(|name| image.contains_key(name) && !derived.attributes.contains_key(name))
}
