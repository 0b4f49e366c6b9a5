//! From a change to the writes it needs.

use std::collections::{BTreeMap, BTreeSet};

use shadowkey_item::{AttributePath, AttributeValue, Key, TableName, Version, item_size};
use shadowkey_views::{Derived, Failure, MARKER, Marker, Shadow, Views};

use crate::attributes::{Earlier, Outlook};
use crate::{Change, Comparison, Condition, Delete, Place, Put, Update};

/// The writes of one change. Puts come before deletes, so that a reader may see an item twice but never misses it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The update of the source item's attributes.
    pub update: Option<Update>,
    /// The shadows to put.
    pub puts: Vec<PlannedPut>,
    /// The shadows to delete.
    pub deletes: Vec<PlannedDelete>,
    /// The views that could not be derived from the new image, unless every image of the chain failed alike.
    pub failures: Vec<Failure>,
    /// The views that an earlier image of the chain could not derive and the new one can.
    pub recovered: BTreeSet<String>,
}

/// A shadow to put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedPut {
    /// The view it belongs to.
    pub view: String,
    /// The write.
    pub put: Put,
    /// What takes the shadow's older self away, should the put be refused for good.
    pub withdrawal: PlannedDelete,
}

/// A shadow to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedDelete {
    /// The view it belongs to.
    pub view: String,
    /// The write.
    pub delete: Delete,
    /// The marker of the shadow that is to go, with the change's version.
    pub marker: Marker,
    /// About how large the shadow is.
    pub bytes: usize,
}

impl PlannedPut {
    /// Where it puts.
    pub fn place(&self) -> Place {
        self.withdrawal.place()
    }
}

impl PlannedDelete {
    /// Where it deletes.
    pub fn place(&self) -> Place {
        Place {
            table: self.delete.table.clone(),
            key: self.delete.key.clone(),
        }
    }
}

impl Plan {
    /// Whether the change needs no request.
    pub fn is_empty(&self) -> bool {
        self.update.is_none() && self.puts.is_empty() && self.deletes.is_empty()
    }
}

/// Plans the writes that make the derived data of a changed item true.
///
/// A shadow is left alone only when every image of the chain derives it identically: an earlier attempt may have applied
/// any prefix of the chain, so that A, B, A is not "nothing changed".
pub fn plan(views: &Views, change: &Change) -> Plan {
    let Some((new, earlier)) = change.chain.split_last() else {
        return Plan::default();
    };
    let mut before: Vec<Earlier<'_>> = earlier
        .iter()
        .flatten()
        .map(|image| (image, views.derive(image)))
        .collect();
    let outlook = Outlook::of(views, &change.key, new.as_ref(), &before);
    // What the shadows are is of the new image alone, so that what an earlier change has put is known from its image.
    let mut desired = outlook.derived;
    // What is written at once is of the item as it is then, and the new image is one of those before.
    if let (Some(image), Some(updated)) = (new, outlook.once_updated) {
        before.push((image, std::mem::replace(&mut desired, updated)));
    }
    // An absent image derives nothing, and no shadow of it is like the desired one.
    let absent = earlier.iter().any(Option::is_none);
    let chain: Vec<BTreeMap<Identity<'_>, &Shadow>> = before.iter().map(|(_, derived)| by_identity(derived)).collect();
    let wanted = by_identity(&desired);
    let unlike = views_failing_unlike(&before, &desired, absent);
    let mut deletes = Vec::new();
    let mut gone = BTreeSet::new();
    for (identity, shadow) in chain.iter().flatten() {
        if !wanted.contains_key(identity) && gone.insert(*identity) {
            deletes.push(planned_delete(shadow, &change.version));
        }
    }
    let is_left_alone = |shadow: &Shadow| {
        // What else of a view is parked beside its failure is known only by trying it again.
        let may_be = !absent && !chain.is_empty() && !unlike.contains(shadow.view.as_str());
        may_be
            && chain
                .iter()
                .all(|derived| derived.get(&identity(shadow)) == Some(&shadow))
    };
    let mut leaving: BTreeMap<(&TableName, &Key), Vec<Condition>> = BTreeMap::new();
    for Delete { table, key, condition } in deletes.iter().map(|planned| &planned.delete) {
        leaving.entry((table, key)).or_default().push(condition.clone());
    }
    let changed = desired.shadows.iter().filter(|shadow| !is_left_alone(shadow));
    let puts: Vec<PlannedPut> = changed
        .map(|shadow| {
            let leaves_the_place = leaving.remove(&(&shadow.table, &shadow.key)).unwrap_or_default();
            planned_put(shadow, &change.version, leaves_the_place)
        })
        .collect();
    // A put takes the place of what another view leaves there.
    let taken: BTreeSet<Place> = puts.iter().map(PlannedPut::place).collect();
    deletes.retain(|planned| !taken.contains(&planned.place()));
    let (failing, recovered) = unlike
        .into_iter()
        .partition(|view| desired.failed_views().any(|failed| failed == view));
    let failing: BTreeSet<String> = failing;
    Plan {
        update: outlook.update,
        puts,
        deletes,
        recovered,
        failures: desired
            .failures
            .into_iter()
            .filter(|failure| failing.contains(&failure.view))
            .collect(),
    }
}

