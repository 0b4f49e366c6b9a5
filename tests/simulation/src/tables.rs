//! The tables, the base table's stream and the history of every source item.

use std::collections::BTreeMap;

use futures::FutureExt;
use shadowkey_item::{Item, Key, KeySchema, TableName};
use shadowkey_plan::Action;
use shadowkey_store::{MemoryStore, Store, StoreError, Transacted, Written};
use shadowkey_views::Views;

use crate::call::{Answer, Call};
use crate::stream::{Author, Stream};
use crate::transaction::{answer_of, call_of};

/// What a call met and what it changed.
#[derive(Debug)]
pub(crate) struct Effect {
    pub(crate) key: Option<Key>,
    pub(crate) before: Option<Item>,
    pub(crate) after: Option<Item>,
    pub(crate) answer: Result<Answer, StoreError>,
}

impl Effect {
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.answer, Ok(Answer::Written(Written::Refused { .. })))
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.answer, Ok(Answer::Written(Written::Done { .. })))
    }
}

/// The tables of a run.
pub(crate) struct Tables {
    memory: MemoryStore,
    schemas: BTreeMap<TableName, KeySchema>,
    base: TableName,
    pub(crate) stream: Stream,
    /// Every image of every base item with the step since which it has stood.
    pub(crate) images: BTreeMap<Key, Vec<(u64, Option<Item>)>>,
    /// By version, the key and the image that the change left.
    pub(crate) versions: BTreeMap<String, (Key, Option<Item>)>,
}

impl Tables {
    pub(crate) fn new(views: &Views, stream: Stream) -> Self {
        let tables = views.tables().into_iter();
        let schemas: BTreeMap<_, _> = tables.map(|table| (table.name, table.key)).collect();
        Self {
            memory: MemoryStore::new(schemas.clone()),
            schemas,
            base: views.table().name.clone(),
            stream,
            images: BTreeMap::new(),
            versions: BTreeMap::new(),
        }
    }

    pub(crate) fn get(&self, table: &TableName, key: &Key) -> Option<Item> {
        let read = self.memory.get(table, key).now_or_never();
        read.and_then(Result::ok).flatten()
    }

    /// Every item of a table.
    pub(crate) fn items(&self, table: &TableName) -> Vec<Item> {
        self.memory.items(table)
    }

    pub(crate) fn key_of(&self, table: &TableName, item: &Item) -> Option<Key> {
        self.schemas.get(table)?.key_of(item).ok()
    }

    /// Executes a call at a step, and puts what it changed in the base table into the stream.
    pub(crate) fn execute(&mut self, call: &Call, author: Author, step: u64, rng: &mut fastrand::Rng) -> Effect {
        let key = match call {
            Call::Get(_, key) => Some(key.clone()),
            Call::Put(put) => self.key_of(&put.table, &put.item),
            Call::Update(update) => Some(update.key.clone()),
            Call::Delete(delete) => Some(delete.key.clone()),
            Call::Scan(_) | Call::Transact(_) => None,
        };
        let found = |tables: &Self| key.as_ref().and_then(|key| tables.get(call.table(), key));
        let before = found(self);
        let answer = self.answer(call);
        let after = if call.is_write() { found(self) } else { before.clone() };
        if let Some(key) = key.as_ref().filter(|_| *call.table() == self.base) {
            self.record(key, (&before, &after), author, step, rng);
        }
        Effect {
            key,
            before,
            after,
            answer,
        }
    }

    /// Executes a transaction at a step, and gives what each of its actions met and changed.
    pub(crate) fn execute_all(
        &mut self,
        actions: &[Action],
        author: Author,
        step: u64,
        rng: &mut fastrand::Rng,
    ) -> (Result<Transacted, StoreError>, Vec<Effect>) {
        let key = |action: &Action| match call_of(action) {
            Some(Call::Put(put)) => self.key_of(&put.table, &put.item),
            Some(Call::Update(update)) => Some(update.key),
            Some(Call::Delete(delete)) => Some(delete.key),
            _ => None,
        };
        let keys: Vec<Option<Key>> = actions.iter().map(key).collect();
        let all = |tables: &Self| -> Vec<Option<Item>> {
            let places = actions.iter().zip(&keys);
            let read = |(action, key): (&Action, &Option<Key>)| tables.get(action.table(), key.as_ref()?);
            places.map(read).collect()
        };
        let before = all(self);
        let answer = self.memory.transact(actions).now_or_never();
        let answer = answer.expect("the memory store answers at once");
        let after = all(self);
        let mut effects = Vec::new();
        for (index, ((key, before), after)) in keys.into_iter().zip(before).zip(after).enumerate() {
            let is_base = actions.get(index).is_some_and(|action| *action.table() == self.base);
            if let Some(key) = key.as_ref().filter(|_| is_base) {
                self.record(key, (&before, &after), author, step, rng);
            }
            effects.push(Effect {
                key,
                before,
                after,
                answer: Ok(Answer::Written(answer_of(&answer, index))),
            });
        }
        (answer, effects)
    }

    /// Puts a change of the base table into its stream, where it is one.
    fn record(
        &mut self,
        key: &Key,
        (before, after): (&Option<Item>, &Option<Item>),
        author: Author,
        step: u64,
        rng: &mut fastrand::Rng,
    ) {
        if before == after {
            return;
        }
        let version = self.stream.append(key, (before.as_ref(), after.as_ref()), author, rng);
        self.images.entry(key.clone()).or_default().push((step, after.clone()));
        self.versions
            .insert(version.as_str().to_owned(), (key.clone(), after.clone()));
    }

    fn answer(&self, call: &Call) -> Result<Answer, StoreError> {
        let memory = &self.memory;
        let answered = match call {
            Call::Get(table, key) => memory.get(table, key).now_or_never().map(|read| read.map(Answer::Item)),
            Call::Put(put) => memory.put(put).now_or_never().map(|done| done.map(Answer::Written)),
            Call::Update(update) => memory
                .update(update)
                .now_or_never()
                .map(|done| done.map(Answer::Written)),
            Call::Delete(delete) => memory
                .delete(delete)
                .now_or_never()
                .map(|done| done.map(Answer::Written)),
            Call::Transact(actions) => memory
                .transact(actions)
                .now_or_never()
                .map(|done| done.map(Answer::Transacted)),
            Call::Scan(table) => memory
                .scan(table, None)
                .now_or_never()
                .map(|page| page.map(Answer::Page)),
        };
        answered.expect("the memory store answers at once")
    }
}
