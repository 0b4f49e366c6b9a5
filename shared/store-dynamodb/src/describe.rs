//! A table as it is: its key, indexes, stream and time to live.

use std::fmt;

use aws_sdk_dynamodb::types::{
    AttributeDefinition, KeySchemaElement, KeyType, Projection, ProjectionType, ScalarAttributeType, TableDescription,
    TimeToLiveStatus,
};
use shadowkey_item::{IndexKind, IndexProjection, KeyAttribute, KeySchema, ScalarType};

use crate::admin::service_error;
use crate::{AdminError, Connection, Failure};

/// A table as the service describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableAsIs {
    /// The primary key.
    pub key: KeyAsIs,
    /// The secondary indexes, the local ones first.
    pub indexes: Vec<IndexAsIs>,
    /// The view type of its stream, where one is switched on.
    pub stream: Option<String>,
    /// The attribute by which items expire, where that is switched on.
    pub ttl: Option<String>,
}

/// A secondary index as the service describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexAsIs {
    /// The index's name.
    pub name: String,
    /// Global or local.
    pub kind: IndexKind,
    /// The index key.
    pub key: KeyAsIs,
    /// Which attributes an index entry carries beside its keys.
    pub projection: IndexProjection,
}

/// A key as the service describes it: a global index may have several attributes for each part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAsIs {
    /// The attributes of the partition key.
    pub partition: Vec<KeyAttribute>,
    /// The attributes of the sort key.
    pub sort: Vec<KeyAttribute>,
}

impl KeyAsIs {
    /// The attributes of both parts.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }
}

impl From<&KeySchema> for KeyAsIs {
    fn from(key: &KeySchema) -> Self {
        Self {
            partition: vec![key.partition.clone()],
            sort: key.sort.iter().cloned().collect(),
        }
    }
}

/// Such as `PK (S), SK (S)`, with a key part of several attributes in brackets.
impl fmt::Display for KeyAsIs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |attributes: &[KeyAttribute]| {
            let attributes = attributes
                .iter()
                .map(|KeyAttribute { name, kind }| format!("{name} ({kind})"));
            let attributes = attributes.collect::<Vec<_>>();
            match attributes.as_slice() {
                [one] => one.clone(),
                several => format!("[{}]", several.join(", ")),
            }
        };
        f.write_str(&part(&self.partition))?;
        match self.sort.as_slice() {
            [] => Ok(()),
            sort => write!(f, ", {}", part(sort)),
        }
    }
}

/// Describes a table by its physical name; `None` where there is none.
pub async fn describe_table(connection: &Connection, physical: &str) -> Result<Option<TableAsIs>, AdminError> {
    let dynamodb = connection.dynamodb();
    let described = match dynamodb.describe_table().table_name(physical).send().await {
        Ok(answer) => answer.table,
        Err(error) if Failure::from(&error) == Failure::NotFound => None,
        Err(error) => return Err(service_error("DescribeTable", physical, error)),
    };
    let Some(described) = described else {
        return Ok(None);
    };
    let answer = dynamodb.describe_time_to_live().table_name(physical).send().await;
    let answer = answer.map_err(|error| service_error("DescribeTimeToLive", physical, error))?;
    let is_on = |status: &TimeToLiveStatus| matches!(status, TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling);
    let ttl = answer.time_to_live_description;
    let ttl = ttl.filter(|ttl| ttl.time_to_live_status().is_some_and(is_on));
    Ok(Some(TableAsIs {
        ttl: ttl.and_then(|ttl| ttl.attribute_name),
        ..as_is(&described)
    }))
}

fn as_is(table: &TableDescription) -> TableAsIs {
    let types = table.attribute_definitions();
    let local = table.local_secondary_indexes().iter();
    let local = local.map(|index| {
        let (key, projection) = (index.key_schema(), index.projection());
        index_as_is(index.index_name(), IndexKind::Local, key, projection, types)
    });
    let global = table.global_secondary_indexes().iter();
    let global = global.map(|index| {
        let (key, projection) = (index.key_schema(), index.projection());
        index_as_is(index.index_name(), IndexKind::Global, key, projection, types)
    });
    let stream = table.stream_specification().filter(|stream| stream.stream_enabled());
    TableAsIs {
        key: key(table.key_schema(), types),
        indexes: local.chain(global).collect(),
        stream: stream.map(|stream| stream.stream_view_type().map_or("", |kind| kind.as_str()).to_owned()),
        ttl: None,
    }
}

