//! Reading the records of a batch.

use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use shadowkey_item::{Item, Key, KeySchema, SequenceNumber, Version, image_from_wire};
use shadowkey_plan::Flaw;

use crate::{BatchError, RecordError, RecordProblem};

/// View types that lack an image.
const PARTIAL_VIEW_TYPES: [&str; 3] = ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE"];

/// One record of a stream, as far as views need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The physical name of the table whose stream it is of, where it says so.
    pub table: Option<String>,
    /// What happened, where it can be read.
    pub event: Option<EventName>,
    /// The item's key.
    pub key: Key,
    /// The item before.
    pub old: Option<Item>,
    /// The item after.
    pub new: Option<Item>,
    /// The record's own sequence number, where it can be read.
    pub sequence_number: Option<SequenceNumber>,
    /// The stream's label and the sequence number, where both can be read.
    pub version: Option<Version>,
    /// The record's place in the batch, from 0.
    pub position: usize,
    /// About when it came to be, in milliseconds since the Unix epoch, where it says so.
    pub created_ms: Option<u64>,
    /// What it lacks, if anything.
    pub flaw: Option<Flaw>,
}

/// What happened to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventName {
    /// It was created.
    Insert,
    /// It was changed.
    Modify,
    /// It was deleted, by a request or by time to live.
    Remove,
}

impl EventName {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "INSERT" => Some(Self::Insert),
            "MODIFY" => Some(Self::Modify),
            "REMOVE" => Some(Self::Remove),
            _ => None,
        }
    }

    /// Whether there is an image before and one after.
    fn images(self) -> (bool, bool) {
        match self {
            Self::Insert => (false, true),
            Self::Modify => (true, true),
            Self::Remove => (true, false),
        }
    }
}

