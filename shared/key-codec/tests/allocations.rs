//! What rendering a key allocates: the key, and nothing on the way to it.

#![expect(clippy::expect_used, reason = "a test's own words fail the test")]

use allocation_counter::measure;
use shadowkey_item::{Item, Key, KeyAttribute, KeySchema, ScalarType, item_from_json};
use shadowkey_key_codec::{Scope, Template};

const TICKET: &str = r#"{
    "Org": {"S": "acme"}, "TicketId": {"S": "01H5Z0"}, "Title": {"S": "Straße 1#2%"}, "Rating": {"N": "87"},
    "Price": {"N": "-1234.5678"}, "UpdatedAt": {"S": "2023-07-10T14:48:00.123+02:00"}, "Day": {"S": "26 May 1988"},
    "CreatedAt": {"N": "1688999280.25"}, "Ulid": {"S": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "Open": {"BOOL": true}
}"#;

/// The key of the source item, of both types that keys usually have.
fn source() -> Key {
    let attribute = |name: &str, kind| KeyAttribute {
        name: name.to_owned(),
        kind,
    };
    let schema = KeySchema {
        partition: attribute("PK", ScalarType::S),
        sort: Some(attribute("SK", ScalarType::N)),
    };
    let item = item_from_json(r#"{"PK": {"S": "ORG#acme"}, "SK": {"N": "7"}}"#).expect("item");
    schema.key_of(&item).expect("key")
}

/// How many allocations one rendering makes, the key's own included.
fn allocations(template: &str, item: &Item) -> u64 {
    let template = Template::parse(template, ScalarType::S).expect(template);
    let mut rendered = Ok(None);
    let source = source();
    let scope = Scope::item(item).of_source(Some(&source));
    let counted = measure(|| rendered = template.render(scope));
    assert!(matches!(rendered, Ok(Some(_))), "{template}: {rendered:?}");
    counted.count_total
}

#[test]
fn a_key_is_the_one_allocation_of_its_rendering() {
    let ticket = item_from_json(TICKET).expect("ticket");
    for template in [
        "UPDATED#{UpdatedAt | time | desc}#{TicketId}",
        "{Org}#{Rating | pad(3) | desc}#{TicketId}",
        "{Org | exact}{Price | num | desc}{UpdatedAt | time}",
        "{Title}#{Open}",
        "{Title | desc}{Price | num}",
        "{Rating | pad(38) | desc(100)}",
        "{CreatedAt | time(epoch_s)}{Ulid | time(ulid) | desc}",
        "{Day | time(\"%d %b %Y\")}",
        "{UpdatedAt | time | ksuid}#{TicketId}",
        "{Missing | default(\"none\")}#{TicketId | shard(8)}{Price | shard(8)}{Title | hash(16)}",
        "{Org | trim | lower | fold | nfc | prefix(3)}#{TicketId | upper | exact}",
    ] {
        assert_eq!(allocations(template, &ticket), 1, "{template}");
    }
}

#[test]
fn a_long_text_lets_the_key_grow_once() {
    for length in [100, 1000, 2000] {
        let text = "#%é".repeat(length / 4);
        let item = Item::from([("a".to_owned(), text.into())]);
        for template in ["A#{a}", "A#{a | exact}", "A#{a | desc}", "A#{a | lower}"] {
            assert_eq!(allocations(template, &item), 2, "{template} of {length} bytes");
        }
        assert!(
            allocations("A#{a}#", &item) <= 4,
            "and more where much of it is escaped"
        );
    }
}

#[test]
fn an_op_on_text_allocates_where_it_changes_the_text() {
    let ticket = item_from_json(TICKET).expect("ticket");
    for (template, changes) in [
        ("{Title | upper}", true),
        ("{TicketId | upper}", false),
        ("{Title | prefix(3) | trim | nfc}", false),
    ] {
        let needed = allocations(template, &ticket);
        assert_eq!(needed > 1, changes, "{template} took {needed}");
    }
}
