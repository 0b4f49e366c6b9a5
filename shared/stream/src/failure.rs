//! What Lambda leaves of a batch that it gave up: the records themselves, or where they stand in the stream.
//!
//! An S3 failure destination gets an invocation record with the whole event as text in `payload`; SQS and SNS get the same
//! without it, of which `DDBStreamBatchInfo` says where the records are. Source: "Retain discarded records for a DynamoDB
//! event source in Lambda" in the Lambda developer guide.

use std::ops::RangeInclusive;

use serde_json::Value;
use shadowkey_item::SequenceNumber;

/// What a document tells of a batch that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenUp {
    /// The event with its records, as [`decode()`](crate::decode()) takes it.
    Event(String),
    /// Where the records stand, for as long as the stream has them.
    Range(StreamRange),
}

/// A run of records in a shard of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamRange {
    /// The stream's ARN.
    pub stream_arn: String,
    /// The shard's identifier.
    pub shard: String,
    /// The sequence numbers of the first record and the last.
    pub numbers: RangeInclusive<SequenceNumber>,
}

/// Why a document tells of no batch that was given up.
#[derive(Debug, thiserror::Error)]
pub enum FailureError {
    /// It is not JSON.
    #[error("it is not JSON; {EXPECTED}")]
    NotJson(#[source] serde_json::Error),
    /// It is JSON of another shape.
    #[error("it has neither `Records` nor `DDBStreamBatchInfo`; {EXPECTED}")]
    OtherShape,
    /// Its records, or the batch it tells of, are not of a DynamoDB stream.
    #[error("it is of `{source_name}` and not of a DynamoDB stream; {EXPECTED}")]
    OtherSource {
        /// What it is of.
        source_name: String,
    },
    /// Its payload is no event.
    #[error("its `payload` is not an event with `Records`; {EXPECTED}")]
    Payload,
    /// The place in the stream lacks something.
    #[error("its `DDBStreamBatchInfo` lacks a usable `{field}`, so the records cannot be found in the stream")]
    Range {
        /// The field.
        field: &'static str,
    },
}

const EXPECTED: &str = "expected the object that Lambda's failure destination in S3 writes for a DynamoDB stream, an event with \
                        the `Records` of one, or `DDBStreamBatchInfo` as an SQS destination gets it";

/// Reads a document of any of the shapes in which a batch that was given up is kept.
pub fn given_up(document: &str) -> Result<GivenUp, FailureError> {
    let read: Value = serde_json::from_str(document).map_err(FailureError::NotJson)?;
    if read.get("Records").is_some() {
        return event(&read, document.to_owned()).unwrap_or(Err(FailureError::OtherShape));
    }
    if read.get("KinesisBatchInfo").is_some() {
        return Err(foreign("a Kinesis stream"));
    }
    // Of an invocation record the payload is worth more than the place, which is forgotten after a day.
    if let Some(payload) = read.get("payload").filter(|payload| !payload.is_null()) {
        let text = payload.as_str().map_or_else(|| payload.to_string(), str::to_owned);
        let payload = serde_json::from_str(&text).unwrap_or_default();
        return event(&payload, text).unwrap_or(Err(FailureError::Payload));
    }
    match read.get("DDBStreamBatchInfo") {
        Some(info) => range(info),
        None if read.get("shardId").is_some() => range(&read),
        None => Err(FailureError::OtherShape),
    }
}

/// The event that a value is, if it is one; refused if none of its records is of a DynamoDB stream.
fn event(value: &Value, text: String) -> Option<Result<GivenUp, FailureError>> {
    let records = value.get("Records")?.as_array()?;
    let is_of_a_table = |record: &Value| record.get("dynamodb").is_some();
    let first = records.first().filter(|_| !records.iter().any(is_of_a_table));
    Some(match first {
        None => Ok(GivenUp::Event(text)),
        Some(record) => {
            let name = record.get("eventSource").or_else(|| record.get("EventSource"));
            Err(foreign(name.and_then(Value::as_str).unwrap_or("something unknown")))
        }
    })
}

fn foreign(source_name: &str) -> FailureError {
    FailureError::OtherSource {
        source_name: source_name.to_owned(),
    }
}

fn range(info: &Value) -> Result<GivenUp, FailureError> {
    let text = |field| info.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    let owned = |field| text(field).map(str::to_owned).ok_or(FailureError::Range { field });
    let number = |field| {
        let number = text(field).and_then(|text| SequenceNumber::parse(text).ok());
        number.ok_or(FailureError::Range { field })
    };
    let numbers = number("startSequenceNumber")?..=number("endSequenceNumber")?;
    if numbers.is_empty() {
        let field = "endSequenceNumber";
        return Err(FailureError::Range { field });
    }
    Ok(GivenUp::Range(StreamRange {
        stream_arn: owned("streamArn")?,
        shard: owned("shardId")?,
        numbers,
    }))
}

#[cfg(test)]
mod tests;
