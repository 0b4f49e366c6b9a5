//! The order that an engine's Query gives is the order that the codec promises, op by op.

use anyhow::{Context, Result};
use aws_sdk_dynamodb::types::AttributeValue as SdkValue;
use shadowkey_item::{
    AttributeValue, Item, KeyAttribute, KeySchema, ScalarType, TableDefinition, TableName, item_from_json,
    item_into_wire,
};
use shadowkey_key_codec::{Scope, Template};
use shadowkey_local::Engine;
use shadowkey_store_dynamodb::{ChangeStream, Connection, create_table};

/// Inputs in the order in which their keys are to come.
const ORDERS: [(&str, ScalarType, &[&str]); 14] = [
    (
        "{a | upper}",
        ScalarType::S,
        &[r#"{"S":"Vanbyke"}"#, r#"{"S":"vanDyke"}"#, r#"{"S":"vanhoten"}"#],
    ),
    (
        "{a | fold}",
        ScalarType::S,
        &[r#"{"S":"ﬀa"}"#, r#"{"S":"FFB"}"#, r#"{"S":"ffc"}"#],
    ),
    (
        "{a | exact}#",
        ScalarType::S,
        &[
            r#"{"S":"\u0000"}"#,
            r#"{"S":"\u0001"}"#,
            r#"{"S":"New"}"#,
            r#"{"S":"New York"}"#,
            r#"{"S":"New!"}"#,
            r#"{"S":"ﬀ"}"#,
            r#"{"S":"𐀀"}"#,
        ],
    ),
    (
        "{a | desc}#",
        ScalarType::S,
        &[
            r#"{"S":"𐀀"}"#,
            r#"{"S":"ﬀ"}"#,
            r#"{"S":"New!"}"#,
            r#"{"S":"New York"}"#,
            r#"{"S":"New"}"#,
        ],
    ),
    (
        "{a | exact | desc}#",
        ScalarType::S,
        &[
            r#"{"S":"𐀀"}"#,
            r#"{"S":"ﬀ"}"#,
            r#"{"S":"New!"}"#,
            r#"{"S":"New York"}"#,
            r#"{"S":"New"}"#,
            r#"{"S":"\u0001"}"#,
            r#"{"S":"\u0000"}"#,
        ],
    ),
    (
        "{a | pad(3) | desc(100)}",
        ScalarType::S,
        &[r#"{"N":"100"}"#, r#"{"N":"20"}"#, r#"{"N":"3"}"#, r#"{"N":"0"}"#],
    ),
    (
        "{a | time | ksuid}",
        ScalarType::S,
        &[
            r#"{"S":"2014-05-13T16:53:21Z"}"#,
            r#"{"S":"2023-07-10T14:48:00Z"}"#,
            r#"{"S":"2023-07-10T14:48:01Z"}"#,
            r#"{"S":"2023-07-10T23:00:00+01:00"}"#,
        ],
    ),
    (
        "{a | pad(3)}",
        ScalarType::S,
        &[r#"{"N":"2"}"#, r#"{"N":"10"}"#, r#"{"N":"999"}"#],
    ),
    (
        "{a | pad(3) | desc}",
        ScalarType::S,
        &[r#"{"N":"999"}"#, r#"{"N":"10"}"#, r#"{"N":"2"}"#],
    ),
    (
        "{a | num}#",
        ScalarType::S,
        &[
            r#"{"N":"-9.9E125"}"#,
            r#"{"N":"-10"}"#,
            r#"{"N":"-9.5"}"#,
            r#"{"N":"-1E-130"}"#,
            r#"{"N":"0"}"#,
            r#"{"N":"1E-130"}"#,
            r#"{"N":"0.5"}"#,
            r#"{"N":"2"}"#,
            r#"{"N":"10"}"#,
            r#"{"N":"18446744073709551617"}"#,
            r#"{"N":"9.9E125"}"#,
        ],
    ),
    (
        "{a | num | desc}#",
        ScalarType::S,
        &[
            r#"{"N":"10"}"#,
            r#"{"N":"2"}"#,
            r#"{"N":"0"}"#,
            r#"{"N":"-1"}"#,
            r#"{"N":"-10"}"#,
        ],
    ),
    (
        "{a | time}",
        ScalarType::S,
        &[
            r#"{"S":"2023-07-10T14:48:00Z"}"#,
            r#"{"S":"2023-07-10T23:00:00+01:00"}"#,
            r#"{"S":"2023-07-11"}"#,
        ],
    ),
    (
        "{a | time | desc}",
        ScalarType::S,
        &[
            r#"{"S":"2023-07-11"}"#,
            r#"{"S":"2023-07-10T14:48:00.001Z"}"#,
            r#"{"S":"2023-07-10T14:48:00Z"}"#,
        ],
    ),
    (
        "{a | neg}",
        ScalarType::N,
        &[r#"{"N":"100"}"#, r#"{"N":"20"}"#, r#"{"N":"3"}"#, r#"{"N":"-1"}"#],
    ),
];

#[tokio::test]
async fn a_query_returns_keys_in_the_promised_order() -> Result<()> {
    let engine = Engine::start().await?;
    let connection = Connection::local(engine.endpoint_url());
    for kind in [ScalarType::S, ScalarType::N] {
        let attribute = |name: &str, kind| KeyAttribute {
            name: name.to_owned(),
            kind,
        };
        let table = TableDefinition {
            name: TableName(format!("order-{kind}")),
            key: KeySchema {
                partition: attribute("PK", ScalarType::S),
                sort: Some(attribute("SK", kind)),
            },
            indexes: Vec::new(),
        };
        create_table(&connection, &table.name.0, &table, ChangeStream::Off).await?;
    }
    for (spelling, kind, inputs) in ORDERS {
        let template = Template::parse(spelling, kind)?;
        // From the last to the first, so that the order cannot be that of the writes.
        for (position, input) in inputs.iter().enumerate().rev() {
            put(&connection, &template, spelling, position, input).await?;
        }
        let places = query(&connection, kind, spelling).await?;
        let expected: Vec<String> = (0..inputs.len()).map(|position| position.to_string()).collect();
        assert_eq!(places, expected, "{spelling}");
    }
    Ok(())
}

/// Puts an item whose sort key the template makes of an input, with the input's place.
async fn put(connection: &Connection, template: &Template, partition: &str, place: usize, input: &str) -> Result<()> {
    let source = item_from_json(&format!(r#"{{"a":{input}}}"#))?;
    // A `ksuid` derives its payload from the source item's key.
    let schema = KeySchema {
        partition: KeyAttribute {
            name: "id".to_owned(),
            kind: ScalarType::S,
        },
        sort: None,
    };
    let id = schema.key_of(&Item::from([("id".to_owned(), format!("{place}").into())]))?;
    let scope = Scope::item(&source).of_source(Some(&id));
    let key = template.render(scope)?.context("complete")?;
    let item = Item::from([
        ("PK".to_owned(), partition.into()),
        ("SK".to_owned(), key),
        ("place".to_owned(), AttributeValue::N(place.to_string().parse()?)),
    ]);
    let request = connection
        .dynamodb()
        .put_item()
        .table_name(format!("order-{}", template.kind()));
    request.set_item(Some(item_into_wire(item).into())).send().await?;
    Ok(())
}

/// The places of a partition's items as Query returns them.
async fn query(connection: &Connection, kind: ScalarType, partition: &str) -> Result<Vec<String>> {
    let request = connection.dynamodb().query().table_name(format!("order-{kind}"));
    let request = request
        .key_condition_expression("PK = :pk")
        .expression_attribute_values(":pk", SdkValue::S(partition.to_owned()));
    let items = request.send().await?.items.unwrap_or_default();
    let place = |item: std::collections::HashMap<String, SdkValue>| {
        item.get("place").and_then(|place| place.as_n().ok().cloned())
    };
    items.into_iter().map(|item| place(item).context("place")).collect()
}
