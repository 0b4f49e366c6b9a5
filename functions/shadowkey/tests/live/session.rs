//! A command that runs on beside what a test does, and the tables that both work on.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use shadowkey::{Console, run};
use shadowkey_item::{Item, TableDefinition, TableName, item_from_json};
use shadowkey_plan::{Condition, Delete, Put};
use shadowkey_store::Store;
use shadowkey_store_dynamodb::{Connection, DynamoStore};
use shadowkey_views::load;
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(30);

/// What is written to one of a command's streams.
#[derive(Clone, Default)]
pub(crate) struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("lock").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Written {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("lock").clone()).expect("text")
    }

    /// The lines, as soon as there are so many.
    pub(crate) async fn lines(&self, count: usize) -> Vec<String> {
        let wait = async {
            loop {
                let text = self.text();
                let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                if lines.len() >= count && text.ends_with('\n') {
                    return lines;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let lines = tokio::time::timeout(PATIENCE, wait).await;
        lines.unwrap_or_else(|_| panic!("less than {count} lines: {}", self.text()))
    }
}

/// A command's exit code and what it wrote.
pub(crate) struct Answer {
    pub(crate) exit: u8,
    pub(crate) out: String,
    pub(crate) notices: String,
}

/// Runs a command to its end.
pub(crate) async fn answer(arguments: &[&str]) -> Answer {
    let (out, notices) = (Written::default(), Written::default());
    let exit = start(arguments, &out, &notices).await;
    Answer {
        exit,
        out: out.text(),
        notices: notices.text(),
    }
}

async fn start(arguments: &[&str], out: &Written, notices: &Written) -> u8 {
    let (mut out, mut notices) = (out.clone(), notices.clone());
    let mut console = Console {
        out: &mut out,
        notices: &mut notices,
        color: false,
    };
    let arguments = ["shadowkey"].iter().chain(arguments).map(Into::into);
    run(arguments.collect::<Vec<_>>(), &mut console).await
}

/// Runs a command for as long as a test needs it, and gives it what the command writes.
pub(crate) async fn beside<T>(arguments: &[&str], test: impl AsyncFnOnce(&Written, &Written) -> T) -> T {
    let (out, notices) = (Written::default(), Written::default());
    tokio::select! {
        exit = start(arguments, &out, &notices) => panic!("ended with {exit}: {}", notices.text()),
        result = test(&out, &notices) => result,
    }
}

/// The address that `dev` says it serves at.
pub(crate) async fn served(notices: &Written) -> String {
    let lines = notices.lines(1).await;
    let line = lines.last().expect("a line");
    let url = line.split(' ').find(|word| word.starts_with("http://"));
    url.unwrap_or_else(|| panic!("{line}")).to_owned()
}

/// The tables of a view file in an engine.
pub(crate) struct Tables {
    pub(crate) connection: Connection,
    store: DynamoStore,
    definitions: Vec<TableDefinition>,
}

impl Tables {
    pub(crate) fn at(url: &str, views: &str) -> Self {
        let definitions = load(views).views.expect("views").tables();
        let names = definitions
            .iter()
            .map(|table| (table.name.clone(), table.name.to_string()));
        let connection = Connection::local(url);
        Self {
            store: DynamoStore::new(&connection, names.collect()),
            connection,
            definitions,
        }
    }

    pub(crate) fn first(&self) -> &TableDefinition {
        self.definitions.first().expect("a table")
    }

    pub(crate) async fn put(&self, item: &Value) {
        let put = Put {
            table: self.first().name.clone(),
            item: item_from_json(&item.to_string()).expect("item"),
            condition: Condition::ALWAYS,
        };
        self.store.put(&put).await.expect("put");
    }

    pub(crate) async fn delete(&self, key: &Value) {
        let key = item_from_json(&key.to_string()).expect("key");
        let delete = Delete {
            table: self.first().name.clone(),
            key: self.first().key.key_of(&key).expect("key"),
            condition: Condition::ALWAYS,
        };
        self.store.delete(&delete).await.expect("delete");
    }

    /// All items of all tables, each table's in the order of their keys.
    pub(crate) async fn items(&self) -> BTreeMap<TableName, Vec<Item>> {
        let mut tables = BTreeMap::new();
        for table in &self.definitions {
            let mut items = self.store.scan(&table.name, None).await.expect("items").items;
            items.sort_by(|a, b| table.key.cmp_keys(a, b));
            tables.insert(table.name.clone(), items);
        }
        tables
    }
}

/// A folder of files.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("folder"))
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("path").to_owned()
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).expect(name);
        path
    }

    /// The files in a folder within, in the order of their names.
    pub(crate) fn files(&self, name: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(name)).expect("a folder");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("entry").path()).collect();
        paths.sort();
        paths
            .iter()
            .map(|path| path.to_str().expect("path").to_owned())
            .collect()
    }
}
