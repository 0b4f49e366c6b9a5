//! One stream record in the shape in which Lambda delivers it, and the file that holds a batch of them.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value};

/// Where the recorded tables are said to be. The embedded engine names neither a real region nor a real stream label.
const REGION: &str = "eu-central-1";
const ACCOUNT: &str = "123456789012";
const STREAM_LABEL: &str = "2026-01-05T10:00:00.000";

/// Refuses what the service's own stream would not carry.
pub(crate) fn check(record: &Value) -> Result<()> {
    let image = |name: &str| record.pointer(&format!("/dynamodb/{name}"));
    ensure!(
        image("NewImage") != image("OldImage"),
        "a write changed nothing, for which DynamoDB writes no record: {record}"
    );
    Ok(())
}

/// Gives the record a realistic place; everything else stays as the stream gave it.
pub(crate) fn place(record: &mut Value, table: &str) -> Result<()> {
    let fields: &mut Map<_, _> = record.as_object_mut().context("a record is an object")?;
    let arn = format!("arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}/stream/{STREAM_LABEL}");
    fields.insert("awsRegion".to_owned(), REGION.into());
    fields.insert("eventSourceARN".to_owned(), arn.into());
    Ok(())
}

/// The record's sequence number.
pub(crate) fn sequence_number(record: &Value) -> Result<&str> {
    let number = record.pointer("/dynamodb/SequenceNumber").and_then(Value::as_str);
    number.context("a record has a sequence number")
}

/// The event as a file, one record a line, so that a difference between two recordings can be read.
pub(crate) fn file(records: &[Value]) -> String {
    let mut text = "{\"Records\":[\n".to_owned();
    for (index, record) in records.iter().enumerate() {
        let comma = if index + 1 < records.len() { "," } else { "" };
        let _ = writeln!(text, "{record}{comma}");
    }
    text.push_str("]}\n");
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_keeps_everything_but_its_place() {
        let mut record =
            json!({"eventID": "1", "awsRegion": "here", "eventSourceARN": "arn:here", "dynamodb": {"Keys": {}}});
        place(&mut record, "t").expect("an object");
        assert_eq!(
            record,
            json!({
                "eventID": "1",
                "awsRegion": "eu-central-1",
                "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/t/stream/2026-01-05T10:00:00.000",
                "dynamodb": {"Keys": {}},
            })
        );
    }

    #[test]
    fn a_write_that_changed_nothing_is_refused() {
        let image = json!({"a": {"S": "1"}});
        assert!(check(&json!({"dynamodb": {"NewImage": image, "OldImage": image}})).is_err());
        assert!(check(&json!({"dynamodb": {"NewImage": image}})).is_ok());
    }

    #[test]
    fn a_file_is_a_lambda_event() {
        let records = [json!({"eventID": "1"}), json!({"eventID": "2"})];
        let event: Value = serde_json::from_str(&file(&records)).expect("JSON");
        assert_eq!(event, json!({"Records": records}));
        assert_eq!(file(&records).lines().count(), 4);
    }
}
