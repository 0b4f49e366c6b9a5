//! Incremental = from scratch: whatever the writers did and however the stream was cut and delivered, the derived data is
//! what deriving the items as they are now gives.

#![expect(clippy::expect_used, reason = "a test's own words fail the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use shadowkey_item::{AttributeValue, Item, Key, TableName, item_from_json, item_to_json};
use shadowkey_plan::{Condition, Delete, Put};
use shadowkey_store::{MemoryStore, Store};
use shadowkey_views::{MARKER, Marker, Views, load};
use shadowkey_worker::{Clock, Settings, Worker};

/// Views of every kind that meet in the same items: a chain of attribute views, one attribute of two sources, a shadow
/// that reads them, one that projects everything, and one for each tag.
const FILE: &str = r##"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
[source.open]
match = { kind = ["open"] }
[source.closed]
match = { kind = ["closed"] }
[source.item]
match = { PK = [{ prefix = "ITEM#" }] }
[attribute.label]
source = "open"
value = "{title | upper}"
[attribute.closed-label]
source = "closed"
value = "closed {title}"
attribute = "label"
[attribute.line]
source = "item"
value = "{label}!"
[shadow.by-rank]
source = "open"
key = { PK = "RANK#{rank | pad(2)}#{PK}" }
project = ["title"]
[shadow.by-line]
source = "item"
key = { PK = "LINE#{line}#{PK}" }
project = "all"
[shadow.by-tag]
source = "item"
for_each = { tag = "tags" }
key = { PK = "TAG#{tag}#{PK}" }
"##;

/// What the application does to one of its items.
#[derive(Debug, Clone)]
enum Act {
    /// Writes the item with these attributes; those that views own stay as they are.
    Write(BTreeMap<&'static str, Value>),
    Delete,
}

/// A step of a run.
#[derive(Debug, Clone)]
enum Step {
    Act(usize, Act),
    /// Delivers up to so many records, after attempts that each got further than the one before.
    Deliver(usize, BTreeSet<usize>),
}

fn attributes() -> impl Strategy<Value = BTreeMap<&'static str, Value>> {
    let kind = prop_oneof![Just("open"), Just("closed"), Just("other")];
    let title = prop::option::of(prop_oneof![Just("a"), Just("b"), Just("a!#%")]);
    // A rank of three digits does not fit, so that its view fails.
    let rank = prop::option::of(prop_oneof![Just("1"), Just("2"), Just("100")]);
    let tags = prop::collection::btree_set(prop_oneof![Just("x"), Just("y"), Just("z")], 0..3);
    // Now and then the application writes an attribute that a view owns.
    let label = prop::option::weighted(0.1, Just("own"));
    (kind, title, rank, tags, label).prop_map(|(kind, title, rank, tags, label)| {
        let text = |text| json!({ "S": text });
        let mut item = BTreeMap::from([("kind", text(kind))]);
        item.extend(title.map(|title| ("title", text(title))));
        item.extend(rank.map(|rank| ("rank", json!({ "N": rank }))));
        item.extend(label.map(|label| ("label", text(label))));
        if !tags.is_empty() {
            item.insert("tags", json!({ "SS": tags }));
        }
        item
    })
}

fn step() -> impl Strategy<Value = Step> {
    let act = prop_oneof![4 => attributes().prop_map(Act::Write), 1 => Just(Act::Delete)];
    prop_oneof![
        3 => (0..3usize, act).prop_map(|(item, act)| Step::Act(item, act)),
        1 => (1..6usize, prop::collection::btree_set(1..6usize, 0..3)).prop_map(|(records, attempts)| Step::Deliver(records, attempts)),
    ]
}

/// A table with its stream and the worker on it.
struct World {
    worker: Worker<MemoryStore>,
    log: Vec<Value>,
    delivered: usize,
}

impl World {
    fn new(writes: &str) -> Self {
        let file = FILE.replace("[table]", &format!("[table]\nwrites = \"{writes}\""));
        let views = load(&file).views.expect("views");
        let store = MemoryStore::new([(views.table().name.clone(), views.table().key.clone())]);
        Self {
            worker: Worker::new(views, store, Settings::default(), Clock::at(Duration::ZERO)),
            log: Vec::new(),
            delivered: 0,
        }
    }

    fn views(&self) -> &Views {
        self.worker.views()
    }

    fn table(&self) -> TableName {
        self.views().table().name.clone()
    }

    /// The source items by key.
    fn sources(&self) -> BTreeMap<Key, Item> {
        let items = self.worker.store().items(&self.table()).into_iter();
        let sources = items.filter(|item| !item.contains_key(MARKER));
        let schema = &self.views().table().key;
        sources.map(|item| (schema.key_of(&item).expect("key"), item)).collect()
    }

