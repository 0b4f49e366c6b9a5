//! The state table: what stands in it, and how it is read. Nothing of it is touched on the way of healthy items.

use std::collections::BTreeSet;

use shadowkey_item::{AttributePath, AttributeValue, Item, Key, KeyAttribute, KeySchema, ScalarType, TableName};
use shadowkey_plan::Place;
use shadowkey_store::Store;
use shadowkey_views::Views;

use crate::Worker;
use crate::notes::Note;
use crate::parked::Parked;
use crate::turn::{Stop, Turn};

/// All that stands in the state table.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) parked: Vec<Parked>,
    pub(crate) notes: Vec<Note>,
}

impl<S> Worker<S> {
    /// The state table, where the view file declares one.
    pub(crate) fn state_table(&self) -> Option<TableName> {
        self.views.state_table().map(|table| table.name)
    }
}

impl<S: Store> Turn<'_, S> {
    /// Reads the whole state table; nothing where there is none.
    pub(crate) async fn read_state(&mut self) -> Result<State, Stop> {
        let mut state = State::default();
        let Some(table) = self.worker.state_table() else {
            return Ok(state);
        };
        let mut start = None;
        loop {
            let page = self.scan(&table, start.as_ref()).await?;
            let views = &self.worker.views;
            state
                .parked
                .extend(page.items.iter().filter_map(|item| Parked::of_item(item, views)));
            state
                .notes
                .extend(page.items.iter().filter_map(|item| Note::of_item(item, views)));
            start = page.next;
            if start.is_none() {
                return Ok(state);
            }
        }
    }
}

/// The key of an item of the state table.
pub(crate) fn key(id: &str) -> Key {
    let schema = KeySchema {
        partition: KeyAttribute {
            name: "id".to_owned(),
            kind: ScalarType::S,
        },
        sort: None,
    };
    schema
        .key_of(&Item::from([("id".to_owned(), id.into())]))
        .unwrap_or_else(|error| unreachable!("a text under the name of the key is a key: {error}"))
}

pub(crate) fn path(name: &str) -> AttributePath {
    AttributePath::attribute(name)
}

pub(crate) fn text<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    item.get(name).and_then(AttributeValue::as_s)
}

/// Places as a value of the state table.
pub(crate) fn places_value(places: &BTreeSet<Place>) -> AttributeValue {
    let values = places.iter().map(|place| {
        AttributeValue::M(Item::from([
            ("table".to_owned(), place.table.0.as_str().into()),
            ("key".to_owned(), AttributeValue::M(place.key.attributes().clone())),
        ]))
    });
    AttributeValue::L(values.collect())
}

/// The places that such a value names. Those in tables that the view file no longer knows are left out: nothing can be
/// read there.
pub(crate) fn places_of(views: &Views, value: Option<&AttributeValue>) -> BTreeSet<Place> {
    let tables = views.tables();
    let Some(AttributeValue::L(values)) = value else {
        return BTreeSet::new();
    };
    let place = |value: &AttributeValue| {
        let place = value.as_m()?;
        let name = text(place, "table")?;
        let table = tables.iter().find(|known| known.name.0 == name)?;
        Some(Place {
            table: table.name.clone(),
            key: table.key.key_of(place.get("key")?.as_m()?).ok()?,
        })
    };
    values.iter().filter_map(place).collect()
}
