//! Reading the records of a batch.

use serde::Deserialize;
use serde_json::value::RawValue;
use shadowkey_item::{Item, Key, KeySchema, SequenceNumber, Version, image_from_wire};

use crate::{BatchError, RecordError, RecordProblem};

/// View types that lack an image.
const PARTIAL_VIEW_TYPES: [&str; 3] = ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE"];

/// One record of a stream, as far as views need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What happened.
    pub event: EventName,
    /// The item's key.
    pub key: Key,
    /// The item before.
    pub old: Option<Item>,
    /// The item after.
    pub new: Option<Item>,
    /// The record's own sequence number.
    pub sequence_number: SequenceNumber,
    /// The stream's label and the sequence number.
    pub version: Version,
    /// The record's place in the batch, from 0.
    pub position: usize,
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

impl Record {
    /// Whether its images are not those of its event: an INSERT has a new one, a REMOVE an old one, a MODIFY both.
    pub fn is_incomplete(&self) -> bool {
        let expected = match self.event {
            EventName::Insert => (false, true),
            EventName::Modify => (true, true),
            EventName::Remove => (true, false),
        };
        (self.old.is_some(), self.new.is_some()) != expected
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
    keys: Option<serde_dynamo::Item>,
    new_image: Option<serde_dynamo::Item>,
    old_image: Option<serde_dynamo::Item>,
    sequence_number: Option<String>,
    stream_view_type: Option<serde_json::Value>,
}

/// What can be read of a record that cannot be read whole.
#[derive(Deserialize)]
struct WireSequenceNumber {
    dynamodb: WireSequenceNumberOnly,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct WireSequenceNumberOnly {
    sequence_number: String,
}

/// Reads a Lambda event record by record, by the key schema of the table it comes from.
///
/// Each record is read, or fails by itself; only an event that is no batch, or a stream that lacks images, fails whole.
/// Creation time, size and user identity are not looked at.
pub fn decode(event: &str, schema: &KeySchema) -> Result<Vec<Result<Record, RecordError>>, BatchError> {
    let batch: Batch<'_> = serde_json::from_str(event).map_err(BatchError::NotABatch)?;
    let records = batch.records.into_iter().enumerate();
    records
        .map(|(position, raw)| match record(raw.get(), position, schema) {
            Err(RecordProblem::ViewType { view_type }) => Err(BatchError::ViewType { view_type }),
            Err(problem) => Ok(Err(RecordError {
                position,
                sequence_number: sequence_number_only(raw.get()),
                problem,
            })),
            Ok(record) => Ok(Ok(record)),
        })
        .collect()
}

fn sequence_number_only(raw: &str) -> Option<SequenceNumber> {
    let wire: WireSequenceNumber = serde_json::from_str(raw).ok()?;
    SequenceNumber::parse(&wire.dynamodb.sequence_number).ok()
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
    let number = change.sequence_number.ok_or(RecordProblem::NoSequenceNumber)?;
    let sequence_number = SequenceNumber::parse(&number).map_err(RecordProblem::SequenceNumber)?;
    let label = match wire.arn.rsplit_once("/stream/") {
        Some((_, label)) if !label.is_empty() => label,
        _ => return Err(RecordProblem::NoStreamLabel { arn: wire.arn }),
    };
    let event = match wire.event_name.as_str() {
        "INSERT" => EventName::Insert,
        "MODIFY" => EventName::Modify,
        "REMOVE" => EventName::Remove,
        _ => return Err(RecordProblem::EventName { name: wire.event_name }),
    };
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
    Ok(Record {
        event,
        key,
        old,
        new,
        version: Version::new(label, &sequence_number),
        sequence_number,
        position,
    })
}

#[cfg(test)]
mod tests;
