use super::*;
use crate::load;
use shadowkey_item::{item_from_json, item_to_json};

const TABLE: &str = r#"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
ttl = "expires_at"
[source.post]
match = { PK = [{ prefix = "POST#" }] }
"#;

fn views(rest: &str) -> Views {
    let text = format!("{TABLE}{rest}");
    let loaded = load(&text);
    loaded.views.unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

/// An item `POST#1`, `A` with these attributes besides.
fn post(attributes: &str) -> Item {
    item_from_json(&format!(r#"{{"PK":{{"S":"POST#1"}},"SK":{{"S":"A"}}{attributes}}}"#)).expect(attributes)
}

fn shadow_keys(derived: &Derived) -> Vec<String> {
    derived.shadows.iter().map(|shadow| shadow.key.to_string()).collect()
}

const BY_TITLE: &str = r#"
[shadow.by-title]
source = "post"
key = { PK = "TITLES", SK = "{title}#{PK}" }
"#;

#[test]
fn a_shadow_carries_key_ttl_and_marker() {
    let derived = views(BY_TITLE).derive(&post(
        r#","title":{"S":"x"},"body":{"S":"long"},"expires_at":{"N":"1700000000"}"#,
    ));
    let [shadow] = derived.shadows.as_slice() else {
        panic!("{derived:?}")
    };
    let mut item = shadow.item().clone();
    let marker = Marker::of_item(&item).expect("marker");
    assert_eq!(
        (marker.from.0.as_str(), marker.view.as_str(), marker.at),
        ("app", "by-title", None)
    );
    assert_eq!(
        item_to_json(&marker.of).to_string(),
        r#"{"PK":{"S":"POST#1"},"SK":{"S":"A"}}"#
    );
    assert_eq!(marker.def.len(), 16);
    item.remove(MARKER);
    assert_eq!(
        item_to_json(&item).to_string(),
        r#"{"PK":{"S":"TITLES"},"SK":{"S":"x#POST#1"},"expires_at":{"N":"1700000000"}}"#
    );
}

#[test]
fn a_projection_never_replaces_the_shadows_own_key_nor_copies_a_marker() {
    let item = post(r#","title":{"S":"x"},"a":{"S":"1"},"b":{"S":"2"}"#);
    let names = |project: &str| {
        let views = views(&format!("{BY_TITLE}project = {project}\n"));
        let derived = views.derive(&item);
        let shadow = derived.shadows.first().expect("shadow").item().clone();
        assert_eq!(shadow.get("PK"), Some(&"TITLES".into()));
        shadow
            .keys()
            .filter(|name| name.len() == 1)
            .cloned()
            .collect::<String>()
    };
    assert_eq!(names("\"keys\""), "");
    assert_eq!(names("\"all\""), "ab");
    assert_eq!(names("[\"a\", \"missing\", \"PK\"]"), "a");
    assert_eq!(names("{ except = [\"a\"] }"), "b");
}

#[test]
fn an_item_without_an_input_or_a_match_has_no_shadow() {
    let views = views(BY_TITLE);
    for attributes in ["", r#","title":{"NULL":true}"#, r#","title":{"S":""}"#] {
        assert_eq!(views.derive(&post(attributes)), Derived::default(), "{attributes}");
    }
    let other = item_from_json(r#"{"PK":{"S":"USER#1"},"SK":{"S":"A"},"title":{"S":"x"}}"#).expect("item");
    assert_eq!(views.derive(&other), Derived::default());
}

#[test]
fn attribute_views_feed_each_other_in_order_and_shadows_see_them() {
    let views = views(
        r#"
[attribute.a]
source = "post"
value = "{b}!"
[attribute.b]
source = "post"
value = "{title | upper}"
[shadow.by-a]
source = "post"
key = { PK = "A", SK = "{a}" }
project = ["b"]
"#,
    );
    let plain = views.derive(&post(r#","title":{"S":"x"}"#));
    let attribute = |name: &str| plain.attributes.get(name).cloned().flatten();
    assert_eq!((attribute("a"), attribute("b")), (Some("X!".into()), Some("X".into())));
    let shadow = plain.shadows.first().expect("shadow").item();
    assert_eq!(
        (shadow.get("SK"), shadow.get("b")),
        (Some(&"X!".into()), Some(&"X".into()))
    );
    let written = views.derive(&post(r#","title":{"S":"x"},"a":{"S":"X!"},"b":{"S":"X"}"#));
    let stale = views.derive(&post(r#","title":{"S":"x"},"a":{"S":"old"},"b":{"S":"old"}"#));
    assert_eq!(
        (&written, &stale),
        (&plain, &plain),
        "the worker's own update changes nothing"
    );
    let missing = views.derive(&post(r#","a":{"S":"old"}"#));
    assert_eq!(missing.attributes.get("a"), Some(&None));
    assert!(missing.shadows.is_empty());
}

const BY_TAG: &str = r#"
[shadow.by-tag]
source = "post"
for_each = { tag = "tags" }
key = { PK = "TAG#{tag | lower}", SK = "{PK}" }
"#;

#[test]
fn for_each_goes_over_lists_and_sets() {
    let views = views(BY_TAG);
    let derived = |tags: &str| views.derive(&post(&format!(r#","tags":{tags}"#)));
    let list = derived(r#"{"L":[{"S":"b"},{"S":"A"},{"NULL":true},{"S":""},{"N":"5"},{"S":"a"}]}"#);
    assert_eq!(
        shadow_keys(&list),
        [
            r#"{"PK":{"S":"TAG#b"},"SK":{"S":"POST#1"}}"#,
            r#"{"PK":{"S":"TAG#a"},"SK":{"S":"POST#1"}}"#
        ]
    );
    assert_eq!(list.failures.len(), 1, "the number fails alone");
    let two = derived(r#"{"L":[{"N":"5"},{"S":"a"},{"N":"6"}]}"#);
    assert_eq!((two.failures.len(), two.failures[0].more, two.shadows.len()), (1, 1, 1));
    assert_eq!(shadow_keys(&derived(r#"{"SS":["x","y"]}"#)).len(), 2);
    for none in [r#"{"NULL":true}"#, r#"{"L":[]}"#] {
        assert_eq!(derived(none), Derived::default(), "{none}");
    }
    let text = derived(r#"{"S":"x"}"#);
    assert!(text.shadows.is_empty());
    assert_eq!(
        text.failures.first().map(|failure| failure.kind.code()),
        Some("wrong-type")
    );
}

#[test]
fn a_failing_view_leaves_the_others_alone() {
    let views = views(&format!(
        "{BY_TITLE}[shadow.by-rating]\nsource = \"post\"\nkey = {{ PK = \"R\", SK = \"{{rating | pad(3)}}#{{PK}}\" }}\n"
    ));
    let derived = views.derive(&post(r#","title":{"S":"x"},"rating":{"N":"1000"}"#));
    assert_eq!(shadow_keys(&derived).len(), 1);
    let [failure] = derived.failures.as_slice() else {
        panic!("{derived:?}")
    };
    assert_eq!(failure.kind.code(), "does-not-fit");
    assert!(
        failure
            .to_string()
            .starts_with("view `by-rating`: `rating`: `1000` does not fit `pad(3)`")
    );
}

#[test]
fn what_dynamodb_would_refuse_fails_here() {
    let views = views(&format!(
        "{BY_TITLE}project = \"all\"\n[shadow.own]\nsource = \"post\"\nkey = {{ PK = \"{{PK}}\", SK = \"{{own}}\" }}\n"
    ));
    let code = |attributes: String| {
        let derived = views.derive(&post(&attributes));
        derived.failures.first().map(|failure| failure.kind.code())
    };
    assert_eq!(
        code(format!(r#","title":{{"S":"{}"}}"#, "x".repeat(1024))),
        Some("key-too-long")
    );
    assert_eq!(code(format!(r#","title":{{"S":"{}"}}"#, "x".repeat(1017))), None);
    let body = "x".repeat(409_500);
    assert_eq!(
        code(format!(r#","title":{{"S":"x"}},"body":{{"S":"{body}"}}"#)),
        Some("item-too-large")
    );
    assert_eq!(code(r#","own":{"S":"A"}"#.to_owned()), Some("own-key"));
}

#[test]
fn an_item_of_exactly_the_limit_is_derived_and_one_byte_more_is_not() {
    let views = views(&format!("{BY_TITLE}project = \"all\"\n"));
    let label = "2026-01-05T10:00:00.000";
    let number = shadowkey_item::SequenceNumber::parse("1").expect("number");
    let version = Version::new(label, &number);
    let with_body = |bytes: usize| {
        let item = post(&format!(
            r#","title":{{"S":"x"}},"body":{{"S":"{}"}}"#,
            "x".repeat(bytes)
        ));
        views
            .derive(&item)
            .shadows
            .first()
            .map(|shadow| item_size(&shadow.at(&version)))
    };
    let rest = with_body(1).expect("shadow") - 1;
    assert_eq!(with_body(MAX_ITEM_BYTES - rest), Some(MAX_ITEM_BYTES));
    assert_eq!(with_body(MAX_ITEM_BYTES - rest + 1), None);
}

#[test]
fn a_shadows_key_fits_the_indexes_it_appears_in() {
    let inverted = "[[table.index]]\nname = \"inverted\"\nkind = \"global\"\npartition_key = { name = \"SK\", type = \"S\" }\nsort_key = { name = \"PK\", type = \"S\" }\n";
    let views = views(&format!(
        "{inverted}[shadow.s]\nsource = \"post\"\nkey = {{ PK = \"{{title}}#\", SK = \"A\" }}\n"
    ));
    let code = |bytes: usize| {
        let derived = views.derive(&post(&format!(r#","title":{{"S":"{}"}}"#, "x".repeat(bytes))));
        derived.failures.first().map(|failure| failure.kind.code())
    };
    assert_eq!((code(1023), code(1024)), (None, Some("key-too-long")));
}

#[test]
fn a_shadow_is_never_a_source_unless_it_names_itself() {
    let views = views("[source.any]\nmatch = {}\n[shadow.s]\nsource = \"any\"\nkey = { PK = \"S\", SK = \"{PK}\" }\n");
    let marked = |from: &str, of: &str| {
        post(&format!(
            r#","_shadow":{{"M":{{"from":{{"S":"{from}"}},"view":{{"S":"s"}},"of":{{"M":{of}}},"at":{{"S":"1"}},"def":{{"S":"d"}}}}}}"#
        ))
    };
    let own = r#"{"PK":{"S":"POST#1"},"SK":{"S":"A"}}"#;
    let other = r#"{"PK":{"S":"POST#2"},"SK":{"S":"A"}}"#;
    assert!(views.is_shadow(&marked("app", other)));
    assert_eq!(views.derive(&marked("app", other)), Derived::default());
    assert!(views.is_shadow(&marked("elsewhere", own)));
    assert!(!views.is_shadow(&marked("app", own)));
    let derived = views.derive(&marked("app", own));
    assert_eq!(derived.shadows.len(), 1);
    assert!(!views.is_shadow(&post(r#","_shadow":{"S":"mine"}"#)));
}

#[test]
fn the_fingerprint_is_of_the_meaning_and_not_of_the_spelling() {
    let fingerprint = |rest: &str| views(rest).shadows.first().expect("shadow").fingerprint.clone();
    let first = fingerprint(BY_TITLE);
    assert_eq!(first, "b9ff3205dde478bf", "what is in tables stays what it is");
    assert_eq!(
        first,
        fingerprint(&BY_TITLE.replace("{title}", "{ title }").replace("by-title", "renamed"))
    );
    for (from, to) in [
        ("{title}", "{title | upper}"),
        ("\"TITLES\"", "\"T\""),
        ("key =", "project = \"all\"\nkey ="),
    ] {
        assert_ne!(first, fingerprint(&BY_TITLE.replace(from, to)), "{to}");
    }
    let fed = |template: &str| {
        fingerprint(&format!(
            "{BY_TITLE}[attribute.title]\nsource = \"post\"\nvalue = \"{template}\"\n"
        ))
    };
    assert_ne!(
        fed("{name | upper}"),
        fed("{name | lower}"),
        "what feeds a shadow counts"
    );
}

#[test]
fn a_failure_names_view_path_value_rule_and_way_out() {
    let views = views(
        r#"
[shadow.by-tag]
source = "post"
for_each = { tag = "tags" }
key = { PK = "TAG#{tag}", SK = "{PK}" }
[shadow.by-title]
source = "post"
key = { PK = "TITLES", SK = "{title}#{PK}" }
"#,
    );
    let title = "x".repeat(2000);
    let item = post(&format!(r#","tags":{{"S":"a, b"}},"title":{{"S":"{title}"}}"#));
    let messages: Vec<String> = views.derive(&item).failures.iter().map(Failure::to_string).collect();
    let shown = "x".repeat(64);
    assert_eq!(
        messages,
        [
            "view `by-tag`: `tags`: `a, b` is of type S, and `for_each` takes a list or a set; write the attribute as one, \
             or name a list or set inside it"
                .to_owned(),
            format!(
                "view `by-title`: `SK`: `{shown}…` is 2007 bytes long, and DynamoDB takes 1024 there; shorten an input, or \
                 keep a part of it only with `prefix` or `hash` in a view of a new name"
            ),
        ]
    );
}

#[test]
fn a_shadow_in_its_sources_place_is_told_with_a_key_that_is_cut() {
    let views = views("[shadow.own]\nsource = \"post\"\nkey = { PK = \"{PK}\", SK = \"{own}\" }\n");
    let long = "x".repeat(1000);
    let mut item = post(&format!(r#","own":{{"S":"{long}"}}"#));
    item.insert("SK".to_owned(), long.into());
    let messages: Vec<String> = views.derive(&item).failures.iter().map(Failure::to_string).collect();
    let shown: String = format!(r#"{{"PK":{{"S":"POST#1"}},"SK":{{"S":"{}"#, "x".repeat(64))
        .chars()
        .take(64)
        .collect();
    assert_eq!(
        messages,
        [format!(
            "view `own`: `{shown}…` is the key of the shadow and of its own source item; make the view's key differ from every \
             source key, such as by a text at its start, in a view of a new name"
        )]
    );
}
