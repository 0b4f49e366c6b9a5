//! `dev`: the embedded engine on a local port, with the worker on its stream.

mod report;

use std::time::Duration;

use maintain::physical_names;
use serde_json::{Value, json};
use shadowkey_item::Item;
use shadowkey_local::Engine;
use shadowkey_plan::Change;
use shadowkey_store_dynamodb::{Connection, DynamoStore, Follower, Start};
use shadowkey_stream::{coalesce, decode};
use shadowkey_views::Views;
use shadowkey_worker::{Outcome, Worker};
use tokio::time::sleep;

use crate::arguments::{ConnectionOptions, DevOptions, Format};
use crate::dev::report::Report;
use crate::error::CommandError;
use crate::follow::{Consumer, Stop, check_stream, follow};
use crate::replay::{batches, tables};
use crate::{Console, deployed, files};

/// The pause between two looks at a stream that has nothing new; it is an engine's of this machine.
const PACE: Duration = Duration::from_millis(100);
/// How long to wait before what failed is tried once more.
const PAUSE: Duration = Duration::from_secs(1);

pub(crate) async fn dev(options: DevOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let mut views = files::views(&options.common.views, console.color)?;
    let items = match &options.load {
        Some(path) => files::items(path, &views.table().key)?,
        None => Vec::new(),
    };
    let (connection, engine) = connect(&options).await?;
    if engine.is_some() {
        views = views.or_state_table();
        tables::create(&connection, &views, &physical_names(&views)).await?;
    }
    let table = views.table().name.clone();
    let physical = physical_names(&views).remove(&table).unwrap_or_default();
    check_stream(&connection, &physical).await?;
    let mut follower = Follower::open(&connection, &physical, Start::Oldest, PACE).await?;
    let mut maintainer = Maintainer {
        worker: deployed::worker(&connection, views),
        format: options.common.format,
    };
    for item in items {
        tables::put(maintainer.worker.store(), &table, item).await?;
    }
    let stop = Stop::at_interrupt_or_after(None).await;
    greet(engine.as_ref(), &options, &physical, console)?;
    follow(&mut follower, stop, &mut maintainer, console).await?;
    Ok(0)
}

/// Starts an engine, or connects to the one at the endpoint.
async fn connect(options: &DevOptions) -> Result<(Connection, Option<Engine>), CommandError> {
    if options.endpoint_url.is_none() {
        let engine = Engine::start_on(options.port).await?;
        return Ok((Connection::local(engine.endpoint_url()), Some(engine)));
    }
    let there = ConnectionOptions {
        endpoint_url: options.endpoint_url.clone(),
        region: options.region.clone(),
        profile: options.profile.clone(),
    };
    Ok((deployed::connect(&there).await?, None))
}

fn greet(
    engine: Option<&Engine>,
    options: &DevOptions,
    table: &str,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let served = engine.map(Engine::endpoint_url);
    match (&served, &options.endpoint_url) {
        (Some(url), _) => writeln!(
            console.notices,
            "serving table `{table}` at {url} with any credentials; try `aws dynamodb scan --table-name {table} --endpoint-url \
             {url}`, and stop with Ctrl-C"
        )?,
        (None, url) => writeln!(
            console.notices,
            "following table `{table}` at {}; stop with Ctrl-C",
            url.as_deref().unwrap_or_default()
        )?,
    }
    Ok(())
}

/// Hands records to the worker, and says what they derived.
struct Maintainer {
    worker: Worker<DynamoStore>,
    format: Format,
}

impl Consumer for Maintainer {
    async fn take(&mut self, records: Vec<Value>, console: &mut Console<'_>) -> Result<(), CommandError> {
        let changes = self.changes(&records)?;
        let outcome = self.handle(&records, console).await?;
        for change in changes {
            let item = outcome.items.iter().find(|item| item.key == change.key);
            let report = Report::new(self.worker.views(), &change, item);
            match self.format {
                _ if report.is_echo() => {}
                Format::Json => writeln!(console.out, "{}", report.to_json())?,
                Format::Text => writeln!(console.out, "{report}")?,
            }
        }
        Ok(console.out.flush()?)
    }
}

impl Maintainer {
    /// The changes of source items that the records make.
    fn changes(&self, records: &[Value]) -> Result<Vec<Change>, CommandError> {
        let views: &Views = self.worker.views();
        let decoded =
            decode(&event(records), &views.table().key, None).map_err(|error| CommandError::Run(error.into()))?;
        let is_shadow = |image: &Item| views.is_shadow(image);
        let records = decoded.into_iter().flatten();
        Ok(coalesce(
            records.filter(|record| !record.old.iter().chain(&record.new).all(is_shadow)),
        ))
    }

    /// Has the worker handle the records, once more from where it failed.
    async fn handle(&self, records: &[Value], console: &mut Console<'_>) -> Result<Outcome, CommandError> {
        let mut outcome = self
            .worker
            .handle(&event(records), None)
            .await
            .map_err(CommandError::Run)?;
        let Some(failed) = outcome.earliest_failed.take() else {
            return Ok(outcome);
        };
        sleep(PAUSE).await;
        let from = records
            .iter()
            .position(|record| batches::number_of(record).as_ref() == Some(&failed));
        let rest = records.get(from.unwrap_or(0)..).unwrap_or_default();
        let again = self
            .worker
            .handle(&event(rest), None)
            .await
            .map_err(CommandError::Run)?;
        if let Some(number) = &again.earliest_failed {
            writeln!(
                console.notices,
                "warning: the change with sequence number {number} failed twice and is given up"
            )?;
        }
        // An item that was handled twice is as the second time left it.
        outcome
            .items
            .retain(|item| !again.items.iter().any(|newer| newer.key == item.key));
        outcome.items.extend(again.items);
        Ok(outcome)
    }
}

fn event(records: &[Value]) -> String {
    json!({ "Records": records }).to_string()
}
