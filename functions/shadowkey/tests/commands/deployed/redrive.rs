//! The contract of `redrive`, for every shape of file it takes.

use serde_json::{Value, json};
use shadowkey_item::Item;
use shadowkey_store_dynamodb::StreamReader;

use super::Deployed;
use crate::desk::insertion;

const VIEWS: &str = r##"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
[state]
table = "app-shadowkey"
[source.ticket]
match = { PK = [{ prefix = "ORG#" }], SK = [{ prefix = "TICKET#" }] }
[shadow.by-rank]
source = "ticket"
key = { PK = "{PK}", SK = "RANK#{rank | pad(2)}#{SK}" }
"##;

fn ticket(id: &str, rank: &str) -> Value {
    json!({ "PK": { "S": "ORG#1" }, "SK": { "S": format!("TICKET#{id}") }, "rank": { "N": rank } })
}

fn sort_keys(items: &[Item]) -> Vec<String> {
    let key = |item: &Item| item["SK"].as_s().expect("SK").to_owned();
    let mut keys: Vec<String> = items.iter().map(key).collect();
    keys.sort();
    keys
}

/// A desk where two tickets were written and no worker was there.
async fn with_two_tickets() -> (Deployed, [Value; 2]) {
    let desk = Deployed::new(VIEWS).await;
    let tickets = [ticket("1", "1"), ticket("2", "2")];
    for item in &tickets {
        desk.put("app", item).await;
    }
    (desk, tickets)
}

fn invocation_record(range: &Value) -> Value {
    json!({
        "requestContext": {
            "requestId": "316aa6d0-8154-4f2e-9af7-85d5f4a6bc81", "condition": "RetryAttemptsExhausted",
            "functionArn": "arn:aws:lambda:eu-central-1:123456789012:function:maintain", "approximateInvokeCount": 21,
        },
        "responseContext": { "statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled" },
        "version": "1.0", "timestamp": "2026-01-05T10:00:00.000Z", "DDBStreamBatchInfo": range,
    })
}

/// Where the tickets' records stand in the engine's stream.
async fn range(desk: &Deployed) -> Value {
    let mut reader = StreamReader::open(&desk.connection, "app").await.expect("stream");
    let records = reader.read_available().await.expect("records");
    let number = |record: Option<&Value>| record.expect("record")["dynamodb"]["SequenceNumber"].clone();
    let described = desk
        .connection
        .streams()
        .describe_stream()
        .stream_arn(reader.stream_arn());
    let described = described
        .send()
        .await
        .expect("stream")
        .stream_description
        .expect("description");
    json!({
        "shardId": described.shards()[0].shard_id(), "streamArn": reader.stream_arn(), "batchSize": records.len(),
        "startSequenceNumber": number(records.first()), "endSequenceNumber": number(records.last()),
    })
}

#[tokio::test]
async fn the_object_of_a_failure_bucket_is_redriven_item_by_item() {
    let (desk, tickets) = with_two_tickets().await;
    let event = json!({ "Records": [insertion(1, &tickets[0]), insertion(2, &tickets[1])] });
    let mut object = invocation_record(&Value::Null);
    object["payload"] = event.to_string().into();
    let file = desk.file("object.json", &object.to_string());
    let answer = desk.run(&["redrive", "--format", "json", &file]).await;
    assert_eq!(answer.exit, 0, "{}{}", answer.out, answer.notices);
    let json = answer.json();
    let of = json!({ "PK": { "S": "ORG#1" }, "SK": { "S": "TICKET#1" } });
    assert_eq!(
        json["items"][0],
        json!({ "file": file, "of": of, "outcome": "done", "problems": [] })
    );
    assert_eq!((&json["failed"], &json["counters"]["puts"]), (&json!([]), &json!(2)));
    let keys = sort_keys(&desk.items("app").await);
    assert_eq!(keys, ["RANK#01#TICKET#1", "RANK#02#TICKET#2", "TICKET#1", "TICKET#2"]);
    assert_eq!(desk.items("app-shadowkey").await, [], "its notes are dropped");
    let again = desk.run(&["redrive", "--format", "json", &file]).await;
    assert_eq!((again.exit, &again.json()["counters"]["puts"]), (0, &json!(0)));
}

