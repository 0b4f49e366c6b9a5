//! Random view files and records.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

/// A view file, and a record of its table.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) file: String,
    pub(crate) record: Value,
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    prop::bool::ANY
        .prop_flat_map(|numbered| (files(numbered), records(numbered)).prop_map(|(file, record)| Case { file, record }))
}

/// One to nine sources, each with a shadow view, and the attribute `d` of the first.
fn files(numbered: bool) -> impl Strategy<Value = String> {
    let source = || (matches(), select(vec!["\"all\"", "\"keys\"", "[\"a\"]"]));
    let several = |count: std::ops::Range<usize>| prop::collection::vec(source(), count);
    let sources = prop_oneof![4 => several(1..4), 1 => several(6..10)];
    (sources, prop::bool::ANY).prop_map(move |(sources, derives)| {
        let kind = if numbered { "N" } else { "S" };
        let mut file = format!(
            "version = 1\n[table]\nname = \"app\"\npartition_key = {{ name = \"PK\", type = \"S\" }}\n\
             sort_key = {{ name = \"SK\", type = \"{kind}\" }}\n"
        );
        for (n, (matched, project)) in sources.iter().enumerate() {
            file += &format!(
                "[source.s{n}]\nmatch = {{ {matched} }}\n[shadow.v{n}]\nsource = \"s{n}\"\nproject = {project}\n\
                 key = {{ PK = \"V{n}#{{PK}}\", SK = \"{{SK}}\" }}\n"
            );
        }
        if derives {
            file += "[attribute.d]\nsource = \"s0\"\nvalue = \"{a}\"\n";
        }
        file
    })
}

/// Mostly with something that a filter can say, so that there is one.
fn matches() -> impl Strategy<Value = String> {
    let paths = vec!["SK", "a", "b", "'m'.x", "l[0]", "'a.b'", "d"];
    let alternatives = || prop::collection::vec(alternative(), 1..3);
    let said = select(vec![
        r#""PK" = [{ prefix = "x" }]"#,
        r#""PK" = [{ suffix = "y" }, "K"]"#,
        r#""PK" = [{ anything-but = ["xy"] }]"#,
        r#""PK" = [{ prefix = "V" }, { prefix = "y" }]"#,
        r#""a" = ["x", { prefix = "y" }]"#,
        r#""b" = [100, { numeric = [">", 5] }]"#,
    ]);
    let rest = subsequence(paths, 0..3).prop_flat_map(move |paths| {
        let alternatives = prop::collection::vec(alternatives(), paths.len());
        (Just(paths), alternatives)
    });
    (prop::option::weighted(0.9, said), rest).prop_map(|(said, (paths, alternatives))| {
        let is_new = |path: &&str| !said.is_some_and(|said| said.starts_with(&format!("\"{path}\"")));
        let parts = paths.iter().zip(alternatives).filter(|(path, _)| is_new(path));
        let parts = parts.map(|(path, alternatives)| format!("\"{path}\" = [{}]", alternatives.join(", ")));
        parts.chain(said.map(str::to_owned)).collect::<Vec<_>>().join(", ")
    })
}

fn alternative() -> impl Strategy<Value = String> {
    let text = || select(TEXTS.to_vec());
    prop_oneof![
        4 => text().prop_map(|text| format!("\"{text}\"")),
        2 => text().prop_map(|text| format!("{{ prefix = \"{text}\" }}")),
        2 => text().prop_map(|text| format!("{{ suffix = \"{text}\" }}")),
        1 => text().prop_map(|text| format!("{{ equals-ignore-case = \"{text}\" }}")),
        1 => text().prop_map(|text| format!("{{ anything-but = [\"{text}\"] }}")),
        1 => Just("{ anything-but = [1, \"x\"] }".to_owned()),
        1 => prop::bool::ANY.prop_map(|exists| format!("{{ exists = {exists} }}")),
        1 => select(vec!["1", "100", "{ numeric = [\">\", 5] }", "{ numeric = [\"=\", 1] }"]).prop_map(str::to_owned),
    ]
}

