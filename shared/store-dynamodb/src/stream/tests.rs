//! What the embedded engine, with its one shard that never closes, cannot show.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::script::{Exchange, Script};
use crate::shard::EMPTY_PAGES;
use crate::{Follower, Start};

const ARN: &str = "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000";

fn exchange(operation: &'static str, request: Value, answer: Value) -> Exchange {
    Exchange {
        operation,
        request,
        status: 200,
        answer,
    }
}

fn table() -> Exchange {
    exchange(
        "DescribeTable",
        json!({"TableName": "app"}),
        json!({"Table": {"LatestStreamArn": ARN}}),
    )
}

/// DescribeStream, with shards given as identifier, parent and last sequence number.
fn stream(shards: &[(&str, Option<&str>, Option<&str>)]) -> Exchange {
    exchange("DescribeStream", json!({"StreamArn": ARN}), description(shards, None))
}

fn description(shards: &[(&str, Option<&str>, Option<&str>)], last: Option<&str>) -> Value {
    let shards: Vec<_> = shards
        .iter()
        .map(|(id, parent, ending)| {
            let range = json!({"StartingSequenceNumber": "100", "EndingSequenceNumber": ending});
            json!({"ShardId": id, "ParentShardId": parent, "SequenceNumberRange": range})
        })
        .collect();
    json!({"StreamDescription": {"Shards": shards, "LastEvaluatedShardId": last}})
}

