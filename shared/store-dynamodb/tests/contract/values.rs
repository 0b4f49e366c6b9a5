use serde_json::{Value, json};
use shadowkey_plan::Condition;
use shadowkey_store::{Store, Written};

use super::tables::*;

/// That a value comes back from a read and from a refused condition as it was put and as it was set.
async fn assert_survives(values: impl IntoIterator<Item = Value>) {
    let store = crate::store().await;
    for value in values {
        let attributes = json!({"a": value, "m": {"M": {"deep": {"L": [value]}}}});
        let stored = item_a(attributes.clone());
        given(&store, &stored).await;
        assert_eq!(found(&store).await.as_ref(), Some(&stored), "put {value}");
        let refused = store.delete(&delete(absent("PK"))).await.expect("delete");
        let found_there = Some(stored.clone());
        assert_eq!(refused, Written::Refused { found: found_there }, "refused {value}");
        given(&store, &item_a(json!({}))).await;
        assert_done(
            &store
                .update(&update(attributes, &[], Condition::ALWAYS))
                .await
                .expect("update"),
        );
        assert_eq!(found(&store).await.as_ref(), Some(&stored), "set {value}");
    }
}

#[tokio::test]
async fn numbers_keep_all_38_digits_and_the_whole_range() {
    let numbers = [
        "0",
        "-1",
        "0.1",
        "18446744073709551617",
        "12345678901234567890123456789012345678",
        "-99999999999999999999999999999999999999",
        "1.2345678901234567890123456789012345678",
        "0.00000000000000000000000000000000000001",
        "9.9999999999999999999999999999999999999E125",
        "-9.9999999999999999999999999999999999999E125",
        "1E-130",
        "-1E-130",
    ];
    assert_survives(numbers.map(|number| json!({"N": number}))).await;
    assert_survives([json!({"NS": numbers})]).await;
}

#[tokio::test]
async fn texts_keep_every_character() {
    let texts = [
        "",
        " ",
        "é",
        "e\u{301}",
        "\u{0}",
        "\u{10ffff}",
        "\u{fffd}",
        "\"\\\n\r\t/",
        "日本",
        "null",
    ];
    assert_survives(texts.map(|text| json!({"S": text}))).await;
    assert_survives([json!({"SS": ["b", "a", "ß", "日本"]})]).await;
}

#[tokio::test]
async fn bytes_keep_every_value() {
    assert_survives([
        json!({"B": ""}),
        json!({"B": "AAECA/8="}),
        json!({"BS": ["/w==", "AA=="]}),
    ])
    .await;
}

#[tokio::test]
async fn truth_null_lists_and_maps_come_back_as_they_are() {
    assert_survives([
        json!({"BOOL": true}),
        json!({"BOOL": false}),
        json!({"NULL": true}),
        json!({"L": []}),
        json!({"M": {}}),
        json!({"L": [{"L": [{"NULL": true}]}, {"M": {"x": {"S": ""}}}, {"N": "2"}, {"N": "1"}]}),
        json!({"M": {"a.b": {"M": {"#": {"L": [{"BOOL": false}]}}}}}),
    ])
    .await;
}
