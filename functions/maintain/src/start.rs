//! What is built once, before the first batch: the views, the client, the worker.

use std::collections::BTreeMap;
use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use shadowkey_item::TableName;
use shadowkey_store_dynamodb::{ATTEMPT_TIMEOUT, ConnectError, ConnectOptions, Connection, DynamoStore};
use shadowkey_views::{Severity, Views, load, render_findings};
use shadowkey_worker::{Clock, Settings, Worker};
use tracing_subscriber::EnvFilter;

/// The view file that is read where SHADOWKEY_VIEWS names no other, beside the binary.
pub const DEFAULT_VIEWS: &str = "views.toml";

/// How much longer than one request may take the end of an invocation is kept free.
const MARGIN: Duration = Duration::from_secs(2);

/// Why the function does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The view file cannot be read.
    #[error("the view file `{}` cannot be read; set SHADOWKEY_VIEWS to its path", path.display())]
    NoViewFile {
        /// The path.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The view file has errors.
    #[error("the view file has errors:\n{rendered}")]
    BrokenViewFile {
        /// The findings, as a person reads them.
        rendered: String,
    },
    /// There is no client.
    #[error(transparent)]
    Connect(#[from] ConnectError),
}

/// Logs JSON lines, as many as RUST_LOG asks for; `info` where it does not.
pub fn log_as_json() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter(filter)
        .init();
}

/// Builds the worker from the environment: SHADOWKEY_VIEWS, SHADOWKEY_TABLE and its kin, and the SDK's own variables.
pub async fn start() -> Result<Worker<DynamoStore>, StartError> {
    let views = read_views(&view_file())?;
    let connection = Connection::from_environment(ConnectOptions::default()).await?;
    let settings = Settings {
        deadline_margin: ATTEMPT_TIMEOUT + MARGIN,
        jitter_seed: fastrand::u64(..),
        ..Settings::default()
    };
    Ok(worker(&connection, views, settings))
}

/// A worker on the tables of a deployment, by their names in the environment.
pub fn worker(connection: &Connection, views: Views, settings: Settings) -> Worker<DynamoStore> {
    let names = physical_names(&views);
    let table = views.table().name.clone();
    let stream_of = names.get(&table).cloned().unwrap_or(table.0);
    let store = DynamoStore::new(connection, names);
    Worker::new(views, store, settings, system_clock()).for_stream_of(&stream_of)
}

/// The clock of the machine, as it is now.
pub fn system_clock() -> Clock {
    Clock::at(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// The view file's path: SHADOWKEY_VIEWS, or the default beside the binary.
fn view_file() -> PathBuf {
    env::var_os("SHADOWKEY_VIEWS").map(PathBuf::from).unwrap_or_else(|| {
        let binary = env::current_exe().unwrap_or_default();
        binary.with_file_name(DEFAULT_VIEWS)
    })
}

/// Reads a view file. Findings that are no errors are logged; errors stop the start.
pub fn read_views(path: &Path) -> Result<Views, StartError> {
    let text = std::fs::read_to_string(path).map_err(|source| StartError::NoViewFile {
        path: path.to_owned(),
        source,
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let loaded = load(text);
    for finding in loaded
        .findings
        .iter()
        .filter(|finding| finding.severity != Severity::Error)
    {
        tracing::warn!(code = %finding.code, line = finding.line, view = finding.view, "{}", finding.message);
    }
    loaded.views.ok_or_else(|| StartError::BrokenViewFile {
        rendered: render_findings(&path.display().to_string(), text, &loaded.findings, false),
    })
}

/// The physical name of every table of the view file, from the environment; the logical name where it says nothing.
pub fn physical_names(views: &Views) -> BTreeMap<TableName, String> {
    let tables = views.tables().into_iter().map(|table| table.name);
    tables
        .map(|table| {
            let physical = env::var(views.physical_name_variable(&table)).ok();
            let physical = physical
                .filter(|name| !name.is_empty())
                .unwrap_or_else(|| table.to_string());
            (table, physical)
        })
        .collect()
}
