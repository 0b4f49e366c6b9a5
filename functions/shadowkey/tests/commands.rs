//! The contract of `check`, `render` and `replay`: JSON on stdout alone, exit codes, and what odd input does.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's own words fail the test"
)]

use std::ffi::OsString;
use std::fs;

use serde_json::{Value, json};
use shadowkey::{Console, run};
use tempfile::TempDir;

const VIEWS: &str = r##"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
[source.ticket]
match = { PK = [{ prefix = "ORG#" }], SK = [{ prefix = "TICKET#" }] }
identity = ["big"]
[attribute.name]
source = "ticket"
value = "{'a.b c#d'}_{size}"
[shadow.by-updated]
source = "ticket"
key = { PK = "{PK}", SK = "UPDATED#{UpdatedAt | time | desc}#{big}" }
project = ["size"]
[shadow.by-code]
source = "ticket"
into = { table = "lookup", partition_key = { name = "id", type = "S" } }
key = { id = "CODE#{code | pad(2)}" }
unique = true
"##;

/// What a command answered.
struct Answer {
    exit: u8,
    out: String,
    notices: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.notices))
    }
}

/// A folder of files that commands are run on.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(TempDir::new().expect("folder"));
        desk.file("views.toml", VIEWS);
        desk
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect(name);
        path.to_str().expect("path").to_owned()
    }

    fn event(&self, name: &str, records: &[Value]) -> String {
        self.file(name, &json!({ "Records": records }).to_string())
    }

    async fn run(&self, arguments: &[&str]) -> Answer {
        let views = self.0.path().join("views.toml");
        let command = ["shadowkey", arguments[0], "--views"].map(OsString::from);
        let rest = arguments[1..].iter().map(OsString::from);
        let (mut out, mut notices) = (Vec::new(), Vec::new());
        let mut console = Console {
            out: &mut out,
            notices: &mut notices,
            color: false,
        };
        let exit = run(command.into_iter().chain([views.into()]).chain(rest), &mut console).await;
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Answer {
            exit,
            out: text(out),
            notices: text(notices),
        }
    }
}

/// The ticket `TICKET#id` with these attributes besides what every ticket has.
fn ticket(id: &str, attributes: Value) -> Value {
    let mut item = json!({
        "PK": { "S": "ORG#1" }, "SK": { "S": format!("TICKET#{id}") }, "UpdatedAt": { "S": "2024-01-01T00:00:00Z" },
        "big": { "N": "123456789012345678901234567890" }, "a.b c#d": { "S": "x_y" }, "size": { "N": "1E2" },
    });
    for (name, value) in attributes.as_object().expect("attributes") {
        item[name] = value.clone();
    }
    item
}

fn record(event: &str, number: u32, old: Option<&Value>, new: Option<&Value>) -> Value {
    let image = old.or(new).expect("image");
    let mut change = json!({
        "Keys": { "PK": image["PK"], "SK": image["SK"] },
        "SequenceNumber": number.to_string(), "SizeBytes": 100, "StreamViewType": "NEW_AND_OLD_IMAGES",
        "ApproximateCreationDateTime": 1_700_000_000,
    });
    for (name, image) in [("OldImage", old), ("NewImage", new)] {
        if let Some(image) = image {
            change[name] = image.clone();
        }
    }
    json!({
        "eventID": number.to_string(), "eventName": event, "eventVersion": "1.1", "eventSource": "aws:dynamodb",
        "awsRegion": "eu-central-1", "dynamodb": change,
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/prod-app-1X2Y/stream/2026-01-05T10:00:00.000",
    })
}

/// The sort keys in the sources' table, in their order.
fn sort_keys(answer: &Answer) -> Vec<String> {
    let tables = answer.json()["tables"]["app"].clone();
    let items = tables.as_array().expect("items").iter();
    items
        .map(|item| item["SK"]["S"].as_str().expect("SK").to_owned())
        .collect()
}

