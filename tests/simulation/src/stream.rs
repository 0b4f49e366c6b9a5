//! The base table's stream: records in shards, which split now and then.

use std::ops::Range;
use std::rc::Rc;

use serde_json::json;
use shadowkey_item::{AttributeValue, Item, Key, SequenceNumber, Version, item_to_json};

/// The label of the one stream.
const LABEL: &str = "2026-01-05T10:00:00.000";
const MOST_SHARDS: usize = 7;

/// Who wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    Application,
    Worker,
}

/// One record of the stream.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) number: String,
    pub(crate) key: Key,
    pub(crate) old: Option<Item>,
    pub(crate) new: Option<Item>,
    pub(crate) author: Author,
    json: String,
}

/// A part of the stream: the records of the partition keys whose hash lies in a range.
#[derive(Debug)]
pub(crate) struct Shard {
    range: Range<u64>,
    pub(crate) children: Vec<usize>,
    pub(crate) records: Vec<Rc<Record>>,
}

impl Shard {
    fn open(range: Range<u64>) -> Self {
        Self {
            range,
            children: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Whether no record will be added; its children get them.
    pub(crate) fn is_closed(&self) -> bool {
        !self.children.is_empty()
    }
}

#[derive(Debug)]
pub(crate) struct Stream {
    partition: String,
    next: u128,
    pub(crate) shards: Vec<Shard>,
}

impl Stream {
    /// A stream with so many shards, whose numbers soon have one digit more than the first.
    pub(crate) fn new(partition: &str, shards: u64, rng: &mut fastrand::Rng) -> Self {
        let width = u64::MAX / shards;
        let range = |index| {
            let end = if index + 1 == shards {
                u64::MAX
            } else {
                width * (index + 1)
            };
            width * index..end
        };
        Self {
            partition: partition.to_owned(),
            next: 10u128.pow(rng.u32(3..=38)) - rng.u128(1..=60),
            shards: (0..shards).map(|index| Shard::open(range(index))).collect(),
        }
    }

    /// Appends the record of a write; gives its version.
    pub(crate) fn append(
        &mut self,
        key: &Key,
        (old, new): (Option<&Item>, Option<&Item>),
        author: Author,
        rng: &mut fastrand::Rng,
    ) -> Version {
        let number = self.next.to_string();
        self.next += rng.u128(1..=4);
        let version = Version::new(LABEL, &SequenceNumber::parse(&number).expect("decimal digits"));
        let record = Record {
            json: record_json(&number, key, old, new),
            number,
            key: key.clone(),
            old: old.cloned(),
            new: new.cloned(),
            author,
        };
        let shard = self.shard_of(key);
        if let Some(shard) = self.shards.get_mut(shard) {
            shard.records.push(Rc::new(record));
        }
        version
    }

    /// Closes a shard; its two children take over.
    pub(crate) fn split(&mut self, rng: &mut fastrand::Rng) -> bool {
        let open: Vec<usize> = (0..self.shards.len()).filter(|shard| self.is_open(*shard)).collect();
        let at = rng.choice(open).expect("some shard is always open");
        let first_child = self.shards.len();
        match self.shards.get_mut(at) {
            Some(parent) if first_child < MOST_SHARDS && parent.range.end - parent.range.start > 1 => {
                let Range { start, end } = parent.range;
                let middle = start + (end - start) / 2;
                parent.children = vec![first_child, first_child + 1];
                self.shards.push(Shard::open(start..middle));
                self.shards.push(Shard::open(middle..end));
                true
            }
            _ => false,
        }
    }

    fn is_open(&self, shard: usize) -> bool {
        self.shards.get(shard).is_some_and(|shard| !shard.is_closed())
    }

    fn shard_of(&self, key: &Key) -> usize {
        let text = match key.attributes().get(&self.partition) {
            Some(AttributeValue::S(text)) => text.as_str(),
            _ => "",
        };
        // FNV-1a and a mix, so that keys that differ in their last digit are far apart.
        let hash = text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .min(u64::MAX - 1);
        let holds = |shard: &Shard| !shard.is_closed() && shard.range.contains(&hash);
        self.shards
            .iter()
            .position(holds)
            .expect("the open shards cover every hash")
    }
}

/// The event that Lambda invokes the function with.
pub(crate) fn event(records: &[Rc<Record>]) -> String {
    let records: Vec<&str> = records.iter().map(|record| record.json.as_str()).collect();
    format!(r#"{{"Records":[{}]}}"#, records.join(","))
}

fn record_json(number: &str, key: &Key, old: Option<&Item>, new: Option<&Item>) -> String {
    let mut change = json!({
        "ApproximateCreationDateTime": 1_767_600_000, "Keys": item_to_json(key.attributes()), "SequenceNumber": number,
        "SizeBytes": 100, "StreamViewType": "NEW_AND_OLD_IMAGES",
    });
    for (name, image) in [("OldImage", old), ("NewImage", new)] {
        if let (Some(image), Some(change)) = (image, change.as_object_mut()) {
            change.insert(name.to_owned(), item_to_json(image));
        }
    }
    let name = match (old, new) {
        (None, _) => "INSERT",
        (_, None) => "REMOVE",
        _ => "MODIFY",
    };
    json!({
        "eventID": number, "eventName": name, "eventVersion": "1.1", "eventSource": "aws:dynamodb",
        "awsRegion": "eu-central-1", "dynamodb": change,
        "eventSourceARN": format!("arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/{LABEL}"),
    })
    .to_string()
}
