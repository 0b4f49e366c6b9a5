//! From a change to the writes it needs.

use shadowkey_item::{AttributePath, Item, Version};
use shadowkey_views::{Derived, Failure, MARKER, Marker, Shadow, Views};

use crate::attributes::{difference, update};
use crate::{Change, Comparison, Condition, Delete, Put, Update};

/// The writes of one change. Puts come before deletes, so that a reader may see an item twice but never misses it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The update of the source item's attributes.
    pub update: Option<Update>,
    /// The shadows to put.
    pub puts: Vec<PlannedPut>,
    /// The shadows to delete.
    pub deletes: Vec<PlannedDelete>,
    /// The views that could not be derived from the new image.
    pub failures: Vec<Failure>,
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
    let mut chain: Vec<(Option<&Item>, Derived)> = change
        .chain
        .iter()
        .map(|image| {
            (
                image.as_ref(),
                image.as_ref().map(|image| views.derive(image)).unwrap_or_default(),
            )
        })
        .collect();
    let Some((image, mut desired)) = chain.pop() else {
        return Plan::default();
    };
    let mut plan = Plan::default();
    if let Some(image) = image.filter(|image| !views.is_shadow(image)) {
        let before = chain.iter().filter_map(|(image, derived)| Some(((*image)?, derived)));
        let difference = difference(views, image, &desired, before);
        if difference
            .remove
            .iter()
            .any(|name| !desired.attributes.contains_key(name))
        {
            // An attribute goes that derive() took for the application's own: shadows are not to see it either.
            let without = image.iter().filter(|(name, _)| !difference.remove.contains(*name));
            desired = views.derive(&without.map(|(name, value)| (name.clone(), value.clone())).collect());
        }
        plan.update = update(views, &change.key, image, difference);
    }
    for shadow in &desired.shadows {
        if !chain.iter().all(|(_, derived)| derived.shadows.contains(shadow)) {
            plan.puts.push(planned_put(shadow, &change.version));
        }
    }
    for (position, (_, derived)) in chain.iter().enumerate() {
        for shadow in &derived.shadows {
            let wanted = desired.shadows.iter().any(|other| same_place(other, shadow));
            let mut earlier = chain.iter().take(position).flat_map(|(_, derived)| &derived.shadows);
            if !wanted && !earlier.any(|other| same_place(other, shadow)) {
                plan.deletes.push(planned_delete(shadow, &change.version));
            }
        }
    }
    plan.failures = desired.failures;
    plan
}

fn same_place(a: &Shadow, b: &Shadow) -> bool {
    a.key == b.key && a.view == b.view && a.table == b.table
}

fn planned_put(shadow: &Shadow, version: &Version) -> PlannedPut {
    let withdrawal = planned_delete(shadow, version);
    let path = AttributePath::attribute;
    let place = shadow.key.attributes().keys().next().cloned().unwrap_or_default();
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
    PlannedPut {
        view: shadow.view.clone(),
        put: Put {
            table: shadow.table.clone(),
            item: shadow.at(version),
            condition: Condition::Any(vec![Condition::Absent(path(place)), Condition::All(older_self)]),
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
    }
}

/// What stands there is the same view's shadow of the same source item.
fn own(marker: &Marker) -> Vec<Condition> {
    let equal = |name, value| Condition::Compare(marker_path(name), Comparison::Equal, value);
    vec![
        equal("from", marker.from.0.as_str().into()),
        equal("view", marker.view.as_str().into()),
        equal("of", shadowkey_item::AttributeValue::M(marker.of.clone())),
    ]
}

fn lower_than(version: &Version) -> Condition {
    Condition::Compare(marker_path("at"), Comparison::Less, version.as_str().into())
}

fn marker_path(name: &str) -> AttributePath {
    AttributePath::attribute(MARKER).child(name)
}

#[cfg(test)]
mod tests;
