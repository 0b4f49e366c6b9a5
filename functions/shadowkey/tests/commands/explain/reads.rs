//! Every query that `explain` gives reads what it says, on the embedded engine.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shadowkey_item::{AttributeValue, Item, ScalarType, image_from_wire, item_into_wire};
use shadowkey_key_codec::{Scope, Template};
use shadowkey_local::Engine;
use shadowkey_store_dynamodb::Connection;
use shadowkey_views::{Condition, Explanation, MARKER, Marker, Operator, Read, Reads, Resident, Views, load};

use super::{SHARDED, fixture};
use crate::desk::{Desk, answer, insertion};

/// A world after its replay: the engine, the views, and what every table holds.
struct World {
    connection: Connection,
    views: Views,
    tables: Value,
    _engine: Engine,
}

impl World {
    async fn replayed(views: &Path, base: &Path, events: &[PathBuf]) -> Self {
        let engine = Engine::start().await.expect("engine");
        let endpoint_url = engine.endpoint_url();
        let mut arguments = vec!["replay", "--format", "json", "--endpoint-url", &endpoint_url, "--base"];
        arguments.push(base.to_str().expect("path"));
        arguments.extend(events.iter().map(|event| event.to_str().expect("path")));
        let json = answer(&arguments, views).await.json();
        Self {
            connection: Connection::local(&endpoint_url),
            views: load(&fs::read_to_string(views).expect("views")).views.expect("views"),
            tables: json["tables"].clone(),
            _engine: engine,
        }
    }

    async fn fixture(name: &str) -> Self {
        let folder = fixture(name);
        let entries = fs::read_dir(folder.join("events")).expect("events");
        let mut events: Vec<_> = entries.map(|entry| entry.expect("entry").path()).collect();
        events.sort();
        Self::replayed(&folder.join("views.toml"), &folder.join("base.jsonl"), &events).await
    }

    fn items(&self, table: &str) -> Vec<Item> {
        let items = self.tables[table].as_array().expect("table").iter();
        items
            .map(|item| serde_json::from_value(item.clone()).expect("item"))
            .collect()
    }

    /// The items that a read's requests give, filled in with the inputs of one source item.
    async fn ask(&self, table: &str, read: &Read, scope: Scope<'_>) -> Vec<Item> {
        let mut items = Vec::new();
        for conditions in &read.requests {
            let mut values = Item::new();
            let mut request = self.connection.dynamodb().query().table_name(table);
            let mut expressions = Vec::new();
            for (n, condition) in conditions.iter().enumerate() {
                request = request.expression_attribute_names(format!("#k{n}"), &condition.name);
                values.insert(format!(":k{n}"), filled(condition, scope));
                expressions.push(match condition.operator {
                    Operator::Equal => format!("#k{n} = :k{n}"),
                    Operator::BeginsWith => format!("begins_with(#k{n}, :k{n})"),
                });
            }
            let request = request
                .set_index_name(read.index.clone())
                .key_condition_expression(expressions.join(" AND "))
                .set_expression_attribute_values(Some(item_into_wire(values).into()));
            let answer = request.send().await.expect("query");
            assert!(answer.last_evaluated_key().is_none(), "one page");
            for item in answer.items.unwrap_or_default() {
                items.extend(image_from_wire(item.into()).expect("item"));
            }
        }
        items
    }
}

/// The value of a condition is a template: it renders as the reader's own inputs would.
fn filled(condition: &Condition, scope: Scope<'_>) -> AttributeValue {
    let template = Template::parse(&condition.value, condition.kind).expect(&condition.value);
    template.render(scope).expect("renders").expect("has all inputs")
}

/// Whose an item is: the shadow of a view, or else one of the application's.
fn view_of(item: &Item) -> Option<String> {
    Marker::of_item(item).map(|marker| marker.view)
}

/// Every read of every shadow view, asked for each of its shadows, gives it, and nobody's items that it does not name.
async fn every_shadow_is_read(world: &World) -> usize {
    let mut asked = 0;
    let sources = world.items(&world.views.table().name.0);
    for explained in world
        .views
        .explain()
        .iter()
        .filter(|explained| explained.project.is_some())
    {
        let table = &explained.table.0;
        let shadows: Vec<Item> = world
            .items(table)
            .into_iter()
            .filter(|item| view_of(item).as_ref() == Some(&explained.view))
            .collect();
        for shadow in &shadows {
            let marker = Marker::of_item(shadow).expect("marker");
            let of = |item: &&Item| marker.of.iter().all(|(name, value)| item.get(name) == Some(value));
            let source = sources.iter().find(of).expect("source");
            // Elements of for_each are read back from the key: lossy ops give the same once more.
            let mut inputs = source.clone();
            inputs.extend(element(&world.views, explained, shadow));
            for read in &explained.reads {
                let items = world.ask(table, read, Scope::item(&inputs)).await;
                assert!(items.contains(shadow), "{}: {read:?}\n{shadow:?}", explained.view);
                check_company(&explained.view, read, &items);
                if read.reads == Reads::Partition {
                    let partition = &explained.key[0].name;
                    let alike = shadows.iter().filter(|other| other[partition] == shadow[partition]);
                    let own = items
                        .iter()
                        .filter(|item| view_of(item).as_ref() == Some(&explained.view));
                    assert!(own.count() >= alike.count(), "{}: {read:?}", explained.view);
                }
                asked += read.requests.len();
            }
        }
    }
    asked
}

