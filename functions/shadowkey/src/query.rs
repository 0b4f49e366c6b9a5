//! The parameters of a Query request, as `aws dynamodb query --cli-input-json` takes them.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shadowkey_views::Operator;

/// What a query asks of one key attribute.
pub(crate) struct KeyCondition<'a> {
    pub(crate) name: &'a str,
    pub(crate) operator: Operator,
    /// In DynamoDB JSON.
    pub(crate) value: Value,
}

/// The request that asks a table, or one of its indexes, for what meets the conditions.
pub(crate) fn query(table: &str, index: Option<&str>, conditions: &[KeyCondition<'_>]) -> Value {
    let expressions = conditions
        .iter()
        .enumerate()
        .map(|(n, condition)| match condition.operator {
            Operator::Equal => format!("#k{n} = :k{n}"),
            Operator::BeginsWith => format!("begins_with(#k{n}, :k{n})"),
        });
    let numbered = || conditions.iter().enumerate();
    let names: BTreeMap<String, &str> = numbered().map(|(n, part)| (format!("#k{n}"), part.name)).collect();
    let values: BTreeMap<String, &Value> = numbered().map(|(n, part)| (format!(":k{n}"), &part.value)).collect();
    let mut request = json!({
        "TableName": table,
        "KeyConditionExpression": expressions.collect::<Vec<_>>().join(" AND "),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    });
    if let (Some(index), Some(request)) = (index, request.as_object_mut()) {
        request.insert("IndexName".to_owned(), index.into());
    }
    request
}
