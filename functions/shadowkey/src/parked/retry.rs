//! `parked retry`: every item that has something parked, reconciled.

use std::collections::BTreeSet;

use serde_json::json;
use shadowkey_worker::Parked;

use crate::arguments::{Format, RetryOptions};
use crate::error::CommandError;
use crate::outcome::{failed_items, item_json, item_lines};
use crate::parked::entry::entry_text;
use crate::parked::{connect, entries, to_json, views};
use crate::{Console, deployed};

pub(super) async fn retry(options: &RetryOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let worker = connect(views(&options.common, console)?, &options.connection).await?;
    let before = entries(&worker).await?;
    let outcome = worker.retry_parked(&deployed::run_id("parked-retry"), None).await;
    let outcome = outcome.map_err(CommandError::Run)?;
    let after = entries(&worker).await?;
    let still: BTreeSet<&str> = after.iter().map(|entry| entry.id.as_str()).collect();
    let settled: Vec<&Parked> = before
        .iter()
        .filter(|entry| !still.contains(entry.id.as_str()))
        .collect();
    let failed: Vec<_> = failed_items(&outcome).collect();
    match options.common.format {
        Format::Json => {
            let answer = json!({
                "settled": to_json(settled, worker.views()),
                "parked": to_json(&after, worker.views()),
                "failed": failed.iter().map(|item| item_json(item)).collect::<Vec<_>>(),
                "counters": outcome.counters,
            });
            writeln!(console.out, "{answer}")?;
        }
        Format::Text => {
            for entry in &settled {
                writeln!(console.out, "settled {}", entry_text(entry))?;
            }
            for entry in &after {
                writeln!(console.out, "still parked {}", entry_text(entry))?;
            }
            for item in &failed {
                write!(console.out, "{}", item_lines(item))?;
            }
            writeln!(console.out, "{} settled, {} still parked", settled.len(), after.len())?;
        }
    }
    Ok(u8::from(!after.is_empty() || !failed.is_empty()))
}
