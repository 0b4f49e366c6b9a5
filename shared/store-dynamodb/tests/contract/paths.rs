use serde_json::json;
use shadowkey_plan::Condition;
use shadowkey_store::Store;

use super::tables::*;

/// An item whose maps and lists hold names that are reserved, or look like paths or placeholders.
fn nested() -> shadowkey_item::Item {
    item_a(json!({
        "m": {"M": {"a.b": {"S": "dotted"}, "name": {"S": "reserved"}, "#n0": {"M": {"due date": {"N": "3"}}}}},
        "a.b": {"S": "top"},
        "l": {"L": [{"S": "zero"}, {"M": {"in": {"L": [{"N": "1"}, {"N": "2"}]}}}]},
        "l[0]": {"S": "not the list's"},
        "tags": {"SS": ["x"]},
    }))
}

async fn assert_all(conditions: Vec<Condition>, expected: bool) {
    let store = crate::store().await;
    let item = nested();
    for condition in conditions {
        given(&store, &item).await;
        assert_eq!(condition.holds(Some(&item)), expected, "by definition: {condition:?}");
        let written = store.put(&put(item.clone(), condition.clone())).await.expect("put");
        assert_eq!(
            matches!(written, shadowkey_store::Written::Done { .. }),
            expected,
            "in the store: {condition:?}"
        );
    }
}

#[tokio::test]
async fn a_path_reaches_into_maps_and_lists_under_any_name() {
    let conditions = vec![
        equal("m.'a.b'", json!({"S": "dotted"})),
        equal("'a.b'", json!({"S": "top"})),
        equal("m.name", json!({"S": "reserved"})),
        equal("m.'#n0'.'due date'", json!({"N": "3"})),
        less("m.'#n0'.'due date'", json!({"N": "3.5"})),
        equal("l[0]", json!({"S": "zero"})),
        equal("'l[0]'", json!({"S": "not the list's"})),
        equal("l[1].in[1]", json!({"N": "2"})),
        present("l[1].in[0]"),
        not_equal("l[1].in[0]", json!({"N": "2"})),
    ];
    assert_all(conditions, true).await;
}

#[tokio::test]
async fn a_path_that_leads_nowhere_is_absent() {
    for nowhere in [
        "l[2]",
        "l[1].in[2]",
        "m.b",
        "m.a.b",
        "m.name.x",
        "m[0]",
        "l.in",
        "tags[0]",
        "PK.x",
        "x.y.z",
    ] {
        assert_all(vec![absent(nowhere)], true).await;
        let one = || json!({"N": "1"});
        let conditions = vec![
            present(nowhere),
            equal(nowhere, one()),
            not_equal(nowhere, one()),
            less(nowhere, one()),
        ];
        assert_all(conditions, false).await;
    }
}