    fn record(&mut self, old: Option<&Item>, new: Option<&Item>) {
        let name = match (old, new) {
            (None, Some(_)) => "INSERT",
            (Some(_), None) => "REMOVE",
            _ => "MODIFY",
        };
        let key = old.or(new).and_then(|image| image.get("PK")).expect("key");
        self.log.push(json!({
            "eventName": name,
            "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000",
            "dynamodb": {
                "Keys": { "PK": key }, "OldImage": old.map(item_to_json), "NewImage": new.map(item_to_json),
                "SequenceNumber": (self.log.len() + 1).to_string(),
            },
        }));
    }

    async fn act(&mut self, item: usize, act: Act) {
        let key = item_from_json(&format!(r#"{{"PK":{{"S":"ITEM#{item}"}}}}"#)).expect("key");
        let key = self.views().table().key.key_of(&key).expect("key");
        let old = self.sources().remove(&key);
        let new = match act {
            Act::Delete => None,
            Act::Write(attributes) => {
                let kept = old.clone().unwrap_or_default().into_iter();
                let mut item: Item = kept.filter(|(name, _)| self.views().owns_attribute(name)).collect();
                item.extend(key.attributes().clone());
                let written = attributes.into_iter().map(|(name, value)| {
                    let value: AttributeValue = serde_json::from_value(value).expect("value");
                    (name.to_owned(), value)
                });
                item.extend(written);
                Some(item)
            }
        };
        if old == new {
            return;
        }
        let (table, condition) = (self.table(), Condition::ALWAYS);
        let store = self.worker.store();
        match new.clone() {
            Some(item) => store.put(&Put { table, item, condition }).await.map(drop),
            None => store.delete(&Delete { table, key, condition }).await.map(drop),
        }
        .expect("written");
        self.record(old.as_ref(), new.as_ref());
    }

    /// Delivers the next records, first some of them in attempts that are given up, and puts the worker's own writes to
    /// source items behind the others in the stream.
    async fn deliver(&mut self, records: usize, attempts: &BTreeSet<usize>) {
        let end = (self.delivered + records).min(self.log.len());
        for attempt in attempts.iter().filter(|attempt| **attempt < records) {
            self.handle((self.delivered + attempt).min(end)).await;
        }
        self.handle(end).await;
        self.delivered = end;
    }

    /// Hands over the records up to a place in the log.
    async fn handle(&mut self, end: usize) {
        let batch = self.log.get(self.delivered..end).expect("range");
        let event = json!({ "Records": batch }).to_string();
        let before = self.sources();
        let outcome = self.worker.handle(&event, None).await.expect("handled");
        for problem in outcome.items.iter().flat_map(|item| &item.problems) {
            assert_eq!(problem.code, "does-not-fit", "{}", problem.message);
        }
        for (key, new) in self.sources() {
            let old = before.get(&key);
            if old != Some(&new) {
                self.record(old, Some(&new));
            }
        }
    }

    /// Every shadow with its place, without versions.
    fn shadows(&self) -> BTreeMap<String, Item> {
        let items = self.worker.store().items(&self.table()).into_iter();
        let shadows = items.filter_map(|mut item| {
            let marker = Marker::of_item(&item)?;
            item.insert(MARKER.to_owned(), Marker { at: None, ..marker }.to_value());
            Some((item.get("PK")?.as_s()?.to_owned(), item))
        });
        shadows.collect()
    }

    /// The same from scratch: what the items as they are now derive.
    fn shadows_from_scratch(&self) -> BTreeMap<String, Item> {
        let derived = self
            .sources()
            .into_values()
            .flat_map(|item| self.views().derive(&item).shadows);
        let place = |item: &Item| item.get("PK").and_then(AttributeValue::as_s).expect("PK").to_owned();
        derived
            .map(|shadow| (place(shadow.item()), shadow.item().clone()))
            .collect()
    }

    fn assert_attributes(&self) {
        for item in self.sources().values() {
            for (name, value) in self.views().derive(item).attributes {
                assert_eq!(item.get(&name), value.as_ref(), "{name} of {item:?}");
            }
            let is_derived = |kind: &AttributeValue| *kind == "open".into() || *kind == "closed".into();
            if !item.get("kind").is_some_and(is_derived) {
                let label = item.get("label");
                assert!(
                    label.is_none_or(|label| *label == "own".into()),
                    "left over in {item:?}"
                );
            }
        }
    }
}

async fn run(writes: &str, steps: Vec<Step>) {
    let mut world = World::new(writes);
    for step in steps {
        match step {
            Step::Act(item, act) => world.act(item, act).await,
            Step::Deliver(records, attempts) => world.deliver(records, &attempts).await,
        }
    }
    let mut rounds = 0;
    while world.delivered < world.log.len() {
        world.deliver(3, &BTreeSet::new()).await;
        rounds += 1;
        assert!(rounds < 200, "the worker's own writes never end");
    }
    world.assert_attributes();
    assert_eq!(world.shadows(), world.shadows_from_scratch());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn incremental_equals_from_scratch(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("runtime");
        runtime.block_on(run("single", steps));
    }

    #[test]
    fn incremental_equals_from_scratch_in_transactions(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("runtime");
        runtime.block_on(run("transaction", steps));
    }
}
