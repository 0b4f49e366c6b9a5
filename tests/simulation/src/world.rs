//! The worlds: view files, and what the application writes in each.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use shadowkey_item::{AttributeValue, Item, TableName};
use shadowkey_views::{Views, load};

/// A view file with the items of an application.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) name: &'static str,
    /// Each write by itself or all at once; without a state table, and with one.
    views: [[Views; 2]; 2],
    pub(crate) application: Application,
}

/// What the application writes.
#[derive(Debug, Deserialize)]
pub(crate) struct Application {
    /// The keys of its items.
    pub(crate) keys: Vec<Item>,
    /// The values that an attribute may have; null is none.
    pub(crate) attributes: BTreeMap<String, Vec<Option<AttributeValue>>>,
    /// Items that may stand where a shadow is to be.
    #[serde(default)]
    pub(crate) intruders: Vec<Intruder>,
}

/// An item that stands where a shadow is to be.
#[derive(Debug, Deserialize)]
pub(crate) struct Intruder {
    pub(crate) table: String,
    pub(crate) item: Item,
}

impl Intruder {
    pub(crate) fn table(&self) -> TableName {
        TableName(self.table.clone())
    }
}

macro_rules! worlds {
    ($($name:literal),* $(,)?) => {
        [$(World::load(
            $name,
            include_str!(concat!("../worlds/", $name, ".toml")),
            include_str!(concat!("../worlds/", $name, ".json")),
        )),*]
    };
}

static WORLDS: LazyLock<[World; 6]> =
    LazyLock::new(|| worlds!["moved", "unique", "fanout", "attributes", "taken", "places"]);

impl World {
    /// The world that a seed draws.
    pub(crate) fn draw(rng: &mut fastrand::Rng) -> &'static Self {
        rng.choice(WORLDS.iter()).expect("there are worlds")
    }

    pub(crate) fn views(&self, state: bool, transactional: bool) -> &Views {
        let [single, transaction] = &self.views;
        let [without_state, with_state] = if transactional { transaction } else { single };
        if state { with_state } else { without_state }
    }

    fn load(name: &'static str, views: &str, application: &str) -> Self {
        let read = |text: &str| match load(text) {
            shadowkey_views::Loaded { views: Some(views), .. } => views,
            loaded => unreachable!("{name}: {:?}", loaded.findings),
        };
        let both = |views: &str| {
            let stateless = views.replace("[state]\ntable = \"app-shadowkey\"\n", "");
            [read(&stateless), read(views)]
        };
        let all_at_once = views.replace("[table]\n", "[table]\nwrites = \"transaction\"\n");
        Self {
            name,
            views: [both(views), both(&all_at_once)],
            application: serde_json::from_str(application).expect("the application's items"),
        }
    }
}