#[derive(Deserialize)]
struct Batch<'a> {
    #[serde(rename = "Records", borrow)]
    records: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct WireRecord {
    #[serde(rename = "eventName", default)]
    event_name: String,
    #[serde(rename = "eventSourceARN", default)]
    arn: String,
    dynamodb: WireChange,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct WireChange {
    #[serde(default, rename = "ApproximateCreationDateTime")]
    created: serde_json::Value,
    keys: Option<serde_dynamo::Item>,
    new_image: Option<serde_dynamo::Item>,
    old_image: Option<serde_dynamo::Item>,
    sequence_number: Option<String>,
    stream_view_type: Option<serde_json::Value>,
}

/// What can be read of a record that cannot be read whole.
#[derive(Deserialize)]
struct WireOutline {
    #[serde(rename = "eventSourceARN", default)]
    arn: serde_json::Value,
    dynamodb: WireOutlineOfChange,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct WireOutlineOfChange {
    #[serde(default)]
    keys: serde_json::Value,
    #[serde(default)]
    sequence_number: serde_json::Value,
}

/// Reads a Lambda event record by record, by the key schema of the table it comes from.
///
/// Each record is read, or fails by itself; only an event that is no batch, a stream that lacks images, or one of another
/// table than the given one (by its physical name, where it matters), fails whole. A record that has its keys is read as far as it goes, and says by its [`Flaw`] what it lacks. Size and user identity are
/// not looked at, and a creation time in no known unit is none.
pub fn decode(
    event: &str,
    schema: &KeySchema,
    table: Option<&str>,
) -> Result<Vec<Result<Record, RecordError>>, BatchError> {
    let batch: Batch<'_> = serde_json::from_str(event).map_err(BatchError::NotABatch)?;
    let records = batch.records.into_iter().enumerate();
    records
        .map(|(position, raw)| {
            let record = match record(raw.get(), position, schema) {
                Err(RecordProblem::ViewType { view_type }) => return Err(BatchError::ViewType { view_type }),
                Err(problem) => outline(raw.get(), position, schema, problem),
                Ok(record) => Ok(record),
            };
            let found = record.as_ref().ok().and_then(|record| record.table.clone());
            match (table, found) {
                (Some(expected), Some(found)) if found != expected => Err(BatchError::OtherTable {
                    expected: expected.to_owned(),
                    found,
                }),
                _ => Ok(record),
            }
        })
        .collect()
}

/// A record of which only the outline can be read, if it is enough to find the item.
fn outline(raw: &str, position: usize, schema: &KeySchema, problem: RecordProblem) -> Result<Record, RecordError> {
    let outline: Option<WireOutline> = serde_json::from_str(raw).ok();
    let number = outline
        .as_ref()
        .and_then(|outline| outline.dynamodb.sequence_number.as_str());
    let sequence_number = number.and_then(|number| SequenceNumber::parse(number).ok());
    let arn = outline
        .as_ref()
        .and_then(|outline| outline.arn.as_str())
        .map(str::to_owned);
    let arn = arn.as_deref();
    let version = version(arn.unwrap_or_default(), sequence_number.as_ref());
    let table = arn.and_then(table_of);
    let keys = outline.and_then(|outline| serde_json::from_value(outline.dynamodb.keys).ok());
    let keys = keys.and_then(|keys: serde_dynamo::Item| image_from_wire(keys).ok().flatten());
    match keys.and_then(|keys| schema.key_of(&keys).ok()) {
        Some(key) => Ok(Record {
            table,
            event: None,
            key,
            old: None,
            new: None,
            sequence_number,
            version,
            position,
            created_ms: None,
            flaw: Some(Flaw::Unreadable(problem.to_string())),
        }),
        None => Err(RecordError {
            position,
            sequence_number,
            problem,
        }),
    }
}

fn record(raw: &str, position: usize, schema: &KeySchema) -> Result<Record, RecordProblem> {
    let wire: WireRecord = serde_json::from_str(raw).map_err(RecordProblem::Json)?;
    let change = wire.dynamodb;
    // A view type that is not known is no reason to stop: the images say whether they are there.
    if let Some(view_type) = change.stream_view_type.as_ref().and_then(|name| name.as_str())
        && PARTIAL_VIEW_TYPES.contains(&view_type)
    {
        let view_type = view_type.to_owned();
        return Err(RecordProblem::ViewType { view_type });
    }
    let sequence_number = change
        .sequence_number
        .and_then(|number| SequenceNumber::parse(&number).ok());
    let version = version(&wire.arn, sequence_number.as_ref());
    let event = EventName::parse(&wire.event_name);
    let image =
        |image: Option<serde_dynamo::Item>| image.map_or(Ok(None), image_from_wire).map_err(RecordProblem::Number);
    let keys = image(change.keys)?;
    let (old, new) = (image(change.old_image)?, image(change.new_image)?);
    let any = keys.or_else(|| new.clone()).or_else(|| old.clone()).unwrap_or_default();
    let key = schema.key_of(&any).map_err(RecordProblem::Key)?;
    for image in old.iter().chain(&new) {
        if schema.key_of(image).map_err(RecordProblem::Key)? != key {
            return Err(RecordProblem::ForeignImage);
        }
    }
    let flaw = match event {
        None => {
            let problem = RecordProblem::EventName { name: wire.event_name };
            Some(Flaw::Unreadable(problem.to_string()))
        }
        Some(event) if event.images() != (old.is_some(), new.is_some()) => Some(Flaw::ImageMissing),
        Some(_) => version.is_none().then_some(Flaw::NoVersion),
    };
    Ok(Record {
        table: table_of(&wire.arn),
        event,
        key,
        old,
        new,
        sequence_number,
        version,
        position,
        created_ms: created_ms(&change.created),
        flaw,
    })
}

/// A creation time in milliseconds. Lambda sends seconds, whole or with a fraction; a stream that is set to a finer precision
/// sends microseconds, and emulators milliseconds.
fn created_ms(created: &serde_json::Value) -> Option<u64> {
    let created = created
        .as_f64()
        .filter(|created| created.is_finite() && *created > 0.0)?;
    let read_as_seconds = Duration::try_from_secs_f64(created).ok()?;
    match created {
        seconds if seconds < 1e11 => u64::try_from(read_as_seconds.as_millis()).ok(),
        ms if ms < 1e14 => Some(read_as_seconds.as_secs()),
        _ => Some(read_as_seconds.as_secs() / 1000),
    }
}

/// The table that a stream's ARN names (`..:table/NAME/stream/LABEL`).
fn table_of(arn: &str) -> Option<String> {
    let (_, rest) = arn.split_once(":table/")?;
    let (name, _) = rest.split_once("/stream/")?;
    Some(name.to_owned())
}

/// The version of a record: the label of the stream that the ARN names (`..:table/NAME/stream/LABEL`), and its number.
fn version(arn: &str, sequence_number: Option<&SequenceNumber>) -> Option<Version> {
    let (_, label) = arn.rsplit_once("/stream/").filter(|(_, label)| !label.is_empty())?;
    Some(Version::new(label, sequence_number?))
}

#[cfg(test)]
mod tests;
