//! One parked entry, for a program and for a person.

use serde_json::{Value, json};
use shadowkey_item::{TableName, item_to_json};
use shadowkey_worker::Parked;

/// What every command prints of an entry.
pub(crate) fn entry_json(entry: &Parked, table: &TableName) -> Value {
    json!({
        "view": entry.view, "code": entry.code, "message": entry.message,
        "table": table, "of": item_to_json(entry.of.attributes()),
    })
}

/// The same with the version of the change and the time it was parked at.
pub(crate) fn dated_json(entry: &Parked, table: &TableName) -> Value {
    let mut json = entry_json(entry, table);
    if let Some(fields) = json.as_object_mut() {
        fields.insert("at".to_owned(), entry.at.as_str().into());
        fields.insert("time".to_owned(), entry.time.as_str().into());
    }
    json
}

/// An entry on a line.
pub(crate) fn entry_text(entry: &Parked) -> String {
    let view = entry.view.as_deref().unwrap_or("item");
    format!("[{}] {} {view}: {}", entry.code, entry.of, entry.message)
}
