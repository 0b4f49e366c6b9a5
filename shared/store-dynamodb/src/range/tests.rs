use serde_json::json;
use shadowkey_store::Disposition;

use super::*;
use crate::script::{Exchange, Script};

const ARN: &str = "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000";

fn exchange(operation: &'static str, request: Value, answer: Value) -> Exchange {
    Exchange {
        operation,
        request,
        status: 200,
        answer,
    }
}

fn iterator(kind: &str, number: &str, iterator: &str) -> Exchange {
    let request = json!({ "StreamArn": ARN, "ShardId": "s", "ShardIteratorType": kind, "SequenceNumber": number });
    exchange("GetShardIterator", request, json!({ "ShardIterator": iterator }))
}

fn page(iterator: &str, numbers: &[&str], next: Option<&str>) -> Exchange {
    let records: Vec<_> = numbers
        .iter()
        .map(|number| json!({ "dynamodb": { "SequenceNumber": number } }))
        .collect();
    exchange(
        "GetRecords",
        json!({ "ShardIterator": iterator }),
        json!({ "Records": records, "NextShardIterator": next }),
    )
}

fn failed(operation: &'static str, code: &str) -> Exchange {
    Exchange {
        operation,
        request: json!({}),
        status: 400,
        answer: json!({ "__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "" }),
    }
}

/// Reads 99 to 101 from a service that follows the script to its end.
async fn read(exchanges: impl IntoIterator<Item = Exchange>) -> Result<Vec<String>, StreamError> {
    let (connection, script) = Script::start(exchanges);
    let number = |text| SequenceNumber::parse(text).expect("number");
    let records = read_range(&connection, ARN, "s", &(number("99")..=number("101"))).await;
    script.finish();
    let number = |record: Value| {
        record["dynamodb"]["SequenceNumber"]
            .as_str()
            .expect("number")
            .to_owned()
    };
    Ok(records?.into_iter().map(number).collect())
}

#[tokio::test]
async fn a_range_is_read_from_its_first_record_to_its_last_and_no_further() {
    let records = read([
        iterator("AT_SEQUENCE_NUMBER", "99", "i0"),
        page("i0", &["99"], Some("i1")),
        page("i1", &[], Some("i2")),
        page("i2", &["100", "101", "102"], Some("i3")),
    ]);
    assert_eq!(records.await.expect("records"), ["99", "100", "101"]);
}

#[tokio::test]
async fn a_last_number_without_a_record_ends_the_range_at_the_next() {
    let records = read([
        iterator("AT_SEQUENCE_NUMBER", "99", "i0"),
        page("i0", &["99", "102"], Some("i1")),
    ]);
    assert_eq!(records.await.expect("records"), ["99"]);
}

#[tokio::test]
async fn an_iterator_that_has_expired_is_replaced_behind_what_was_read() {
    let records = read([
        iterator("AT_SEQUENCE_NUMBER", "99", "i0"),
        failed("GetRecords", "ExpiredIteratorException"),
        iterator("AT_SEQUENCE_NUMBER", "99", "i1"),
        page("i1", &["99"], Some("i2")),
        failed("GetRecords", "ExpiredIteratorException"),
        iterator("AFTER_SEQUENCE_NUMBER", "99", "i3"),
        page("i3", &["101"], None),
    ]);
    assert_eq!(records.await.expect("records"), ["99", "101"]);
}

#[tokio::test]
async fn records_that_are_gone_are_said_to_be_with_the_way_out() {
    let scripts = [
        vec![failed("GetShardIterator", "TrimmedDataAccessException")],
        vec![failed("GetShardIterator", "ResourceNotFoundException")],
        vec![
            iterator("AT_SEQUENCE_NUMBER", "99", "i0"),
            failed("GetRecords", "TrimmedDataAccessException"),
        ],
    ];
    for script in scripts {
        let error = read(script).await.expect_err("an error");
        assert!(matches!(error, StreamError::Expired { .. }), "{error:?}");
        assert_eq!(error.disposition(), Disposition::Halt);
        assert!(error.to_string().contains("`verify --repair`"));
    }
}

#[tokio::test]
async fn a_shard_that_ends_too_early_is_an_error_and_not_a_short_answer() {
    let mut endless = vec![iterator("AT_SEQUENCE_NUMBER", "99", "i")];
    endless.extend((0..EMPTY_PAGES).map(|_| page("i", &[], Some("i"))));
    let closed = vec![
        iterator("AT_SEQUENCE_NUMBER", "99", "i0"),
        page("i0", &["99", "100"], None),
    ];
    for script in [endless, closed] {
        let error = read(script).await.expect_err("an error");
        assert!(
            matches!(&error, StreamError::Incomplete { last, .. } if last.as_str() == "101"),
            "{error:?}"
        );
        assert_eq!(error.disposition(), Disposition::Retry);
    }
}

#[tokio::test]
async fn a_service_that_does_not_answer_is_no_stream_that_has_expired() {
    let error = read([failed("GetShardIterator", "ThrottlingException")])
        .await
        .expect_err("an error");
    assert_eq!(error.disposition(), Disposition::Retry);
}
