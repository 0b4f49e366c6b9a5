//! `decode`: a key taken apart.

use serde_json::json;

use crate::desk::{Desk, VIEWS};

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
