//! `key`: what a reader queries a view by.

use std::collections::{BTreeMap, BTreeSet};

use maintain::physical_names;
use serde_json::{Value, json};
use shadowkey_item::{
    AttributePath, AttributeValue, IndexDefinition, Item, KeyAttribute, KeySchema, MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES, ScalarType,
};
use shadowkey_key_codec::{KeyPrefix, Scope, shown_value};
use shadowkey_views::{Operator, Views};

use crate::arguments::{Format, KeyOptions};
use crate::error::CommandError;
use crate::query::{KeyCondition, query};
use crate::views::{Part, parts_of, table_of};
use crate::{Console, files};

pub(crate) fn key(options: &KeyOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let views = files::views(&options.common.views, console.color)?;
    let parts = parts_of(&views, &options.view)?;
    let given = inputs(options, &parts, &views.table().key)?;
    let roots = given.iter().filter(|(path, _)| path.rest().is_empty());
    let roots: Item = roots
        .map(|(path, value)| (path.root().to_owned(), value.clone()))
        .collect();
    let source = views.table().key.key_of(&roots).ok();
    let scope = Scope::inputs(&given).of_source(source.as_ref());
    let reads = reads_of(&views, &options.view);
    let mut key: BTreeMap<&str, AttributeValue> = BTreeMap::new();
    let mut conditions = Vec::new();
    let mut complete = true;
    for (position, part) in parts.iter().enumerate() {
        let prefix = part.template.prefix(scope).map_err(|problem| CommandError::Input {
            view: options.view.clone(),
            problem,
        })?;
        if let Some(input) = part.template.empty_input(scope) {
            return Err(CommandError::EmptyInput {
                view: options.view.clone(),
                input: input.to_string(),
            });
        }
        let is_partition = position == 0 && !matches!(reads, Reads::SortKey | Reads::Nothing);
        let (operator, value) = match prefix {
            KeyPrefix::Whole(whole) if complete => (Operator::Equal, whole),
            KeyPrefix::Start(start) if !is_partition && complete => {
                complete = false;
                (Operator::BeginsWith, start.into())
            }
            _ => return Err(missing(&views, options, part, &given)),
        };
        check_length(options, part, is_partition, &value)?;
        // Every value begins with nothing; DynamoDB takes no empty text in a key condition.
        if value.as_s() != Some("") {
            conditions.push(KeyCondition {
                name: part.name,
                operator,
                value: json!(value),
            });
            key.insert(part.name, value);
        }
    }
    let table = table_of(&views, &options.view);
    let physical = physical_names(&views)
        .remove(&table)
        .unwrap_or_else(|| table.to_string());
    let query = match reads {
        Reads::Table => Some(query(&physical, None, &conditions)),
        Reads::Index(index) => Some(query(&physical, Some(index), &conditions)),
        Reads::SortKey | Reads::Nothing => None,
    };
    match options.common.format {
        Format::Json => {
            let answer = json!({ "key": key, "complete": complete, "query": query });
            writeln!(console.out, "{answer}")?;
        }
        Format::Text => write_text(&key, complete, query.as_ref(), console)?,
    }
    Ok(0)
}

/// What a view's values are queried as.
enum Reads<'a> {
    /// The table's own key.
    Table,
    /// The partition key of this index.
    Index(&'a str),
    /// The sort key of an index only, so that its partition key is needed too.
    SortKey,
    /// No key.
    Nothing,
}

fn reads_of<'a>(views: &'a Views, name: &str) -> Reads<'a> {
    let Some(view) = views.attribute_views().iter().find(|view| view.name() == name) else {
        return Reads::Table;
    };
    let indexes = &views.table().indexes;
    let is_partition = |index: &&IndexDefinition| index.key.partition.name == view.attribute();
    match indexes.iter().find(is_partition) {
        Some(index) => Reads::Index(&index.name),
        None if indexes.iter().any(|index| index.key.contains(view.attribute())) => Reads::SortKey,
        None => Reads::Nothing,
    }
}

fn write_text(
    key: &BTreeMap<&str, AttributeValue>,
    complete: bool,
    query: Option<&Value>,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    for (name, value) in key {
        let sign = if query.is_none() && !complete {
            "begins with"
        } else {
            "="
        };
        let value = serde_json::to_string(value).unwrap_or_default();
        writeln!(console.out, "{name} {sign} {value}")?;
    }
    if let Some(query) = query {
        let query = query.to_string().replace('\'', "'\\''");
        writeln!(console.out, "aws dynamodb query --cli-input-json '{query}'")?;
    }
    Ok(())
}

