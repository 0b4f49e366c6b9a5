//! `key`: what a reader queries a view by.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use shadowkey_item::{AttributePath, AttributeValue, Item, KeySchema, Segment};
use shadowkey_key_codec::{KeyPrefix, Scope};
use shadowkey_views::Operator;

use crate::arguments::{Format, KeyOptions};
use crate::error::CommandError;
use crate::query::{KeyCondition, query};
use crate::views::{Part, parts_of, table_of};
use crate::{Console, files};

pub(crate) fn key(options: &KeyOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let views = files::views(&options.common.views, console.color)?;
    let parts = parts_of(&views, &options.view)?;
    let item = inputs(options, &parts, &views.table().key)?;
    let source = views.table().key.key_of(&item).ok();
    let scope = Scope::item(&item).of_source(source.as_ref());
    let mut key: BTreeMap<&str, AttributeValue> = BTreeMap::new();
    let mut conditions = Vec::new();
    let mut complete = true;
    for (position, part) in parts.iter().enumerate() {
        let prefix = part.template.prefix(scope);
        let prefix = prefix.map_err(|source| CommandError::Input {
            view: options.view.clone(),
            source,
        })?;
        let (operator, value) = match prefix {
            KeyPrefix::Whole(whole) if complete => (Operator::Equal, whole),
            KeyPrefix::Start(start) if position > 0 && complete => {
                complete = false;
                (Operator::BeginsWith, start.into())
            }
            _ => return Err(missing(options, part)),
        };
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
    let query = query(&table_of(&views, &options.view), None, &conditions);
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

/// The given inputs as an item: each of them the view's, given once, and none behind one that is left out.
///
/// The source's own key can always be given, since a `ksuid` needs it.
fn inputs(options: &KeyOptions, parts: &[Part<'_>], source: &KeySchema) -> Result<Item, CommandError> {
    let known: Vec<&AttributePath> = parts.iter().flat_map(|part| part.template.paths()).collect();
    let mut item = Item::new();
    let mut given = BTreeSet::new();
    for input in &options.inputs {
        let (path, value) = input_of(input)?;
        if !known.contains(&&path) && !source.contains(&path.to_string()) {
            return Err(CommandError::ForeignInput {
                view: options.view.clone(),
                input: path.to_string(),
                inputs: known.iter().map(ToString::to_string).collect(),
            });
        }
        if !given.insert(path.clone()) {
            return Err(CommandError::InputTwice {
                input: path.to_string(),
            });
        }
        set(&mut item, &path, value).ok_or_else(|| CommandError::InputForm { input: input.clone() })?;
    }
    let missing = known.iter().position(|path| !given.contains(*path));
    let behind = missing.and_then(|missing| {
        let (before, rest) = known.split_at_checked(missing)?;
        let late = rest
            .iter()
            .find(|path| given.contains(**path) && !before.contains(path))?;
        Some((rest.first()?, late))
    });
    match behind {
        None => Ok(item),
        Some((missing, late)) => Err(CommandError::Gap {
            view: options.view.clone(),
            missing: missing.to_string(),
            input: late.to_string(),
        }),
    }
}

/// Reads `path=text` or `path:=number`.
fn input_of(input: &str) -> Result<(AttributePath, AttributeValue), CommandError> {
    let refused = || CommandError::InputForm {
        input: input.to_owned(),
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

/// Puts a value at a path, with the maps and lists on the way; `None` where another value is in the way.
fn set(item: &mut Item, path: &AttributePath, value: AttributeValue) -> Option<()> {
    let mut place = item.entry(path.root().to_owned()).or_insert(AttributeValue::Null);
    for step in path.rest() {
        place = match step {
            Segment::Name(name) => {
                if *place == AttributeValue::Null {
                    *place = AttributeValue::M(Item::new());
                }
                let AttributeValue::M(map) = place else { return None };
                map.entry(name.clone()).or_insert(AttributeValue::Null)
            }
            Segment::Index(index) => {
                if *place == AttributeValue::Null {
                    *place = AttributeValue::L(Vec::new());
                }
                let AttributeValue::L(list) = place else { return None };
                list.resize(list.len().max(index + 1), AttributeValue::Null);
                list.get_mut(*index)?
            }
        };
    }
    *place = value;
    Some(())
}
