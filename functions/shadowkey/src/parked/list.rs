//! `parked list`: what is parked, by source item and view.

use comfy_table::{ContentArrangement, Table, presets};
use serde_json::json;
use shadowkey_views::{AttributeView, ShadowView, Views};
use shadowkey_worker::Parked;

use crate::Console;
use crate::arguments::{Format, ListOptions};
use crate::error::CommandError;
use crate::parked::{connect, entries, to_json, views};
use crate::views::unknown;

pub(super) async fn list(options: &ListOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let worker = connect(views(&options.common, console)?, &options.connection).await?;
    let mut parked = entries(&worker).await?;
    if let Some(view) = &options.view {
        // An entry may be of a view that is no longer in the file.
        let is_known = declares(worker.views(), view) || parked.iter().any(|entry| entry.view.as_ref() == Some(view));
        if !is_known {
            return Err(unknown(worker.views(), view));
        }
        parked.retain(|entry| entry.view.as_ref() == Some(view));
    }
    if let Some(code) = &options.code {
        parked.retain(|entry| entry.code == *code);
    }
    match options.common.format {
        Format::Json => writeln!(console.out, "{}", json!({ "parked": to_json(&parked, worker.views()) }))?,
        Format::Text if parked.is_empty() => writeln!(console.out, "nothing is parked")?,
        Format::Text => writeln!(console.out, "{}", table(&parked))?,
    }
    Ok(u8::from(!parked.is_empty()))
}

fn declares(views: &Views, name: &str) -> bool {
    let shadows = views.shadow_views().iter().map(ShadowView::name);
    let mut names = shadows.chain(views.attribute_views().iter().map(AttributeView::name));
    names.any(|known| known == name)
}

fn table(parked: &[Parked]) -> Table {
    let mut printed = Table::new();
    printed
        .load_style(presets::UTF8_FULL_CONDENSED)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(["of", "view", "code", "message", "parked at"]);
    for entry in parked {
        printed.add_row([
            entry.of.to_string(),
            entry.view.clone().unwrap_or_else(|| "(the item)".to_owned()),
            entry.code.clone(),
            entry.message.clone(),
            entry.time.clone(),
        ]);
    }
    printed
}