#[tokio::test]
async fn check_answers_with_its_findings_and_exits_by_them() {
    let desk = Desk::new();
    let good = desk.run(&["check", "--format", "json"]).await;
    assert_eq!((good.exit, good.json()), (0, json!({ "findings": [] })));
    desk.file("views.toml", &VIEWS.replace("pad(2)", "pda(2)"));
    let bad = desk.run(&["check", "--format", "json"]).await;
    assert_eq!(bad.exit, 1);
    assert_eq!(
        bad.json()["findings"][0],
        json!({
            "severity": "error", "code": "SK002", "view": "by-code", "message": "the op `pda` is not known",
            "help": "did you mean `pad`?", "line": 19, "column": 28,
        })
    );
    assert!(desk.run(&["check"]).await.out.contains("error[SK002]"));
    fs::remove_file(desk.0.path().join("views.toml")).expect("removed");
    assert_eq!(desk.run(&["check"]).await.exit, 2);
}

#[tokio::test]
async fn render_derives_one_item_without_a_version() {
    let desk = Desk::new();
    let item = desk.file("item.json", &ticket("1", json!({ "code": { "N": "7" } })).to_string());
    let answer = desk.run(&["render", "--format", "json", "--item", &item]).await;
    assert_eq!(answer.exit, 0, "{}", answer.notices);
    let json = answer.json();
    assert_eq!(json["attributes"], json!({ "name": { "S": "x%5Fy_100" } }));
    assert_eq!(json["parked"], json!([]));
    let shadows = json["shadows"].as_array().expect("shadows");
    assert_eq!(shadows.len(), 2);
    let mut code = shadows[0].clone();
    let definition = code["item"]["_shadow"]["M"]
        .as_object_mut()
        .expect("marker")
        .remove("def");
    assert!(definition.is_some());
    let of = json!({ "M": { "PK": { "S": "ORG#1" }, "SK": { "S": "TICKET#1" } } });
    assert_eq!(
        code,
        json!({ "view": "by-code", "table": "lookup", "item": {
            "id": { "S": "CODE#07" },
            "_shadow": { "M": { "from": { "S": "app" }, "view": { "S": "by-code" }, "of": of } },
        } })
    );
    let wrapped = desk.file("get-item.json", &json!({ "Item": ticket("1", json!({})) }).to_string());
    assert_eq!(desk.run(&["render", "--item", &wrapped]).await.exit, 0);
}