fn from_the_beginning(shard: &str, iterator: &str) -> Exchange {
    exchange(
        "GetShardIterator",
        json!({"ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}),
        json!({"ShardIterator": iterator}),
    )
}

fn after(shard: &str, sequence_number: &str, iterator: &str) -> Exchange {
    let request = json!({
        "ShardId": shard,
        "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
        "SequenceNumber": sequence_number,
    });
    exchange("GetShardIterator", request, json!({"ShardIterator": iterator}))
}

/// GetRecords, with a record for each sequence number.
fn page(iterator: &str, sequence_numbers: &[&str], next: Option<&str>) -> Exchange {
    let records: Vec<_> = sequence_numbers
        .iter()
        .map(|sequence_number| json!({"dynamodb": {"SequenceNumber": sequence_number}}))
        .collect();
    exchange(
        "GetRecords",
        json!({"ShardIterator": iterator}),
        json!({"Records": records, "NextShardIterator": next}),
    )
}

fn failed(operation: &'static str, status: u16, code: &str) -> Exchange {
    Exchange {
        operation,
        request: json!({}),
        status,
        answer: json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": ""}),
    }
}

async fn open(exchanges: impl IntoIterator<Item = Exchange>) -> (StreamReader, Script) {
    let (connection, script) = Script::start([table()].into_iter().chain(exchanges));
    (StreamReader::open(&connection, "app").await.expect("stream"), script)
}

async fn read(reader: &mut StreamReader) -> Vec<String> {
    sequence_numbers(reader.read_available().await.expect("records"))
}

fn sequence_numbers(records: Vec<Value>) -> Vec<String> {
    let number = |record: &Value| {
        record["dynamodb"]["SequenceNumber"]
            .as_str()
            .expect("number")
            .to_owned()
    };
    records.iter().map(number).collect()
}

#[tokio::test]
async fn a_shard_is_read_after_its_parent_wherever_it_is_listed() {
    let (mut reader, script) = open([
        stream(&[
            ("b", Some("a"), Some("201")),
            ("c", Some("b"), None),
            ("a", Some("gone"), Some("102")),
        ]),
        from_the_beginning("a", "a0"),
        page("a0", &["101", "102"], None),
        from_the_beginning("b", "b0"),
        page("b0", &["201"], None),
        from_the_beginning("c", "c0"),
        page("c0", &["301"], None),
    ])
    .await;
    assert_eq!(read(&mut reader).await, ["101", "102", "201", "301"]);
    script.finish();
}

#[tokio::test]
async fn a_shard_waits_while_there_may_be_more_in_its_parent() {
    let mut exchanges = vec![
        stream(&[("a", None, None), ("b", Some("a"), None)]),
        from_the_beginning("a", "a0"),
    ];
    exchanges.extend((0..EMPTY_PAGES).map(|_| page("a0", &[], Some("a0"))));
    exchanges.push(stream(&[("a", None, Some("102")), ("b", Some("a"), None)]));
    exchanges.push(page("a0", &["101", "102"], Some("a1")));
    exchanges.push(page("a1", &[], Some("a1")));
    exchanges.push(from_the_beginning("b", "b0"));
    exchanges.push(page("b0", &["201"], None));
    let (mut reader, script) = open(exchanges).await;
    assert_eq!(read(&mut reader).await, [""; 0]);
    assert_eq!(read(&mut reader).await, ["101", "102", "201"]);
    script.finish();
}

#[tokio::test]
async fn empty_pages_do_not_end_a_shard() {
    let mut exchanges = vec![stream(&[("a", None, Some("102"))]), from_the_beginning("a", "a0")];
    exchanges.extend((1..EMPTY_PAGES).map(|_| page("a0", &[], Some("a0"))));
    exchanges.push(page("a0", &["101"], Some("a1")));
    exchanges.extend((1..EMPTY_PAGES).map(|_| page("a1", &[], Some("a1"))));
    exchanges.push(page("a1", &["102"], None));
    let (mut reader, script) = open(exchanges).await;
    assert_eq!(read(&mut reader).await, ["101", "102"]);
    script.finish();
}

#[tokio::test]
async fn an_open_shard_is_gone_on_with_where_the_last_read_left_it() {
    let mut exchanges = vec![stream(&[("a", None, None)]), from_the_beginning("a", "a0")];
    exchanges.push(page("a0", &[], Some("a1")));
    exchanges.push(page("a1", &["101"], Some("a2")));
    exchanges.extend((0..EMPTY_PAGES).map(|_| page("a2", &[], Some("a2"))));
    exchanges.push(stream(&[("a", None, None)]));
    exchanges.push(page("a2", &["102"], None));
    exchanges.push(stream(&[("a", None, Some("102"))]));
    let (mut reader, script) = open(exchanges).await;
    assert_eq!(read(&mut reader).await, ["101"]);
    assert_eq!(read(&mut reader).await, ["102"]);
    assert_eq!(read(&mut reader).await, [""; 0]);
    script.finish();
}

#[tokio::test]
async fn an_iterator_that_has_expired_is_replaced_behind_the_last_record_read() {
    let (mut reader, script) = open([
        stream(&[("a", None, Some("102"))]),
        from_the_beginning("a", "a0"),
        page("a0", &["101"], Some("a1")),
        failed("GetRecords", 400, "ExpiredIteratorException"),
        after("a", "101", "a2"),
        page("a2", &["102"], None),
    ])
    .await;
    assert_eq!(read(&mut reader).await, ["101", "102"]);
    script.finish();
}

#[tokio::test]
async fn what_was_read_before_an_error_comes_with_the_next_call() {
    let (mut reader, script) = open([
        stream(&[("a", None, Some("102"))]),
        from_the_beginning("a", "a0"),
        page("a0", &["101"], Some("a1")),
        failed("GetRecords", 500, "InternalServerError"),
        stream(&[("a", None, Some("102"))]),
        page("a1", &["102"], None),
    ])
    .await;
    let error = reader.read_available().await.expect_err("an error");
    assert_eq!(error.disposition(), Disposition::Retry);
    assert_eq!(read(&mut reader).await, ["101", "102"]);
    script.finish();
}

#[tokio::test]
async fn records_that_were_trimmed_are_reported_once() {
    let (mut reader, script) = open([
        stream(&[("a", None, None)]),
        from_the_beginning("a", "a0"),
        page("a0", &["101"], Some("a1")),
        failed("GetRecords", 400, "TrimmedDataAccessException"),
        stream(&[("a", None, None)]),
        from_the_beginning("a", "a2"),
        page("a2", &["205"], None),
    ])
    .await;
    let error = reader.read_available().await.expect_err("an error");
    assert!(
        matches!(&error, StreamError::Trimmed { shard, .. } if shard == "a"),
        "{error:?}"
    );
    assert_eq!(error.disposition(), Disposition::Halt);
    assert_eq!(read(&mut reader).await, ["101", "205"]);
    script.finish();
}

#[tokio::test]
async fn a_stream_may_list_its_shards_on_several_pages() {
    let next = json!({"StreamArn": ARN, "ExclusiveStartShardId": "a"});
    let (mut reader, script) = open([
        exchange(
            "DescribeStream",
            json!({}),
            description(&[("a", None, Some("101"))], Some("a")),
        ),
        exchange("DescribeStream", next, description(&[("b", Some("a"), None)], None)),
        from_the_beginning("a", "a0"),
        page("a0", &["101"], None),
        from_the_beginning("b", "b0"),
        page("b0", &["201"], None),
    ])
    .await;
    assert_eq!(read(&mut reader).await, ["101", "201"]);
    script.finish();
}

#[tokio::test]
async fn a_table_without_a_stream_has_nothing_to_read() {
    let described = exchange("DescribeTable", json!({}), json!({"Table": {"TableStatus": "ACTIVE"}}));
    let (connection, script) = Script::start([described]);
    let error = StreamReader::open(&connection, "app").await.expect_err("an error");
    assert!(
        matches!(&error, StreamError::NoStream { table } if table == "app"),
        "{error:?}"
    );
    assert_eq!(error.disposition(), Disposition::Halt);
    script.finish();
}

/// DescribeStream of a stream that is switched off.
fn off(shards: &[(&str, Option<&str>, Option<&str>)]) -> Exchange {
    let mut answer = description(shards, None);
    answer["StreamDescription"]["StreamStatus"] = json!("DISABLED");
    exchange("DescribeStream", json!({}), answer)
}

async fn follow(start: Start, exchanges: impl IntoIterator<Item = Exchange>) -> (Follower, Script) {
    let (connection, script) = Script::start([table()].into_iter().chain(exchanges));
    let opened = Follower::open(&connection, "app", start, Duration::ZERO).await;
    (opened.expect("stream"), script)
}

async fn next(follower: &mut Follower) -> Option<Vec<String>> {
    follower.next().await.expect("records").map(sequence_numbers)
}

#[tokio::test]
async fn a_shard_that_splits_is_followed_into_its_children_and_to_the_streams_end() {
    let children = [("b", Some("a"), None), ("c", Some("a"), None)];
    let (mut follower, script) = follow(
        Start::Oldest,
        [
            stream(&[("a", None, None)]),
            from_the_beginning("a", "a0"),
            page("a0", &["101"], Some("a1")),
            // Nothing is asked of the stream itself while the shard goes on.
            page("a1", &[], Some("a2")),
            page("a2", &["102"], None),
            stream(&[children[0], ("a", None, Some("102")), children[1]]),
            from_the_beginning("b", "b0"),
            page("b0", &["201"], Some("b1")),
            from_the_beginning("c", "c0"),
            page("c0", &["202"], Some("c1")),
            page("b1", &[], None),
            page("c1", &["203"], None),
            off(&[]),
        ],
    )
    .await;
    assert_eq!(next(&mut follower).await, Some(vec!["101".to_owned()]));
    assert_eq!(next(&mut follower).await, Some(vec!["102".to_owned()]));
    assert_eq!(
        next(&mut follower).await,
        Some(vec!["201".to_owned(), "202".to_owned()])
    );
    assert_eq!(next(&mut follower).await, Some(vec!["203".to_owned()]));
    assert_eq!(next(&mut follower).await, None);
    script.finish();
}

#[tokio::test]
async fn from_the_latest_on_only_shards_that_go_on_are_looked_at() {
    let latest = exchange(
        "GetShardIterator",
        json!({"ShardId": "b", "ShardIteratorType": "LATEST"}),
        json!({"ShardIterator": "b9"}),
    );
    let (mut follower, script) = follow(
        Start::Latest,
        [
            stream(&[("b", Some("a"), None), ("a", None, Some("102"))]),
            latest,
            page("b9", &["301"], Some("b10")),
        ],
    )
    .await;
    assert_eq!(next(&mut follower).await, Some(vec!["301".to_owned()]));
    script.finish();
}

#[tokio::test]
async fn what_a_follower_had_read_before_an_error_comes_with_the_next_call() {
    let (mut follower, script) = follow(
        Start::Oldest,
        [
            stream(&[("a", None, None), ("b", None, None)]),
            from_the_beginning("a", "a0"),
            page("a0", &["101"], Some("a1")),
            from_the_beginning("b", "b0"),
            failed("GetRecords", 400, "LimitExceededException"),
            page("a1", &[], Some("a2")),
            from_the_beginning("b", "b0"),
            page("b0", &["201"], Some("b1")),
        ],
    )
    .await;
    let error = follower.next().await.expect_err("an error");
    assert_eq!(error.disposition(), Disposition::Retry);
    assert_eq!(
        next(&mut follower).await,
        Some(vec!["101".to_owned(), "201".to_owned()])
    );
    script.finish();
}

#[tokio::test]
async fn the_rest_is_what_a_few_looks_find_in_shards_that_go_on() {
    let shards = [("a", None, Some("102")), ("b", Some("a"), None)];
    let (mut follower, script) = follow(
        Start::Oldest,
        [
            stream(&shards),
            from_the_beginning("a", "a0"),
            page("a0", &["101"], Some("a1")),
            page("a1", &[], Some("a2")),
            page("a2", &["102"], None),
            from_the_beginning("b", "b0"),
            page("b0", &[], Some("b1")),
            stream(&shards),
            page("b1", &["201"], Some("b2")),
            page("b2", &[], Some("b3")),
            page("b3", &[], Some("b4")),
            page("b4", &[], Some("b5")),
        ],
    )
    .await;
    let rest = follower.rest().await.expect("records");
    assert_eq!(sequence_numbers(rest), ["101", "102", "201"]);
    script.finish();
}
