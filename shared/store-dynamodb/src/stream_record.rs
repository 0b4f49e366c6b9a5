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
