use shadowkey_item::{Item, SequenceNumber, item_from_json};
use shadowkey_views::load;

use super::*;
use crate::{DeleteVerdict, PutVerdict, judge_delete, judge_put, plan_attributes};

const FILE: &str = r#"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
[source.ticket]
match = { kind = ["ticket"] }
[attribute.label]
source = "ticket"
value = "{title}!"
[shadow.by-rank]
source = "ticket"
key = { PK = "RANK#{rank}" }
project = ["title"]
"#;

fn views() -> Views {
    load(FILE).views.expect("views")
}

/// The item `T` as a ticket with a rank and a title, carrying the attribute it derives.
fn ticket(rank: &str, title: &str) -> Option<Item> {
    image(&format!(
        r#""kind":{{"S":"ticket"}},"rank":{{"S":"{rank}"}},"title":{{"S":"{title}"}},"label":{{"S":"{title}!"}}"#
    ))
}

fn image(attributes: &str) -> Option<Item> {
    Some(item_from_json(&format!(r#"{{"PK":{{"S":"T"}},{attributes}}}"#)).expect(attributes))
}

fn change(chain: Vec<Option<Item>>, number: &str) -> Change {
    Change {
        key: views()
            .table()
            .key
            .key_of(&image(r#""a":{"S":"b"}"#).expect("item"))
            .expect("key"),
        chain,
        version: Version::new("label", &SequenceNumber::parse(number).expect(number)),
        position: 0,
        flaw: None,
    }
}

/// The keys of the puts and of the deletes.
fn writes(chain: Vec<Option<Item>>) -> (Vec<String>, Vec<String>) {
    let plan = plan(&views(), &change(chain, "1"));
    let place = |item: &Item| item.get("PK").and_then(|key| key.as_s()).unwrap_or("").to_owned();
    (
        plan.puts.iter().map(|planned| place(&planned.put.item)).collect(),
        plan.deletes
            .iter()
            .map(|planned| place(planned.delete.key.attributes()))
            .collect(),
    )
}

fn keys(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| format!("RANK#{key}")).collect()
}

#[test]
fn a_change_that_alters_no_derived_data_plans_nothing() {
    let touched = |item: Option<Item>| {
        let mut item = item.expect("item");
        item.insert("notes".to_owned(), "touched".into());
        Some(item)
    };
    let chain = vec![ticket("1", "x"), touched(ticket("1", "x")), ticket("1", "x")];
    assert!(plan(&views(), &change(chain, "1")).is_empty());
}

#[test]
fn a_moved_key_is_one_put_and_one_delete_and_a_new_projection_one_put() {
    assert_eq!(
        writes(vec![ticket("1", "x"), ticket("2", "x")]),
        (keys(&["2"]), keys(&["1"]))
    );
    assert_eq!(
        writes(vec![ticket("1", "x"), ticket("1", "y")]),
        (keys(&["1"]), keys(&[]))
    );
}

#[test]
fn an_item_that_comes_or_goes_takes_its_shadow_along() {
    assert_eq!(writes(vec![None, ticket("1", "x")]), (keys(&["1"]), keys(&[])));
    assert_eq!(writes(vec![ticket("1", "x"), None]), (keys(&[]), keys(&["1"])));
    assert_eq!(
        writes(vec![ticket("1", "x"), None, ticket("2", "x")]),
        (keys(&["2"]), keys(&["1"]))
    );
    assert_eq!(writes(vec![None, ticket("1", "x"), None]), (keys(&[]), keys(&["1"])));
}

#[test]
fn a_chain_that_returns_to_its_start_is_still_written() {
    let chain = vec![
        ticket("1", "x"),
        ticket("2", "x"),
        ticket("3", "x"),
        ticket("2", "x"),
        ticket("1", "x"),
    ];
    assert_eq!(writes(chain), (keys(&["1"]), keys(&["2", "3"])));
    assert_eq!(
        writes(vec![ticket("1", "x"), None, ticket("1", "x")]),
        (keys(&["1"]), keys(&[]))
    );
}

#[test]
fn attributes_follow_the_new_image_alone() {
    let stale = image(r#""kind":{"S":"ticket"},"title":{"S":"x"},"label":{"S":"old!"}"#);
    let update = plan(&views(), &change(vec![ticket("1", "x"), stale.clone()], "1"))
        .update
        .expect("update");
    assert_eq!(update.set, Item::from([("label".to_owned(), "x!".into())]));
    assert!(update.condition.holds(stale.as_ref()));
    for other in [
        None,
        image(r#""kind":{"S":"ticket"},"title":{"S":"y"},"label":{"S":"old!"}"#),
        image(r#""kind":{"S":"draft"},"title":{"S":"x"},"label":{"S":"old!"}"#),
        image(r#""kind":{"S":"ticket"},"title":{"S":"x"}"#),
    ] {
        assert!(!update.condition.holds(other.as_ref()), "{other:?}");
    }
    let missing_input = image(r#""kind":{"S":"ticket"},"label":{"S":"old!"}"#);
    let update = plan(&views(), &change(vec![None, missing_input], "1"))
        .update
        .expect("update");
    assert!(update.set.is_empty() && update.remove.contains("label"));
}

#[test]
fn an_item_that_leaves_its_source_loses_only_what_was_derived() {
    let left = |label: &str| {
        image(&format!(
            r#""kind":{{"S":"draft"}},"title":{{"S":"x"}},"label":{{"S":"{label}"}}"#
        ))
    };
    let removed = |chain: Vec<Option<Item>>| plan(&views(), &change(chain, "1")).update.is_some();
    assert!(removed(vec![ticket("1", "x"), left("x!")]));
    let stale = image(r#""kind":{"S":"ticket"},"title":{"S":"x"},"label":{"S":"stood"}"#);
    assert!(
        removed(vec![stale, left("stood")]),
        "the value stood in a matching image"
    );
    assert!(!removed(vec![ticket("1", "x"), left("my own")]));
    assert!(!removed(vec![None, left("x!")]), "no image matched");
}

#[test]
fn attributes_can_be_planned_again_from_what_a_refusal_returned() {
    let views = views();
    let change = change(vec![ticket("1", "x"), ticket("1", "y")], "1");
    let found = image(r#""kind":{"S":"ticket"},"title":{"S":"z"},"label":{"S":"x!"}"#).expect("found");
    let update = plan_attributes(&views, &change.key, &found, change.images(), None).expect("update");
    assert_eq!(update.set, Item::from([("label".to_owned(), "z!".into())]));
    let settled = ticket("1", "z").expect("settled");
    assert_eq!(
        plan_attributes(&views, &change.key, &settled, change.images(), None),
        None
    );
}

/// A put of rank 1 by the change of this number.
fn put(number: &str) -> PlannedPut {
    plan(&views(), &change(vec![None, ticket("1", "x")], number))
        .puts
        .remove(0)
}

fn delete(number: &str) -> PlannedDelete {
    plan(&views(), &change(vec![ticket("1", "x"), None], number))
        .deletes
        .remove(0)
}

/// The shadow at rank 1 as another writer left it.
fn with_marker(change_marker: impl Fn(&mut Marker)) -> Item {
    let mut item = put("50").put.item;
    let mut marker = Marker::of_item(&item).expect("marker");
    change_marker(&mut marker);
    item.insert(MARKER.to_owned(), marker.to_value());
    item
}

#[test]
fn a_put_takes_an_empty_place_or_its_own_older_shadow() {
    let own = with_marker(|_| {});
    for (number, accepted, verdict) in [
        ("60", true, PutVerdict::Again),
        ("50", false, PutVerdict::Done),
        ("9", false, PutVerdict::Doubt),
    ] {
        let planned = put(number);
        assert_eq!(planned.put.condition.holds(Some(&own)), accepted, "{number}");
        assert_eq!(judge_put(&views(), &planned, Some(&own)), verdict, "{number}");
        assert!(planned.put.condition.holds(None));
    }
    let redefined = with_marker(|marker| marker.def = "other".to_owned());
    assert!(put("50").put.condition.holds(Some(&redefined)));
    assert!(!put("9").put.condition.holds(Some(&redefined)));
}

#[test]
fn a_put_never_lands_on_someone_elses_item() {
    let planned = put("60");
    let mine = Item::from([("PK".to_owned(), "RANK#1".into())]);
    let elsewhere = with_marker(|marker| marker.from.0 = "other".to_owned());
    let other_view = with_marker(|marker| marker.view = "other".to_owned());
    let other_source = with_marker(|marker| marker.of = Item::from([("PK".to_owned(), "U".into())]));
    let written_back = with_marker(|marker| marker.of = Item::from([("PK".to_owned(), "RANK#1".into())]));
    for (found, verdict) in [
        (mine, PutVerdict::Collision),
        (elsewhere, PutVerdict::Collision),
        (other_view, PutVerdict::Doubt),
        (other_source, PutVerdict::Doubt),
        (written_back, PutVerdict::Collision),
    ] {
        assert!(!planned.put.condition.holds(Some(&found)), "{found:?}");
        assert_eq!(judge_put(&views(), &planned, Some(&found)), verdict, "{found:?}");
    }
}

#[test]
fn a_delete_takes_only_its_own_older_shadow() {
    let own = with_marker(|_| {});
    for (number, accepted, verdict) in [
        ("60", true, DeleteVerdict::Again),
        ("50", false, DeleteVerdict::Doubt),
        ("9", false, DeleteVerdict::Doubt),
    ] {
        let planned = delete(number);
        assert_eq!(planned.delete.condition.holds(Some(&own)), accepted, "{number}");
        assert_eq!(judge_delete(&views(), &planned, Some(&own)), verdict, "{number}");
    }
    let planned = delete("60");
    let others = [
        None,
        Some(Item::from([("PK".to_owned(), "RANK#1".into())])),
        Some(with_marker(|marker| marker.from.0 = "other".to_owned())),
        Some(with_marker(|marker| marker.of = Item::new())),
    ];
    for found in others {
        assert!(!planned.delete.condition.holds(found.as_ref()), "{found:?}");
        let verdict = match found {
            None => DeleteVerdict::Absent,
            Some(_) => DeleteVerdict::Displaced,
        };
        assert_eq!(judge_delete(&views(), &planned, found.as_ref()), verdict, "{found:?}");
    }
}

#[test]
fn shadows_in_the_chain_count_as_absent() {
    let shadow = Some(with_marker(|_| {}));
    assert_eq!(
        writes(vec![shadow.clone(), ticket("1", "x")]),
        (keys(&["1"]), keys(&[]))
    );
    assert_eq!(writes(vec![ticket("1", "x"), shadow]), (keys(&[]), keys(&["1"])));
}

#[test]
fn a_marker_without_a_version_is_a_doubt_and_not_tried_for_ever() {
    let unversioned = with_marker(|marker| marker.at = None);
    assert_eq!(judge_put(&views(), &put("60"), Some(&unversioned)), PutVerdict::Doubt);
    assert_eq!(
        judge_delete(&views(), &delete("60"), Some(&unversioned)),
        DeleteVerdict::Doubt
    );
}

/// Views of which one reads what another leaves behind.
const LEFT_BEHIND: &str = r#"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
[source.ticket]
match = { kind = ["ticket"] }
[source.any]
match = {}
[attribute.x]
source = "ticket"
value = "{title}"
[attribute.y]
source = "any"
value = "{x}!"
[shadow.all]
source = "any"
key = { PK = "ALL#{PK}" }
project = "all"
"#;

#[test]
fn what_reads_a_leftover_attribute_goes_with_it_in_one_update() {
    let views = load(LEFT_BEHIND).views.expect("views");
    let old = image(r#""kind":{"S":"ticket"},"title":{"S":"t"},"x":{"S":"t"},"y":{"S":"t!"}"#);
    let left = image(r#""kind":{"S":"draft"},"title":{"S":"t"},"x":{"S":"t"},"y":{"S":"t!"}"#);
    let plan = super::plan(&views, &change(vec![old.clone(), left.clone()], "1"));
    let update = plan.update.expect("update");
    assert_eq!(update.remove.iter().collect::<Vec<_>>(), ["x", "y"]);
    let [put] = plan.puts.as_slice() else {
        panic!("{:?}", plan.puts)
    };
    assert!(!put.put.item.contains_key("x") && !put.put.item.contains_key("y"));
    let settled = image(r#""kind":{"S":"draft"},"title":{"S":"t"}"#);
    let echo = super::plan(&views, &change(vec![left, settled], "2"));
    assert!(echo.is_empty(), "its own removal changes nothing more: {echo:?}");
}

/// Two views that take turns at one key.
const TAKING_TURNS: &str = r#"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
[source.old]
match = { turn = ["old"] }
[source.new]
match = { turn = ["new"] }
[shadow.a]
source = "new"
key = { PK = "TURN#{PK}" }
[shadow.b]
source = "old"
key = { PK = "TURN#{PK}" }
"#;

#[test]
fn a_view_takes_a_key_that_another_leaves_in_the_same_change() {
    let views = load(TAKING_TURNS).views.expect("views");
    let turn = |turn: &str| image(&format!(r#""turn":{{"S":"{turn}"}}"#));
    let before = super::plan(&views, &change(vec![None, turn("old")], "1"))
        .puts
        .remove(0);
    let plan = super::plan(&views, &change(vec![turn("old"), turn("new")], "2"));
    let ([put], []) = (plan.puts.as_slice(), plan.deletes.as_slice()) else {
        panic!("{plan:?}")
    };
    let there = Some(&before.put.item);
    assert!(put.put.condition.holds(there));
    assert!(
        put.withdrawal.delete.condition.holds(there),
        "nothing stale stays where the put is refused for good"
    );
}

#[test]
fn a_late_update_never_lands_on_a_shadow() {
    let stale = image(r#""kind":{"S":"ticket"},"title":{"S":"x"}"#);
    let update = plan(&views(), &change(vec![None, stale.clone()], "1"))
        .update
        .expect("update");
    let mut shadow = stale.expect("image");
    assert!(update.condition.holds(Some(&shadow)));
    shadow.insert(MARKER.to_owned(), put("1").withdrawal.marker.to_value());
    assert!(!update.condition.holds(Some(&shadow)));
}
