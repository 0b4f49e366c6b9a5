//! The contract of `explain`: its text, and that every query it gives reads what it says, on the embedded engine.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test's own words fail the test"
)]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use shadowkey::{Console, run};
use shadowkey_item::{AttributeValue, Item, ScalarType, image_from_wire, item_into_wire};
use shadowkey_key_codec::{Scope, Template};
use shadowkey_local::Engine;
use shadowkey_store_dynamodb::Connection;
use shadowkey_views::{Condition, Explanation, MARKER, Marker, Operator, Read, Reads, Resident, Views, load};
use tempfile::TempDir;

const SHARDED: &str = r##"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
[source.ticket]
match = { PK = [{ prefix = "ORG#" }], SK = [{ prefix = "TICKET#" }] }
[source.any]
match = { PK = [{ prefix = "ALL#" }] }
[shadow.newest]
source = "ticket"
key = { PK = "ALL#{SK | shard(3)}", SK = "NEW#{UpdatedAt | time | desc}{PK | exact}{SK}" }
"##;

fn fixture(world: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures")
        .join(world)
}

/// The exit code, stdout and stderr of a command.
async fn answer(arguments: &[&str], views: &Path) -> (u8, String, String) {
    let (mut out, mut notices) = (Vec::new(), Vec::new());
    let mut console = Console {
        out: &mut out,
        notices: &mut notices,
        color: false,
    };
    let command = ["shadowkey", arguments[0], "--views"].map(OsString::from);
    let rest = arguments[1..].iter().map(OsString::from);
    let exit = run(command.into_iter().chain([views.into()]).chain(rest), &mut console).await;
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (exit, text(out), text(notices))
}

async fn explained(view: &str, views: &str) -> String {
    let folder = TempDir::new().expect("folder");
    let file = folder.path().join("views.toml");
    fs::write(&file, views).expect("view file");
    let (exit, text, notices) = answer(&["explain", view], &file).await;
    assert_eq!((exit, notices.as_str()), (0, ""));
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    text
}

