//! The contract of `parked list`, `retry` and `drop`.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use shadowkey_item::{KeyAttribute, KeySchema, ScalarType, TableName, item_from_json};
use shadowkey_plan::{Condition, Delete};
use shadowkey_store::Store;
use shadowkey_views::load;
use shadowkey_worker::{Clock, Settings, Worker};

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
[shadow.by-code]
source = "ticket"
into = { table = "lookup", partition_key = { name = "id", type = "S" } }
key = { id = "CODE#{code | pad(2)}" }
unique = true
[shadow.by-rank]
source = "ticket"
key = { PK = "{PK}", SK = "RANK#{rank | pad(2)}#{SK}" }
"##;

fn ticket(id: &str, code: &str, rank: &str) -> Value {
    json!({ "PK": { "S": "ORG#1" }, "SK": { "S": format!("TICKET#{id}") }, "code": { "N": code }, "rank": { "N": rank } })
}

/// An engine on which the worker has handled two tickets: one whose code is taken, one whose rank does not fit.
async fn with_two_parked() -> Deployed {
    let desk = Deployed::new(VIEWS).await;
    desk.put(
        "lookup",
        &json!({ "id": { "S": "CODE#07" }, "mine": { "S": "precious" } }),
    )
    .await;
    let tickets = [ticket("1", "7", "1"), ticket("2", "8", "700")];
    for item in &tickets {
        desk.put("app", item).await;
    }
    let event = json!({ "Records": [insertion(1, &tickets[0]), insertion(2, &tickets[1])] });
    let views = load(VIEWS).views.expect("views");
    let clock = Clock::at(std::time::Duration::from_secs(1_800_000_000));
    let worker = Worker::new(views, &desk.store, Settings::default(), clock);
    worker.handle(&event.to_string(), None).await.expect("outcome");
    desk
}

/// The views of the entries of an answer, with the tickets they are of.
fn named(answer: &Value) -> Vec<(String, String)> {
    let entries = answer.as_array().expect("entries").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    entries
        .map(|entry| (text(&entry["of"]["SK"]["S"]), text(&entry["view"])))
        .collect()
}

fn pair(ticket: &str, view: &str) -> (String, String) {
    (ticket.to_owned(), view.to_owned())
}

#[tokio::test]
async fn what_is_parked_is_listed_with_its_reason_and_exits_with_1() {
    let desk = with_two_parked().await;
    let answer = desk.run(&["parked", "list", "--format", "json"]).await;
    assert_eq!(answer.exit, 1, "{}", answer.notices);
    let parked = answer.json()["parked"].clone();
    assert_eq!(
        named(&parked),
        [pair("TICKET#1", "by-code"), pair("TICKET#2", "by-rank")]
    );
    let first = parked[0].as_object().expect("entry");
    let names: BTreeSet<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        BTreeSet::from(["at", "code", "message", "of", "table", "time", "view"])
    );
    assert_eq!((&first["code"], &first["table"]), (&json!("collision"), &json!("app")));
    assert!(
        first["time"]
            .as_str()
            .is_some_and(|time| time.starts_with("2027-01-15T08:00:0"))
    );
    let text = desk.run(&["parked", "list"]).await;
    for part in ["TICKET#2", "by-rank", "does-not-fit", "700", "2027-01-15"] {
        assert!(text.out.contains(part), "{part}: {}", text.out);
    }
}

#[tokio::test]
async fn the_list_can_be_narrowed_to_a_view_or_a_reason() {
    let desk = with_two_parked().await;
    let list = async |rest: &[&str]| {
        desk.run(&[&["parked", "list", "--format", "json"], rest].concat())
            .await
    };
    let by_rank = list(&["--view", "by-rank"]).await;
    assert_eq!(named(&by_rank.json()["parked"]), [pair("TICKET#2", "by-rank")]);
    let collisions = list(&["--code", "collision"]).await;
    assert_eq!(named(&collisions.json()["parked"]), [pair("TICKET#1", "by-code")]);
    let neither = list(&["--code", "collision", "--view", "by-rank"]).await;
    assert_eq!((neither.exit, neither.json()), (0, json!({ "parked": [] })));
    let unknown = list(&["--view", "by-rnak"]).await;
    assert_eq!(unknown.exit, 2);
    assert!(unknown.notices.contains("by-code, by-rank"), "{}", unknown.notices);
}

