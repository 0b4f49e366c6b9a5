//! Runs beside the stream, and the notes they leave of what they are about to put.
//!
//! A crash between a put and the second reading of the source is harmless on the stream, where the change is delivered
//! again, but not beside it. So a run notes in the state table which keys it is about to put. Another run takes the open
//! notes of its items as candidates, and does the work of notes whose lease is over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shadowkey_item::{AttributeValue, Item, Key, TableName, item_size};
use shadowkey_plan::{Condition, Delete, Place, Put};
use shadowkey_store::Store;
use shadowkey_views::Views;

use crate::state::{self, text};
use crate::turn::{Stop, Turn};

/// How long a run may write without being taken for crashed: the longest that a Lambda function runs.
const LEASE: Duration = Duration::from_mins(15);
/// How long before its lease is over a run stops writing, for requests under way and clocks that differ.
const LEASE_MARGIN: Duration = Duration::from_mins(1);
/// How large a note may grow, well below the largest item.
const NOTE_BYTES: usize = 300 * 1024;

/// By source item, places where shadows are about to be put.
pub(crate) type Places = BTreeMap<Key, BTreeSet<Place>>;

/// A run beside the stream: a redrive, a backfill, a repair.
#[derive(Debug)]
pub(crate) struct Run {
    id: String,
    until_ms: u64,
    notes: AtomicU64,
    noted: Mutex<Places>,
}

/// A note as it stands in the state table.
#[derive(Debug, Clone)]
pub(crate) struct Note {
    id: String,
    /// When its lease is over, in milliseconds since the Unix epoch.
    pub(crate) until_ms: u64,
    pub(crate) places: Places,
}

impl Run {
    /// A run whose lease begins now.
    pub(crate) fn new(id: &str, now_ms: u64) -> Self {
        Self {
            id: id.to_owned(),
            until_ms: now_ms.saturating_add(ms(LEASE)),
            notes: AtomicU64::new(0),
            noted: Mutex::default(),
        }
    }

    fn noted(&self) -> MutexGuard<'_, Places> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_id(&self, number: u64) -> String {
        format!("note#{}#{number}", self.id)
    }
}

impl<S: Store> Turn<'_, S> {
    /// Makes sure that a note names these places of a source item, where a run beside the stream is about to put there.
    pub(crate) async fn note(&mut self, key: &Key, places: BTreeSet<Place>) -> Result<(), Stop> {
        let Some(run) = self.run else { return Ok(()) };
        let noted = run.noted().get(key).is_some_and(|noted| places.is_subset(noted));
        if noted {
            return Ok(());
        }
        self.note_all(Places::from([(key.clone(), places)])).await
    }

    /// Notes places of many source items, in as few notes as they fit in.
    pub(crate) async fn note_all(&mut self, places: Places) -> Result<(), Stop> {
        let (Some(run), Some(state)) = (self.run, self.worker.state_table()) else {
            return Ok(());
        };
        let from = self.worker.views.table().name.clone();
        for part in parts(places) {
            let number = run.notes.fetch_add(1, Ordering::Relaxed);
            let item = Note {
                id: run.note_id(number),
                until_ms: run.until_ms,
                places: part.clone(),
            }
            .to_item(&from);
            let put = Put {
                table: state.clone(),
                item,
                condition: Condition::ALWAYS,
            };
            let store = &self.worker.store;
            self.write(|| store.put(&put)).await?;
            let mut noted = run.noted();
            for (key, places) in part {
                noted.entry(key).or_default().extend(places);
            }
        }
        Ok(())
    }

    /// Fails where another run may take over this one's notes.
    pub(crate) fn check_lease(&self) -> Result<(), Stop> {
        let now_ms = self.worker.clock.now_ms();
        let is_over = |run: &Run| now_ms.saturating_add(ms(LEASE_MARGIN)) >= run.until_ms;
        match self.run.is_some_and(is_over) {
            true => Err(Stop::LeaseOver),
            false => Ok(()),
        }
    }

    /// Drops the run's own notes, once every item in them has been read again.
    pub(crate) async fn drop_own_notes(&mut self) -> Result<(), Stop> {
        let Some(run) = self.run else { return Ok(()) };
        for number in 0..run.notes.load(Ordering::Relaxed) {
            self.drop_note(&run.note_id(number), run.until_ms).await?;
        }
        Ok(())
    }

    /// Drops a note of a crashed run, once its work is done.
    pub(crate) async fn drop_note_of_other(&mut self, note: &Note) -> Result<(), Stop> {
        self.drop_note(&note.id, note.until_ms).await
    }

    async fn drop_note(&mut self, id: &str, until_ms: u64) -> Result<(), Stop> {
        let Some(table) = self.worker.state_table() else {
            return Ok(());
        };
        let delete = Delete {
            table,
            key: state::key(id),
            condition: Condition::is(state::path("until"), Some(until_ms.into())),
        };
        let store = &self.worker.store;
        self.write(|| store.delete(&delete)).await.map(drop)
    }
}

impl Note {
    /// The note that an item of the state table is, if it is one of this deployment's.
    pub(crate) fn of_item(item: &Item, views: &Views) -> Option<Self> {
        let is_one = text(item, "kind") == Some("note") && text(item, "from") == Some(&views.table().name.0);
        let AttributeValue::L(entries) = item.get("items").filter(|_| is_one)? else {
            return None;
        };
        let mut places = Places::new();
        for entry in entries.iter().filter_map(AttributeValue::as_m) {
            let Some((key, noted)) = entry_of(entry, views) else {
                continue;
            };
            places.entry(key).or_default().extend(noted);
        }
        Some(Self {
            id: text(item, "id")?.to_owned(),
            until_ms: item.get("until")?.as_n()?.as_str().parse().ok()?,
            places,
        })
    }

    fn to_item(&self, from: &TableName) -> Item {
        let entries = self.places.iter().map(|(key, places)| to_entry(key, places));
        Item::from([
            ("id".to_owned(), self.id.as_str().into()),
            ("kind".to_owned(), "note".into()),
            ("from".to_owned(), from.0.as_str().into()),
            ("until".to_owned(), self.until_ms.into()),
            ("items".to_owned(), AttributeValue::L(entries.collect())),
        ])
    }
}

fn to_entry(key: &Key, places: &BTreeSet<Place>) -> AttributeValue {
    AttributeValue::M(Item::from([
        ("of".to_owned(), AttributeValue::M(key.attributes().clone())),
        ("places".to_owned(), state::places_value(places)),
    ]))
}

fn entry_of(entry: &Item, views: &Views) -> Option<(Key, BTreeSet<Place>)> {
    let key = views.table().key.key_of(entry.get("of")?.as_m()?).ok()?;
    Some((key, state::places_of(views, entry.get("places"))))
}

/// Cuts places into parts of which each fits into one note.
fn parts(places: Places) -> Vec<Places> {
    let mut parts: Vec<(usize, Places)> = Vec::new();
    let single = places
        .into_iter()
        .flat_map(|(key, places)| places.into_iter().map(move |place| (key.clone(), place)));
    for (key, place) in single {
        let entry = Item::from([("".to_owned(), to_entry(&key, &BTreeSet::from([place.clone()])))]);
        let bytes = item_size(&entry);
        match parts.last_mut().filter(|(size, _)| size + bytes <= NOTE_BYTES) {
            Some((size, part)) => {
                *size += bytes;
                part.entry(key).or_default().insert(place);
            }
            None => parts.push((bytes, Places::from([(key, BTreeSet::from([place]))]))),
        }
    }
    parts.into_iter().map(|(_, part)| part).collect()
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