#[tokio::test]
async fn a_shadow_of_the_tickets_is_explained() {
    let views = fs::read_to_string(fixture("tickets").join("views.toml")).expect("views");
    insta::assert_snapshot!(explained("tickets-by-updated", &views).await, @r##"
    tickets-by-updated: a shadow of each item of source ticket, in table tickets
      carries TicketId, Title, Status, UpdatedAt; ExpiresAt (ttl); _shadow

      layout
        PK = ORG#{Organization}
          partition key, type S
          "ORG#"          always
          {Organization}  text to the end, nothing escaped
        SK = UPDATED#{UpdatedAt | time | desc}#{TicketId}
          sort key, in the order of its fields, type S
          "UPDATED#"                 always
          {UpdatedAt | time | desc}  15 bytes, descending, lossy
          "#"                        always
          {TicketId}                 text to the end, nothing escaped, ascending as text

      collection
        the items of this file that can have one PK, in byte order of SK
          "OPEN#"…     view open-tickets-by-updated
          "TICKET#"…   source open-ticket, source ticket
          "UPDATED#"…  view tickets-by-updated
        undecided: the order among source open-ticket, source ticket, whose sort keys begin alike

      queries
        all of one PK, given Organization
          PK = "ORG#{Organization}" AND begins_with(SK, "UPDATED#")
        one beginning, given Organization, UpdatedAt
          PK = "ORG#{Organization}" AND begins_with(SK, "UPDATED#{UpdatedAt | time | desc}#")
        one key, given Organization, UpdatedAt, TicketId
          PK = "ORG#{Organization}" AND SK = "UPDATED#{UpdatedAt | time | desc}#{TicketId}"

      cost, for each item
                                      requests         units to 1 KB  write units by size
        comes into the view           1 put            1              ceil(KB)
        an input of the key changes   1 put, 1 delete  2              ceil(new KB) + ceil(old KB)
        only what is carried changes  1 put            1              ceil(larger of old and new KB)
        nothing of it changes         0                0
        leaves the view               1 delete         1              ceil(KB)
        is deleted                    1 delete         1              ceil(KB)
        inputs that can change: Organization, UpdatedAt, TicketId
        what is in the view neither before nor after a change costs nothing
        fixed in each shadow's size: 144 bytes of _shadow, besides the source's key in it, and 32 of the
          key
    "##);
}

#[tokio::test]
async fn an_attribute_of_the_library_is_explained() {
    let views = fs::read_to_string(fixture("library").join("views.toml")).expect("views");
    insta::assert_snapshot!(explained("book-shelf", &views).await, @r##"
    book-shelf: an attribute of each item of source book, in table library

      layout
        GSI1PK = SHELF#{Shelf | trim | upper}
          attribute, in the order of its fields, type S
          "SHELF#"                always
          {Shelf | trim | upper}  text to the end, nothing escaped, ascending as text, lossy

      collection in index GSI1
        no other items of this file can have its GSI1PK

      queries
        all of one GSI1PK in index GSI1, given Shelf
          GSI1PK = "SHELF#{Shelf | trim | upper}"
        one beginning in index GSI1, given Shelf, Title
          GSI1PK = "SHELF#{Shelf | trim | upper}" AND begins_with(GSI1SK, "{Title | trim | lower}#")
        one key in index GSI1, given Shelf, Title, Isbn
          GSI1PK = "SHELF#{Shelf | trim | upper}" AND GSI1SK = "{Title | trim | lower}#{Isbn}"

      cost, for each item, together with its other derived attributes
                               requests  units to 1 KB  write units by size
        comes into the view    1 update  1              ceil(larger of old and new KB)
        an input changes       1 update  1              ceil(larger of old and new KB)
        nothing of it changes  0         0
        leaves the view        1 update  1              ceil(larger of old and new KB)
        is deleted             0         0
        inputs that can change: Shelf
        what is in the view neither before nor after a change costs nothing
        the size is that of the whole source item
        on top, while an item stands in the global index GSI1 (with GSI1PK and GSI1SK): 1 write there
          for an entry that comes, goes or changes, 2 where its key in the index changes
    "##);
}

#[tokio::test]
async fn a_sharded_view_is_explained() {
    insta::assert_snapshot!(explained("newest", SHARDED).await, @r##"
    newest: a shadow of each item of source ticket, in table app
      carries _shadow

      layout
        PK = ALL#{SK | shard(3)}
          partition key, type S
          "ALL#"           always
          {SK | shard(3)}  2 bytes, lossy
        SK = NEW#{UpdatedAt | time | desc}{PK | exact}{SK}
          sort key, in the order of its fields, type S
          "NEW#"                     always
          {UpdatedAt | time | desc}  15 bytes, descending, lossy
          {PK | exact}               ends with U+0001, ascending
          {SK}                       text to the end, nothing escaped, ascending as text

      collection
        the items of this file that can have one PK, in byte order of SK
          …        source any
          "NEW#"…  view newest
        undecided: where source any lies among view newest; nothing fixes how their sort keys begin

      queries
        all of one PK, no input needed
          3 requests, one for each bucket of SK | shard(3); merge the answers by the sort key
          PK = "ALL#00" AND begins_with(SK, "NEW#")
          PK = "ALL#01" AND begins_with(SK, "NEW#")
          PK = "ALL#02" AND begins_with(SK, "NEW#")
          can also give items of source any
        one beginning, given UpdatedAt
          3 requests, one for each bucket of SK | shard(3); merge the answers by the sort key
          PK = "ALL#00" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}")
          PK = "ALL#01" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}")
          PK = "ALL#02" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}")
          can also give items of source any
        one beginning, given UpdatedAt, PK
          3 requests, one for each bucket of SK | shard(3); merge the answers by the sort key
          PK = "ALL#00" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}{PK | exact}")
          PK = "ALL#01" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}{PK | exact}")
          PK = "ALL#02" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}{PK | exact}")
          can also give items of source any
        one key, given UpdatedAt, PK, SK
          PK = "ALL#{SK | shard(3)}" AND SK = "NEW#{UpdatedAt | time | desc}{PK | exact}{SK}"

      cost, for each item
                                     requests         units to 1 KB  write units by size
        comes into the view          1 put            1              ceil(KB)
        an input of the key changes  1 put, 1 delete  2              ceil(new KB) + ceil(old KB)
        nothing of it changes        0                0
        leaves the view              1 delete         1              ceil(KB)
        is deleted                   1 delete         1              ceil(KB)
        inputs that can change: UpdatedAt
        what is in the view neither before nor after a change costs nothing
        fixed in each shadow's size: 128 bytes of _shadow, besides the source's key in it, and 29 of the
          key
    "##);
}

