use serde_json::json;

use super::*;

const ARN: &str = "arn:aws:dynamodb:us-east-2:123456789012:table/mytable/stream/2019-11-14T00:04:06.388";

fn stream_event() -> Value {
    json!({ "Records": [{
        "eventID": "1", "eventVersion": "1.0", "eventName": "INSERT", "awsRegion": "us-east-2",
        "eventSource": "aws:dynamodb", "eventSourceARN": ARN,
        "dynamodb": {
            "Keys": { "Id": { "N": "101" } }, "NewImage": { "Id": { "N": "101" }, "Message": { "S": "New item!" } },
            "SequenceNumber": "800000000003126276362", "SizeBytes": 26, "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    }] })
}

fn batch_info() -> Value {
    json!({
        "shardId": "shardId-00000001573689847184-864758bb",
        "startSequenceNumber": "800000000003126276362",
        "endSequenceNumber": "800000000003126276362",
        "approximateArrivalOfFirstRecord": "2019-11-14T00:13:19Z",
        "approximateArrivalOfLastRecord": "2019-11-14T00:13:19Z",
        "batchSize": 1,
        "streamArn": ARN,
    })
}

/// What a destination gets of a batch; `payload` is there in S3 only.
fn invocation_record(payload: Option<Value>) -> Value {
    let mut record = json!({
        "requestContext": {
            "requestId": "316aa6d0-8154-xmpl-9af7-85d5f4a6bc81",
            "functionArn": "arn:aws:lambda:us-east-2:123456789012:function:myfunction",
            "condition": "RetryAttemptsExhausted",
            "approximateInvokeCount": 1,
        },
        "responseContext": { "statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled" },
        "version": "1.0",
        "timestamp": "2019-11-14T00:13:49.717Z",
        "DDBStreamBatchInfo": batch_info(),
    });
    if let Some(payload) = payload {
        record["payload"] = payload;
    }
    record
}

fn read(document: &Value) -> GivenUp {
    given_up(&document.to_string()).expect("a batch")
}

fn refused(document: &Value) -> String {
    given_up(&document.to_string()).expect_err("a refusal").to_string()
}

fn the_range() -> GivenUp {
    let number = SequenceNumber::parse("800000000003126276362").expect("number");
    GivenUp::Range(StreamRange {
        stream_arn: ARN.to_owned(),
        shard: "shardId-00000001573689847184-864758bb".to_owned(),
        numbers: number.clone()..=number,
    })
}

#[test]
fn the_object_in_s3_carries_the_event_as_text() {
    let text = stream_event().to_string();
    let object = invocation_record(Some(text.clone().into()));
    assert_eq!(read(&object), GivenUp::Event(text));
}

#[test]
fn an_event_that_is_not_wrapped_in_text_is_one_as_well() {
    let text = stream_event().to_string();
    assert_eq!(
        read(&invocation_record(Some(stream_event()))),
        GivenUp::Event(text.clone())
    );
    assert_eq!(read(&stream_event()), GivenUp::Event(text));
    let empty = json!({ "Records": [] });
    assert_eq!(read(&empty), GivenUp::Event(empty.to_string()));
}

#[test]
fn one_odd_record_does_not_hide_the_batch() {
    let mut event = stream_event();
    event["Records"]
        .as_array_mut()
        .expect("records")
        .insert(0, json!({ "odd": true }));
    assert_eq!(read(&event), GivenUp::Event(event.to_string()));
}

#[test]
fn without_a_payload_the_place_in_the_stream_is_left() {
    assert_eq!(read(&invocation_record(None)), the_range());
    assert_eq!(read(&invocation_record(Some(Value::Null))), the_range());
    assert_eq!(read(&json!({ "DDBStreamBatchInfo": batch_info() })), the_range());
    assert_eq!(read(&batch_info()), the_range());
}

#[test]
fn a_place_that_lacks_something_is_refused_by_the_field() {
    for (field, value) in [
        ("shardId", Value::Null),
        ("streamArn", json!("")),
        ("startSequenceNumber", json!("x")),
        ("endSequenceNumber", json!("1")),
        ("endSequenceNumber", json!(7)),
    ] {
        let mut document = invocation_record(None);
        document["DDBStreamBatchInfo"][field] = value;
        assert!(
            refused(&document).contains(&format!("`{field}`")),
            "{}",
            refused(&document)
        );
    }
}

#[test]
fn what_comes_from_elsewhere_is_refused_by_its_source() {
    let s3 = json!({ "Records": [{ "eventSource": "aws:s3", "s3": { "object": { "key": "a" } } }] });
    assert!(refused(&s3).starts_with("it is of `aws:s3`"));
    let sns = json!({ "Records": [{ "EventSource": "aws:sns", "Sns": {} }] });
    assert!(refused(&sns).starts_with("it is of `aws:sns`"));
    let wrapped = invocation_record(Some(s3.to_string().into()));
    assert!(refused(&wrapped).starts_with("it is of `aws:s3`"));
    let mut kinesis = invocation_record(Some(stream_event().to_string().into()));
    kinesis["KinesisBatchInfo"] = json!({});
    assert!(refused(&kinesis).starts_with("it is of `a Kinesis stream`"));
}

#[test]
fn other_documents_are_refused_with_what_is_expected() {
    for other in [
        json!({}),
        json!([]),
        json!("text"),
        json!({ "Records": "none" }),
        json!({ "version": "1.0", "requestContext": {}, "requestPayload": stream_event() }),
        invocation_record(Some(json!("<Whole Event>"))),
    ] {
        assert!(
            refused(&other).contains("`DDBStreamBatchInfo` as an SQS destination gets it"),
            "{other}"
        );
    }
    assert!(matches!(given_up("{"), Err(FailureError::NotJson(_))));
}
