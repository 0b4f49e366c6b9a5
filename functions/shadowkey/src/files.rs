//! The files that commands read: view files, items, and recorded events.

use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;
use shadowkey_item::{Item, KeySchema, item_from_json};
use shadowkey_views::{Views, load, render_findings};

use crate::error::CommandError;

/// The text of a file; `-` is standard input.
pub(crate) fn text(path: &Path) -> Result<String, CommandError> {
    let read = if path.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    let text = read.map_err(|source| CommandError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    // Editors on Windows put a byte order mark in front.
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// The views of a view file without errors.
pub(crate) fn views(path: &Path, color: bool) -> Result<Views, CommandError> {
    let text = text(path)?;
    let loaded = load(&text);
    loaded.views.ok_or_else(|| CommandError::BrokenViews {
        rendered: render_findings(&path.display().to_string(), &text, &loaded.findings, color),
    })
}

/// The JSON values of a file, one after another: on lines of their own, or over many lines.
fn values(path: &Path) -> Result<Vec<Box<RawValue>>, CommandError> {
    let text = text(path)?;
    serde_json::Deserializer::from_str(&text)
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|source| CommandError::NotJson {
            path: path.to_owned(),
            line: source.line(),
            column: source.column(),
            source,
        })
}

#[derive(Deserialize)]
struct ScanOutput {
    #[serde(rename = "Items")]
    items: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct GetItemOutput {
    #[serde(rename = "Item")]
    item: Item,
}

/// The items of a file: one a line, the output of a Scan, or the lines of an export; each with the table's key.
pub(crate) fn items(path: &Path, schema: &KeySchema) -> Result<Vec<Item>, CommandError> {
    let mut items = Vec::new();
    for value in values(path)? {
        let raw = match serde_json::from_str::<ScanOutput>(value.get()) {
            Ok(scan) => scan.items,
            Err(_) => vec![value],
        };
        for raw in raw {
            let what = format!("item {}", items.len() + 1);
            items.push(item(path, what, raw.get(), schema)?);
        }
    }
    Ok(items)
}

/// The one item of a file.
pub(crate) fn only_item(path: &Path, schema: &KeySchema) -> Result<Item, CommandError> {
    item(path, "the item".to_owned(), &text(path)?, schema)
}

fn item(path: &Path, what: String, json: &str, schema: &KeySchema) -> Result<Item, CommandError> {
    let item = match item_from_json(json) {
        Ok(item) => item,
        Err(source) => match serde_json::from_str::<GetItemOutput>(json) {
            Ok(output) => output.item,
            Err(_) => {
                return Err(CommandError::Unexpected {
                    path: path.to_owned(),
                    what,
                    expected: "expected an item in DynamoDB JSON, such as {\"PK\": {\"S\": \"ORG#1\"}}",
                    source: Some(source),
                });
            }
        },
    };
    match schema.key_of(&item) {
        Ok(_) => Ok(item),
        Err(source) => Err(CommandError::ForeignItem {
            path: path.to_owned(),
            what,
            source,
        }),
    }
}

#[derive(Deserialize)]
struct EventFile {
    #[serde(rename = "Records")]
    records: Vec<Box<RawValue>>,
}

#[derive(Deserialize)]
struct RecordLine {
    #[serde(rename = "dynamodb")]
    _change: Box<RawValue>,
}

/// The records of an event file, each as it stands there.
pub(crate) fn records(path: &Path) -> Result<Vec<Box<RawValue>>, CommandError> {
    let mut records = Vec::new();
    for (position, value) in values(path)?.into_iter().enumerate() {
        if let Ok(event) = serde_json::from_str::<EventFile>(value.get()) {
            records.extend(event.records);
        } else if serde_json::from_str::<RecordLine>(value.get()).is_ok() {
            records.push(value);
        } else {
            return Err(CommandError::Unexpected {
                path: path.to_owned(),
                what: format!("value {}", position + 1),
                expected: "expected a Lambda event with `Records`, or stream records one a line",
                source: None,
            });
        }
    }
    Ok(records)
}
