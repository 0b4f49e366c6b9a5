//! `replay`: recorded events, as odd as streams carry them.

use serde_json::{Value, json};

use crate::desk::{Answer, Desk, VIEWS, record, ticket};

/// The sort keys in the sources' table, in their order.
fn sort_keys(answer: &Answer) -> Vec<String> {
    let tables = answer.json()["tables"]["app"].clone();
    let items = tables.as_array().expect("items").iter();
    items
        .map(|item| item["SK"]["S"].as_str().expect("SK").to_owned())
        .collect()
}

#[tokio::test]
async fn replay_takes_records_as_odd_as_streams_carry_them() {
    let desk = Desk::new(VIEWS);
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
    let desk = Desk::new(VIEWS);
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
    let desk = Desk::new(VIEWS);
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
    let desk = Desk::new(VIEWS);
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
    let desk = Desk::new(VIEWS);
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
    let desk = Desk::new(VIEWS);
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
    let desk = Desk::new(VIEWS);
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
