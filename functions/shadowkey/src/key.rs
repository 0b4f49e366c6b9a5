//! `key`: what a reader queries a view by.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shadowkey_item::{AttributePath, AttributeValue, Item, Segment};
use shadowkey_key_codec::{KeyPrefix, Scope};

use crate::arguments::{Format, KeyOptions};
use crate::error::CommandError;
use crate::views::{Part, parts_of, table_of};
use crate::{Console, files};

pub(crate) fn key(options: &KeyOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let views = files::views(&options.common.views, console.color)?;
    let parts = parts_of(&views, &options.view)?;
    let mut item = Item::new();
    for input in &options.inputs {
        set(&mut item, input)?;
    }
    let mut key: BTreeMap<&str, AttributeValue> = BTreeMap::new();
    let mut conditions = Vec::new();
    let mut complete = true;
    for (position, part) in parts.iter().enumerate() {
        let prefix = part.template.prefix(Scope::item(&item));
        let prefix = prefix.map_err(|source| CommandError::Input {
            view: options.view.clone(),
            source,
        })?;
        let (name, value) = (format!("#k{position}"), format!(":k{position}"));
        match prefix {
            KeyPrefix::Whole(whole) if complete => {
                conditions.push(format!("{name} = {value}"));
                key.insert(part.name, whole);
            }
            KeyPrefix::Start(start) if position > 0 && complete => {
                complete = false;
                if !start.is_empty() {
                    conditions.push(format!("begins_with({name}, {value})"));
                    key.insert(part.name, start.into());
                }
            }
            _ => return Err(missing(options, part)),
        }
    }
    let query = query(&table_of(&views, &options.view), &parts, &key, &conditions);
    match options.common.format {
        Format::Json => {
            let answer = json!({ "key": key, "complete": complete, "query": query });
            writeln!(console.out, "{answer}")?;
        }
        Format::Text => {
            for (name, value) in &key {
                writeln!(
                    console.out,
                    "{name} = {}",
                    serde_json::to_string(value).unwrap_or_default()
                )?;
            }
            writeln!(
                console.out,
                "aws dynamodb query --cli-input-json '{}'",
                query.to_string().replace('\'', "'\\''")
            )?;
        }
    }
    Ok(0)
}

fn missing(options: &KeyOptions, part: &Part<'_>) -> CommandError {
    CommandError::MissingInputs {
        view: options.view.clone(),
        part: part.name.to_owned(),
        inputs: part.template.paths().map(ToString::to_string).collect(),
    }
}

/// The parameters of the Query request.
fn query(table: &str, parts: &[Part<'_>], key: &BTreeMap<&str, AttributeValue>, conditions: &[String]) -> Value {
    let used = || {
        parts
            .iter()
            .enumerate()
            .filter_map(|(position, part)| Some((position, part.name, key.get(part.name)?)))
    };
    let names: BTreeMap<String, &str> = used()
        .map(|(position, name, _)| (format!("#k{position}"), name))
        .collect();
    let values: BTreeMap<String, &AttributeValue> = used()
        .map(|(position, _, value)| (format!(":k{position}"), value))
        .collect();
    json!({
        "TableName": table,
        "KeyConditionExpression": conditions.join(" AND "),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    })
}

/// Takes `path=text` or `path:=number` into an item.
fn set(item: &mut Item, input: &str) -> Result<(), CommandError> {
    let refused = || CommandError::InputForm {
        input: input.to_owned(),
    };
    let (path, text) = input.split_once('=').ok_or_else(refused)?;
    let (path, value) = match path.strip_suffix(':') {
        Some(path) => (path, AttributeValue::N(text.parse().map_err(|_| refused())?)),
        None => (path, text.into()),
    };
    let path = AttributePath::parse(path).map_err(|_| refused())?;
    let mut names = vec![path.root()];
    for step in path.rest() {
        match step {
            Segment::Name(name) => names.push(name),
            Segment::Index(_) => return Err(refused()),
        }
    }
    let Some((last, maps)) = names.split_last() else {
        return Err(refused());
    };
    let mut place = item;
    for name in maps {
        let entry = place
            .entry((*name).to_owned())
            .or_insert_with(|| AttributeValue::M(Item::new()));
        let AttributeValue::M(map) = entry else {
            return Err(refused());
        };
        place = map;
    }
    place.insert((*last).to_owned(), value);
    Ok(())
}
