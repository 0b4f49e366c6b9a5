//! The tables on an engine of their own, and what is counted.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

use maintain::read_views;
use shadowkey_item::TableName;
use shadowkey_local::Engine;
use shadowkey_store_dynamodb::{ChangeStream, Connection, DynamoStore, create_table};
use shadowkey_views::Views;

/// How many processes are killed.
const KILLS: usize = 100;
const VIEW_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/killed/views.toml");

/// The tables, all empty at first.
pub(crate) struct World {
    pub(crate) views: Views,
    pub(crate) connection: Connection,
    pub(crate) store: DynamoStore,
    pub(crate) tally: Tally,
    engine: Engine,
}

/// What happened, and how often.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    kills: Cell<usize>,
    counts: RefCell<BTreeMap<&'static str, usize>>,
}

impl World {
    pub(crate) async fn new() -> Self {
        let views = read_views(Path::new(VIEW_FILE)).expect("views");
        let engine = Engine::start().await.expect("engine");
        let connection = Connection::local(engine.endpoint_url());
        let mut physical = BTreeMap::new();
        for table in views.tables() {
            let name = physical_name(&table.name);
            let stream = match table.name == views.table().name {
                true => ChangeStream::On,
                false => ChangeStream::Off,
            };
            create_table(&connection, &name, &table, stream).await.expect("table");
            physical.insert(table.name, name);
        }
        Self {
            store: DynamoStore::new(&connection, physical),
            tally: Tally::default(),
            views,
            connection,
            engine,
        }
    }

    /// Whether enough processes were killed.
    pub(crate) fn is_over(&self) -> bool {
        self.tally.kills.get() >= KILLS
    }

    pub(crate) fn engine_address(&self) -> SocketAddr {
        let url = self.engine.endpoint_url();
        url.trim_start_matches("http://").parse().expect("address")
    }

    pub(crate) fn view_file(&self) -> &'static str {
        VIEW_FILE
    }

    /// The environment variables that name the tables.
    pub(crate) fn physical_names(&self) -> BTreeMap<String, String> {
        let tables = self.views.tables().into_iter();
        let named = tables.map(|table| {
            (
                self.views.physical_name_variable(&table.name),
                physical_name(&table.name),
            )
        });
        named.collect()
    }
}

impl Tally {
    pub(crate) fn count(&self, what: &'static str) {
        *self.counts.borrow_mut().entry(what).or_default() += 1;
    }

    /// Counts a kill, by its kind.
    pub(crate) fn kill(&self, kind: &'static str) {
        self.kills.set(self.kills.get() + 1);
        self.count(kind);
    }

    /// How often something happened.
    pub(crate) fn of(&self, what: &str) -> usize {
        self.counts.borrow().get(what).copied().unwrap_or_default()
    }
}

fn physical_name(table: &TableName) -> String {
    format!("stage-{table}")
}
