use aws_sdk_dynamodb::types::TimeToLiveSpecification;
use serde_json::{Value, json};
use shadowkey_item::{SequenceNumber, item_from_json};
use shadowkey_local::Engine;
use shadowkey_plan::{Condition, Delete};
use shadowkey_store::Store;
use shadowkey_store_dynamodb::{ChangeStream, Connection, StreamError, StreamReader, create_table};

use crate::{app, put, started, store};

async fn streaming() -> (Engine, Connection, StreamReader) {
    let (engine, connection) = started().await;
    create_table(&connection, "app", &app(), ChangeStream::On)
        .await
        .expect("table");
    let reader = StreamReader::open(&connection, "app").await.expect("stream");
    (engine, connection, reader)
}

async fn delete_a(connection: &Connection) {
    let key = app()
        .key
        .key_of(&item_from_json(r#"{"id": {"S": "a"}}"#).expect("item"));
    let delete = Delete {
        table: app().name,
        key: key.expect("key"),
        condition: Condition::ALWAYS,
    };
    store(connection).delete(&delete).await.expect("delete");
}

async fn read(reader: &mut StreamReader) -> Vec<Value> {
    reader.read_available().await.expect("records")
}

#[tokio::test]
async fn every_change_is_read_once_and_in_order() {
    let (_engine, connection, mut reader) = streaming().await;
    assert_eq!(read(&mut reader).await, Vec::<Value>::new());
    put(&connection, json!({"id": {"S": "a"}, "n": {"N": "1"}}))
        .await
        .expect("put");
    put(&connection, json!({"id": {"S": "a"}, "n": {"N": "2"}}))
        .await
        .expect("put");
    let records = read(&mut reader).await;
    let names: Vec<_> = records.iter().map(|record| &record["eventName"]).collect();
    assert_eq!(names, ["INSERT", "MODIFY"]);
    assert_eq!(read(&mut reader).await, Vec::<Value>::new());
    delete_a(&connection).await;
    let records = read(&mut reader).await;
    let names: Vec<_> = records.iter().map(|record| &record["eventName"]).collect();
    assert_eq!(names, ["REMOVE"]);
}

#[tokio::test]
async fn a_record_has_lambdas_fields_and_both_images() {
    let (_engine, connection, mut reader) = streaming().await;
    let (old, new) = (
        json!({"id": {"S": "a"}, "n": {"N": "1"}}),
        json!({"id": {"S": "a"}, "b": {"B": "AAE="}}),
    );
    put(&connection, old.clone()).await.expect("put");
    put(&connection, new.clone()).await.expect("put");
    let records = read(&mut reader).await;
    let [_, record] = records.as_slice() else {
        panic!("{records:?}")
    };
    let fields: Vec<_> = record.as_object().expect("object").keys().map(String::as_str).collect();
    let mut expected = [
        "eventID",
        "eventName",
        "eventVersion",
        "eventSource",
        "awsRegion",
        "dynamodb",
        "eventSourceARN",
    ];
    expected.sort_unstable();
    let mut sorted = fields;
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(record["eventVersion"], "1.1");
    assert_eq!(record["eventSource"], "aws:dynamodb");
    assert_eq!(record["eventSourceARN"], reader.stream_arn());
    let change = &record["dynamodb"];
    assert_eq!(change["Keys"], json!({"id": {"S": "a"}}));
    assert_eq!(change["OldImage"], old);
    assert_eq!(change["NewImage"], new);
    assert_eq!(change["StreamViewType"], "NEW_AND_OLD_IMAGES");
    assert!(change["SizeBytes"].is_u64());
    assert!(change["ApproximateCreationDateTime"].is_u64());
}

#[tokio::test]
async fn sequence_numbers_rise_over_more_than_one_page() {
    let (_engine, connection, mut reader) = streaming().await;
    // GetRecords gives at most 1,000 records.
    for n in 0..1100 {
        put(&connection, json!({"id": {"S": (n % 7).to_string()}}))
            .await
            .expect("put");
    }
    let numbers: Vec<_> = read(&mut reader)
        .await
        .iter()
        .map(|record| {
            record["dynamodb"]["SequenceNumber"]
                .as_str()
                .expect("number")
                .to_owned()
        })
        .map(|number| SequenceNumber::parse(&number).expect("number"))
        .collect();
    assert_eq!(numbers.len(), 1100);
    assert!(numbers.is_sorted_by(|a, b| a < b));
}

#[tokio::test]
async fn a_second_reader_reads_the_same_from_the_beginning() {
    let (_engine, connection, mut reader) = streaming().await;
    put(&connection, json!({"id": {"S": "a"}})).await.expect("put");
    let records = read(&mut reader).await;
    let mut second = StreamReader::open(&connection, "app").await.expect("stream");
    assert_eq!(read(&mut second).await, records);
}

#[tokio::test]
async fn the_record_of_an_expired_item_names_the_service() {
    let (engine, connection, mut reader) = streaming().await;
    let expiry = TimeToLiveSpecification::builder()
        .enabled(true)
        .attribute_name("expires");
    let request = connection.dynamodb().update_time_to_live().table_name("app");
    let request = request.time_to_live_specification(expiry.build().expect("specification"));
    request.send().await.expect("answer");
    // DynamoDB does not expire what is more than five years past.
    let expired = yesterday();
    put(&connection, json!({"id": {"S": "a"}, "expires": {"N": expired}}))
        .await
        .expect("put");
    assert_eq!(engine.expire_items().expect("sweep"), 1);
    let records = read(&mut reader).await;
    let removed = records.last().expect("record");
    assert_eq!(removed["eventName"], "REMOVE");
    let identity = json!({"type": "Service", "principalId": "dynamodb.amazonaws.com"});
    assert_eq!(removed["userIdentity"], identity);
}

fn yesterday() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    (now.expect("a time after 1970").as_secs() - 86_400).to_string()
}

#[tokio::test]
async fn a_table_without_a_stream_has_nothing_to_read() {
    let (_engine, connection) = started().await;
    create_table(&connection, "app", &app(), ChangeStream::Off)
        .await
        .expect("table");
    let error = StreamReader::open(&connection, "app").await.expect_err("an error");
    assert!(
        matches!(&error, StreamError::NoStream { table } if table == "app"),
        "{error:?}"
    );
}