#[tokio::test]
async fn a_message_of_a_queue_is_redriven_from_the_stream() {
    let (desk, _) = with_two_tickets().await;
    let range = range(&desk).await;
    let message = desk.file("message.json", &invocation_record(&range).to_string());
    let answer = desk.run(&["redrive", &message]).await;
    assert_eq!(answer.exit, 0, "{}{}", answer.out, answer.notices);
    assert_eq!(answer.out, format!("{message}: 2 of 2 items done\n"));
    assert_eq!(desk.items("app").await.len(), 4);
    let bare = desk.file("bare.json", &range.to_string());
    assert_eq!(desk.run(&["redrive", &bare]).await.exit, 0);
}

#[tokio::test]
async fn what_the_stream_has_forgotten_is_said_to_be_and_the_other_files_are_done() {
    let (desk, tickets) = with_two_tickets().await;
    let mut range = range(&desk).await;
    let arn = range["streamArn"]
        .as_str()
        .expect("ARN")
        .replace("table/app/", "table/gone/");
    range["streamArn"] = json!(arn);
    let expired = desk.file("expired.json", &range.to_string());
    let event = json!({ "Records": [insertion(1, &tickets[0])] });
    let event = desk.file("event.json", &event.to_string());
    let answer = desk.run(&["redrive", "--format", "json", &expired, &event]).await;
    assert_eq!(answer.exit, 1, "{}", answer.notices);
    let json = answer.json();
    assert_eq!(json["failed"][0]["file"], json!(expired));
    let message = json["failed"][0]["message"].as_str().expect("message");
    assert!(
        message.contains("24 hours") && message.contains("`verify --repair`"),
        "{message}"
    );
    assert_eq!(json["items"][0]["outcome"], json!("done"));
}

#[tokio::test]
async fn what_cannot_be_derived_is_parked_and_exits_with_1() {
    let desk = Deployed::new(VIEWS).await;
    let (bad, good) = (ticket("1", "700"), ticket("2", "2"));
    for item in [&bad, &good] {
        desk.put("app", item).await;
    }
    let event = json!({ "Records": [insertion(1, &bad), insertion(2, &good)] });
    let file = desk.file("event.json", &event.to_string());
    let answer = desk.run(&["redrive", "--format", "json", &file]).await;
    assert_eq!(answer.exit, 1);
    let items = answer.json()["items"].clone();
    assert_eq!(
        (
            &items[0]["outcome"],
            &items[0]["problems"][0]["code"],
            &items[1]["outcome"]
        ),
        (&json!("parked"), &json!("does-not-fit"), &json!("done"))
    );
    assert_eq!(desk.run(&["parked", "list"]).await.exit, 1);
    let text = desk.run(&["redrive", &file]).await;
    assert!(
        text.out.contains("1 of 2 items done\nparked [does-not-fit]"),
        "{}",
        text.out
    );
}

#[tokio::test]
async fn a_record_without_a_key_is_not_passed_over_in_silence() {
    let (desk, tickets) = with_two_tickets().await;
    let mut keyless = insertion(2, &tickets[1]);
    keyless["dynamodb"]["Keys"] = json!({ "other": { "S": "x" } });
    let event = json!({ "Records": [insertion(1, &tickets[0]), keyless] });
    let file = desk.file("event.json", &event.to_string());
    let answer = desk.run(&["redrive", "--format", "json", &file]).await;
    assert_eq!(
        (answer.exit, &answer.json()["items"][0]["outcome"]),
        (1, &json!("done"))
    );
    let message = answer.json()["failed"][0]["message"].clone();
    assert!(
        message
            .as_str()
            .is_some_and(|message| message.contains("a record at 2")),
        "{message}"
    );
}

#[tokio::test]
async fn files_of_other_shapes_are_refused_before_anything_is_done() {
    let (desk, tickets) = with_two_tickets().await;
    let good = json!({ "Records": [insertion(1, &tickets[0])] });
    let good = desk.file("good.json", &good.to_string());
    for (text, part) in [
        ("{", "it is not JSON"),
        ("{}", "neither `Records` nor `DDBStreamBatchInfo`"),
        (r#"{"Records":[{"eventSource":"aws:s3"}]}"#, "it is of `aws:s3`"),
        (r#"{"DDBStreamBatchInfo":{}}"#, "`startSequenceNumber`"),
    ] {
        let bad = desk.file("bad.json", text);
        let answer = desk.run(&["redrive", &good, &bad]).await;
        assert_eq!((answer.exit, answer.out.as_str()), (2, ""), "{text}");
        assert!(
            answer.notices.contains("bad.json") && answer.notices.contains(part),
            "{}",
            answer.notices
        );
    }
    assert_eq!(desk.items("app").await.len(), 2, "nothing was derived");
}
