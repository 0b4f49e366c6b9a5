//! A table on the embedded engine with the worker on its stream, as in use.
//!
//! The worker runs so that the images are what a stream really carries: with the attributes that it keeps on the source
//! items, as old as they are when the application writes.

use anyhow::{Context, Result, ensure};
use maintain::system_clock;
use serde_json::Value;
use shadowkey_local::Engine;
use shadowkey_store_dynamodb::{ChangeStream, Connection, DynamoStore, StreamReader, create_table};
use shadowkey_worker::{Settings, Worker};

use super::event;
use super::world::{Batch, World};

/// Where a world's writes are performed.
pub(crate) struct Stage {
    table: String,
    connection: Connection,
    stream: StreamReader,
    worker: Worker<DynamoStore>,
    // Kept, since the engine stops when it is dropped.
    _engine: Engine,
}

impl Stage {
    /// Makes a world's tables and puts the items that are there before; nothing is derived from them yet.
    pub(crate) async fn set(world: &World) -> Result<Self> {
        let engine = Engine::start().await?;
        let connection = Connection::local(engine.endpoint_url());
        let base_table = world.views.table();
        let tables = world.views.tables();
        for definition in &tables {
            create_table(&connection, &definition.name.0, definition, ChangeStream::On).await?;
        }
        let table = base_table.name.to_string();
        for item in &world.base {
            item.perform(connection.dynamodb(), &table).await?;
        }
        let mut stream = StreamReader::open(&connection, &table).await?;
        stream.read_available().await?;
        let physical = tables
            .into_iter()
            .map(|table| (table.name.clone(), table.name.0))
            .collect();
        let store = DynamoStore::new(&connection, physical);
        Ok(Self {
            table,
            worker: Worker::new(world.views.clone(), store, Settings::default(), system_clock()),
            connection,
            stream,
            _engine: engine,
        })
    }

    /// Performs a batch of writes, gives the stream's records of them, and lets the worker handle these.
    ///
    /// The records of the worker's own writes are left out: whoever replays the event has a worker that makes its own.
    pub(crate) async fn play(&mut self, batch: &Batch) -> Result<Vec<Value>> {
        for write in &batch.writes {
            write.perform(self.connection.dynamodb(), &self.table).await?;
        }
        let mut records = self.stream.read_available().await?;
        let (writes, count) = (batch.writes.len(), records.len());
        ensure!(count == writes, "{writes} writes gave {count} records");
        for record in &mut records {
            event::check(record)?;
            event::place(record, &self.table)?;
        }
        let outcome = self.worker.handle(&event::file(&records), None).await?;
        let problem = outcome.items.iter().flat_map(|item| &item.problems).next();
        ensure!(problem.is_none(), "the worker failed: {problem:?}");
        self.stream.read_available().await.context("the worker's own records")?;
        Ok(records)
    }
}