#[tokio::test]
async fn an_unknown_view_is_refused_with_those_there_are() {
    let (exit, out, notices) = answer(&["explain", "latest"], &fixture("tickets").join("views.toml")).await;
    assert_eq!((exit, out.as_str()), (2, ""));
    assert!(
        notices.contains("there is no view `latest`") && notices.contains("tickets-by-updated"),
        "{notices}"
    );
}

#[tokio::test]
async fn json_has_every_view_with_its_requests() {
    let views = fixture("tickets").join("views.toml");
    let (exit, out, _) = answer(&["explain", "--format", "json"], &views).await;
    let json: Value = serde_json::from_str(&out).expect("JSON");
    let explained = json["views"].as_array().expect("views");
    assert_eq!((exit, explained.len()), (0, 4));
    let updated = &explained[3];
    assert_eq!(updated["view"], "tickets-by-updated");
    assert_eq!(
        updated["queries"][0],
        serde_json::json!({
            "reads": "partition", "index": null, "given": ["Organization"], "buckets": [], "also_reads": [],
            "requests": [{
                "TableName": "tickets",
                "KeyConditionExpression": "#k0 = :k0 AND begins_with(#k1, :k1)",
                "ExpressionAttributeNames": { "#k0": "PK", "#k1": "SK" },
                "ExpressionAttributeValues": { ":k0": { "S": "ORG#{Organization}" }, ":k1": { "S": "UPDATED#" } },
            }],
        })
    );
    assert_eq!(
        updated["key"][1]["pieces"][1],
        serde_json::json!({
            "field": "UpdatedAt", "ops": ["time", "desc"], "output": { "form": "fixed", "bytes": 15 },
            "order": "descending", "lossy": true,
        })
    );
    assert_eq!(explained[0]["queries"][0]["requests"][0]["IndexName"], "by-newest");
}

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
        let (_, out, notices) = answer(&arguments, views).await;
        let json: Value = serde_json::from_str(&out).expect(&notices);
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
    let folder = TempDir::new().expect("folder");
    let views = folder.path().join("views.toml");
    fs::write(&views, SHARDED).expect("views");
    let base = folder.path().join("base.jsonl");
    fs::write(&base, "").expect("base");
    let records: Vec<Value> = (1..=20).map(record).collect();
    let event = folder.path().join("event.json");
    fs::write(&event, serde_json::json!({ "Records": records }).to_string()).expect("event");
    let world = World::replayed(&views, &base, &[event]).await;
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

fn record(number: u32) -> Value {
    let keys = serde_json::json!({ "PK": { "S": "ORG#1" }, "SK": { "S": format!("TICKET#{number}") } });
    let mut image = keys.clone();
    image["UpdatedAt"] = serde_json::json!({ "S": format!("2024-01-{number:02}") });
    serde_json::json!({
        "eventID": number.to_string(), "eventName": "INSERT", "eventVersion": "1.1", "eventSource": "aws:dynamodb",
        "awsRegion": "eu-central-1",
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000",
        "dynamodb": {
            "Keys": keys, "NewImage": image, "SequenceNumber": number.to_string(), "SizeBytes": 100,
            "StreamViewType": "NEW_AND_OLD_IMAGES", "ApproximateCreationDateTime": 1_700_000_000,
        },
    })
}
