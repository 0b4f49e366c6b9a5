//! The vectors of FORMAT.md, executed; and held to the committed copy of what has been released.

#![expect(clippy::expect_used, reason = "a test's own words fail the test")]

use shadowkey_item::{AttributeValue, KeyAttribute, KeySchema, ScalarType, item_from_json};
use shadowkey_key_codec::{Scope, Template};

const PAGE: &str = include_str!("../FORMAT.md");
/// The vectors of version 1. A line here is never changed or taken away.
const RELEASED: &str = include_str!("released-1.tsv");

fn vectors(page: &str) -> Vec<&str> {
    let (_, block) = page.split_once("```vectors\n").expect("a block of vectors");
    let (block, _) = block.split_once("\n```").expect("its end");
    block.lines().collect()
}

fn template(spelling: &str) -> Template {
    match spelling.strip_prefix("N:") {
        Some(number) => Template::parse(number, ScalarType::N),
        None => Template::parse(spelling, ScalarType::S),
    }
    .expect(spelling)
}

fn render(spelling: &str, item: &str) -> AttributeValue {
    let schema = KeySchema {
        partition: KeyAttribute {
            name: "id".to_owned(),
            kind: ScalarType::S,
        },
        sort: None,
    };
    let key = schema
        .key_of(&item_from_json(r#"{"id":{"S":"7"}}"#).expect("key"))
        .expect("key");
    let item = item_from_json(item).expect(item);
    let scope = Scope::item(&item).of_source(Some(&key));
    template(spelling).render(scope).expect(spelling).expect(spelling)
}

#[test]
fn every_vector_of_the_page_is_what_the_codec_writes() {
    let vectors = vectors(PAGE);
    assert!(vectors.len() > 40);
    for line in vectors {
        let parts: Vec<&str> = line.split('\t').collect();
        let [spelling, item, value] = parts.as_slice() else {
            unreachable!("three columns: {line}")
        };
        let rendered = serde_json::to_string(&render(spelling, item)).expect("json");
        assert_eq!(&rendered, value, "{spelling} {item}");
    }
}

#[test]
fn every_vector_decodes() {
    for line in vectors(PAGE) {
        let mut parts = line.split('\t');
        let spelling = parts.next().expect("template");
        let value = serde_json::from_str(parts.nth(1).expect("value")).expect("value");
        assert!(template(spelling).decode(&value).is_some(), "{line}");
    }
}

#[test]
fn what_has_been_released_is_never_changed() {
    let vectors = vectors(PAGE);
    let missing: Vec<&str> = RELEASED.lines().filter(|line| !vectors.contains(line)).collect();
    assert!(
        missing.is_empty(),
        "put these back into FORMAT.md, and the codec with them: {missing:#?}"
    );
}
