//! Writing all at once: the writes for one item as transactions that hold the source item to the image they come from.
//!
//! Nothing of a transaction lands once its source item has moved on, however late the request arrives.

use std::collections::{BTreeSet, VecDeque};

use shadowkey_item::{AttributePath, Item, Key, item_size};
use shadowkey_views::{MARKER, Views};

use crate::{Action, Check, Condition, Delete, Place, PlannedDelete, PlannedPut, Update};

/// How many actions a transaction has at most, its source item's included.
const MAX_ACTIONS: usize = 100;
/// How many bytes the items of a transaction have at most: the service's 4 MB, less what markers grow by.
const MAX_BYTES: usize = 4 * 1024 * 1024 - 64 * 1024;
/// How many attributes the source item is held to at most; a condition may have 300 operators and 4 KB of text.
const MAX_HELD: usize = 100;

/// The writes for one item, as transactions of which each is sent once the one before it has taken effect.
#[derive(Debug)]
pub struct Transactions<'a> {
    views: &'a Views,
    key: &'a Key,
    /// The source item as it is between the transactions.
    image: Option<Item>,
    parts: VecDeque<Part>,
}

/// What one transaction writes.
#[derive(Debug, Default)]
struct Part {
    update: Option<Update>,
    shadows: Vec<ShadowWrite>,
}

/// The write of one shadow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShadowWrite {
    /// It is put.
    Put(PlannedPut),
    /// It is deleted, if it is there.
    Delete(PlannedDelete),
}

impl<'a> Transactions<'a> {
    /// Puts writes into as few transactions as they fit in: the puts first, then the deletes. A transaction has no item
    /// twice, so that a second write at a place comes in a later one.
    pub fn new(
        views: &'a Views,
        key: &'a Key,
        image: Option<&Item>,
        update: Option<Update>,
        puts: Vec<PlannedPut>,
        deletes: Vec<PlannedDelete>,
    ) -> Self {
        let source_bytes = match (&update, image) {
            (Some(update), Some(image)) => item_size(&update.applied_to(image)),
            (None, Some(image)) => item_size(image),
            (_, None) => 0,
        };
        let puts = puts.into_iter().map(ShadowWrite::Put);
        let deletes = deletes
            .into_iter()
            .map(|planned| ShadowWrite::Delete(planned.or_absent()));
        let mut part = Part {
            update,
            ..Part::default()
        };
        let mut parts = VecDeque::new();
        let (mut bytes, mut places) = (source_bytes, BTreeSet::new());
        for write in puts.chain(deletes) {
            let has_room = 1 + part.shadows.len() < MAX_ACTIONS && bytes + write.bytes() <= MAX_BYTES;
            if !has_room || places.contains(&write.place()) {
                parts.push_back(std::mem::take(&mut part));
                (bytes, places) = (source_bytes, BTreeSet::new());
            }
            bytes += write.bytes();
            places.insert(write.place());
            part.shadows.push(write);
        }
        parts.push_back(part);
        Self {
            views,
            key,
            image: image.cloned(),
            parts,
        }
    }

    /// The actions of the next transaction: the source item's, then those of [`Transactions::shadows`]. None once
    /// everything is written.
    pub fn actions(&mut self) -> Option<Vec<Action>> {
        while self.parts.front()?.is_idle() {
            self.parts.pop_front();
        }
        let part = self.parts.front()?;
        let condition = held(self.views, self.key, self.image.as_ref());
        let source = match part.update.clone() {
            Some(update) => Action::Update(Update { condition, ..update }),
            None => Action::Check(Check {
                table: self.views.table().name.clone(),
                key: self.key.clone(),
                condition,
            }),
        };
        let shadows = part.shadows.iter().map(ShadowWrite::action);
        Some(std::iter::once(source).chain(shadows).collect())
    }

    /// The source item as it is before the next transaction.
    pub fn image(&self) -> Option<&Item> {
        self.image.as_ref()
    }

    /// The shadows that the next transaction writes.
    pub fn shadows(&self) -> &[ShadowWrite] {
        self.parts.front().map_or(&[], |part| &part.shadows)
    }

    /// Notes that the next transaction has taken effect.
    pub fn done(&mut self) {
        let update = self.parts.pop_front().and_then(|part| part.update);
        if let (Some(update), Some(image)) = (update, &mut self.image) {
            *image = update.applied_to(image);
        }
    }