#[tokio::test]
async fn render_says_which_view_fails_and_why() {
    let desk = Desk::new();
    let item = desk.file("item.json", &ticket("1", json!({ "code": { "N": "700" } })).to_string());
    let answer = desk.run(&["render", "--format", "json", "--item", &item]).await;
    assert_eq!(answer.exit, 1);
    let parked = &answer.json()["parked"][0];
    assert_eq!(
        (&parked["view"], &parked["code"]),
        (&json!("by-code"), &json!("does-not-fit"))
    );
    assert!(
        parked["message"]
            .as_str()
            .is_some_and(|message| message.contains("`700` does not fit `pad(2)`"))
    );
    for (name, text) in [
        ("a", "{"),
        ("b", "[1]"),
        ("c", r#"{"PK":{"S":"ORG#1"}}"#),
        ("d", r#"{"PK":{"N":"1"},"SK":{"S":"x"}}"#),
    ] {
        let bad = desk.run(&["render", "--item", &desk.file(name, text)]).await;
        assert_eq!(bad.exit, 2, "{text}");
        assert!(bad.notices.contains(name), "{}", bad.notices);
    }
}

#[tokio::test]
async fn replay_takes_records_as_odd_as_streams_carry_them() {
    let desk = Desk::new();
    let (a, b) = (
        ticket("1", json!({})),
        ticket("1", json!({ "UpdatedAt": { "S": "2024-01-02T00:00:00Z" } })),
    );
    let gone = ticket("1", json!({ "UpdatedAt": { "NULL": true }, "a.b c#d": { "S": "" } }));
    let mut records = [
        record("INSERT", 1, None, Some(&a)),
        record("MODIFY", 2, Some(&a), Some(&b)),
        record("MODIFY", 3, Some(&b), Some(&gone)),
        record("MODIFY", 4, Some(&gone), Some(&b)),
    ];
    records[0]["dynamodb"]
        .as_object_mut()
        .expect("change")
        .remove("ApproximateCreationDateTime");
    records[1]["dynamodb"]["ApproximateCreationDateTime"] = json!(1_700_000_000.123_456);
    records[2]["dynamodb"]
        .as_object_mut()
        .expect("change")
        .remove("SizeBytes");
    records[3]["dynamodb"]["StreamViewType"] = json!("SOMETHING_NEW");
    let text = json!({ "Records": records })
        .to_string()
        .replace("1700000000,", "1.7E9,");
    let event = desk.file("event.json", &text);
    let answer = desk.run(&["replay", "--format", "json", &event]).await;
    assert_eq!(answer.exit, 0, "{}\n{}", answer.out, answer.notices);
    let json = answer.json();
    let app = json["tables"]["app"].as_array().expect("items");
    assert_eq!(app[0]["name"], json!({ "S": "x%5Fy_100" }));
    assert_eq!(
        app[1]["SK"]["S"],
        json!("UPDATED#251698147199999#123456789012345678901234567890")
    );
    assert_eq!(app[1]["size"], json!({ "N": "100" }));
    assert_eq!((app.len(), &json["tables"]["lookup"]), (2, &json!([])));
    let counters = &json["counters"];
    assert_eq!(
        (&counters["puts"], &counters["updates"], &counters["changes"]),
        (&json!(1), &json!(1), &json!(2))
    );
}

#[tokio::test]
async fn replay_follows_an_item_through_removal_and_rebirth() {
    let desk = Desk::new();
    let a = ticket("1", json!({}));
    let b = ticket("1", json!({ "UpdatedAt": { "S": "2024-01-02T00:00:00Z" } }));
    let mut expired = record("REMOVE", 9, Some(&b), None);
    expired["userIdentity"] = json!({ "type": "Service", "principalId": "dynamodb.amazonaws.com" });
    let created = desk.event("1.json", &[record("INSERT", 1, None, Some(&a))]);
    let modified_and_removed = desk.event(
        "2.json",
        &[
            record("MODIFY", 2, Some(&a), Some(&b)),
            record("REMOVE", 3, Some(&b), None),
        ],
    );
    let lines = [
        record("INSERT", 4, None, Some(&a)),
        record("REMOVE", 5, Some(&a), None),
        record("INSERT", 6, None, Some(&b)),
    ];
    let reborn = desk.file("3.jsonl", &lines.map(|line| line.to_string()).join("\n"));
    let expiry = desk.event("4.json", &[expired]);
    let replay = async |files: &[&str]| {
        let arguments: Vec<&str> = ["replay", "--format", "json"]
            .into_iter()
            .chain(files.iter().copied())
            .collect();
        let answer = desk.run(&arguments).await;
        assert_eq!(answer.exit, 0, "{}\n{}", answer.out, answer.notices);
        sort_keys(&answer)
    };
    assert_eq!(
        replay(&[&created]).await,
        ["TICKET#1", "UPDATED#251698233599999#123456789012345678901234567890"]
    );
    assert_eq!(replay(&[&created, &modified_and_removed]).await, Vec::<String>::new());
    let rest = [created.as_str(), &modified_and_removed, &reborn];
    assert_eq!(
        replay(&rest).await,
        ["TICKET#1", "UPDATED#251698147199999#123456789012345678901234567890"]
    );
    assert_eq!(replay(&[&rest[..], &[&expiry]].concat()).await, Vec::<String>::new());
    for stress in [
        &["--duplicate"][..],
        &["--batch-size", "1"],
        &["--batch-size", "2", "--duplicate", "--seed", "7"],
    ] {
        assert_eq!(replay(&[&rest[..], stress].concat()).await.len(), 2, "{stress:?}");
    }
}

#[tokio::test]
async fn replay_lists_what_is_parked_and_the_rest_goes_on() {
    let desk = Desk::new();
    let own = |id: &str, code: Option<&str>| {
        let mut item = ticket(id, json!({ "big": { "N": id } }));
        if let Some(code) = code {
            item["code"] = json!({ "S": code });
        }
        item
    };
    let insert = |id: &str, item: Value| record("INSERT", id.parse().expect(id), None, Some(&item));
    let good = |id: &str| insert(id, own(id, None));
    let bad = |id: &str| insert(id, own(id, Some("7")));
    let event = desk.event("event.json", &[good("1"), bad("2"), good("3"), bad("4")]);
    let answer = desk.run(&["replay", "--format", "json", &event]).await;
    assert_eq!(answer.exit, 1);
    let json = answer.json();
    assert_eq!(
        json["batches"],
        json!([{ "file": event, "response": { "batchItemFailures": [] } }])
    );
    let parked = json["parked"].as_array().expect("parked");
    assert_eq!(parked.len(), 2);
    assert_eq!(
        (&parked[0]["code"], &parked[0]["view"], &parked[0]["table"]),
        (&json!("wrong-type"), &json!("by-code"), &json!("app"))
    );
    assert_eq!(
        parked[0]["of"],
        json!({ "PK": { "S": "ORG#1" }, "SK": { "S": "TICKET#2" } })
    );
    assert_eq!(sort_keys(&answer).len(), 8, "the other views of every item are there");
    let mended = record("MODIFY", 5, Some(&own("2", Some("7"))), Some(&own("2", None)));
    let mended = desk.event("mended.json", &[mended]);
    let answer = desk.run(&["replay", "--format", "json", &event, &mended]).await;
    assert_eq!(answer.json()["parked"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn replay_names_the_earliest_failure_and_gives_up() {
    let desk = Desk::new();
    let insert = |number: u32| {
        let id = number.to_string();
        record(
            "INSERT",
            number,
            None,
            Some(&ticket(&id, json!({ "big": { "N": id } }))),
        )
    };
    let mut keyless = insert(2);
    keyless["dynamodb"]["Keys"] = json!({ "other": { "S": "x" } });
    let event = desk.event("event.json", &[insert(1), keyless, insert(3)]);
    let answer = desk.run(&["replay", "--format", "json", &event]).await;
    let response = json!({ "batchItemFailures": [{ "itemIdentifier": "2" }] });
    assert_eq!(
        (answer.exit, &answer.json()["batches"]),
        (1, &json!([{ "file": event, "response": response }]))
    );
}

#[tokio::test]
async fn replay_keeps_an_item_of_the_applications_own() {
    let desk = Desk::new();
    let taken = json!({
        "PK": { "S": "ORG#1" }, "SK": { "S": "UPDATED#251698233599999#123456789012345678901234567890" }, "mine": { "S": "precious" },
    });
    let scan = desk.file("scan.json", &json!({ "Items": [taken], "Count": 1 }).to_string());
    let event = desk.event(
        "event.json",
        &[record("INSERT", 1, None, Some(&ticket("1", json!({}))))],
    );
    let answer = desk.run(&["replay", "--format", "json", "--base", &scan, &event]).await;
    assert_eq!(answer.exit, 1);
    assert_eq!(answer.json()["parked"][0]["code"], json!("collision"));
    assert_eq!(answer.json()["tables"]["app"][1], taken);
}

#[tokio::test]
async fn replay_keeps_attributes_that_the_image_does_not_know_yet() {
    let desk = Desk::new();
    // Both records are from before the worker wrote `name`, as when the function lags behind the table.
    let (a, b) = (
        ticket("1", json!({})),
        ticket("1", json!({ "notes": { "S": "touched" } })),
    );
    let first = desk.event("1.json", &[record("INSERT", 1, None, Some(&a))]);
    let second = desk.event("2.json", &[record("MODIFY", 2, Some(&a), Some(&b))]);
    let answer = desk.run(&["replay", "--format", "json", &first, &second]).await;
    assert_eq!(answer.exit, 0, "{}", answer.out);
    let item = &answer.json()["tables"]["app"][0];
    assert_eq!(
        (&item["name"], &item["notes"]),
        (&json!({ "S": "x%5Fy_100" }), &json!({ "S": "touched" }))
    );
}

#[tokio::test]
async fn files_that_are_no_events_are_refused_by_place() {
    let desk = Desk::new();
    for (text, part) in [
        ("{", "is not JSON from line 1"),
        ("{}", "value 1"),
        ("{\"dynamodb\":{}}\n[]", "value 2"),
    ] {
        let answer = desk.run(&["replay", &desk.file("bad.json", text)]).await;
        assert_eq!(answer.exit, 2, "{text}");
        assert!(answer.notices.contains(part), "{}", answer.notices);
    }
    let mut keys_only = record("INSERT", 1, None, Some(&ticket("1", json!({}))));
    keys_only["dynamodb"]["StreamViewType"] = json!("KEYS_ONLY");
    let answer = desk.run(&["replay", &desk.event("keys.json", &[keys_only])]).await;
    assert_eq!(answer.exit, 1);
    assert!(answer.notices.contains("NEW_AND_OLD_IMAGES"), "{}", answer.notices);
}

#[tokio::test]
async fn key_and_decode_are_each_others_way_back() {
    let desk = Desk::new();
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
    let desk = Desk::new();
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
    let desk = Desk::new();
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
async fn key_asks_the_index_that_an_attribute_is_the_partition_key_of() {
    let desk = Desk::new();
    desk.file("views.toml", INDEXED);
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
    let desk = Desk::new();
    desk.file("views.toml", INDEXED);
    let answer = desk.run(&["key", "--view", "by-tag", "t.name=rust", "PK=A"]).await;
    assert!(
        answer.exit == 2 && answer.notices.contains("`t` is missing"),
        "{}{}",
        answer.out,
        answer.notices
    );
}

#[tokio::test]
async fn an_input_that_stands_wholly_in_a_key_is_not_lossy() {
    let desk = Desk::new();
    let key = r#"key = { PK = "{PK | upper}", SK = "{code | pad(2)}#{code}#{PK}" }"#;
    desk.file(
        "views.toml",
        &format!("{VIEWS}[shadow.twice]\nsource = \"ticket\"\n{key}\n"),
    );
    let decode = async |key: [&str; 2]| {
        desk.run(&[&["decode", "--format", "json", "--view", "twice"], &key[..]].concat())
            .await
    };
    let whole = json!({ "inputs": { "PK": { "S": "a" }, "code": { "N": "7" } }, "lossy": [] });
    let decoded = decode(["A", "07#7#a"]).await;
    assert_eq!(decoded.json(), whole);
    for foreign in [["A", "07#7#b"], ["A", "07#8#a"], ["a", "07#7#a"]] {
        let answer = decode(foreign).await;
        assert!(
            answer.exit == 1 && answer.notices.contains("view `twice`: `"),
            "{}{}",
            answer.out,
            answer.notices
        );
    }
    let long = "x".repeat(200);
    let answer = decode([&long, "07#7#a"]).await;
    assert!(
        answer.notices.contains(&format!("`{}…` is not", "x".repeat(64))),
        "{}",
        answer.notices
    );
}

#[tokio::test]
async fn inputs_that_only_choose_a_bucket_are_told_with_the_reads_that_do_without() {
    let desk = Desk::new();
    desk.file(
        "views.toml",
        &INDEXED.replace("TAG#{t.name}#{t | shard(8)}#{PK}", "TAG#{t | shard(8)}#{PK | shard(3)}"),
    );
    let answer = desk.run(&["key", "--view", "by-tag"]).await;
    assert_eq!(answer.exit, 2);
    let expected = "`PK` needs `t`, `PK`; give each of them, or make 24 reads, one for each bucket, as `explain by-tag` prints them";
    assert!(answer.notices.contains(expected), "{}", answer.notices);
}

#[tokio::test]
async fn an_input_that_its_ops_leave_nothing_of_is_no_input_left_out() {
    let desk = Desk::new();
    desk.file("views.toml", &INDEXED.replace("{kind}#{seen", "{kind | trim}#{seen"));
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
    let desk = Desk::new();
    desk.file(
        "views.toml",
        &INDEXED
            .replace("[attribute.plain]", "[attribute.made]")
            .replace("{a}_{b}", "{seen | time | ksuid}#{kind}#{PK}"),
    );
    let arguments = ["key", "--format", "json", "--view", "made", "seen=2024-01-01", "PK=A"];
    let answer = desk.run(&arguments).await;
    let made = answer.json()["key"]["made"]["S"].as_str().expect("a text").to_owned();
    assert!(made.len() == 28 && made.ends_with('#'), "{made}");
}
