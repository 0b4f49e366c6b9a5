//! The template, with what a view file says of its tables filled in.

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};
use shadowkey_item::{IndexDefinition, IndexKind, IndexProjection, KeySchema, TableDefinition};
use shadowkey_views::Views;

use super::yaml;

/// How many filters an event source mapping has, and how long each may be, by Lambda's quotas.
const FILTERS: usize = 5;
const PATTERN_CHARS: usize = 4096;

/// The functions' policies.
const POLICIES: [&str; 2] = ["MaintainPolicy", "RedrivePolicy"];

/// What the functions do in a table that views write `into`.
const IN_OTHER_TABLES: [&str; 3] = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"];

/// The template in JSON: the table's layout, the tables that views write `into`, and the variables that name tables.
///
/// Fails for a view file without a state table.
pub(crate) fn filled_in(template: &str, views: &Views) -> Result<Value> {
    let mut template = yaml::to_json(template)?;
    let state = views.state_table().context(
        "the view file names no state table, so that what cannot succeed would hold up its shard; add `[state]` with `table = \"..\"`",
    )?;
    let table = &mut template["Resources"]["Table"]["Properties"];
    lay_out(table, views.table());
    if let Some(ttl) = views.ttl() {
        table["TimeToLiveSpecification"] = json!({ "AttributeName": ttl, "Enabled": true });
    }
    let mut variables = vec![(
        views.physical_name_variable(&state.name),
        json!({ "Ref": "StateTable" }),
    )];
    let mut arns = Vec::new();
    for other in views.other_tables() {
        let (name, arn) = add_table(&mut template, &other)?;
        variables.push((views.physical_name_variable(&other.name), name));
        arns.push(arn);
    }
    for (variable, name) in variables {
        insert(
            &mut template["Globals"]["Function"]["Environment"]["Variables"],
            &variable,
            name,
        )?;
    }
    for policy in POLICIES {
        let statements = &mut template["Resources"][policy]["Properties"]["PolicyDocument"]["Statement"];
        let statements = statements.as_array_mut().context("a policy has no statements")?;
        if views.is_transactional() {
            allow_in_transactions(statements)?;
        }
        if !arns.is_empty() {
            statements.push(json!({
                "Sid": "WriteIntoOtherTables", "Effect": "Allow", "Action": IN_OTHER_TABLES, "Resource": arns,
            }));
        }
    }
    Ok(template)
}

/// Gives the mapping the filters that `shadowkey filters` printed.
pub(crate) fn filter(template: &mut Value, criteria: Value) -> Result<()> {
    let filters = criteria["Filters"]
        .as_array()
        .context("the filters have no `Filters`")?;
    ensure!(
        filters.len() <= FILTERS,
        "{} filters, of which a mapping has {FILTERS} at most",
        filters.len()
    );
    for filter in filters {
        let pattern = filter["Pattern"].as_str().context("a filter has no `Pattern`")?;
        ensure!(
            pattern.chars().count() <= PATTERN_CHARS,
            "a filter is longer than {PATTERN_CHARS} characters: {pattern}"
        );
        serde_json::from_str::<Map<String, Value>>(pattern).with_context(|| format!("no JSON object: {pattern}"))?;
    }
    insert(
        &mut template["Resources"]["Mapping"]["Properties"],
        "FilterCriteria",
        criteria,
    )
}

/// A transaction holds the source item to what it was derived from.
fn allow_in_transactions(statements: &mut [Value]) -> Result<()> {
    let mut on_table = statements
        .iter_mut()
        .filter(|statement| statement["Sid"] == "WriteWhatIsDerived");
    let actions = on_table.next().and_then(|statement| statement["Action"].as_array_mut());
    actions
        .context("a policy has no `WriteWhatIsDerived`")?
        .push("dynamodb:ConditionCheckItem".into());
    Ok(())
}

/// Adds a table that views write `into`, which the stack makes unless a parameter names one; its name and ARN.
fn add_table(template: &mut Value, table: &TableDefinition) -> Result<(Value, Value)> {
    let resource = format!("Into{}", identifier(&table.name.0));
    let (parameter, condition) = (format!("{resource}Name"), format!("Makes{resource}"));
    let description = format!(
        "The table `{}` of the view file. Empty - the stack makes it.",
        table.name
    );
    let named = json!({ "Type": "String", "Default": "", "Description": description });
    insert(&mut template["Parameters"], &parameter, named)?;
    let is_empty = json!({ "Fn::Equals": [{ "Ref": parameter }, ""] });
    insert(&mut template["Conditions"], &condition, is_empty)?;
    let mut properties = json!({
        "BillingMode": "PAY_PER_REQUEST",
        "PointInTimeRecoverySpecification": { "PointInTimeRecoveryEnabled": true },
    });
    lay_out(&mut properties, table);
    let made = json!({
        "Type": "AWS::DynamoDB::Table", "Condition": condition,
        "DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain", "Properties": properties,
    });
    insert(&mut template["Resources"], &resource, made)?;
    let arn = format!("arn:${{AWS::Partition}}:dynamodb:${{AWS::Region}}:${{AWS::AccountId}}:table/${{{parameter}}}");
    let either = |made: Value, named: Value| json!({ "Fn::If": [condition, made, named] });
    Ok((
        either(json!({ "Ref": resource }), json!({ "Ref": parameter })),
        either(json!({ "Fn::GetAtt": [resource, "Arn"] }), json!({ "Fn::Sub": arn })),
    ))
}

/// A logical ID holds letters and digits alone.
fn identifier(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .flat_map(|word| word.chars().enumerate())
        .map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c })
        .collect()
}

/// Two tables whose names differ in signs alone would go by one name.
fn insert(into: &mut Value, key: &str, value: Value) -> Result<()> {
    let into = into.as_object_mut().with_context(|| format!("no place for `{key}`"))?;
    let before = into.insert(key.to_owned(), value);
    ensure!(
        before.is_none(),
        "`{key}` would be there twice; give the view file's tables names that differ in letters"
    );
    Ok(())
}

/// The keys and indexes of a table.
fn lay_out(properties: &mut Value, table: &TableDefinition) {
    let attributes = table.key_attributes().into_iter();
    properties["AttributeDefinitions"] = attributes
        .map(|attribute| json!({ "AttributeName": attribute.name, "AttributeType": attribute.kind.name() }))
        .collect();
    properties["KeySchema"] = key(&table.key);
    for (property, kind) in [
        ("GlobalSecondaryIndexes", IndexKind::Global),
        ("LocalSecondaryIndexes", IndexKind::Local),
    ] {
        let indexes: Vec<Value> = table
            .indexes
            .iter()
            .filter(|index| index.kind == kind)
            .map(index)
            .collect();
        if !indexes.is_empty() {
            properties[property] = indexes.into();
        }
    }
}

fn key(key: &KeySchema) -> Value {
    let parts = std::iter::once((&key.partition, "HASH")).chain(key.sort.iter().map(|sort| (sort, "RANGE")));
    parts
        .map(|(attribute, kind)| json!({ "AttributeName": attribute.name, "KeyType": kind }))
        .collect()
}

fn index(index: &IndexDefinition) -> Value {
    let projection = match &index.projection {
        IndexProjection::Keys => json!({ "ProjectionType": "KEYS_ONLY" }),
        IndexProjection::All => json!({ "ProjectionType": "ALL" }),
        IndexProjection::Include(names) => json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": names }),
    };
    json!({ "IndexName": index.name, "KeySchema": key(&index.key), "Projection": projection })
}

#[cfg(test)]
mod tests;
