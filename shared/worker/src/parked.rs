//! Parking: what cannot succeed is kept aside in the state table, one entry for a source item and view, with its reason.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use shadowkey_item::{AttributeValue, Item, Key, TableName, Version};
use shadowkey_plan::{Comparison, Condition, Delete, Place, Put};
use shadowkey_store::Store;
use shadowkey_views::Views;

use crate::state::{self, text};
use crate::turn::{Stop, Turn};
use crate::{Cause, Problem};

/// How much of a message is kept.
const MESSAGE_CHARS: usize = 2000;
/// How many places an entry names at most; the longest keys are 3 KB, and an item is 400 KB.
const ENTRY_PLACES: usize = 100;

/// An entry of the state table: a view of a source item, or the item as a whole, that cannot succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parked {
    /// The entry's key in the state table.
    pub id: String,
    /// The source item.
    pub of: Key,
    /// The view; `None` where it concerns the whole item.
    pub view: Option<String>,
    /// A short name for the reason, for machines.
    pub code: String,
    /// What went wrong, and what to do about it.
    pub message: String,
    /// The version of the change that was parked.
    pub at: String,
    /// When it was parked, as RFC 3339 has it.
    pub time: String,
    /// Where its shadows could not be written, or may be left over.
    pub places: BTreeSet<Place>,
}

impl Parked {
    /// The entry that an item of the state table is, if it is one of this deployment's.
    pub fn of_item(item: &Item, views: &Views) -> Option<Self> {
        let is_one = text(item, "kind") == Some("parked") && text(item, "from") == Some(&views.table().name.0);
        let of = item.get("of").filter(|_| is_one)?.as_m()?;
        let owned = |name: &str| text(item, name).map(str::to_owned);
        Some(Self {
            id: owned("id")?,
            of: views.table().key.key_of(of).ok()?,
            view: owned("view"),
            code: owned("code")?,
            message: owned("message").unwrap_or_default(),
            at: owned("at")?,
            time: owned("time").unwrap_or_default(),
            places: state::places_of(views, item.get("places")),
        })
    }

    /// Whether trying again cannot tell that it is settled, since what an image did not show may be left over.
    pub fn needs_repair(&self) -> bool {
        needs_repair(&self.code)
    }

    fn to_item(&self, from: &TableName) -> Item {
        let mut item = Item::from([
            ("id".to_owned(), self.id.as_str().into()),
            ("kind".to_owned(), "parked".into()),
            ("from".to_owned(), from.0.as_str().into()),
            ("of".to_owned(), AttributeValue::M(self.of.attributes().clone())),
            ("code".to_owned(), self.code.as_str().into()),
            ("message".to_owned(), self.message.as_str().into()),
            ("at".to_owned(), self.at.as_str().into()),
            ("time".to_owned(), self.time.as_str().into()),
        ]);
        let view = self.view.as_deref().map(|view| ("view".to_owned(), view.into()));
        item.extend(view);
        if !self.places.is_empty() {
            item.insert("places".to_owned(), state::places_value(&self.places));
        }
        item
    }
}

