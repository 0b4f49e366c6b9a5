//! How long a key takes and what it allocates: `cargo bench -p shadowkey-key-codec`.

#![expect(clippy::expect_used, reason = "a bench's own words fail the bench")]

use divan::{AllocProfiler, Bencher, black_box};
use shadowkey_item::{Item, Key, KeyAttribute, KeySchema, ScalarType, item_from_json};
use shadowkey_key_codec::{Scope, Template};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// A ticket with more attributes than any key reads.
const TICKET: &str = r#"{
    "PK": {"S": "ORG#acme"}, "SK": {"S": "TICKET#01H5Z0"}, "TicketId": {"S": "01H5Z0"}, "Org": {"S": "acme"},
    "Title": {"S": "Straße, ﬁrst floor: the LIFT is out of order"}, "Body": {"S": "long"}, "Rating": {"N": "87"},
    "Price": {"N": "-1234.5678"}, "UpdatedAt": {"S": "2023-07-10T14:48:00.123Z"}, "Day": {"S": "26 May 1988"},
    "CreatedAt": {"N": "1688999280.25"}, "KsuidId": {"S": "0ujtsYcgvSTl8PAuAdqWYSMnLOv"}, "Open": {"BOOL": true},
    "UlidId": {"S": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "Tags": {"L": [{"S": "lift"}, {"S": "urgent"}]}
}"#;

const TEMPLATES: [&str; 14] = [
    "UPDATED#{UpdatedAt | time | desc}#{TicketId}",
    "{Org}#{Rating | pad(3) | desc}#{TicketId}",
    "{Org | exact}{Price | num | desc}{UpdatedAt | time}",
    "{Org}#{TicketId}",
    "{Title}#{TicketId}",
    "{Title | desc}{TicketId}",
    "{Org | trim | lower}#{TicketId}",
    "{Title | fold | prefix(16)}#{TicketId}",
    "{CreatedAt | time(epoch_s)}",
    "{Day | time(\"%d %b %Y\")}",
    "{UlidId | time(ulid)}",
    "{KsuidId | time(ksuid)}",
    "{UpdatedAt | time | ksuid}",
    "{TicketId | shard(8)}#{Title | hash(16)}",
];

fn ticket() -> Item {
    item_from_json(TICKET).expect("ticket")
}

fn source_key(item: &Item) -> Key {
    let attribute = |name: &str| KeyAttribute {
        name: name.to_owned(),
        kind: ScalarType::S,
    };
    let schema = KeySchema {
        partition: attribute("PK"),
        sort: Some(attribute("SK")),
    };
    schema.key_of(item).expect("key")
}

#[divan::bench(args = TEMPLATES)]
fn render(bencher: Bencher<'_, '_>, template: &str) {
    let item = ticket();
    let source = source_key(&item);
    let template = Template::parse(template, ScalarType::S).expect("template");
    let scope = Scope::item(&item).of_source(Some(&source));
    bencher.bench_local(|| black_box(&template).render(black_box(scope)));
}

#[divan::bench(args = TEMPLATES.into_iter().take(4))]
fn decode(bencher: Bencher<'_, '_>, template: &str) {
    let item = ticket();
    let source = source_key(&item);
    let template = Template::parse(template, ScalarType::S).expect("template");
    let key = template.render(Scope::item(&item).of_source(Some(&source)));
    let key = key.expect("rendered").expect("complete");
    bencher.bench_local(|| black_box(&template).decode(black_box(&key)));
}