/// The views whose failure is not the same in every image: what fails as it did before is parked already.
fn views_failing_unlike(before: &[Earlier<'_>], desired: &Derived, absent: bool) -> BTreeSet<String> {
    let earlier = || before.iter().map(|(_, derived)| derived);
    let is_alike = |failure: &&Failure| {
        !absent
            && !before.is_empty()
            && earlier()
                .chain([desired])
                .all(|derived| derived.failures.contains(failure))
    };
    let failures = earlier().chain([desired]).flat_map(|derived| &derived.failures);
    failures
        .filter(|failure| !is_alike(failure))
        .map(|failure| failure.view.clone())
        .collect()
}

/// What identifies a shadow: its view, its table and its key.
type Identity<'a> = (&'a str, &'a TableName, &'a Key);

fn identity(shadow: &Shadow) -> Identity<'_> {
    (&shadow.view, &shadow.table, &shadow.key)
}

fn by_identity(derived: &Derived) -> BTreeMap<Identity<'_>, &Shadow> {
    derived
        .shadows
        .iter()
        .map(|shadow| (identity(shadow), shadow))
        .collect()
}

/// A put lands on an empty place, on its own older self, or on a shadow that the same change takes away.
fn planned_put(shadow: &Shadow, version: &Version, leaves_the_place: Vec<Condition>) -> PlannedPut {
    let withdrawal = planned_delete(shadow, version);
    let at = version.as_str();
    let newer_definition = Condition::All(vec![
        Condition::Compare(marker_path("at"), Comparison::Equal, at.into()),
        Condition::Compare(
            marker_path("def"),
            Comparison::NotEqual,
            withdrawal.marker.def.as_str().into(),
        ),
    ]);
    let mut older_self = own(&withdrawal.marker);
    older_self.push(Condition::Any(vec![lower_than(version), newer_definition]));
    let mut accepted = vec![Condition::nothing_at(&shadow.key), Condition::All(older_self)];
    let mut withdrawal = withdrawal;
    if !leaves_the_place.is_empty() {
        let own = std::mem::replace(&mut withdrawal.delete.condition, Condition::ALWAYS);
        let any = leaves_the_place.iter().cloned().chain([own]);
        withdrawal.delete.condition = Condition::Any(any.collect());
        accepted.extend(leaves_the_place);
    }
    PlannedPut {
        view: shadow.view.clone(),
        put: Put {
            table: shadow.table.clone(),
            item: shadow.at(version),
            condition: Condition::Any(accepted),
        },
        withdrawal,
    }
}

fn planned_delete(shadow: &Shadow, version: &Version) -> PlannedDelete {
    let marker = shadow.marker(version);
    let mut condition = own(&marker);
    condition.push(lower_than(version));
    PlannedDelete {
        view: shadow.view.clone(),
        delete: Delete {
            table: shadow.table.clone(),
            key: shadow.key.clone(),
            condition: Condition::All(condition),
        },
        marker,
        bytes: item_size(shadow.item()),
    }
}

/// What stands there is the same view's shadow of the same source item.
pub(crate) fn own(marker: &Marker) -> Vec<Condition> {
    let equal = |name, value| Condition::Compare(marker_path(name), Comparison::Equal, value);
    vec![
        equal("from", marker.from.0.as_str().into()),
        equal("view", marker.view.as_str().into()),
        equal("of", AttributeValue::M(marker.of.clone())),
    ]
}

fn lower_than(version: &Version) -> Condition {
    Condition::Compare(marker_path("at"), Comparison::Less, version.as_str().into())
}

pub(crate) fn marker_path(name: &str) -> AttributePath {
    AttributePath::attribute(MARKER).child(name)
}

#[cfg(test)]
mod tests;
