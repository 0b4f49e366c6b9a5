use std::collections::BTreeMap;

use serde_json::{Value, json};
use shadowkey_item::{Item, TableName, item_from_json};
use shadowkey_plan::{Condition, Put};
use shadowkey_store::{Disposition, Store};

use super::*;
use crate::DynamoStore;
use crate::script::{Exchange, Script};

fn item(id: &str) -> Item {
    item_from_json(&json!({ "id": { "S": id } }).to_string()).expect("item")
}

fn put(id: &str) -> Action {
    Action::Put(Put {
        table: TableName("app".to_owned()),
        item: item(id),
        condition: Condition::ALWAYS,
    })
}

/// What becomes of a transaction of two puts that the service answers so.
async fn answered(status: u16, answer: Value) -> Result<Transacted, StoreError> {
    let (connection, script) = Script::start([Exchange {
        operation: "TransactWriteItems",
        request: json!({ "ReturnConsumedCapacity": "TOTAL" }),
        status,
        answer,
    }]);
    let physical = BTreeMap::from([(TableName("app".to_owned()), "app-prod".to_owned())]);
    let transacted = DynamoStore::new(&connection, physical)
        .transact(&[put("a"), put("b")])
        .await;
    script.finish();
    transacted
}

async fn cancelled(reasons: Value) -> Vec<Reason> {
    let answer = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons",
        "CancellationReasons": reasons,
    });
    match answered(400, answer).await {
        Ok(Transacted::Cancelled { reasons }) => reasons,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn each_reason_is_read_by_its_code() {
    let refused = json!([{ "Code": "None" }, {
        "Code": "ConditionalCheckFailed", "Message": "The conditional request failed", "Item": { "id": { "S": "b" } },
    }]);
    let reasons = cancelled(refused).await;
    assert!(matches!(&reasons[..], [Reason::None, Reason::Refused { found: Some(found) }] if *found == item("b")));
    for (code, disposition) in [
        ("TransactionConflict", Disposition::Retry),
        ("ProvisionedThroughputExceeded", Disposition::Retry),
        ("ThrottlingError", Disposition::Retry),
        ("ItemCollectionSizeLimitExceeded", Disposition::Park),
        ("ValidationError", Disposition::Park),
        ("AccessDenied", Disposition::Halt),
        ("SomethingNew", Disposition::Retry),
    ] {
        let reasons = cancelled(json!([{ "Code": code, "Message": "why" }, { "Code": "None" }])).await;
        let [Reason::Failed(error), Reason::None] = &reasons[..] else {
            panic!("{reasons:?}");
        };
        assert_eq!(error.disposition(), disposition, "{code}");
    }
}

#[tokio::test]
async fn a_cancellation_that_gives_no_reasons_is_tried_again() {
    let answer =
        json!({ "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException", "Message": "cancelled" });
    let error = answered(400, answer).await.expect_err("an error");
    assert_eq!(error.disposition(), Disposition::Retry, "{error}");
}

#[tokio::test]
async fn a_transaction_in_progress_is_tried_again_and_an_invalid_one_is_not() {
    let typed = |code: &str| json!({ "__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "why" });
    let error = answered(400, typed("TransactionInProgressException"))
        .await
        .expect_err("an error");
    assert_eq!(error.disposition(), Disposition::Retry, "{error}");
    let error = answered(400, typed("ValidationException")).await.expect_err("an error");
    assert_eq!(error.disposition(), Disposition::Park, "{error}");
}

#[tokio::test]
async fn the_write_units_of_all_tables_are_added_up() {
    let units = json!({ "ConsumedCapacity": [
        { "TableName": "app-prod", "CapacityUnits": 4.0 }, { "TableName": "other", "CapacityUnits": 2.0 },
    ] });
    let transacted = answered(200, units).await.expect("transacted");
    assert!(
        matches!(transacted, Transacted::Done { write_units: 6 }),
        "{transacted:?}"
    );
}