fn check_company(view: &str, read: &Read, items: &[Item]) {
    let views: BTreeSet<String> = items.iter().filter_map(view_of).filter(|other| other != view).collect();
    for other in views {
        let named = Resident::View(other);
        assert!(read.also_reads.contains(&named), "{view} reads {named:?} unannounced");
    }
    let names_source = read
        .also_reads
        .iter()
        .any(|resident| matches!(resident, Resident::Source(_)));
    assert!(
        names_source || items.iter().all(|item| item.contains_key(MARKER)),
        "{view}: {read:?}"
    );
}

/// What an element's name stands for, decoded from a shadow's key.
fn element(views: &Views, explained: &Explanation, shadow: &Item) -> Item {
    let Some(each) = &explained.for_each else {
        return Item::new();
    };
    let view = views.shadow_views().iter().find(|view| view.name() == explained.view);
    let decoded = view.expect("view").key().iter().flat_map(|(name, template)| {
        let fields = template.decode(&shadow[name]).expect("own key");
        fields.into_iter()
    });
    let mut element = Item::new();
    for field in decoded.filter(|field| field.path.root() == each.name) {
        let value = field.value.expect("a value");
        let inside = field.path.rest().iter().rev().fold(value, |value, step| match step {
            shadowkey_item::Segment::Name(name) => AttributeValue::M(Item::from([(name.clone(), value)])),
            shadowkey_item::Segment::Index(_) => value,
        });
        element.insert(each.name.clone(), inside);
    }
    element
}

#[tokio::test]
async fn every_query_of_the_worlds_reads_its_shadows_and_no_others() {
    for name in ["tickets", "library", "organisation", "profiles", "restaurants"] {
        let asked = every_shadow_is_read(&World::fixture(name).await).await;
        assert!(asked > 10, "{name}: {asked}");
    }
}

/// An attribute's reads give every item that carries it.
#[tokio::test]
async fn every_query_of_an_index_reads_its_items() {
    let mut asked = 0;
    for name in ["tickets", "library", "profiles", "organisation"] {
        let world = World::fixture(name).await;
        let table = &world.views.table().name.0;
        for explained in world
            .views
            .explain()
            .iter()
            .filter(|explained| explained.project.is_none())
        {
            for item in world.items(table).iter().filter(|item| !item.contains_key(MARKER)) {
                let derived = world.views.derive(item);
                let source = world
                    .views
                    .attribute_views()
                    .iter()
                    .find(|view| view.name() == explained.view);
                let own = source
                    .expect("view")
                    .template()
                    .render(Scope::item(item))
                    .ok()
                    .flatten();
                let value = derived.attributes.get(&explained.key[0].name).cloned().flatten();
                if own.is_none() || value != own {
                    continue;
                }
                for read in &explained.reads {
                    let indexed = world
                        .views
                        .table()
                        .indexes
                        .iter()
                        .find(|index| Some(&index.name) == read.index.as_ref());
                    let keys = || indexed.expect("index").key.attributes();
                    if keys().any(|key| !item.contains_key(&key.name)) {
                        continue;
                    }
                    let key = world.views.table().key.key_of(item).expect("key");
                    let found = world.ask(table, read, Scope::item(item)).await;
                    let is_it = |found: &Item| {
                        key.attributes()
                            .iter()
                            .all(|(name, value)| found.get(name) == Some(value))
                    };
                    assert!(found.iter().any(is_it), "{}: {read:?}", explained.view);
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 10, "{asked}");
}

#[tokio::test]
async fn the_reads_of_all_buckets_together_are_the_whole_view() {
    let desk = Desk::new(SHARDED);
    let records: Vec<Value> = (1..=20).map(|number| insertion(number, &ticket(number))).collect();
    let (base, event) = (desk.file("base.jsonl", ""), desk.event("event.json", &records));
    let world = World::replayed(&desk.views(), base.as_ref(), &[event.into()]).await;
    assert_eq!(
        world
            .items("app")
            .iter()
            .filter(|item| item.contains_key(MARKER))
            .count(),
        20
    );
    let explained = &world.views.explain()[0];
    let nothing = Item::new();
    let all = world.ask("app", &explained.reads[0], Scope::item(&nothing)).await;
    assert_eq!(all.len(), 20);
    let partitions: BTreeSet<_> = all.iter().map(|item| item["PK"].as_s().expect("PK")).collect();
    assert_eq!(partitions, BTreeSet::from(["ALL#00", "ALL#01", "ALL#02"]));
    assert_eq!(explained.key[0].kind, ScalarType::S);
    every_shadow_is_read(&world).await;
}

fn ticket(number: u32) -> Value {
    json!({
        "PK": { "S": "ORG#1" }, "SK": { "S": format!("TICKET#{number}") },
        "UpdatedAt": { "S": format!("2024-01-{number:02}") },
    })
}
