//! The worker on the tables of a deployment, for the commands that work beside the stream.

use std::time::{SystemTime, UNIX_EPOCH};

use shadowkey_store_dynamodb::{ConnectError, ConnectOptions, Connection, DynamoStore};
use shadowkey_views::Views;
use shadowkey_worker::{Settings, Worker};

use crate::arguments::ConnectionOptions;

/// Connects as the options say.
pub(crate) async fn connect(options: &ConnectionOptions) -> Result<Connection, ConnectError> {
    Connection::from_environment(ConnectOptions {
        endpoint_url: options.endpoint_url.clone(),
        region: options.region.clone(),
        profile: options.profile.clone(),
    })
    .await
}

/// A worker as the function has it, for a person who can wait.
pub(crate) fn worker(connection: &Connection, views: Views) -> Worker<DynamoStore> {
    let settings = Settings {
        jitter_seed: fastrand::u64(..),
        ..Settings::default()
    };
    maintain::worker(connection, views, settings)
}

/// A name that no other run has: two runs of one name would take each other's notes for their own.
pub(crate) fn run_id(command: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{command}-{}-{:016x}", now.as_millis(), fastrand::u64(..))
}