const TEXTS: [&str; 7] = ["", "x", "xy", "yx", "k", "X", "ä"];

fn records(numbered: bool) -> impl Strategy<Value = Value> {
    let key = (select(vec!["x", "xy", "yx", "K", "V0#x"]), sort_key(numbered));
    (key, image(), image(), 0..3_usize).prop_map(|((partition, sort), old, new, event)| {
        let keys = Map::from_iter([("PK".to_owned(), json!({"S": partition})), ("SK".to_owned(), sort)]);
        let whole = |mut image: Map<String, Value>| {
            image.extend(keys.clone());
            fill_in_markers(&mut image, &keys);
            Value::Object(image)
        };
        let mut change = json!({"Keys": keys, "SequenceNumber": "100", "StreamViewType": "NEW_AND_OLD_IMAGES"});
        if event != 0 {
            change["OldImage"] = whole(old);
        }
        if event != 2 {
            change["NewImage"] = whole(new);
        }
        json!({"eventName": (["INSERT", "MODIFY", "REMOVE"])[event], "dynamodb": change})
    })
}

fn sort_key(numbered: bool) -> BoxedStrategy<Value> {
    match numbered {
        true => select(vec!["1", "1.0", "100", "1E2", "6"])
            .prop_map(|n| json!({"N": n}))
            .boxed(),
        false => select(vec!["x", "xy", "k", "\u{212a}"])
            .prop_map(|s| json!({"S": s}))
            .boxed(),
    }
}

fn image() -> impl Strategy<Value = Map<String, Value>> {
    let attribute = || prop::option::of(value());
    let names = ["a", "b", "m", "l", "a.b", "d"];
    (prop::array::uniform6(attribute()), prop::option::of(marker())).prop_map(move |(values, marker)| {
        let attributes = names
            .into_iter()
            .zip(values)
            .filter_map(|(name, value)| Some((name, value?)));
        let all = attributes.chain(marker.map(|marker| ("_shadow", marker)));
        all.map(|(name, value)| (name.to_owned(), value)).collect()
    })
}

fn value() -> impl Strategy<Value = Value> {
    let text = || select(vec!["", "x", "xy", "yx", "k", "K", "\u{212a}", "Ä", "ä"]);
    prop_oneof![
        4 => text().prop_map(|text| json!({"S": text})),
        2 => select(vec!["1", "1.0", "100", "1E+2", "6"]).prop_map(|number| json!({"N": number})),
        1 => Just(json!({"NULL": true})),
        1 => prop::bool::ANY.prop_map(|truth| json!({"BOOL": truth})),
        1 => text().prop_map(|text| json!({"M": {"x": {"S": text}}})),
        1 => text().prop_map(|text| json!({"L": [{"S": "z"}, {"S": text}]})),
        1 => text().prop_map(|text| json!({"L": [{"S": text}]})),
        1 => Just(json!({"M": {}})),
        1 => Just(json!({"SS": ["x", "y"]})),
        1 => Just(json!({"B": "AAE="})),
    ]
}

/// A marker of the item itself, of another item, of another deployment, or of nothing.
fn marker() -> impl Strategy<Value = Value> {
    let marker = |from: &str, of: Value| json!({"M": {"from": {"S": from}, "view": {"S": "v0"}, "of": of}});
    select(vec![
        marker("app", json!("own")),
        marker("app", json!({"M": {"PK": {"S": "elsewhere"}, "SK": {"S": "x"}}})),
        marker("other", json!("own")),
        json!({"M": {"view": {"S": "v0"}}}),
        json!({"S": "shadow"}),
    ])
}

/// Puts the item's key where a marker is to name its own item.
fn fill_in_markers(image: &mut Map<String, Value>, keys: &Map<String, Value>) {
    let of = image.get_mut("_shadow").and_then(|marker| marker.pointer_mut("/M/of"));
    if let Some(of) = of.filter(|of| of.is_string()) {
        *of = json!({"M": keys});
    }
}
