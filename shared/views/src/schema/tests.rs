use std::fs;
use std::path::PathBuf;

use jsonschema::Validator;

use super::*;
use crate::load;

/// A file with every field there is.
const EVERY_FIELD: &str = r##"
version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
ttl = "expires_at"
[[table.index]]
name = "by-city"
kind = "global"
partition_key = { name = "city_key", type = "S" }
sort_key = { name = "rank", type = "N" }
projection = "all"
[state]
table = "app-shadowkey"
[source.user]
match = { PK = [{ prefix = "USER#" }, { exists = true }], age = [{ numeric = [">", 0] }, { anything-but = [5] }] }
identity = ["PK"]
[attribute.rank]
source = "user"
value = "{score | neg}"
type = "N"
attribute = "rank"
[shadow.by-tag]
source = "user"
key = { id = "TAG#{tag | lower}", of = "{PK}" }
project = { except = ["notes"] }
for_each = { tag = "tags" }
into = { table = "lookup", partition_key = { name = "id", type = "S" }, sort_key = { name = "of", type = "S" } }
unique = true
[allow]
by-tag = { SK031 = "tags are few" }
"##;

fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn validator() -> Validator {
    jsonschema::draft7::new(&view_file_schema()).expect("a schema")
}

/// What the schema has against a file.
fn complaints(text: &str) -> Vec<String> {
    let file: Value = toml::from_str(text).expect("TOML");
    validator().iter_errors(&file).map(|error| error.to_string()).collect()
}

/// The file with every field, with one part of it replaced.
fn with(part: &str, replacement: &str) -> String {
    assert_eq!(EVERY_FIELD.matches(part).count(), 1, "{part}");
    EVERY_FIELD.replace(part, replacement)
}

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let committed = fs::read_to_string(workspace().join("docs/view-file.schema.json")).unwrap_or_default();
    assert!(
        committed == format!("{:#}\n", view_file_schema()),
        "docs/view-file.schema.json is not what shared/views/src/file.rs says; write it anew: `cargo xtask schema`"
    );
}

#[test]
fn the_schema_is_one_of_draft_7() {
    assert!(jsonschema::draft7::meta::is_valid(&view_file_schema()));
}

