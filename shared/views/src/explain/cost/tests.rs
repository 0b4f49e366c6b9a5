use shadowkey_item::Item;

use super::*;
use crate::explain::Explanation;
use crate::explain::tests::{INDEXED, TABLE, explain, of};

/// Events with puts, deletes, updates and units.
fn events(explained: &Explanation) -> Vec<(Event, u32, u32, u32, u32)> {
    let events = explained.cost.events.iter();
    events
        .map(|cost| (cost.event, cost.puts, cost.deletes, cost.updates, cost.units))
        .collect()
}

#[test]
fn shadows_cost_what_the_promise_says() {
    let explained = explain(INDEXED);
    let moving = of(&explained, "moving");
    assert_eq!(
        events(&moving),
        [
            (Event::Insert, 1, 0, 0, 1),
            (Event::Move, 1, 1, 0, 2),
            (Event::Projection, 1, 0, 0, 1),
            (Event::Unchanged, 0, 0, 0, 0),
            (Event::Leave, 0, 1, 0, 1),
            (Event::Delete, 0, 1, 0, 1),
        ]
    );
    assert_eq!(moving.cost.events[1].inputs, ["t"], "`PK` never changes");
    assert!(
        events(&of(&explained, "bare"))
            .iter()
            .all(|event| event.0 != Event::Move)
    );
    let each = of(&explained, "each");
    assert!(each.cost.per_element);
    assert_eq!(each.cost.events[1].inputs, ["tag"], "the source's key never changes");
    let ttl = events(&of(&explained, "bare"));
    assert!(
        ttl.contains(&(Event::Projection, 1, 0, 0, 1)),
        "the ttl attribute is carried"
    );
}

#[test]
fn a_shadow_that_carries_nothing_has_nothing_to_touch() {
    let explained =
        explain("[source.s]\nmatch = {}\n[shadow.a]\nsource = \"s\"\nkey = { PK = \"X#{PK}\", SK = \"{SK}\" }\n");
    assert_eq!(
        events(&explained[0]).iter().map(|event| event.0).collect::<Vec<_>>(),
        [Event::Insert, Event::Unchanged, Event::Leave, Event::Delete]
    );
}

#[test]
fn attributes_cost_one_update_and_nothing_when_their_item_goes() {
    let explained = explain(INDEXED);
    assert_eq!(
        events(&of(&explained, "a-place")),
        [
            (Event::Insert, 0, 0, 1, 1),
            (Event::Move, 0, 0, 1, 1),
            (Event::Unchanged, 0, 0, 0, 0),
            (Event::Leave, 0, 0, 1, 1),
            (Event::Delete, 0, 0, 0, 0),
        ]
    );
    assert!(of(&explained, "a-place").cost.size.is_none());
}

#[test]
fn the_indexes_that_cost_on_top_are_those_an_item_stands_in() {
    let explained = explain(INDEXED);
    let indexes = |name: &str| {
        let indexes = of(&explained, name).cost.indexes;
        let told = |cost: IndexCost| format!("{} {} {}", cost.index, cost.needs.join("+"), cost.moves);
        indexes.into_iter().map(told).collect::<Vec<_>>()
    };
    // Every item has the key of `inverted`. `each` leaves `gs` out and `bare` projects nothing.
    assert_eq!(indexes("bare"), ["inverted  false"]);
    assert_eq!(indexes("moving"), ["GSI gp+gs true", "inverted  false"]);
    assert_eq!(indexes("each"), ["inverted  false"]);
    // The attribute is of the key of `GSI`; `inverted` carries keys only.
    assert_eq!(indexes("a-place"), ["GSI gp+gs true"]);
    assert_eq!(indexes("alone"), ["GSI gp+gs false"]);
}

#[test]
fn the_markers_size_is_counted_to_the_byte() {
    let views = crate::load(&format!("{TABLE}{INDEXED}")).views.expect("views");
    let size = of(&views.explain(), "bare").cost.size.expect("size");
    let item: Item = serde_json::from_str(r#"{"PK":{"S":"A#1"},"SK":{"S":"x"}}"#).expect("item");
    let shadow = &views.derive(&item).shadows[0];
    let number = shadowkey_item::SequenceNumber::parse("7").expect("number");
    let version = shadowkey_item::Version::new("2026-01-05T10:00:00.000", &number);
    // `of` holds `A#1` and `x`; the key `S#A#1` and `x` has `S#` fixed.
    let (of_source, of_key) = (3 + 1, 3 + 1);
    assert_eq!(
        shadowkey_item::item_size(&shadow.at(&version)),
        size.marker_bytes + of_source + size.key_bytes + of_key
    );
}