#[tokio::test]
async fn trying_again_settles_what_was_mended_and_keeps_the_rest() {
    let desk = with_two_parked().await;
    let id = KeySchema {
        partition: KeyAttribute {
            name: "id".to_owned(),
            kind: ScalarType::S,
        },
        sort: None,
    };
    let taken = item_from_json(r#"{"id":{"S":"CODE#07"}}"#).expect("item");
    let delete = Delete {
        table: TableName("lookup".to_owned()),
        key: id.key_of(&taken).expect("key"),
        condition: Condition::ALWAYS,
    };
    desk.store.delete(&delete).await.expect("delete");
    let answer = desk.run(&["parked", "retry", "--format", "json"]).await;
    assert_eq!(answer.exit, 1, "{}", answer.notices);
    let json = answer.json();
    assert_eq!(named(&json["settled"]), [pair("TICKET#1", "by-code")]);
    assert_eq!(named(&json["parked"]), [pair("TICKET#2", "by-rank")]);
    assert_eq!((&json["failed"], &json["counters"]["puts"]), (&json!([]), &json!(1)));
    assert!(
        desk.items("lookup")
            .await
            .iter()
            .all(|item| item.contains_key("_shadow"))
    );
    desk.put("app", &ticket("2", "8", "2")).await;
    let answer = desk.run(&["parked", "retry"]).await;
    assert_eq!(answer.exit, 0, "{}", answer.out);
    assert!(answer.out.ends_with("1 settled, 0 still parked\n"), "{}", answer.out);
    assert_eq!(desk.items("app-shadowkey").await, []);
}

#[tokio::test]
async fn an_entry_is_dropped_by_its_item_or_its_view() {
    let desk = with_two_parked().await;
    let key = r#"{"PK":{"S":"ORG#1"},"SK":{"S":"TICKET#1"}}"#;
    let other_view = desk.run(&["parked", "drop", "--of", key, "--view", "by-rank"]).await;
    assert_eq!(other_view.exit, 0);
    assert!(
        other_view.out.contains("nothing of that is parked"),
        "{}",
        other_view.out
    );
    let by_item = desk.run(&["parked", "drop", "--format", "json", "--of", key]).await;
    assert_eq!(by_item.exit, 0, "{}", by_item.notices);
    assert_eq!(named(&by_item.json()["dropped"]), [pair("TICKET#1", "by-code")]);
    assert_eq!(by_item.json()["kept"], json!([]));
    let by_view = desk.run(&["parked", "drop", "--view", "by-rank"]).await;
    assert!(by_view.out.contains("dropped [does-not-fit]"), "{}", by_view.out);
    assert!(by_view.out.contains("nothing else remembers"), "{}", by_view.out);
    assert_eq!(desk.run(&["parked", "list"]).await.exit, 0);
}

#[tokio::test]
async fn everything_is_dropped_only_when_that_is_said() {
    let desk = with_two_parked().await;
    for (arguments, part) in [
        (&["parked", "drop"][..], "--all"),
        (&["parked", "drop", "--all", "--view", "by-rank"], "cannot be used with"),
        (
            &["parked", "drop", "--of", r#"{"PK":{"S":"ORG#1"}}"#],
            r#"'{"PK":{"S":".."},"SK":{"S":".."}}'"#,
        ),
        (&["parked", "drop", "--of", "ORG#1"], "DynamoDB JSON"),
    ] {
        let answer = desk.run(arguments).await;
        assert_eq!(answer.exit, 2, "{arguments:?}");
        assert!(answer.notices.contains(part), "{}", answer.notices);
    }
    assert_eq!(desk.items("app-shadowkey").await.len(), 2);
    assert_eq!(desk.run(&["parked", "drop", "--all"]).await.exit, 0);
    assert_eq!(desk.items("app-shadowkey").await, []);
}

#[tokio::test]
async fn without_a_table_to_park_in_every_one_says_so() {
    let views = VIEWS.replace("[state]\ntable = \"app-shadowkey\"\n", "");
    let desk = Deployed::new(&views).await;
    for arguments in [
        &["parked", "list"][..],
        &["parked", "retry"],
        &["parked", "drop", "--all"],
    ] {
        let answer = desk.run(arguments).await;
        assert_eq!(answer.exit, 2);
        assert!(
            answer.notices.contains("`table = \"app-shadowkey\"`"),
            "{}",
            answer.notices
        );
    }
}
