//! Writing all at once: the writes for one item as transactions that hold the source item to the image they come from.
//!
//! Nothing of a transaction lands once its source item has moved on, however late the request arrives.

use std::collections::BTreeSet;

use shadowkey_item::{AttributePath, Item, Key, item_size};
use shadowkey_views::{MARKER, Views};

use crate::{Action, Check, Condition, Delete, Place, PlannedDelete, PlannedPut, Update};

/// How many actions a transaction has at most, its source item's included.
const MAX_ACTIONS: usize = 100;
/// How many bytes the items of a transaction have at most: the service's 4 MB, less what markers grow by.
const MAX_BYTES: usize = 4 * 1024 * 1024 - 64 * 1024;
/// How many attributes the source item is held to at most; a condition may have 300 operators.
const MAX_HELD: usize = 80;

/// Writes that take effect together or not at all, while the source item is as in its image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// The update of the source item's attributes, or the check that it is as in the image.
    pub source: Action,
    /// The shadows to put.
    pub puts: Vec<PlannedPut>,
    /// The shadows to delete, if they are there.
    pub deletes: Vec<PlannedDelete>,
    /// The check of the source item once its update is done.
    after: Action,
}

/// Puts writes into as few transactions as they fit in: the puts first, then the deletes, each transaction with the source.
pub fn transactions(
    views: &Views,
    key: &Key,
    image: Option<&Item>,
    update: Option<Update>,
    puts: Vec<PlannedPut>,
    deletes: Vec<PlannedDelete>,
) -> Vec<Transaction> {
    let updated = image.map(|image| updated(image, update.as_ref()));
    let held = |image: Option<&Item>| {
        Action::Check(Check {
            table: views.table().name.clone(),
            key: key.clone(),
            condition: held(views, key, image),
        })
    };
    let first = match update {
        Some(update) => {
            let condition = Condition::All(vec![self::held(views, key, image), update.condition]);
            Action::Update(Update { condition, ..update })
        }
        None => held(image),
    };
    let source_bytes = updated.as_ref().map_or(0, item_size);
    let mut packer = Packer::new(first, held(updated.as_ref()), source_bytes);
    // A put takes the place of what another view leaves there, and no item may be in a transaction twice.
    let taken: BTreeSet<Place> = puts.iter().map(PlannedPut::place).collect();
    for put in puts {
        packer.room_for(put.withdrawal.bytes).puts.push(put);
    }
    for planned in deletes.into_iter().filter(|planned| !taken.contains(&planned.place())) {
        packer.room_for(planned.bytes).deletes.push(planned.or_absent());
    }
    packer.full
}

impl Transaction {
    /// Its actions: the source item's, then the puts, then the deletes.
    pub fn actions(&self) -> Vec<Action> {
        let puts = self.puts.iter().map(|planned| Action::Put(planned.put.clone()));
        let deletes = self
            .deletes
            .iter()
            .map(|planned| Action::Delete(planned.delete.clone()));
        std::iter::once(self.source.clone())
            .chain(puts)
            .chain(deletes)
            .collect()
    }

    /// Whether it writes nothing.
    pub fn is_idle(&self) -> bool {
        self.puts.is_empty() && self.deletes.is_empty() && matches!(self.source, Action::Check(_))
    }

    /// The same writes, each in a transaction of its own, to find out which of them the service refuses.
    pub fn split(self) -> Vec<Self> {
        let after = self.after;
        let alone = |source: &Action| Self::new(source.clone(), after.clone());
        let mut parts = vec![alone(&self.source)];
        parts.extend(self.puts.into_iter().map(|put| Self {
            puts: vec![put],
            ..alone(&after)
        }));
        parts.extend(self.deletes.into_iter().map(|delete| Self {
            deletes: vec![delete],
            ..alone(&after)
        }));
        parts
    }

    /// Gives up the update of the source item, and holds the item to its image only.
    pub fn without_update(&mut self) {
        if let Action::Update(update) = &self.source {
            self.source = Action::Check(Check {
                table: update.table.clone(),
                key: update.key.clone(),
                condition: update.condition.clone(),
            });
        }
    }

    fn new(source: Action, after: Action) -> Self {
        Self {
            source,
            puts: Vec::new(),
            deletes: Vec::new(),
            after,
        }
    }
}

/// Fills transactions one after the other.
struct Packer {
    full: Vec<Transaction>,
    next: Action,
    source_bytes: usize,
    bytes: usize,
}

impl Packer {
    fn new(first: Action, next: Action, source_bytes: usize) -> Self {
        Self {
            full: vec![Transaction::new(first, next.clone())],
            next,
            source_bytes,
            bytes: source_bytes,
        }
    }

    /// The transaction that has room for one more action of this size.
    fn room_for(&mut self, bytes: usize) -> &mut Transaction {
        let actions = self
            .full
            .last()
            .map_or(0, |last| 1 + last.puts.len() + last.deletes.len());
        if actions >= MAX_ACTIONS || self.bytes + bytes > MAX_BYTES {
            self.bytes = self.source_bytes;
            self.full.push(Transaction::new(self.next.clone(), self.next.clone()));
        }
        self.bytes += bytes;
        self.full
            .last_mut()
            .unwrap_or_else(|| unreachable!("there is always one"))
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

/// An image as an update leaves it.
pub(crate) fn updated(image: &Item, update: Option<&Update>) -> Item {
    let mut item = image.clone();
    if let Some(update) = update {
        item.retain(|name, _| !update.remove.contains(name));
        item.extend(update.set.clone());
    }
    item
}

impl PlannedDelete {
    /// The same delete where a shadow that is gone already is no reason to cancel.
    #[must_use]
    pub fn or_absent(self) -> Self {
        let Delete { table, key, condition } = self.delete;
        let condition = Condition::Any(vec![Condition::nothing_at(&key), condition]);
        Self {
            delete: Delete { table, key, condition },
            ..self
        }
    }
}
