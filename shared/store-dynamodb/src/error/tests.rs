use std::collections::BTreeMap;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use serde_json::json;
use shadowkey_item::{KeyAttribute, KeySchema, ScalarType, item_from_json};
use shadowkey_plan::{Condition, Put};
use shadowkey_store::{Page, Store, Written};

use super::*;
use crate::script::{Exchange, Script};
use crate::{Connection, DynamoStore};

fn put() -> Put {
    Put {
        table: TableName("app".to_owned()),
        item: item_from_json(r#"{"id": {"S": "a"}}"#).expect("item"),
        condition: Condition::ALWAYS,
    }
}

async fn put_over(connection: &Connection) -> Result<Written, StoreError> {
    let physical = BTreeMap::from([(TableName("app".to_owned()), "app-prod".to_owned())]);
    DynamoStore::new(connection, physical).put(&put()).await
}

/// The error of a put that the service answers so, and that is sent only once.
async fn error_of(status: u16, code: &str) -> StoreError {
    let (connection, script) = Script::start([Exchange {
        operation: "PutItem",
        request: json!({"TableName": "app-prod", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}),
        status,
        answer: json!({"__type": format!("com.amazonaws.dynamodb.v20120810#{code}"), "message": "as it says"}),
    }]);
    let error = put_over(&connection).await.expect_err("an error");
    script.finish();
    error
}

fn failure(error: &StoreError) -> Failure {
    match error {
        StoreError::Throttled { .. } => Failure::Throttled,
        StoreError::Conflict { .. } => Failure::Conflict,
        StoreError::Unavailable { .. } => Failure::Unavailable,
        StoreError::Rejected { .. } => Failure::Rejected,
        StoreError::NoTable { .. } => Failure::NotFound,
        StoreError::NotPermitted { .. } => Failure::NotPermitted,
    }
}

#[tokio::test]
async fn an_error_response_means_what_its_code_says() {
    for (status, code, expected) in [
        (400, "ProvisionedThroughputExceededException", Failure::Throttled),
        (400, "ThrottlingException", Failure::Throttled),
        (400, "RequestLimitExceeded", Failure::Throttled),
        (400, "LimitExceededException", Failure::Throttled),
        (400, "TransactionConflictException", Failure::Conflict),
        (400, "ReplicatedWriteConflictException", Failure::Conflict),
        (500, "InternalServerError", Failure::Unavailable),
        (503, "ServiceUnavailableException", Failure::Unavailable),
        (400, "ValidationException", Failure::Rejected),
        (400, "ItemCollectionSizeLimitExceededException", Failure::Rejected),
        (400, "ResourceNotFoundException", Failure::NotFound),
        (400, "AccessDeniedException", Failure::NotPermitted),
        (400, "UnrecognizedClientException", Failure::NotPermitted),
        (400, "InvalidSignatureException", Failure::NotPermitted),
        (400, "ExpiredTokenException", Failure::NotPermitted),
        (400, "MissingAuthenticationTokenException", Failure::NotPermitted),
    ] {
        assert_eq!(failure(&error_of(status, code).await), expected, "{code}");
    }
}

#[tokio::test]
async fn an_error_response_with_an_unknown_code_means_what_its_status_says() {
    for (status, expected) in [
        (400, Failure::Rejected),
        (413, Failure::Rejected),
        (401, Failure::NotPermitted),
        (403, Failure::NotPermitted),
        (408, Failure::Unavailable),
        (429, Failure::Throttled),
        (500, Failure::Unavailable),
        (502, Failure::Unavailable),
        (503, Failure::Unavailable),
    ] {
        assert_eq!(failure(&error_of(status, "SomethingNew").await), expected, "{status}");
    }
}

#[tokio::test]
async fn a_rejection_says_what_the_service_says() {
    let error = error_of(400, "ValidationException").await;
    assert_eq!(error.to_string(), "PutItem on table `app` was rejected: as it says");
}

#[tokio::test]
async fn a_missing_table_is_named_as_the_service_knows_it() {
    let error = error_of(400, "ResourceNotFoundException").await;
    assert!(error.to_string().contains("`app-prod`"), "{error}");
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_leaves_the_effect_unknown() {
    let (connection, script) = Script::start([Exchange {
        operation: "PutItem",
        request: json!({}),
        status: 200,
        answer: json!("not an object"),
    }]);
    let error = put_over(&connection).await.expect_err("an error");
    script.finish();
    assert_eq!(failure(&error), Failure::Unavailable);
}

#[tokio::test]
async fn a_refused_connection_is_worth_another_attempt() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("listener");
    let endpoint_url = format!("http://{}", listener.local_addr().expect("address"));
    drop(listener);
    let error = put_over(&Connection::local(endpoint_url)).await.expect_err("an error");
    assert_eq!(failure(&error), Failure::Unavailable);
}

#[tokio::test]
async fn without_credentials_nothing_is_permitted() {
    let config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .region(Region::from_static("eu-central-1"))
        .endpoint_url("http://127.0.0.1:9")
        .build();
    let error = put_over(&Connection::new(config)).await.expect_err("an error");
    assert_eq!(failure(&error), Failure::NotPermitted, "{error:?}");
}

#[tokio::test]
async fn reads_are_strongly_consistent() {
    let exchange = |operation| Exchange {
        operation,
        request: json!({"ConsistentRead": true}),
        status: 200,
        answer: json!({}),
    };
    let (connection, script) = Script::start([exchange("GetItem"), exchange("Scan")]);
    let table = TableName("app".to_owned());
    let store = DynamoStore::new(&connection, BTreeMap::from([(table.clone(), "app-prod".to_owned())]));
    let schema = KeySchema {
        partition: KeyAttribute {
            name: "id".to_owned(),
            kind: ScalarType::S,
        },
        sort: None,
    };
    let key = schema.key_of(&put().item).expect("key");
    assert_eq!(store.get(&table, &key).await.expect("get"), None);
    assert_eq!(store.scan(&table, None).await.expect("scan"), Page::default());
    script.finish();
}

#[tokio::test]
async fn a_refused_condition_is_no_error() {
    let (connection, script) = Script::start([Exchange {
        operation: "PutItem",
        request: json!({}),
        status: 400,
        answer: json!({
            "__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
            "message": "The conditional request failed",
            "Item": {"id": {"S": "a"}, "n": {"N": "12345678901234567890123456789012345678"}},
        }),
    }]);
    let written = put_over(&connection).await.expect("an answer");
    script.finish();
    let item = item_from_json(r#"{"id": {"S": "a"}, "n": {"N": "12345678901234567890123456789012345678"}}"#);
    let found = Some(item.expect("item"));
    assert_eq!(written, Written::Refused { found });
}
