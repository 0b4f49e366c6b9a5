use serde_json::json;
use shadowkey_item::{IndexDefinition, IndexKind, IndexProjection, KeySchema, ScalarType, TableDefinition};
use shadowkey_store::{Store, StoreError, Written};
use shadowkey_store_dynamodb::{ChangeStream, ConnectOptions, Connection, Created, create_table};

use crate::{app, attribute, put, started, store};

/// `app` with a sort key, a global index that projects all and a local one that projects one attribute.
fn indexed() -> TableDefinition {
    let key = |partition: &str, sort: &str, kind| KeySchema {
        partition: attribute(partition, ScalarType::S),
        sort: Some(attribute(sort, kind)),
    };
    let mut table = app();
    table.key = key("id", "at", ScalarType::N);
    table.indexes = vec![
        IndexDefinition {
            name: "by-place".to_owned(),
            kind: IndexKind::Global,
            key: key("place", "at", ScalarType::N),
            projection: IndexProjection::All,
        },
        IndexDefinition {
            name: "by-name".to_owned(),
            kind: IndexKind::Local,
            key: key("id", "name", ScalarType::S),
            projection: IndexProjection::Include(vec!["title".to_owned()]),
        },
        IndexDefinition {
            name: "keys".to_owned(),
            kind: IndexKind::Global,
            key: KeySchema {
                partition: attribute("hash", ScalarType::B),
                sort: None,
            },
            projection: IndexProjection::Keys,
        },
    ];
    table
}

async fn create(connection: &Connection, definition: &TableDefinition, stream: ChangeStream) -> Created {
    create_table(connection, "app", definition, stream)
        .await
        .expect("table")
}

#[tokio::test]
async fn a_table_has_the_key_and_indexes_of_its_definition() {
    let (_engine, connection) = started().await;
    assert_eq!(create(&connection, &indexed(), ChangeStream::Off).await, Created::New);
    let described = connection.dynamodb().describe_table().table_name("app").send().await;
    let table = described.expect("answer").table.expect("table");
    let key = |schema: &[aws_sdk_dynamodb::types::KeySchemaElement]| -> Vec<_> {
        let element =
            |e: &aws_sdk_dynamodb::types::KeySchemaElement| format!("{} {}", e.attribute_name(), e.key_type());
        schema.iter().map(element).collect()
    };
    let mut attributes: Vec<_> = table
        .attribute_definitions()
        .iter()
        .map(|attribute| format!("{} {}", attribute.attribute_name(), attribute.attribute_type()))
        .collect();
    attributes.sort();
    assert_eq!(attributes, ["at N", "hash B", "id S", "name S", "place S"]);
    assert_eq!(key(table.key_schema()), ["id HASH", "at RANGE"]);
    let mut indexes: Vec<_> = table
        .global_secondary_indexes()
        .iter()
        .map(|index| (index.index_name(), key(index.key_schema()), index.projection()))
        .chain(
            table
                .local_secondary_indexes()
                .iter()
                .map(|index| (index.index_name(), key(index.key_schema()), index.projection())),
        )
        .map(|(name, key, projection)| {
            let projection = projection.expect("projection");
            let kind = projection.projection_type().expect("type").as_str();
            format!(
                "{} {key:?} {kind} {:?}",
                name.expect("name"),
                projection.non_key_attributes()
            )
        })
        .collect();
    indexes.sort();
    assert_eq!(
        indexes,
        [
            r#"by-name ["id HASH", "name RANGE"] INCLUDE ["title"]"#,
            r#"by-place ["place HASH", "at RANGE"] ALL []"#,
            r#"keys ["hash HASH"] KEYS_ONLY []"#,
        ]
    );
    assert!(table.latest_stream_arn().is_none());
}

#[tokio::test]
async fn a_table_with_a_stream_has_both_images_in_it() {
    let (_engine, connection) = started().await;
    create(&connection, &app(), ChangeStream::On).await;
    let described = connection.dynamodb().describe_table().table_name("app").send().await;
    let table = described.expect("answer").table.expect("table");
    let stream = table.stream_specification().expect("stream");
    assert!(stream.stream_enabled());
    assert_eq!(stream.stream_view_type().expect("type").as_str(), "NEW_AND_OLD_IMAGES");
}

#[tokio::test]
async fn a_table_that_is_there_is_left_as_it_is() {
    let (_engine, connection) = started().await;
    assert_eq!(create(&connection, &app(), ChangeStream::Off).await, Created::New);
    put(&connection, json!({"id": {"S": "a"}})).await.expect("put");
    assert_eq!(
        create(&connection, &app(), ChangeStream::On).await,
        Created::AlreadyThere
    );
    assert_eq!(
        store(&connection)
            .scan(&app().name, None)
            .await
            .expect("scan")
            .items
            .len(),
        1
    );
}

#[tokio::test]
async fn the_units_of_a_write_include_its_indexes() {
    let (_engine, connection) = started().await;
    create(&connection, &indexed(), ChangeStream::Off).await;
    let bare = put(&connection, json!({"id": {"S": "a"}, "at": {"N": "1"}}))
        .await
        .expect("put");
    assert_eq!(bare, Written::Done { write_units: 1 });
    let attributes = json!({"id": {"S": "b"}, "at": {"N": "1"}, "place": {"S": "x"}, "name": {"S": "y"}});
    let indexed = put(&connection, attributes).await.expect("put");
    assert_eq!(indexed, Written::Done { write_units: 3 });
}

#[tokio::test]
async fn an_index_key_of_another_type_or_without_content_is_rejected() {
    let (_engine, connection) = started().await;
    create(&connection, &indexed(), ChangeStream::Off).await;
    for place in [json!({"N": "1"}), json!({"S": ""}), json!({"NULL": true})] {
        let written = put(&connection, json!({"id": {"S": "a"}, "at": {"N": "1"}, "place": place})).await;
        assert!(matches!(written, Err(StoreError::Rejected { .. })), "{written:?}");
    }
}

#[tokio::test]
async fn a_scan_of_more_than_a_megabyte_has_several_pages() {
    let (_engine, connection) = started().await;
    create(&connection, &app(), ChangeStream::Off).await;
    for n in 0..15 {
        let item = json!({"id": {"S": n.to_string()}, "x": {"S": "x".repeat(100_000)}});
        put(&connection, item).await.expect("put");
    }
    let store = store(&connection);
    let first = store.scan(&app().name, None).await.expect("scan");
    assert!(first.items.len() < 15 && first.next.is_some());
    let second = store.scan(&app().name, first.next.as_ref()).await.expect("scan");
    assert_eq!((first.items.len() + second.items.len(), second.next), (15, None));
}

#[tokio::test]
async fn a_local_endpoint_needs_neither_region_nor_credentials() {
    let (engine, _) = started().await;
    let options = ConnectOptions {
        endpoint_url: Some(engine.endpoint_url()),
        ..ConnectOptions::default()
    };
    let connection = Connection::from_environment(options).await.expect("connection");
    create(&connection, &app(), ChangeStream::On).await;
    put(&connection, json!({"id": {"S": "a"}})).await.expect("put");
    let streams = connection.streams().list_streams().send().await.expect("streams");
    assert_eq!(streams.streams().len(), 1);
}
