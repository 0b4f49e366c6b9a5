//! The commands that work on deployed tables, on an engine of their own each.

mod against_table;
mod parked;
mod redrive;

use serde_json::Value;
use shadowkey_item::{Item, TableName, item_from_json};
use shadowkey_local::Engine;
use shadowkey_plan::{Condition, Put};
use shadowkey_store::{Page, Store};
use shadowkey_store_dynamodb::{ChangeStream, Connection, DynamoStore, create_table};
use shadowkey_views::load;

use crate::desk::{Answer, Desk};

/// A folder of files and an engine that commands are run on.
pub(crate) struct Deployed {
    files: Desk,
    engine: Engine,
    pub(crate) connection: Connection,
    pub(crate) store: DynamoStore,
}

impl Deployed {
    /// With the tables of the view file, each with a stream.
    pub(crate) async fn new(views: &str) -> Self {
        Self::with_tables(views, async |connection| {
            for table in load(views).views.expect("views").tables() {
                create_table(connection, &table.name.0, &table, ChangeStream::On)
                    .await
                    .expect("table");
            }
        })
        .await
    }

    /// With the tables that are made by hand for the view file.
    pub(crate) async fn with_tables(views: &str, make: impl AsyncFnOnce(&Connection)) -> Self {
        let engine = Engine::start().await.expect("engine");
        let connection = Connection::local(engine.endpoint_url());
        make(&connection).await;
        let tables = load(views).views.expect("views").tables();
        let names = tables.into_iter().map(|table| (table.name.clone(), table.name.0));
        Self {
            files: Desk::new(views),
            store: DynamoStore::new(&connection, names.collect()),
            engine,
            connection,
        }
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        self.files.file(name, text)
    }

    pub(crate) async fn put(&self, table: &str, item: &Value) {
        let put = Put {
            table: TableName(table.to_owned()),
            item: item_from_json(&item.to_string()).expect("item"),
            condition: Condition::ALWAYS,
        };
        self.store.put(&put).await.expect("put");
    }

    pub(crate) async fn items(&self, table: &str) -> Vec<Item> {
        let Page { items, next } = self
            .store
            .scan(&TableName(table.to_owned()), None)
            .await
            .expect("items");
        assert_eq!(next, None);
        items
    }

    /// Runs a command with the view file and the engine.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Answer {
        let endpoint = self.engine.endpoint_url();
        let arguments = [arguments, &["--endpoint-url", &endpoint]].concat();
        self.files.run(&arguments).await
    }
}