fn missing(
    views: &Views,
    options: &KeyOptions,
    part: &Part<'_>,
    given: &[(AttributePath, AttributeValue)],
) -> CommandError {
    let given: BTreeSet<String> = given.iter().map(|(path, _)| path.to_string()).collect();
    let explained = views
        .explain()
        .into_iter()
        .filter(|explained| explained.view == options.view);
    let mut reads = explained.flat_map(|explained| explained.reads);
    let in_buckets =
        reads.find(|read| !read.buckets.is_empty() && read.given.iter().all(|input| given.contains(input)));
    let mut inputs = each_once(part.template.paths());
    inputs.retain(|input| !given.contains(input));
    CommandError::MissingInputs {
        view: options.view.clone(),
        part: part.name.to_owned(),
        inputs,
        reads: in_buckets.map(|read| read.buckets.iter().map(|shard| shard.buckets).product()),
    }
}

fn each_once<'a>(paths: impl Iterator<Item = &'a AttributePath>) -> Vec<String> {
    let mut known = BTreeSet::new();
    let once = paths.filter(|path| known.insert(*path));
    once.map(ToString::to_string).collect()
}

/// The given inputs: each of them the view's, given once, and none behind one that is left out.
///
/// The source's own key can always be given, since a `ksuid` needs it.
fn inputs(
    options: &KeyOptions,
    parts: &[Part<'_>],
    source: &KeySchema,
) -> Result<Vec<(AttributePath, AttributeValue)>, CommandError> {
    let known: Vec<&AttributePath> = parts.iter().flat_map(|part| part.template.paths()).collect();
    let mut values = Vec::new();
    let mut given = BTreeSet::new();
    for input in &options.inputs {
        let (path, value) = input_of(input)?;
        let value = of_key(source, &path, value)?;
        if !known.contains(&&path) && key_attribute(source, &path).is_none() {
            return Err(CommandError::ForeignInput {
                view: options.view.clone(),
                input: path.to_string(),
                inputs: each_once(known.iter().copied()),
            });
        }
        if !given.insert(path.clone()) {
            return Err(CommandError::InputTwice {
                input: path.to_string(),
            });
        }
        values.push((path, value));
    }
    let has_ksuid = parts.iter().any(|part| part.template.to_string().contains("| ksuid"));
    let missing = known.iter().position(|path| !given.contains(*path));
    let behind = missing.and_then(|missing| {
        let (before, rest) = known.split_at_checked(missing)?;
        // A `ksuid` before the gap is made of the source's key, and so needs it though the key is a later input as well.
        let is_for_ksuid = |path: &AttributePath| has_ksuid && key_attribute(source, path).is_some();
        let late = rest
            .iter()
            .find(|path| given.contains(**path) && !before.contains(path) && !is_for_ksuid(path))?;
        Some((rest.first()?, late))
    });
    match behind {
        None => Ok(values),
        Some((missing, late)) => Err(CommandError::Gap {
            view: options.view.clone(),
            missing: missing.to_string(),
            input: late.to_string(),
        }),
    }
}

/// The attribute of the source's key that a path names.
pub(crate) fn key_attribute<'a>(source: &'a KeySchema, path: &AttributePath) -> Option<&'a KeyAttribute> {
    let mut key = source.attributes().filter(|_| path.rest().is_empty());
    key.find(|attribute| attribute.name == path.root())
}

/// An input as items have it: an attribute of the source's key that is of type N is a number however it was written.
fn of_key(source: &KeySchema, path: &AttributePath, value: AttributeValue) -> Result<AttributeValue, CommandError> {
    let is_number = key_attribute(source, path).is_some_and(|attribute| attribute.kind == ScalarType::N);
    match value {
        AttributeValue::S(text) if is_number => {
            let number = text.parse().map_err(|source| CommandError::NotANumber {
                text: shown_value(&text.as_str().into()),
                part: path.to_string(),
                source,
            })?;
            Ok(AttributeValue::N(number))
        }
        value => Ok(value),
    }
}

/// Source: "Constraints in Amazon DynamoDB" in the developer guide.
fn check_length(
    options: &KeyOptions,
    part: &Part<'_>,
    is_partition: bool,
    value: &AttributeValue,
) -> Result<(), CommandError> {
    let limit = if is_partition {
        MAX_PARTITION_KEY_BYTES
    } else {
        MAX_SORT_KEY_BYTES
    };
    match value.as_s() {
        Some(text) if text.len() > limit => Err(CommandError::KeyTooLong {
            view: options.view.clone(),
            part: part.name.to_owned(),
            value: shown_value(value),
            bytes: text.len(),
            limit,
        }),
        _ => Ok(()),
    }
}

/// Reads `path=text` or `path:=number`.
fn input_of(input: &str) -> Result<(AttributePath, AttributeValue), CommandError> {
    let refused = || CommandError::InputForm {
        input: shown_value(&input.into()),
    };
    let (path, end) = AttributePath::parse_prefix(input).map_err(|_| refused())?;
    let rest = input.get(end..).unwrap_or("");
    let value = if let Some(number) = rest.strip_prefix(":=") {
        AttributeValue::N(number.parse().map_err(|_| refused())?)
    } else {
        let text = rest.strip_prefix('=').filter(|text| !text.is_empty());
        text.ok_or_else(refused)?.into()
    };
    Ok((path, value))
}
