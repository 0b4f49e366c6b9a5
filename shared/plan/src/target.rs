//! From one reading of a source item to the writes that make its derived data match, whatever happened before.
//!
//! This is the pure half of reconciling: it is level-triggered and knows no chain. What stood in the places concerned must
//! have been read before the source item, which makes the deletes safe.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use shadowkey_item::{Item, Key, Version, item_size};
use shadowkey_views::{Derived, Failure, MARKER, Marker, Shadow, Views};

use crate::attributes::{Earlier, Outlook};
use crate::plan::{marker_path, own};
use crate::standing::Standing;
use crate::{Condition, Delete, Place, PlannedDelete, PlannedPut, Put, Update};

/// What stood in each place, read before the source item.
pub type Seen = BTreeMap<Place, Option<Item>>;

/// What one reading of a source item derives.
#[derive(Debug)]
pub struct Target<'a> {
    views: &'a Views,
    key: &'a Key,
    image: Option<&'a Item>,
    derived: Derived,
    update: Option<Update>,
}

/// The writes that make derived data match a [`Target`].
#[derive(Debug, Default)]
pub struct Correction {
    /// The update of the source item's attributes.
    pub update: Option<Update>,
    /// The shadows to put.
    pub puts: Vec<PlannedPut>,
    /// Puts onto another shadow of this deployment, which may be taken over only if its source does not derive it.
    pub contested: Vec<Contested>,
    /// Puts that an item of the application's, or another deployment's shadow, stands in the way of.
    pub collisions: Vec<PlannedPut>,
    /// The shadows to delete.
    pub deletes: Vec<PlannedDelete>,
}

/// A put onto another shadow.
#[derive(Debug)]
pub struct Contested {
    /// The put, conditional on the other shadow as it was seen.
    pub put: PlannedPut,
    /// The other shadow's marker.
    pub occupant: Marker,
}

impl<'a> Target<'a> {
    /// Derives what a source item should have; `before` are earlier images of it, where any are known.
    pub fn new<'b>(
        views: &'a Views,
        key: &'a Key,
        image: Option<&'a Item>,
        before: impl IntoIterator<Item = &'b Item>,
    ) -> Self {
        let before: Vec<Earlier<'_>> = before.into_iter().map(|image| (image, views.derive(image))).collect();
        let outlook = Outlook::of(views, key, image, &before);
        Self {
            views,
            key,
            image,
            // What is written at once is of the item as it is then.
            derived: outlook.once_updated.unwrap_or(outlook.derived),
            update: outlook.update,
        }
    }

    /// The item as it was read.
    pub fn image(&self) -> Option<&'a Item> {
        self.image
    }

    /// The places of the shadows it derives.
    pub fn places(&self) -> BTreeSet<Place> {
        self.derived.shadows.iter().map(Place::from).collect()
    }

    /// The views that could not be derived.
    pub fn failures(&self) -> &[Failure] {
        &self.derived.failures
    }

    /// Whether it derives a view's shadow at a place.
    pub fn derives(&self, view: &str, place: &Place) -> bool {
        let is_there = |shadow: &Shadow| shadow.view == view && shadow.table == place.table && shadow.key == place.key;
        self.derived.shadows.iter().any(is_there)
    }

    /// The item as it is once its attributes are up to date.
    pub fn updated_image(&self) -> Option<Cow<'a, Item>> {
        let image = self.image?;
        Some(match &self.update {
            None => Cow::Borrowed(image),
            Some(update) => Cow::Owned(update.applied_to(image)),
        })
    }

    /// Compares with what was seen, which holds every place of [`Target::places`], and plans the difference. Each write is
    /// conditional on exactly what was seen; a put keeps the higher of the seen version and the given one.
    pub fn correct(&self, seen: &Seen, version: &Version) -> Correction {
        let mut correction = Correction {
            update: self.update.clone(),
            ..Correction::default()
        };
        for shadow in &self.derived.shadows {
            let found = seen.get(&Place::from(shadow)).and_then(Option::as_ref);
            match Standing::of(self.views, &shadow.table, found) {
                Standing::Foreign => correction.collisions.push(put(shadow, version, None)),
                Standing::Empty => correction.puts.push(put(shadow, version, None)),
                Standing::Shadow(there) if there.same_owner(&shadow.marker(version)) => {
                    let version = version.or_higher(there.at.as_deref());
                    if found.is_none_or(|item| !is_like(item, shadow)) {
                        correction.puts.push(put(shadow, &version, Some(&there)));
                    }
                }
                Standing::Shadow(occupant) => correction.contested.push(Contested {
                    put: put(shadow, version, Some(&occupant)),
                    occupant,
                }),
            }
        }
        let wanted = self.places();
        let unwanted = seen.iter().filter(|(place, _)| !wanted.contains(place));
        let left_over = unwanted.filter_map(|(place, found)| self.left_over(place, found.as_ref()));
        correction.deletes.extend(left_over);
        correction
    }

    /// The delete of what stands in a place that the item does not derive, if it is a shadow of the item's.
    fn left_over(&self, place: &Place, found: Option<&Item>) -> Option<PlannedDelete> {
        let Standing::Shadow(marker) = Standing::of(self.views, &place.table, found) else {
            return None;
        };
        let own = marker.of == *self.key.attributes();
        own.then(|| delete(place.clone(), marker, found.map_or(0, item_size)))
    }
}

impl Correction {
    /// Whether everything is as it should be already.
    pub fn is_empty(&self) -> bool {
        self.update.is_none() && self.puts.is_empty() && self.contested.is_empty() && self.deletes.is_empty()
    }
}

/// Whether an item is what the shadow would be, whichever version wrote it.
fn is_like(item: &Item, shadow: &Shadow) -> bool {
    let without_version = |item: &Item| {
        let marker = Marker::of_item(item).map(|marker| Marker { at: None, ..marker });
        let mut item = item.clone();
        item.extend(marker.map(|marker| (MARKER.to_owned(), marker.to_value())));
        item
    };
    without_version(item) == *shadow.item()
}

fn put(shadow: &Shadow, version: &Version, there: Option<&Marker>) -> PlannedPut {
    let place = Place::from(shadow);
    let condition = match there {
        Some(marker) => exactly(marker),
        None => Condition::nothing_at(&place.key),
    };
    let own = there.cloned().unwrap_or_else(|| shadow.marker(version));
    PlannedPut {
        view: shadow.view.clone(),
        put: Put {
            table: place.table.clone(),
            item: shadow.at(version),
            condition,
        },
        withdrawal: PlannedDelete {
            view: shadow.view.clone(),
            ..delete(place, own, item_size(shadow.item()))
        },
    }
}

fn delete(place: Place, marker: Marker, bytes: usize) -> PlannedDelete {
    PlannedDelete {
        view: marker.view.clone(),
        delete: Delete {
            table: place.table,
            key: place.key,
            condition: exactly(&marker),
        },
        marker,
        bytes,
    }
}

/// The shadow stands there with the same owner and version.
fn exactly(marker: &Marker) -> Condition {
    let mut parts = own(marker);
    let at = marker.at.as_deref().map(Into::into);
    parts.push(Condition::is(marker_path("at"), at));
    Condition::All(parts)
}
