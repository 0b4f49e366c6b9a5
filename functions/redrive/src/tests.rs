use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Mutex;

use lambda_runtime::Context;
use serde_json::json;
use shadowkey_item::{Item, TableName};
use shadowkey_store::MemoryStore;
use shadowkey_store_dynamodb::Failure;
use shadowkey_views::load;
use shadowkey_worker::Settings;

use super::*;

const VIEWS: &str = r##"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
[source.ticket]
match = { PK = [{ prefix = "ORG#" }], SK = [{ prefix = "TICKET#" }] }
[shadow.by-rank]
source = "ticket"
key = { PK = "{PK}", SK = "RANK#{rank | pad(2)}#{SK}" }
"##;

/// Objects in memory, of which those whose key begins with `denied` are not given out.
#[derive(Default)]
struct MemoryObjects(Mutex<BTreeMap<String, (Vec<u8>, Tags)>>);

impl MemoryObjects {
    fn with(objects: &[(&str, &str)]) -> Self {
        let objects = objects
            .iter()
            .map(|(key, text)| ((*key).to_owned(), (text.as_bytes().to_vec(), Tags::new())));
        Self(Mutex::new(objects.collect()))
    }

    fn tag(&self, key: &str) -> Option<String> {
        self.0.lock().expect("lock")[key].1.get(TAG).cloned()
    }
}

impl Objects for MemoryObjects {
    async fn get(&self, object: &ObjectId) -> Result<Option<Vec<u8>>, ObjectError> {
        if object.key.starts_with("denied") {
            return Err(ObjectError {
                operation: "GetObject",
                object: object.clone(),
                failure: Failure::NotPermitted,
                cause: "no".into(),
            });
        }
        Ok(self
            .0
            .lock()
            .expect("lock")
            .get(&object.key)
            .map(|(bytes, _)| bytes.clone()))
    }

    async fn tags(&self, object: &ObjectId) -> Result<Option<Tags>, ObjectError> {
        Ok(self
            .0
            .lock()
            .expect("lock")
            .get(&object.key)
            .map(|(_, tags)| tags.clone()))
    }

    async fn set_tags(&self, object: &ObjectId, tags: &Tags) -> Result<(), ObjectError> {
        self.0.lock().expect("lock").get_mut(&object.key).expect("object").1 = tags.clone();
        Ok(())
    }
}

fn ticket(rank: &str) -> Value {
    json!({ "PK": { "S": "ORG#1" }, "SK": { "S": "TICKET#1" }, "rank": { "N": rank } })
}

