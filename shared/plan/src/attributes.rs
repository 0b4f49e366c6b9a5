//! The attribute rule: compare what the item carries with what it derives, and write the difference in one update.
//!
//! Attributes are level-triggered. Whatever happened before, the image at hand says what is there and [`Views::derive`]
//! says what should be; only for an item that no longer matches a source does the chain have a say.

use std::borrow::Cow;
use std::collections::BTreeSet;

use shadowkey_item::{AttributePath, AttributeValue, Item, Key};
use shadowkey_views::{Derived, MARKER, Views};

use crate::{Condition, Update};

/// An earlier image of the item and what it derives.
pub(crate) type Earlier<'a> = (&'a Item, Derived);

/// An image without the attributes that are left over in it, and what it then derives.
struct Settled<'a> {
    image: Cow<'a, Item>,
    derived: Cow<'a, Derived>,
}

/// What an item should have by one image of it.
#[derive(Debug, Default)]
pub(crate) struct Outlook {
    /// What the image derives as it is.
    pub(crate) derived: Derived,
    /// The update of its attributes.
    pub(crate) update: Option<Update>,
    /// What the item derives once its attributes are up to date, where writes are made at once and it then derives other
    /// shadows.
    pub(crate) once_updated: Option<Derived>,
}

impl Outlook {
    pub(crate) fn of(views: &Views, key: &Key, image: Option<&Item>, before: &[Earlier<'_>]) -> Self {
        let Some(image) = image else { return Self::default() };
        let derived = views.derive(image);
        let update = update(views, key, image, &derived, before, None);
        let once_updated = update
            .as_ref()
            .filter(|_| views.is_transactional())
            .map(|update| views.derive(&update.applied_to(image)))
            .filter(|updated| updated.shadows != derived.shadows);
        Self {
            derived,
            update,
            once_updated,
        }
    }
}

/// The update that gives an item the attributes it derives, or `only` some of them; none where it carries them already.
///
/// `before` are the item's earlier images. The update holds only while the item exists and every input, every match
/// path and each attribute itself are as in `image`.
pub fn plan_attributes<'a>(
    views: &Views,
    key: &Key,
    image: &Item,
    before: impl IntoIterator<Item = &'a Item>,
    only: Option<&[String]>,
) -> Option<Update> {
    let before: Vec<Earlier<'_>> = before
        .into_iter()
        .map(|earlier| (earlier, views.derive(earlier)))
        .collect();
    update(views, key, image, &views.derive(image), &before, only)
}

/// Takes attributes out of an image that views wrote while the item matched their sources, and that nothing derives now.
///
/// derive() knows one image and takes such an attribute for the application's own; what reads it must not see it. One
/// that goes can make another a leftover, so this goes on until none is found.
fn settle<'a>(views: &Views, image: &'a Item, derived: &'a Derived, before: &[Earlier<'_>]) -> Settled<'a> {
    let mut image = Cow::Borrowed(image);
    let mut derived = Cow::Borrowed(derived);
    loop {
        let is_left_over = |name: &str| {
            let carried = image.get(name);
            let unclaimed = !derived.attributes.contains_key(name) && !views.is_shadow(&image);
            unclaimed && carried.is_some_and(|value| was_derived(name, value, before))
        };
        let names = views.attribute_views().iter().map(|view| view.attribute());
        let left_over: Vec<&str> = names.filter(|name| is_left_over(name)).collect();
        if left_over.is_empty() {
            return Settled { image, derived };
        }
        for name in left_over {
            image.to_mut().remove(name);
        }
        derived = Cow::Owned(views.derive(&image));
    }
}

/// Whether a value stood in, or was derived from, an earlier image that matched a source of the attribute.
fn was_derived(name: &str, value: &AttributeValue, before: &[Earlier<'_>]) -> bool {
    before
        .iter()
        .any(|(image, derived)| match derived.attributes.get(name) {
            Some(derived) => derived.as_ref() == Some(value) || image.get(name) == Some(value),
            None => false,
        })
}

/// Compares the attributes that an image carries with those it has once it is settled and derived; `derived` is what the
/// image derives as it is.
fn update(
    views: &Views,
    key: &Key,
    image: &Item,
    derived: &Derived,
    before: &[Earlier<'_>],
    only: Option<&[String]>,
) -> Option<Update> {
    let settled = settle(views, image, derived, before);
    let mut set = Item::new();
    let mut remove = BTreeSet::new();
    let mut paths: BTreeSet<AttributePath> = BTreeSet::new();
    let names = views.attribute_views().iter().map(|view| view.attribute());
    for name in names.filter(|name| only.is_none_or(|only| only.iter().any(|only| only == name))) {
        let wanted = match settled.derived.attributes.get(name) {
            Some(derived) => derived.as_ref(),
            None => settled.image.get(name),
        };
        if wanted == image.get(name) {
            continue;
        }
        match wanted {
            Some(value) => drop(set.insert(name.to_owned(), value.clone())),
            None => drop(remove.insert(name.to_owned())),
        }
        paths.insert(AttributePath::attribute(name));
        paths.extend(views.inputs_of_attribute(name).into_iter().cloned());
    }
    if set.is_empty() && remove.is_empty() {
        return None;
    }
    // Another source's shadow may stand here by now, with the same inputs projected into it.
    paths.insert(AttributePath::attribute(MARKER));
    let exists = Condition::Present(AttributePath::attribute(&views.table().key.partition.name));
    let as_seen = |path: AttributePath| {
        let value = path.lookup(image).cloned();
        Condition::is(path, value)
    };
    let conditions = std::iter::once(exists).chain(paths.into_iter().map(as_seen));
    Some(Update {
        table: views.table().name.clone(),
        key: key.clone(),
        condition: Condition::All(conditions.collect()),
        set,
        remove,
    })
}
