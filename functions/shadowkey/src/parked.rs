//! `parked`: what could not be derived or written for good, tried again, or dropped.

mod drop;
pub(crate) mod entry;
mod list;
mod retry;

use serde_json::Value;
use shadowkey_store_dynamodb::DynamoStore;
use shadowkey_views::Views;
use shadowkey_worker::{Parked, Worker};

use crate::arguments::{CommonOptions, ConnectionOptions, ParkedCommand};
use crate::error::CommandError;
use crate::parked::entry::dated_json;
use crate::{Console, deployed, files};

pub(crate) async fn parked(command: &ParkedCommand, console: &mut Console<'_>) -> Result<u8, CommandError> {
    match command {
        ParkedCommand::List(options) => list::list(options, console).await,
        ParkedCommand::Retry(options) => retry::retry(options, console).await,
        ParkedCommand::Drop(options) => drop::drop_entries(options, console).await,
    }
}

/// The view file's views, if it declares a table to park in.
fn views(common: &CommonOptions, console: &Console<'_>) -> Result<Views, CommandError> {
    let views = files::views(&common.views, console.color)?;
    match views.state_table() {
        Some(_) => Ok(views),
        None => Err(CommandError::NoState {
            table: views.table().name.clone(),
        }),
    }
}

async fn connect(views: Views, options: &ConnectionOptions) -> Result<Worker<DynamoStore>, CommandError> {
    let connection = deployed::connect(options).await?;
    Ok(deployed::worker(&connection, views))
}

async fn entries(worker: &Worker<DynamoStore>) -> Result<Vec<Parked>, CommandError> {
    worker.parked().await.map_err(CommandError::Run)
}

fn to_json<'a>(entries: impl IntoIterator<Item = &'a Parked>, views: &Views) -> Value {
    let table = &views.table().name;
    entries.into_iter().map(|entry| dated_json(entry, table)).collect()
}