/// The object that is written when a batch with one ticket is given up.
fn object(ticket: &Value) -> String {
    let record = json!({
        "eventName": "INSERT", "eventSource": "aws:dynamodb",
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000",
        "dynamodb": {
            "Keys": { "PK": ticket["PK"], "SK": ticket["SK"] }, "NewImage": ticket, "SequenceNumber": "1",
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    });
    let payload = json!({ "Records": [record] }).to_string();
    json!({ "requestContext": { "condition": "RetryAttemptsExhausted" }, "DDBStreamBatchInfo": {}, "payload": payload })
        .to_string()
}

/// A worker on a table with one ticket.
async fn worker(ticket: &Value) -> Worker<MemoryStore> {
    let views = load(VIEWS).views.expect("views");
    let store = MemoryStore::new(views.tables().into_iter().map(|table| (table.name, table.key)));
    let put = shadowkey_plan::Put {
        table: TableName("app".to_owned()),
        item: shadowkey_item::item_from_json(&ticket.to_string()).expect("item"),
        condition: shadowkey_plan::Condition::ALWAYS,
    };
    store.put(&put).await.expect("put");
    Worker::new(views, store, Settings::default(), maintain::system_clock())
}

async fn items(worker: &Worker<MemoryStore>) -> Vec<Item> {
    let table = TableName("app".to_owned());
    worker.store().scan(&table, None).await.expect("items").items
}

async fn invoke(worker: &Worker<MemoryStore>, objects: &MemoryObjects, keys: &[&str]) -> Result<(), RedriveError> {
    let records = keys.iter().map(
        |key| json!({ "eventSource": "aws:s3", "s3": { "bucket": { "name": "failures" }, "object": { "key": key } } }),
    );
    let notice = json!({ "Records": records.collect::<Vec<_>>() });
    handle(worker, objects, LambdaEvent::new(notice, Context::default()), |_, _| {}).await
}

#[tokio::test]
async fn an_object_is_redriven_once_kept_and_tagged() {
    let worker = worker(&ticket("1")).await;
    let objects = MemoryObjects::with(&[("a b:c", &object(&ticket("1")))]);
    let team = ("team".to_owned(), "b".to_owned());
    objects
        .0
        .lock()
        .expect("lock")
        .get_mut("a b:c")
        .expect("object")
        .1
        .extend([team]);
    invoke(&worker, &objects, &["a+b%3Ac"]).await.expect("done");
    assert_eq!(items(&worker).await.len(), 2);
    assert_eq!(objects.tag("a b:c").as_deref(), Some("redriven"));
    assert_eq!(objects.0.lock().expect("lock")["a b:c"].1["team"], "b");
    // It is not even read again: what is no batch would be refused.
    objects.0.lock().expect("lock").get_mut("a b:c").expect("object").0 = b"other".to_vec();
    invoke(&worker, &objects, &["a+b%3Ac"]).await.expect("done");
    assert_eq!(objects.tag("a b:c").as_deref(), Some("redriven"));
}

#[tokio::test]
async fn an_object_of_another_shape_is_refused_for_good() {
    let worker = worker(&ticket("1")).await;
    let s3 = r#"{"Records":[{"eventSource":"aws:s3"}]}"#;
    let range = r#"{"shardId":"s","streamArn":"a","startSequenceNumber":"1","endSequenceNumber":"1"}"#;
    let objects = MemoryObjects::with(&[("text", "hello"), ("s3", s3), ("range", range)]);
    invoke(&worker, &objects, &["text", "s3", "range"])
        .await
        .expect("no retry");
    for key in ["text", "s3", "range"] {
        assert_eq!(objects.tag(key).as_deref(), Some("refused"), "{key}");
    }
}

#[tokio::test]
async fn an_object_that_fails_is_left_as_it_was_and_the_others_are_done() {
    // There is no table to park in, so that what cannot be derived is a failure.
    let worker = worker(&ticket("700")).await;
    let objects = MemoryObjects::with(&[("fails", &object(&ticket("700"))), ("denied", "{}"), ("refused", "{}")]);
    let error = invoke(&worker, &objects, &["fails", "denied", "refused"]).await;
    let error = error.expect_err("an error").to_string();
    assert!(
        error.starts_with("2 of the event's objects not done, `s3://failures/fails`"),
        "{error}"
    );
    assert_eq!((objects.tag("fails"), objects.tag("denied")), (None, None));
    assert_eq!(objects.tag("refused").as_deref(), Some("refused"));
}

#[tokio::test]
async fn an_object_that_is_gone_is_no_failure() {
    let worker = worker(&ticket("1")).await;
    invoke(&worker, &MemoryObjects::default(), &["gone"])
        .await
        .expect("done");
}

#[tokio::test]
async fn an_event_that_is_not_of_a_bucket_is_refused() {
    let worker = worker(&ticket("1")).await;
    let event = LambdaEvent::new(json!({ "Records": [{ "dynamodb": {} }] }), Context::default());
    let error = handle(&worker, &MemoryObjects::default(), event, |_, _| {})
        .await
        .expect_err("an error");
    assert!(matches!(error, RedriveError::NotANotice(_)));
}

#[test]
fn a_second_attempt_of_one_invocation_is_another_run() {
    assert_ne!(run_id("r", "o"), run_id("r", "o"));
}

#[tokio::test]
async fn an_object_of_another_tables_stream_is_left_for_whom_it_is_of() {
    let worker = worker(&ticket("1"))
        .await
        .for_stream_of("arn:aws:dynamodb:eu-central-1:1:table/mine");
    let objects = MemoryObjects::with(&[("a", &object(&ticket("1")))]);
    invoke(&worker, &objects, &["a"]).await.expect("no failure");
    assert_eq!(objects.0.lock().expect("lock")["a"].1, Tags::new());
    assert_eq!(items(&worker).await.len(), 1);
}

#[tokio::test]
async fn a_schedule_has_what_is_parked_tried_again() {
    let views = load(VIEWS).views.expect("views").or_state_table();
    let store = MemoryStore::new(views.tables().into_iter().map(|table| (table.name, table.key)));
    let worker = Worker::new(views, store, Settings::default(), maintain::system_clock());
    let given_up = object(&ticket("7"));
    let event = event_of(given_up.as_bytes()).expect("event");
    let table = TableName("app".to_owned());
    let place = |item: &Value| shadowkey_plan::Put {
        table: table.clone(),
        item: shadowkey_item::item_from_json(&item.to_string()).expect("item"),
        condition: shadowkey_plan::Condition::ALWAYS,
    };
    let mut taken = ticket("7");
    taken["SK"] = json!({ "S": format!("RANK#07#{}", ticket("7")["SK"]["S"].as_str().expect("SK")) });
    worker.store().put(&place(&taken)).await.expect("put");
    worker.store().put(&place(&ticket("7"))).await.expect("put");
    worker.handle(&event, None).await.expect("outcome");
    assert_eq!(worker.parked().await.expect("parked").len(), 1);
    let free = shadowkey_plan::Delete {
        table: table.clone(),
        key: worker.views().table().key.key_of(&place(&taken).item).expect("key"),
        condition: shadowkey_plan::Condition::ALWAYS,
    };
    worker.store().delete(&free).await.expect("delete");
    let schedule = json!({ "detail-type": "Scheduled Event", "source": "aws.events", "detail": {} });
    let event = LambdaEvent::new(schedule, Context::default());
    let parked = Cell::new(None);
    handle(&worker, &MemoryObjects::default(), event, |_, standing| {
        parked.set(standing)
    })
    .await
    .expect("done");
    assert_eq!(parked.get(), Some(0));
    assert_eq!(worker.parked().await.expect("parked").len(), 0);
    assert_eq!(items(&worker).await.len(), 2);
}