impl<S: Store> Turn<'_, S> {
    /// Parks what cannot succeed, and says whether it could: there may be no state table.
    pub(crate) async fn park(&mut self, of: &Key, version: &Version, problems: &[Problem]) -> Result<bool, Stop> {
        let Some(table) = self.worker.state_table() else {
            return Ok(false);
        };
        let from = self.worker.views.table().name.clone();
        for entry in self.entries(of, version, problems) {
            let at = |comparison| Condition::Compare(state::path("at"), comparison, version.as_str().into());
            let put = Put {
                table: table.clone(),
                condition: Condition::Any(vec![
                    Condition::Absent(state::path("id")),
                    at(Comparison::Less),
                    at(Comparison::Equal),
                ]),
                item: entry.to_item(&from),
            };
            let store = &self.worker.store;
            // A newer entry stays.
            self.write(|| store.put(&put)).await?;
            self.counters.parked += 1;
        }
        Ok(true)
    }

    /// Clears the entries of views that a change of this version has settled.
    pub(crate) async fn clear(&mut self, of: &Key, version: &Version, views: &BTreeSet<String>) -> Result<(), Stop> {
        for view in views {
            let id = self.id(of, &Subject::of_view(view), 0);
            let older = Condition::Compare(state::path("at"), Comparison::Less, version.as_str().into());
            self.clear_entry(&id, older).await?;
        }
        Ok(())
    }

    /// Clears an entry that trying again has settled, unless it was parked anew.
    pub(crate) async fn clear_settled(&mut self, entry: &Parked) -> Result<(), Stop> {
        let as_seen = Condition::is(state::path("at"), Some(entry.at.as_str().into()));
        self.clear_entry(&entry.id, as_seen).await
    }

    async fn clear_entry(&mut self, id: &str, condition: Condition) -> Result<(), Stop> {
        let Some(table) = self.worker.state_table() else {
            return Ok(());
        };
        let delete = Delete {
            table,
            key: state::key(id),
            condition,
        };
        let store = &self.worker.store;
        self.write(|| store.delete(&delete)).await.map(drop)
    }

    /// One entry for all problems of a view, or as many as hold their places: the first problem, and how many more there are.
    fn entries(&self, of: &Key, version: &Version, problems: &[Problem]) -> Vec<Parked> {
        let mut by_subject: BTreeMap<Subject<'_>, Vec<&Problem>> = BTreeMap::new();
        for problem in problems.iter().filter(|problem| problem.cause == Cause::Permanent) {
            by_subject.entry(Subject::of(problem)).or_default().push(problem);
        }
        let mut entries = Vec::new();
        for (subject, problems) in by_subject {
            let Some((first, more)) = problems.split_first() else {
                continue;
            };
            let mut message: String = first.message.chars().take(MESSAGE_CHARS).collect();
            if !more.is_empty() {
                message.push_str(&format!(" (and {} more of this view)", more.len()));
            }
            let entry = Parked {
                id: self.id(of, &subject, 0),
                of: of.clone(),
                view: subject.view.map(str::to_owned),
                code: first.code.to_owned(),
                message,
                at: version.as_str().to_owned(),
                time: self.worker.clock.now_text(),
                places: BTreeSet::new(),
            };
            let places: BTreeSet<&Place> = problems.iter().flat_map(|problem| &problem.places).collect();
            let places: Vec<&Place> = places.into_iter().collect();
            if places.is_empty() {
                entries.push(entry);
                continue;
            }
            entries.extend(places.chunks(ENTRY_PLACES).enumerate().map(|(number, places)| Parked {
                id: self.id(of, &subject, number),
                places: places.iter().copied().cloned().collect(),
                ..entry.clone()
            }));
        }
        entries
    }

    /// A key may be longer than a partition key, so that its digest stands for it.
    fn id(&self, of: &Key, subject: &Subject<'_>, number: usize) -> String {
        let from = &self.worker.views.table().name;
        let of = AttributeValue::M(of.attributes().clone());
        let named = serde_json::to_string(&(from, of, subject.view, subject.needs_repair, number))
            .unwrap_or_else(|error| unreachable!("names and values are always JSON: {error}"));
        let digest = Sha256::digest(named.as_bytes());
        let digest: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        format!("parked#{digest}")
    }
}

/// What an entry is about. What only a repair can settle stands beside what trying again can, and neither hides the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Subject<'a> {
    view: Option<&'a str>,
    needs_repair: bool,
}

impl<'a> Subject<'a> {
    fn of(problem: &'a Problem) -> Self {
        Self {
            view: problem.view.as_deref(),
            needs_repair: needs_repair(problem.code),
        }
    }

    fn of_view(view: &'a str) -> Self {
        Self {
            view: Some(view),
            needs_repair: false,
        }
    }
}

/// Whether a problem is that an image was not seen, so that nobody knows what is left over.
fn needs_repair(code: &str) -> bool {
    matches!(code, "image-missing" | "unreadable")
}
