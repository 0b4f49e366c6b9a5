//! `engine`: the embedded engine on a local port, for a function that runs beside it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use shadowkey_item::{item_from_json, item_into_wire};
use shadowkey_local::Engine;
use shadowkey_store_dynamodb::{ChangeStream, Connection, create_table};
use shadowkey_views::load;

#[derive(Args)]
pub(crate) struct Options {
    /// The view file whose tables are made.
    #[arg(long)]
    views: PathBuf,
    /// Items to put into its table, one a line in DynamoDB JSON.
    #[arg(long)]
    base: Option<PathBuf>,
    /// The port on 127.0.0.1.
    #[arg(long)]
    port: u16,
}

/// Serves until the process is stopped.
pub(crate) async fn run(options: &Options) -> Result<()> {
    let read = |path: &PathBuf| fs::read_to_string(path).with_context(|| format!("reading {}", path.display()));
    let views = load(&read(&options.views)?)
        .views
        .context("the view file has errors; `shadowkey check` names them")?;
    let engine = Engine::start_on(options.port).await?;
    let connection = Connection::local(engine.endpoint_url());
    let table = views.table().clone();
    for definition in views.tables() {
        create_table(&connection, &definition.name.0, &definition, ChangeStream::On).await?;
    }
    let base = options.base.as_ref().map(read).transpose()?.unwrap_or_default();
    for line in base.lines().filter(|line| !line.trim().is_empty()) {
        let item = item_into_wire(item_from_json(line)?).into();
        let put = connection.dynamodb().put_item().table_name(&table.name.0);
        put.set_item(Some(item))
            .send()
            .await
            .context("loading the base items")?;
    }
    eprintln!("serving at {}", engine.endpoint_url());
    std::future::pending().await
}