    /// Puts each write of the next transaction into one of its own, to find out which of them the service rejects. Says
    /// whether there was more than one.
    pub fn isolate(&mut self) -> bool {
        let Some(part) = self.parts.pop_front() else {
            return false;
        };
        let updates = part.update.iter().flat_map(Update::one_by_one).map(Part::of_update);
        let shadows = part.shadows.into_iter().map(|write| Part {
            shadows: vec![write],
            ..Part::default()
        });
        let alone: Vec<Part> = updates.chain(shadows).collect();
        let several = alone.len() > 1;
        for part in alone.into_iter().rev() {
            self.parts.push_front(part);
        }
        several
    }

    /// Gives up what the next transaction does to the source item, which the service rejects: its update, or where it only
    /// checks the item, everything. An update of several attributes is first tried one by one; false says that it is.
    pub fn reject_source(&mut self) -> bool {
        let Some(part) = self.parts.front_mut() else {
            return true;
        };
        let Some(update) = part.update.take() else {
            part.shadows.clear();
            return true;
        };
        let alone: Vec<Update> = update.one_by_one().collect();
        let given_up = alone.len() < 2;
        for update in alone.into_iter().rev().filter(|_| !given_up) {
            self.parts.push_front(Part::of_update(update));
        }
        given_up
    }

    /// Takes a write out of the next transaction.
    pub fn drop_shadow(&mut self, write: &ShadowWrite) {
        if let Some(part) = self.parts.front_mut() {
            part.shadows.retain(|kept| kept != write);
        }
    }

    /// Gives up a write of the next transaction which the service rejects. An index that lies is worse than one that misses:
    /// where it is a put, the shadow's older self goes.
    pub fn reject_shadow(&mut self, write: &ShadowWrite) {
        self.drop_shadow(write);
        if let (Some(part), ShadowWrite::Put(planned)) = (self.parts.front_mut(), write) {
            let withdrawal = planned.withdrawal.clone().or_absent();
            part.shadows.push(ShadowWrite::Delete(withdrawal));
        }
    }
}

impl Part {
    fn of_update(update: Update) -> Self {
        Self {
            update: Some(update),
            shadows: Vec::new(),
        }
    }

    fn is_idle(&self) -> bool {
        self.update.is_none() && self.shadows.is_empty()
    }
}

impl ShadowWrite {
    /// The shadow that it concerns.
    pub fn shadow(&self) -> &PlannedDelete {
        match self {
            Self::Put(planned) => &planned.withdrawal,
            Self::Delete(planned) => planned,
        }
    }

    fn action(&self) -> Action {
        match self {
            Self::Put(planned) => Action::Put(planned.put.clone()),
            Self::Delete(planned) => Action::Delete(planned.delete.clone()),
        }
    }

    fn place(&self) -> Place {
        self.shadow().place()
    }

    fn bytes(&self) -> usize {
        self.shadow().bytes
    }
}

impl Update {
    /// The same for each attribute by itself.
    fn one_by_one(&self) -> impl Iterator<Item = Self> {
        self.names().map(|name| Self {
            set: self
                .set
                .get(name)
                .map(|value| (name.to_owned(), value.clone()))
                .into_iter()
                .collect(),
            remove: self.remove.get(name).cloned().into_iter().collect(),
            table: self.table.clone(),
            key: self.key.clone(),
            condition: self.condition.clone(),
        })
    }
}

/// Everything that the derived data depends on is as in the image; where there is no image, there is no item.
fn held(views: &Views, key: &Key, image: Option<&Item>) -> Condition {
    let Some(image) = image else {
        return Condition::nothing_at(key);
    };
    let mut names = views.attributes_read(image);
    names.truncate(MAX_HELD);
    let exists = Condition::Present(AttributePath::attribute(&views.table().key.partition.name));
    let marker = std::iter::once(MARKER.to_owned());
    let as_seen = names.into_iter().chain(marker).map(|name| {
        let value = image.get(&name).cloned();
        Condition::is(AttributePath::attribute(name), value)
    });
    Condition::All(std::iter::once(exists).chain(as_seen).collect())
}

impl PlannedDelete {
    /// The same delete where a shadow that is gone already is no reason to cancel.
    fn or_absent(self) -> Self {
        let Delete { table, key, condition } = self.delete;
        let condition = Condition::Any(vec![Condition::nothing_at(&key), condition]);
        Self {
            delete: Delete { table, key, condition },
            ..self
        }
    }
}
