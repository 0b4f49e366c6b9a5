//! A stream's record in the JSON in which Lambda delivers it.
//!
//! Source: the sample event in "Process DynamoDB records with Lambda" in the Lambda developer guide, and "Time to Live" in
//! the DynamoDB developer guide for the identity of expired items.

use std::collections::HashMap;

use aws_sdk_dynamodbstreams::types::{AttributeValue as SdkValue, Identity, Record, StreamRecord};
use serde_json::{Map, Value, json};
use shadowkey_item::{NumberError, image_from_wire, item_to_json};

/// The record as an element of a Lambda event's `Records`.
pub(crate) fn lambda_record(record: Record, stream_arn: &str) -> Result<Value, NumberError> {
    let mut fields = Fields::default();
    fields.text("eventID", record.event_id);
    fields.text("eventName", record.event_name.map(|name| name.as_str().to_owned()));
    fields.text("eventVersion", record.event_version);
    fields.text("eventSource", record.event_source);
    fields.text("awsRegion", record.aws_region);
    fields.value("dynamodb", record.dynamodb.map(change).transpose()?);
    fields.text("eventSourceARN", Some(stream_arn.to_owned()));
    fields.value("userIdentity", record.user_identity.map(identity));
    Ok(fields.0.into())
}

fn change(record: StreamRecord) -> Result<Value, NumberError> {
    let mut fields = Fields::default();
    let created = record.approximate_creation_date_time.map(|time| time.secs().into());
    fields.value("ApproximateCreationDateTime", created);
    fields.value("Keys", image(record.keys)?);
    fields.value("NewImage", image(record.new_image)?);
    fields.value("OldImage", image(record.old_image)?);
    fields.text("SequenceNumber", record.sequence_number);
    fields.value("SizeBytes", record.size_bytes.map(Value::from));
    fields.text(
        "StreamViewType",
        record.stream_view_type.map(|kind| kind.as_str().to_owned()),
    );
    Ok(fields.0.into())
}

fn image(image: Option<HashMap<String, SdkValue>>) -> Result<Option<Value>, NumberError> {
    let image = image_from_wire(serde_dynamo::Item::from(image.unwrap_or_default()))?;
    Ok(image.as_ref().map(item_to_json))
}

/// Only the service's own deletion of an expired item has an identity; the embedded engine leaves its content out.
fn identity(identity: Identity) -> Value {
    json!({
        "type": identity.r#type.as_deref().unwrap_or("Service"),
        "principalId": identity.principal_id.as_deref().unwrap_or("dynamodb.amazonaws.com"),
    })
}

/// An object whose absent fields are left out.
#[derive(Default)]
struct Fields(Map<String, Value>);

impl Fields {
    fn value(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.0.insert(name.to_owned(), value);
        }
    }

    fn text(&mut self, name: &str, text: Option<String>) {
        self.value(name, text.map(Value::String));
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodbstreams::primitives::{Blob, DateTime};
    use aws_sdk_dynamodbstreams::types::{OperationType, StreamViewType};

    use super::*;

    fn record() -> aws_sdk_dynamodbstreams::types::builders::RecordBuilder {
        let change = StreamRecord::builder()
            .approximate_creation_date_time(DateTime::from_millis(1_767_607_200_750))
            .keys("PK", SdkValue::S("a".into()))
            .new_image("PK", SdkValue::S("a".into()))
            .new_image("n", SdkValue::N("12345678901234567890123456789012345678".into()))
            .new_image(
                "b",
                SdkValue::L(vec![SdkValue::B(Blob::new([0, 1, 2])), SdkValue::Null(true)]),
            )
            .sequence_number("111")
            .size_bytes(26)
            .stream_view_type(StreamViewType::NewAndOldImages);
        Record::builder()
            .event_id("c4ca4238a0b923820dcc509a6f75849b")
            .event_name(OperationType::Insert)
            .event_version("1.1")
            .event_source("aws:dynamodb")
            .aws_region("eu-central-1")
            .dynamodb(change.build())
    }

    #[test]
    fn a_record_has_the_shape_in_which_lambda_delivers_it() {
        let json = lambda_record(record().build(), "arn:x/stream/l").expect("record");
        let expected = json!({
            "eventID": "c4ca4238a0b923820dcc509a6f75849b",
            "eventName": "INSERT",
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": "eu-central-1",
            "dynamodb": {
                "ApproximateCreationDateTime": 1_767_607_200,
                "Keys": {"PK": {"S": "a"}},
                "NewImage": {
                    "PK": {"S": "a"},
                    "b": {"L": [{"B": "AAEC"}, {"NULL": true}]},
                    "n": {"N": "12345678901234567890123456789012345678"},
                },
                "SequenceNumber": "111",
                "SizeBytes": 26,
                "StreamViewType": "NEW_AND_OLD_IMAGES",
            },
            "eventSourceARN": "arn:x/stream/l",
        });
        assert_eq!(json, expected);
    }

    #[test]
    fn a_deletion_by_the_service_names_it() {
        let full = Identity::builder()
            .r#type("Service")
            .principal_id("dynamodb.amazonaws.com");
        for identity in [full.build(), Identity::builder().build()] {
            let json = lambda_record(record().user_identity(identity).build(), "arn").expect("record");
            let expected = json!({"type": "Service", "principalId": "dynamodb.amazonaws.com"});
            assert_eq!(json["userIdentity"], expected);
        }
    }

    #[test]
    fn a_number_that_is_none_is_an_error() {
        let change = StreamRecord::builder().new_image("n", SdkValue::N("NaN".into()));
        assert!(lambda_record(record().dynamodb(change.build()).build(), "arn").is_err());
    }
}
