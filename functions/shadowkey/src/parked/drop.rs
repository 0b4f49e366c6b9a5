//! `parked drop`: entries that a person has dealt with, or does not mind.

use std::collections::BTreeSet;

use serde_json::json;
use shadowkey_item::{Key, TableDefinition, item_from_json};
use shadowkey_worker::Parked;

use crate::Console;
use crate::arguments::{DropOptions, Format};
use crate::error::CommandError;
use crate::parked::entry::entry_text;
use crate::parked::{connect, entries, to_json, views};

pub(super) async fn drop_entries(options: &DropOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let views = views(&options.common, console)?;
    let of = options.of.as_ref().map(|text| key(text, views.table())).transpose()?;
    let worker = connect(views, &options.connection).await?;
    let mut chosen = entries(&worker).await?;
    chosen.retain(|entry| of.as_ref().is_none_or(|of| *of == entry.of));
    chosen.retain(|entry| options.view.is_none() || options.view == entry.view);
    for entry in &chosen {
        worker.drop_parked(entry).await.map_err(CommandError::Run)?;
    }
    let left = entries(&worker).await?;
    let left: BTreeSet<&str> = left.iter().map(|entry| entry.id.as_str()).collect();
    // What was parked anew in the meantime stays.
    let (kept, dropped): (Vec<&Parked>, Vec<&Parked>) =
        chosen.iter().partition(|entry| left.contains(entry.id.as_str()));
    match options.common.format {
        Format::Json => {
            let (dropped, kept) = (to_json(dropped, worker.views()), to_json(kept.clone(), worker.views()));
            writeln!(console.out, "{}", json!({ "dropped": dropped, "kept": kept }))?;
        }
        Format::Text => write!(console.out, "{}", text(&dropped, &kept))?,
    }
    Ok(u8::from(!kept.is_empty()))
}

fn text(dropped: &[&Parked], kept: &[&Parked]) -> String {
    if dropped.is_empty() && kept.is_empty() {
        return "nothing of that is parked; `parked list` shows what is\n".to_owned();
    }
    let mut text = String::new();
    for entry in dropped {
        text += &format!("dropped {}\n", entry_text(entry));
    }
    for entry in kept {
        text += &format!("kept, since it was parked anew: {}\n", entry_text(entry));
    }
    if !dropped.is_empty() {
        text += "nothing else remembers what was dropped: the next change of such an item derives it anew, and `verify --repair` \
                 finds what is wrong until then\n";
    }
    text
}

fn key(text: &str, table: &TableDefinition) -> Result<Key, CommandError> {
    let wrong = |source: Box<dyn std::error::Error + Send + Sync>| {
        let part = |name: &str, kind| format!("\"{name}\":{{\"{kind}\":\"..\"}}");
        let parts = table
            .key
            .attributes()
            .map(|attribute| part(&attribute.name, attribute.kind));
        CommandError::KeyForm {
            text: text.to_owned(),
            table: table.name.clone(),
            example: format!("'{{{}}}'", parts.collect::<Vec<_>>().join(",")),
            source,
        }
    };
    let item = item_from_json(text).map_err(|error| wrong(error.into()))?;
    table.key.key_of(&item).map_err(|error| wrong(error.into()))
}