#[test]
fn every_field_has_a_description() {
    fn undescribed(schema: &Value, found: &mut Vec<String>) {
        if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
            let bare = fields.iter().filter(|(_, field)| field.get("description").is_none());
            found.extend(bare.map(|(name, _)| name.clone()));
        }
        match schema {
            Value::Object(members) => members.values().for_each(|member| undescribed(member, found)),
            Value::Array(elements) => elements.iter().for_each(|element| undescribed(element, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    undescribed(&view_file_schema(), &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn nothing_is_null_since_toml_has_no_null() {
    assert!(!view_file_schema().to_string().contains("null"));
}

#[test]
fn the_view_files_of_all_fixtures_are_valid() {
    let worlds = fs::read_dir(workspace().join("tests/fixtures")).expect("fixtures");
    let files: Vec<PathBuf> = worlds
        .map(|world| world.expect("a world").path().join("views.toml"))
        .filter(|file| file.exists())
        .collect();
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read_to_string(&file).expect("a view file");
        assert_eq!(complaints(&text), Vec::<String>::new(), "{}", file.display());
    }
}

#[test]
fn the_examples_of_the_reference_are_valid() {
    let page = fs::read_to_string(workspace().join("docs/views.md")).expect("the reference");
    let blocks = page.split("```toml\n").skip(1);
    let whole: String = blocks.filter_map(|block| block.split("```").next()).collect();
    assert!(whole.contains("[shadow."));
    assert_eq!(complaints(&whole), Vec::<String>::new());
}

#[test]
fn what_check_accepts_is_valid() {
    let alternative = "{ exists = true }";
    let projection = "{ except = [\"notes\"] }";
    let files = [
        EVERY_FIELD.to_owned(),
        with(alternative, "\"text\""),
        with(alternative, "5"),
        with(alternative, "2.50"),
        with(alternative, "{ suffix = \"#v1\" }"),
        with(alternative, "{ equals-ignore-case = \"open\" }"),
        with(alternative, "{ anything-but = \"a\" }"),
        with(alternative, "{ anything-but = [\"a\", 2.5] }"),
        with(alternative, "{ numeric = [\">=\", 0.5, \"<=\", 100] }"),
        with(projection, "\"keys\""),
        with(projection, "\"all\""),
        with(projection, "[\"notes\"]"),
        with(projection, "[]"),
        with("projection = \"all\"", "projection = [\"notes\"]"),
        with(
            "{ name = \"city_key\", type = \"S\" }",
            "{ name = \"city_key\", type = \"B\" }",
        ),
    ];
    for file in files {
        let loaded = load(&file);
        assert!(loaded.views.is_some(), "{file}\n{:?}", loaded.findings);
        assert_eq!(complaints(&file), Vec::<String>::new(), "{file}");
    }
}

#[test]
fn what_is_not_valid_check_refuses_too() {
    let files = [
        with("version = 1", ""),
        with("version = 1", "version = 2"),
        with("version = 1", "version = \"1\""),
        with("name = \"app\"", "name = \"\""),
        with("name = \"PK\", type = \"S\"", "name = \"PK\""),
        with("name = \"PK\", type = \"S\"", "name = \"PK\", type = \"SS\""),
        with("name = \"SK\"", "name = \"\""),
        with("ttl = \"expires_at\"", "ttl = \"\""),
        with("kind = \"global\"", ""),
        with("kind = \"global\"", "kind = \"Global\""),
        with("projection = \"all\"", "projection = { except = [\"notes\"] }"),
        with("projection = \"all\"", "projection = \"none\""),
        with("table = \"app-shadowkey\"", "table = \"\""),
        with("{ exists = true }", "{}"),
        with("{ exists = true }", "true"),
        with("{ exists = true }", "{ exists = \"yes\" }"),
        with("{ exists = true }", "{ prefix = \"A\", suffix = \"Z\" }"),
        with("{ exists = true }", "{ equals_ignore_case = \"a\" }"),
        with("[{ numeric = [\">\", 0] }, { anything-but = [5] }]", "5"),
        with("[\">\", 0]", "[]"),
        with("[\">\", 0]", "[\"!=\", 0]"),
        with("anything-but = [5]", "anything-but = []"),
        with("anything-but = [5]", "anything-but = [true]"),
        with("value = \"{score | neg}\"", ""),
        with("value = \"{score | neg}\"", "value = \"\""),
        with("type = \"N\"\nattribute", "type = \"B\"\nattribute"),
        with("attribute = \"rank\"", "attribute = \"\""),
        with("key = { id = \"TAG#{tag | lower}\", of = \"{PK}\" }", ""),
        with("key = { id = \"TAG#{tag | lower}\", of = \"{PK}\" }", "key = {}"),
        with("of = \"{PK}\"", "of = \"{PK}\", also = \"{PK}\""),
        with("except = [\"notes\"]", "only = [\"notes\"]"),
        with("except = [\"notes\"]", "except = \"notes\""),
        with("for_each = { tag = \"tags\" }", "for_each = {}"),
        with("{ tag = \"tags\" }", "{ tag = \"tags\", name = \"names\" }"),
        with("table = \"lookup\"", "table = \"\""),
        with("unique = true", "unique = \"yes\""),
        with("{ SK031 = \"tags are few\" }", "[\"SK031\"]"),
    ];
    for file in files {
        assert_ne!(complaints(&file), Vec::<String>::new(), "{file}");
        assert!(load(&file).views.is_none(), "{file}");
    }
}

#[test]
fn a_field_that_is_not_known_is_not_valid_in_any_section() {
    let places = [
        "[table]\n",
        "[[table.index]]\n",
        "[state]\n",
        "[source.user]\n",
        "[attribute.rank]\n",
        "[shadow.by-tag]\n",
    ];
    let files = places.map(|place| with(place, &format!("{place}extra = 1\n")));
    let inline = with("name = \"SK\"", "extra = 1, name = \"SK\"");
    let target = with("table = \"lookup\"", "extra = 1, table = \"lookup\"");
    let top = format!("extra = 1\n{EVERY_FIELD}");
    for file in files.into_iter().chain([inline, target, top]) {
        assert_ne!(complaints(&file), Vec::<String>::new(), "{file}");
        assert!(load(&file).views.is_none(), "{file}");
    }
}
