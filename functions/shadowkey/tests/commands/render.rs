//! `render`: what one item derives.

use serde_json::json;

use crate::desk::{Desk, VIEWS, ticket};

#[tokio::test]
async fn render_derives_one_item_without_a_version() {
    let desk = Desk::new(VIEWS);
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
    let desk = Desk::new(VIEWS);
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
