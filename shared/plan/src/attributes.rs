//! The attribute rule: compare what the item carries with what it derives, and write the difference in one update.
//!
//! Attributes are level-triggered. Whatever happened before, the image at hand says what is there and [`Views::derive`]
//! says what should be; only for an item that no longer matches a source does the chain have a say.

use std::collections::BTreeSet;

use shadowkey_item::{AttributePath, AttributeValue, Item, Key};
use shadowkey_views::{Derived, Views};

use crate::{Condition, Update};

/// What the worker is to change on a source item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Difference {
    pub(crate) set: Item,
    pub(crate) remove: BTreeSet<String>,
}

impl Difference {
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.remove.is_empty()
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.set.keys().chain(&self.remove)
    }
}

/// The update that gives an item the attributes it derives, or none where it carries them already.
///
/// `before` are the item's earlier images. The update holds only while the item exists and every input, every match
/// path and each attribute itself are as in `image`.
pub fn plan_attributes<'a>(
    views: &Views,
    key: &Key,
    image: &Item,
    before: impl IntoIterator<Item = &'a Item>,
) -> Option<Update> {
    if views.is_shadow(image) {
        return None;
    }
    let derived_before: Vec<_> = before
        .into_iter()
        .map(|earlier| (earlier, views.derive(earlier)))
        .collect();
    let earlier = derived_before.iter().map(|(earlier, derived)| (*earlier, derived));
    let difference = difference(views, image, &views.derive(image), earlier);
    update(views, key, image, difference)
}

/// Compares the attributes of an image with what it derives.
pub(crate) fn difference<'a>(
    views: &Views,
    image: &Item,
    derived: &Derived,
    before: impl Iterator<Item = (&'a Item, &'a Derived)> + Clone,
) -> Difference {
    let mut difference = Difference::default();
    for view in views.attribute_views() {
        let name = view.attribute();
        let carried = image.get(name);
        match derived.attributes.get(name) {
            Some(Some(value)) if carried != Some(value) => {
                difference.set.insert(name.to_owned(), value.clone());
            }
            Some(None) if carried.is_some() => {
                difference.remove.insert(name.to_owned());
            }
            None if carried.is_some_and(|value| was_derived(name, value, before.clone())) => {
                difference.remove.insert(name.to_owned());
            }
            _ => {}
        }
    }
    difference
}

/// Whether an attribute of an item that matches no source of it is left over from when it did: its value stood in, or
/// was derived from, an image that matched.
fn was_derived<'a>(
    name: &str,
    value: &AttributeValue,
    mut before: impl Iterator<Item = (&'a Item, &'a Derived)>,
) -> bool {
    before.any(|(image, derived)| match derived.attributes.get(name) {
        Some(derived) => derived.as_ref() == Some(value) || image.get(name) == Some(value),
        None => false,
    })
}

pub(crate) fn update(views: &Views, key: &Key, image: &Item, difference: Difference) -> Option<Update> {
    if difference.is_empty() {
        return None;
    }
    let mut paths: BTreeSet<AttributePath> = BTreeSet::new();
    for name in difference.names() {
        paths.insert(AttributePath::attribute(name));
        paths.extend(views.inputs_of_attribute(name).into_iter().cloned());
    }
    let exists = AttributePath::attribute(&views.table().key.partition.name);
    let as_seen = |path: AttributePath| {
        let value = path.lookup(image).cloned();
        Condition::is(path, value)
    };
    let condition = std::iter::once(Condition::Present(exists)).chain(paths.into_iter().map(as_seen));
    Some(Update {
        table: views.table().name.clone(),
        key: key.clone(),
        condition: Condition::All(condition.collect()),
        set: difference.set,
        remove: difference.remove,
    })
}
