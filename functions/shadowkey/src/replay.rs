//! `replay`: recorded events through the worker's real handler, on an engine, until nothing changes any more.

pub(crate) mod batches;
mod delivery;
mod report;
pub(crate) mod tables;

use std::collections::BTreeMap;

use indicatif::{ProgressBar, ProgressStyle};
use maintain::physical_names;
use shadowkey_item::TableName;
use shadowkey_local::Engine;
use shadowkey_store_dynamodb::{ConnectOptions, Connection};
use shadowkey_views::Views;

use crate::arguments::{Format, ReplayOptions};
use crate::error::CommandError;
use crate::replay::batches::Batches;
use crate::replay::delivery::Replay;
use crate::replay::report::Report;
use crate::{Console, files};

pub(crate) async fn replay(options: ReplayOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let views = files::views(&options.common.views, console.color)?;
    let base = match &options.base {
        Some(path) => files::items(path, &views.table().key)?,
        None => Vec::new(),
    };
    let mut batches = Batches::read(&options)?;
    let (connection, engine) = connect(&options).await?;
    let with_state = views.clone().or_state_table();
    let physical = if engine.is_some() {
        numbered_names(&with_state)
    } else {
        physical_names(&with_state)
    };
    let mut replay = Replay::start(&connection, views, physical, base, batches.numbers()).await?;
    let progress = ProgressBar::new(batches.records());
    progress.set_style(style());
    while let Some(batch) = batches.next() {
        let records = u64::try_from(batch.records.len()).unwrap_or(0);
        let batch = replay.deliver(batch).await?;
        if options.duplicate {
            replay.deliver_again(&batches.duplicate_of(batch)).await?;
        }
        progress.inc(records);
    }
    progress.finish_and_clear();
    let report = replay.report().await?;
    if let Some(engine) = engine {
        engine.stop().await;
    }
    for problem in &report.undecided {
        writeln!(console.notices, "failed [{}] {}", problem.code, problem.message)?;
    }
    write(&report, options.common.format, console)?;
    Ok(u8::from(report.is_bad()))
}

fn write(report: &Report, format: Format, console: &mut Console<'_>) -> Result<(), CommandError> {
    match format {
        Format::Json => writeln!(console.out, "{}", report.to_json())?,
        Format::Text => write!(console.out, "{}", report.to_text())?,
    }
    Ok(())
}

/// On an engine of its own the tables' names do not matter, and a logical name need not be one that DynamoDB takes.
fn numbered_names(views: &Views) -> BTreeMap<TableName, String> {
    let tables = views.tables().into_iter().enumerate();
    tables
        .map(|(number, table)| (table.name, format!("table-{number}")))
        .collect()
}

/// Connects to the engine at the endpoint, or starts one.
async fn connect(options: &ReplayOptions) -> Result<(Connection, Option<Engine>), CommandError> {
    let Some(endpoint_url) = &options.endpoint_url else {
        let engine = Engine::start().await?;
        return Ok((Connection::local(engine.endpoint_url()), Some(engine)));
    };
    let connection = Connection::from_environment(ConnectOptions {
        endpoint_url: Some(endpoint_url.clone()),
        region: options.region.clone(),
        profile: options.profile.clone(),
    });
    Ok((connection.await?, None))
}

/// A bar on stderr; it hides itself where that is no terminal.
fn style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:40} {pos}/{len} records, {per_sec}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}
