//! An engine with the tables of a view file, and commands that are run on it.

use std::ffi::OsString;
use std::fs;

use serde_json::{Value, json};
use shadowkey::{Console, run};
use shadowkey_item::{Item, TableName, item_from_json};
use shadowkey_local::Engine;
use shadowkey_plan::{Condition, Put};
use shadowkey_store::{Page, Store};
use shadowkey_store_dynamodb::{ChangeStream, Connection, DynamoStore, create_table};
use shadowkey_views::load;
use tempfile::TempDir;

/// What a command answered.
pub(crate) struct Answer {
    pub(crate) exit: u8,
    pub(crate) out: String,
    pub(crate) notices: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.notices))
    }
}

/// A folder of files and an engine that commands are run on.
pub(crate) struct Desk {
    folder: TempDir,
    engine: Engine,
    pub(crate) connection: Connection,
    pub(crate) store: DynamoStore,
}

impl Desk {
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
        let desk = Self {
            folder: TempDir::new().expect("folder"),
            store: DynamoStore::new(&connection, names.collect()),
            engine,
            connection,
        };
        desk.file("views.toml", views);
        desk
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        fs::write(&path, text).expect(name);
        path.to_str().expect("path").to_owned()
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
        let views = self.folder.path().join("views.toml");
        let endpoint = self.engine.endpoint_url();
        let deployment = ["--views".into(), views.into(), "--endpoint-url".into(), endpoint.into()];
        let command = ["shadowkey"].iter().chain(arguments).map(OsString::from);
        let (mut out, mut notices) = (Vec::new(), Vec::new());
        let mut console = Console {
            out: &mut out,
            notices: &mut notices,
            color: false,
        };
        let exit = run(command.chain(deployment), &mut console).await;
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Answer {
            exit,
            out: text(out),
            notices: text(notices),
        }
    }
}

/// The record of an insertion, as a stream delivers it.
pub(crate) fn insertion(number: u32, new: &Value) -> Value {
    json!({
        "eventID": number.to_string(), "eventName": "INSERT", "eventVersion": "1.1", "eventSource": "aws:dynamodb",
        "awsRegion": "eu-central-1",
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000",
        "dynamodb": {
            "Keys": { "PK": new["PK"], "SK": new["SK"] }, "NewImage": new, "SequenceNumber": number.to_string(),
            "SizeBytes": 100, "StreamViewType": "NEW_AND_OLD_IMAGES", "ApproximateCreationDateTime": 1_700_000_000,
        },
    })
}
