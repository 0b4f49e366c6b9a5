//! A fixture world, replayed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use aws_sdk_dynamodb::Client;
use serde_json::Value;
use shadowkey_item::{Item, image_from_wire, item_into_wire};
use shadowkey_local::Engine;
use shadowkey_store_dynamodb::Connection;

use crate::{Query, Replay};

/// A world whose base items and events went through the worker, on an engine of its own that still runs.
pub struct World {
    folder: PathBuf,
    connection: Connection,
    /// What the replay said.
    pub replay: Replay,
    // Kept, since the engine stops when it is dropped.
    _engine: Engine,
}

impl World {
    /// Replays the world in `tests/fixtures/<name>`, with further options of `shadowkey replay`.
    pub async fn replayed(name: &str, options: &[&str]) -> Result<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures").join(name);
        let engine = Engine::start().await?;
        let endpoint_url = engine.endpoint_url();
        let replay = Replay::run(&folder, events(&folder)?, &endpoint_url, options).await?;
        Ok(Self {
            folder,
            connection: Connection::local(endpoint_url),
            replay,
            _engine: engine,
        })
    }

    /// The end state that was worked out for the world, in the form in which a replay prints it.
    pub fn expected_tables(&self) -> Result<Value> {
        let path = self.folder.join("expected.json");
        let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// A query of the partition of `table` in which the attribute `name` is `value`.
    pub fn query(&self, table: &str, name: &str, value: &str) -> Query {
        Query::new(self.client(), table, name, value)
    }

    /// One item by its primary key, read consistently.
    pub async fn item(&self, table: &str, key: Item) -> Result<Option<Item>> {
        let request = self
            .client()
            .get_item()
            .table_name(table)
            .set_key(Some(item_into_wire(key).into()));
        let answer = request.consistent_read(true).send().await?;
        Ok(image_from_wire(answer.item.unwrap_or_default().into())?)
    }

    fn client(&self) -> &Client {
        self.connection.dynamodb()
    }
}

fn events(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder.join("events")).with_context(|| format!("events of {}", folder.display()))?;
    let mut files: Vec<_> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    Ok(files)
}
