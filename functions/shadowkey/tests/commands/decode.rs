//! `decode`: a key taken apart.

use serde_json::json;

use crate::desk::{Desk, VIEWS};

#[tokio::test]
async fn a_number_in_the_sources_key_is_one_for_key_and_decode() {
    let desk = Desk::new(
        r#"version = 1
[table]
name = "app"
partition_key = { name = "my.id", type = "N" }
[source.item]
match = {}
[shadow.by-time]
source = "item"
into = { table = "times", partition_key = { name = "id", type = "S" }, sort_key = { name = "k", type = "S" } }
key = { id = "A#{'my.id'}", k = "{t | time | ksuid}" }
"#,
    );
    let inputs = [
        "key",
        "--format",
        "json",
        "--view",
        "by-time",
        "'my.id'=1E2",
        "t=2023-07-10",
    ];
    let key = desk.run(&inputs).await;
    assert_eq!(
        (&key.json()["key"]["id"]["S"], &key.json()["complete"]),
        (&json!("A#100"), &json!(true))
    );
    let sort_key = key.json()["key"]["k"]["S"].as_str().expect("text").to_owned();
    let decoded = desk
        .run(&["decode", "--format", "json", "--view", "by-time", "A#100", &sort_key])
        .await;
    assert_eq!(decoded.json()["inputs"]["'my.id'"], json!({ "N": "100" }));
    for foreign in ["A#1E2", "A#010", "A#abc"] {
        assert_eq!(
            desk.run(&["decode", "--view", "by-time", foreign, &sort_key])
                .await
                .exit,
            1,
            "{foreign}"
        );
    }
    assert_eq!(desk.run(&["key", "--view", "by-time", "'my.id'=abc"]).await.exit, 2);
}

#[tokio::test]
async fn an_input_that_stands_wholly_in_a_key_is_not_lossy() {
    let desk = Desk::new(VIEWS);
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
