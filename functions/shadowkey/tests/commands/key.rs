//! `key`: what readers query by, and its way back by `decode`.

use serde_json::json;

use crate::desk::{Desk, VIEWS};

const INDEXED: &str = r##"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
[[table.index]]
name = "by-status"
kind = "global"
partition_key = { name = "status-key", type = "S" }
sort_key = { name = "seen-key", type = "S" }
[source.item]
match = {}
[attribute.status-key]
source = "item"
value = "STATUS#{status}"
[attribute.seen-key]
source = "item"
value = "SEEN#{kind}#{seen | time | desc}"
[attribute.plain]
source = "item"
value = "{a}_{b}"
[shadow.by-tag]
source = "item"
for_each = { t = "tags" }
key = { PK = "TAG#{t.name}#{t | shard(8)}#{PK}" }
"##;

#[tokio::test]
async fn key_and_decode_are_each_others_way_back() {
    let desk = Desk::new(VIEWS);
    let inputs = ["PK=ORG#1", "UpdatedAt=2024-01-01", "big:=7"];
    let key = desk
        .run(&[&["key", "--format", "json", "--view", "by-updated"], &inputs[..]].concat())
        .await;
    assert_eq!(key.exit, 0, "{}", key.notices);
    let sort_key = "UPDATED#251698233599999#7";
    assert_eq!(
        key.json(),
        json!({
            "key": { "PK": { "S": "ORG#1" }, "SK": { "S": sort_key } },
            "complete": true,
            "query": {
                "TableName": "app",
                "KeyConditionExpression": "#k0 = :k0 AND #k1 = :k1",
                "ExpressionAttributeNames": { "#k0": "PK", "#k1": "SK" },
                "ExpressionAttributeValues": { ":k0": { "S": "ORG#1" }, ":k1": { "S": sort_key } },
            },
        })
    );
    let decoded = desk
        .run(&["decode", "--format", "json", "--view", "by-updated", "ORG#1", sort_key])
        .await;
    assert_eq!(
        decoded.json(),
        json!({
            "inputs": { "PK": { "S": "ORG#1" }, "UpdatedAt": { "S": "2024-01-01T00:00:00.000Z" }, "big": { "S": "7" } },
            "lossy": ["UpdatedAt"],
        })
    );
    let id = desk
        .run(&["decode", "--format", "json", "--view", "by-code", "CODE#07"])
        .await;
    assert_eq!(id.json(), json!({ "inputs": { "code": { "N": "7" } }, "lossy": [] }));
}

#[tokio::test]
async fn a_key_without_its_last_inputs_ends_at_a_boundary() {
    let desk = Desk::new(VIEWS);
    let part = async |inputs: &[&str]| {
        let arguments = [&["key", "--format", "json", "--view", "by-updated"], inputs].concat();
        let answer = desk.run(&arguments).await.json();
        assert_eq!(answer["complete"], json!(false));
        (
            answer["key"]["SK"]["S"].clone(),
            answer["query"]["KeyConditionExpression"].clone(),
        )
    };
    let begins = json!("#k0 = :k0 AND begins_with(#k1, :k1)");
    let time = json!("UPDATED#251698233599999#");
    assert_eq!(
        part(&["PK=ORG#1", "UpdatedAt=2024-01-01"]).await,
        (time, begins.clone())
    );
    assert_eq!(part(&["PK=ORG#1"]).await, (json!("UPDATED#"), begins));
}

