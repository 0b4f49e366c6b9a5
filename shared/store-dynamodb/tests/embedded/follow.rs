use std::time::Duration;

use serde_json::{Value, json};
use shadowkey_local::Engine;
use shadowkey_store_dynamodb::{ChangeStream, Connection, Follower, Start, StreamError, create_table};
use tokio::time::timeout;

use crate::{app, put, started};

const PACE: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_secs(20);

async fn streaming() -> (Engine, Connection) {
    let (engine, connection) = started().await;
    create_table(&connection, "app", &app(), ChangeStream::On)
        .await
        .expect("table");
    (engine, connection)
}

async fn follow(connection: &Connection, start: Start) -> Follower {
    Follower::open(connection, "app", start, PACE).await.expect("stream")
}

async fn put_id(connection: &Connection, id: &str) {
    put(connection, json!({"id": {"S": id}})).await.expect("put");
}

/// The keys of records until there are so many.
async fn ids(follower: &mut Follower, count: usize) -> Vec<String> {
    let mut ids = Vec::new();
    while ids.len() < count {
        let records = timeout(LONG, follower.next()).await.expect("in time").expect("records");
        ids.extend(records.expect("no end").iter().map(id));
    }
    ids
}

fn id(record: &Value) -> String {
    let id = record.pointer("/dynamodb/Keys/id/S").and_then(Value::as_str);
    id.expect("id").to_owned()
}

#[tokio::test]
async fn what_is_written_while_it_waits_comes() {
    let (_engine, connection) = streaming().await;
    put_id(&connection, "a").await;
    let mut follower = follow(&connection, Start::Oldest).await;
    assert_eq!(ids(&mut follower, 1).await, ["a"]);
    let write = async {
        tokio::time::sleep(PACE * 3).await;
        put_id(&connection, "b").await;
        put_id(&connection, "c").await;
    };
    let (read, ()) = tokio::join!(ids(&mut follower, 2), write);
    assert_eq!(read, ["b", "c"]);
}

#[tokio::test]
async fn from_the_latest_on_what_was_there_is_left_out() {
    let (_engine, connection) = streaming().await;
    put_id(&connection, "a").await;
    let mut follower = follow(&connection, Start::Latest).await;
    put_id(&connection, "b").await;
    assert_eq!(ids(&mut follower, 1).await, ["b"]);
}

#[tokio::test]
async fn a_wait_that_is_given_up_loses_nothing() {
    let (_engine, connection) = streaming().await;
    let mut follower = follow(&connection, Start::Oldest).await;
    for n in 0..20 {
        put_id(&connection, &n.to_string()).await;
    }
    let mut read = Vec::new();
    let mut patience = Duration::ZERO;
    while read.len() < 20 {
        patience += Duration::from_micros(100);
        if let Ok(records) = timeout(patience, follower.next()).await {
            read.extend(records.expect("records").expect("no end").iter().map(id));
        }
    }
    assert_eq!(read, (0..20).map(|n| n.to_string()).collect::<Vec<_>>());
    assert!(follower.read_already().is_empty());
}

#[tokio::test]
async fn what_is_there_can_be_had_without_waiting() {
    let (_engine, connection) = streaming().await;
    let mut follower = follow(&connection, Start::Oldest).await;
    assert_eq!(follower.rest().await.expect("records"), Vec::<Value>::new());
    put_id(&connection, "a").await;
    let rest = follower.rest().await.expect("records");
    assert_eq!(rest.iter().map(id).collect::<Vec<_>>(), ["a"]);
}

#[tokio::test]
async fn a_table_without_a_stream_is_named() {
    let (_engine, connection) = started().await;
    create_table(&connection, "app", &app(), ChangeStream::Off)
        .await
        .expect("table");
    let followed = Follower::open(&connection, "app", Start::Oldest, PACE).await;
    assert!(matches!(followed, Err(StreamError::NoStream { table }) if table == "app"));
}
