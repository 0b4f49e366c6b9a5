use serde_json::{Value, json};
use shadowkey_item::Item;
use shadowkey_plan::Condition;
use shadowkey_store::{Store, Written};

use super::tables::*;

/// That each condition holds, or does not hold, for what stands in the place, by its own definition and in the store.
async fn assert_answers(found: Option<Item>, answers: Vec<(Condition, bool)>) {
    let store = crate::store().await;
    for (condition, expected) in answers {
        assert_eq!(
            condition.holds(found.as_ref()),
            expected,
            "by definition: {condition:?}"
        );
        match &found {
            Some(item) => given(&store, item).await,
            None => assert_done(&store.delete(&delete(Condition::ALWAYS)).await.expect("delete")),
        }
        let written = store.delete(&delete(condition.clone())).await;
        let written = written.unwrap_or_else(|error| panic!("{condition:?}: {error:?}"));
        assert_eq!(
            matches!(written, Written::Done { .. }),
            expected,
            "in the store: {condition:?}"
        );
    }
}

fn item_with(value: Value) -> Option<Item> {
    Some(item_a(json!({"a": value})))
}

#[tokio::test]
async fn nothing_has_no_attribute_and_equals_nothing() {
    let one = || json!({"N": "1"});
    assert_answers(
        None,
        vec![
            (Condition::ALWAYS, true),
            (absent("PK"), true),
            (present("PK"), false),
            (equal("a", one()), false),
            (not_equal("a", one()), false),
            (less("a", one()), false),
            (Condition::is(path("a"), None), true),
            (Condition::is(path("a"), Some(value(one()))), false),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_missing_attribute_compares_with_nothing_whatever_the_comparison() {
    assert_answers(
        Some(item_a(json!({"b": {"N": "1"}}))),
        vec![
            (absent("a"), true),
            (present("a"), false),
            (equal("a", json!({"N": "1"})), false),
            (not_equal("a", json!({"N": "1"})), false),
            (less("a", json!({"N": "1"})), false),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_empty_or_null_value_is_a_value() {
    for empty in [
        json!({"S": ""}),
        json!({"B": ""}),
        json!({"NULL": true}),
        json!({"L": []}),
        json!({"M": {}}),
    ] {
        let answers = vec![
            (present("a"), true),
            (absent("a"), false),
            (equal("a", empty.clone()), true),
            (not_equal("a", empty.clone()), false),
            (not_equal("a", json!({"S": "x"})), true),
        ];
        assert_answers(item_with(empty), answers).await;
    }
}

#[tokio::test]
async fn values_of_two_types_are_not_equal_and_have_no_order() {
    assert_answers(
        item_with(json!({"S": "1"})),
        vec![
            (equal("a", json!({"N": "1"})), false),
            (not_equal("a", json!({"N": "1"})), true),
            (less("a", json!({"N": "2"})), false),
            (less("a", json!({"B": "/w=="})), false),
            (less("a", json!({"S": "2"})), true),
        ],
    )
    .await;
}

#[tokio::test]
async fn numbers_compare_by_value_and_with_all_their_digits() {
    assert_answers(
        item_with(json!({"N": "10000000000000000000000000000000000001"})),
        vec![
            (equal("a", json!({"N": "10000000000000000000000000000000000001"})), true),
            (
                equal("a", json!({"N": "1.0000000000000000000000000000000000001E37"})),
                true,
            ),
            (
                equal("a", json!({"N": "10000000000000000000000000000000000002"})),
                false,
            ),
            (less("a", json!({"N": "10000000000000000000000000000000000002"})), true),
            (less("a", json!({"N": "10000000000000000000000000000000000001"})), false),
            (less("a", json!({"N": "9E125"})), true),
            (less("a", json!({"N": "9"})), false),
            (less("a", json!({"N": "-9E125"})), false),
        ],
    )
    .await;
}

#[tokio::test]
async fn texts_have_the_order_of_their_utf8_bytes() {
    // In UTF-16, U+10000 sorts before U+FFFD.
    assert_answers(
        item_with(json!({"S": "\u{fffd}"})),
        vec![
            (less("a", json!({"S": "\u{10000}"})), true),
            (less("a", json!({"S": "z"})), false),
            (less("a", json!({"S": "\u{fffd}a"})), true),
            (less("a", json!({"S": "\u{fffd}"})), false),
        ],
    )
    .await;
}

#[tokio::test]
async fn bytes_have_the_order_of_unsigned_bytes() {
    // 0x7F, against 0x80, 0x7F 0x00 and 0x01 0xFF.
    assert_answers(
        item_with(json!({"B": "fw=="})),
        vec![
            (less("a", json!({"B": "gA=="})), true),
            (less("a", json!({"B": "fwA="})), true),
            (less("a", json!({"B": "Af8="})), false),
            (equal("a", json!({"B": "fw=="})), true),
        ],
    )
    .await;
}

#[tokio::test]
async fn only_texts_numbers_and_bytes_have_an_order() {
    for value in [
        json!({"BOOL": false}),
        json!({"NULL": true}),
        json!({"L": []}),
        json!({"SS": ["a"]}),
    ] {
        assert_answers(item_with(value.clone()), vec![(less("a", value), false)]).await;
    }
    let answers = vec![
        (less("a", json!({"BOOL": true})), false),
        (less("a", json!({"M": {}})), false),
    ];
    assert_answers(item_with(json!({"S": "x"})), answers).await;
}

#[tokio::test]
async fn sets_are_equal_in_any_order_and_lists_are_not() {
    assert_answers(
        item_with(json!({"SS": ["b", "a"]})),
        vec![
            (equal("a", json!({"SS": ["a", "b"]})), true),
            (equal("a", json!({"SS": ["a"]})), false),
            (equal("a", json!({"L": [{"S": "a"}, {"S": "b"}]})), false),
        ],
    )
    .await;
    let answers = vec![
        (equal("a", json!({"NS": ["10", "2"]})), true),
        (equal("a", json!({"NS": ["2"]})), false),
    ];
    assert_answers(item_with(json!({"NS": ["2", "1E1"]})), answers).await;
    let answers = vec![
        (equal("a", json!({"BS": ["AQ==", "AA=="]})), true),
        (equal("a", json!({"BS": ["AQ=="]})), false),
    ];
    assert_answers(item_with(json!({"BS": ["AA==", "AQ=="]})), answers).await;
    let answers = vec![
        (equal("a", json!({"L": [{"N": "1"}, {"N": "2"}]})), true),
        (equal("a", json!({"L": [{"N": "2"}, {"N": "1"}]})), false),
    ];
    assert_answers(item_with(json!({"L": [{"N": "1.0"}, {"N": "2"}]})), answers).await;
}

#[tokio::test]
async fn maps_are_equal_when_all_their_entries_are() {
    let map = || json!({"M": {"from": {"S": "app"}, "of": {"M": {"PK": {"S": "a"}, "SK": {"N": "7"}}}}});
    assert_answers(
        item_with(map()),
        vec![
            (equal("a", map()), true),
            (equal("a", json!({"M": {"from": {"S": "app"}}})), false),
            (
                equal("a.of", json!({"M": {"SK": {"N": "7.0"}, "PK": {"S": "a"}}})),
                true,
            ),
            (
                not_equal("a.of", json!({"M": {"SK": {"N": "8"}, "PK": {"S": "a"}}})),
                true,
            ),
            (not_equal("a", map()), false),
        ],
    )
    .await;
}

#[tokio::test]
async fn all_needs_every_part_and_any_needs_one() {
    let (yes, no) = (|| present("a"), || absent("a"));
    let (all, any) = (Condition::All, Condition::Any);
    assert_answers(
        item_with(json!({"N": "1"})),
        vec![
            (all(vec![]), true),
            (any(vec![]), false),
            (all(vec![yes(), yes()]), true),
            (all(vec![yes(), no()]), false),
            (any(vec![no(), yes()]), true),
            (any(vec![no(), no()]), false),
            (all(vec![any(vec![no(), yes()]), any(vec![yes(), no()])]), true),
            (any(vec![all(vec![yes(), no()]), all(vec![yes()])]), true),
            (any(vec![all(vec![yes(), no()]), all(vec![no(), yes()])]), false),
            (any(vec![no(), all(vec![])]), true),
            (all(vec![yes(), any(vec![])]), false),
            (any(vec![any(vec![]), yes()]), true),
        ],
    )
    .await;
}