#[tokio::test]
async fn wrong_keys_and_inputs_are_refused_with_the_way_out() {
    let desk = Desk::new(VIEWS);
    for (arguments, exit, part) in [
        (&["key", "--view", "by-updated"][..], 2, "`PK` needs `PK`; give"),
        (&["key", "--view", "nothing"], 2, "by-updated"),
        (&["key", "--view", "by-code", "code"], 2, "path=text"),
        (&["key", "--view", "by-code", "code:=x"], 2, "path=text"),
        (
            &["key", "--view", "by-code", "code:=700"],
            1,
            "view `by-code`: `code`: `700` does not fit `pad(2)`; widen it",
        ),
        (
            &["key", "--view", "by-code", "coed:=7"],
            2,
            "view `by-code`: `coed` is no input of it; it has `code`",
        ),
        (&["key", "--view", "by-code", "code:=7", "code:=8"], 2, "given twice"),
        (&["key", "--view", "by-code", "code="], 2, "not empty"),
        (
            &["key", "--view", "by-updated", "PK=ORG#1", "big:=7"],
            2,
            "`UpdatedAt` is missing before `big`",
        ),
        (&["decode", "--view", "by-code", "CODE#7"], 1, "CODE#{code | pad(2)}"),
        (&["decode", "--view", "by-updated", "ORG#1"], 2, "`PK`, `SK`"),
    ] {
        let answer = desk.run(arguments).await;
        assert_eq!(answer.exit, exit, "{arguments:?}: {}", answer.notices);
        assert!(answer.notices.contains(part), "{arguments:?}: {}", answer.notices);
    }
}

#[tokio::test]
async fn key_asks_the_index_that_an_attribute_is_the_partition_key_of() {
    let desk = Desk::new(INDEXED);
    let key = async |arguments: &[&str]| {
        desk.run(&[&["key", "--format", "json", "--view"], arguments].concat())
            .await
    };
    let status = key(&["status-key", "status=open"]).await.json();
    assert_eq!(status["query"]["IndexName"], json!("by-status"));
    assert_eq!(
        status["query"]["ExpressionAttributeValues"],
        json!({ ":k0": { "S": "STATUS#open" } })
    );
    let seen = key(&["seen-key", "kind=a"]).await.json();
    let expected = json!({ "key": { "seen-key": { "S": "SEEN#a#" } }, "complete": false, "query": null });
    assert_eq!(seen, expected, "a sort key alone is no query");
    let plain = key(&["plain", "a=x", "b=y"]).await.json();
    assert_eq!(
        (&plain["key"]["plain"]["S"], &plain["query"]),
        (&json!("x_y"), &json!(null))
    );
    let partial = key(&["status-key"]).await;
    assert!(
        partial.exit == 2 && partial.notices.contains("needs `status`"),
        "{}",
        partial.notices
    );
}

#[tokio::test]
async fn key_never_makes_an_input_of_parts_of_it() {
    let desk = Desk::new(INDEXED);
    let answer = desk.run(&["key", "--view", "by-tag", "t.name=rust", "PK=A"]).await;
    assert!(
        answer.exit == 2 && answer.notices.contains("`t` is missing"),
        "{}{}",
        answer.out,
        answer.notices
    );
}

#[tokio::test]
async fn inputs_that_only_choose_a_bucket_are_told_with_the_reads_that_do_without() {
    let desk = Desk::new(&INDEXED.replace("TAG#{t.name}#{t | shard(8)}#{PK}", "TAG#{t | shard(8)}#{PK | shard(3)}"));
    let answer = desk.run(&["key", "--view", "by-tag"]).await;
    assert_eq!(answer.exit, 2);
    let expected = "`PK` needs `t`, `PK`; give each of them, or make 24 reads, one for each bucket, as `explain by-tag` prints them";
    assert!(answer.notices.contains(expected), "{}", answer.notices);
}

#[tokio::test]
async fn an_input_that_its_ops_leave_nothing_of_is_no_input_left_out() {
    let desk = Desk::new(&INDEXED.replace("{kind}#{seen", "{kind | trim}#{seen"));
    let answer = desk.run(&["key", "--view", "seen-key", "kind=  "]).await;
    assert!(
        answer.exit == 2 && answer.notices.contains("`kind` is empty behind its ops"),
        "{}{}",
        answer.out,
        answer.notices
    );
}

#[tokio::test]
async fn key_takes_the_sources_key_for_a_ksuid_before_it() {
    let desk = Desk::new(
        &INDEXED
            .replace("[attribute.plain]", "[attribute.made]")
            .replace("{a}_{b}", "{seen | time | ksuid}#{kind}#{PK}"),
    );
    let arguments = ["key", "--format", "json", "--view", "made", "seen=2024-01-01", "PK=A"];
    let answer = desk.run(&arguments).await;
    let made = answer.json()["key"]["made"]["S"].as_str().expect("a text").to_owned();
    assert!(made.len() == 28 && made.ends_with('#'), "{made}");
}