fn index_as_is(
    name: Option<&str>,
    kind: IndexKind,
    schema: &[KeySchemaElement],
    projection: Option<&Projection>,
    types: &[AttributeDefinition],
) -> IndexAsIs {
    let included = |projection: &Projection| IndexProjection::Include(projection.non_key_attributes().to_vec());
    IndexAsIs {
        name: name.unwrap_or_default().to_owned(),
        kind,
        key: key(schema, types),
        projection: match projection.and_then(Projection::projection_type) {
            Some(ProjectionType::All) => IndexProjection::All,
            Some(ProjectionType::Include) => projection.map_or(IndexProjection::Keys, included),
            _ => IndexProjection::Keys,
        },
    }
}

fn key(schema: &[KeySchemaElement], types: &[AttributeDefinition]) -> KeyAsIs {
    let part = |kind: KeyType| {
        let elements = schema.iter().filter(move |element| *element.key_type() == kind);
        let attributes = elements.map(|element| KeyAttribute {
            name: element.attribute_name().to_owned(),
            kind: scalar(element.attribute_name(), types),
        });
        attributes.collect()
    };
    KeyAsIs {
        partition: part(KeyType::Hash),
        sort: part(KeyType::Range),
    }
}

fn scalar(name: &str, types: &[AttributeDefinition]) -> ScalarType {
    let definition = types.iter().find(|definition| definition.attribute_name() == name);
    match definition.map(AttributeDefinition::attribute_type) {
        Some(ScalarAttributeType::N) => ScalarType::N,
        Some(ScalarAttributeType::B) => ScalarType::B,
        _ => ScalarType::S,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::script::{Exchange, Script};

    fn exchange(operation: &'static str, status: u16, answer: Value) -> Exchange {
        Exchange {
            operation,
            request: json!({ "TableName": "app" }),
            status,
            answer,
        }
    }

    fn ttl(status: &str) -> Exchange {
        let description = json!({ "TimeToLiveStatus": status, "AttributeName": "expires" });
        exchange(
            "DescribeTimeToLive",
            200,
            json!({ "TimeToLiveDescription": description }),
        )
    }

    #[tokio::test]
    async fn a_key_of_several_attributes_is_told_from_one_of_one() {
        let part = |name: &str, kind: &str| json!({ "AttributeName": name, "KeyType": kind });
        let definition = |name: &str, kind: &str| json!({ "AttributeName": name, "AttributeType": kind });
        let table = json!({ "Table": {
            "AttributeDefinitions": [definition("PK", "S"), definition("a", "S"), definition("b", "N"), definition("c", "B")],
            "KeySchema": [part("PK", "HASH")],
            "GlobalSecondaryIndexes": [{
                "IndexName": "many", "KeySchema": [part("a", "HASH"), part("b", "HASH"), part("c", "RANGE")],
                "Projection": { "ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"] },
            }],
            "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "KEYS_ONLY" },
        } });
        let (connection, script) = Script::start([exchange("DescribeTable", 200, table), ttl("ENABLING")]);
        let table = describe_table(&connection, "app")
            .await
            .expect("answer")
            .expect("table");
        script.finish();
        assert_eq!(table.key.to_string(), "PK (S)");
        assert_eq!(
            (table.stream.as_deref(), table.ttl.as_deref()),
            (Some("KEYS_ONLY"), Some("expires"))
        );
        let [index] = table.indexes.as_slice() else {
            panic!("{table:?}")
        };
        assert_eq!((index.name.as_str(), index.kind), ("many", IndexKind::Global));
        assert_eq!(index.key.to_string(), "[a (S), b (N)], c (B)");
        assert_eq!(index.projection, IndexProjection::Include(vec!["x".to_owned()]));
    }

    #[tokio::test]
    async fn what_is_switched_off_counts_as_not_there() {
        let table = json!({ "Table": { "StreamSpecification": { "StreamEnabled": false } } });
        let (connection, _) = Script::start([exchange("DescribeTable", 200, table), ttl("DISABLING")]);
        let table = describe_table(&connection, "app")
            .await
            .expect("answer")
            .expect("table");
        assert_eq!((table.stream, table.ttl), (None, None));
    }

    #[tokio::test]
    async fn a_table_that_is_not_there_is_an_answer_and_a_refusal_is_not() {
        let failed = |code: &str| exchange("DescribeTable", 400, json!({ "__type": format!("x#{code}") }));
        let (connection, _) = Script::start([failed("ResourceNotFoundException")]);
        assert_eq!(describe_table(&connection, "app").await.expect("answer"), None);
        let (connection, _) = Script::start([failed("AccessDeniedException")]);
        let error = describe_table(&connection, "app").await.expect_err("an error");
        assert!(error.to_string().contains("not permitted"), "{error}");
    }
}
