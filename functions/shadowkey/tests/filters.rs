//! `filters` at the command line; what it says is tested where it is made.

#![expect(clippy::expect_used, reason = "a test's own words fail the test")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use shadowkey::{Console, run};

async fn filters(views: &Path, format: &str) -> (u8, String, String) {
    let (mut out, mut notices) = (Vec::new(), Vec::new());
    let mut console = Console {
        out: &mut out,
        notices: &mut notices,
        color: false,
    };
    let views = views.to_str().expect("path");
    let arguments = ["shadowkey", "filters", "--views", views, "--format", format];
    let exit = run(arguments.map(Into::into), &mut console).await;
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (exit, text(out), text(notices))
}

fn world(name: &str) -> std::path::PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    fixtures.join(name).join("views.toml")
}

#[tokio::test]
async fn the_answer_is_the_filter_criteria_of_an_event_source_mapping() {
    let (exit, out, notices) = filters(&world("tickets"), "json").await;
    let pattern = r#"{"dynamodb":{"Keys":{"PK":{"S":[{"prefix":"ORG#"}]},"SK":{"S":[{"prefix":"TICKET#"}]}}}}"#;
    let criteria: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(criteria, json!({"Filters": [{"Pattern": pattern}]}));
    assert_eq!((exit, notices.as_str()), (0, ""));
    let (_, out, _) = filters(&world("tickets"), "text").await;
    assert_eq!(out, format!("{pattern}\n"));
}

#[tokio::test]
async fn what_had_to_be_widened_is_said_beside_it() {
    let (exit, out, notices) = filters(&world("profiles"), "json").await;
    assert!(serde_json::from_str::<Value>(&out).is_ok(), "{out}");
    assert!(
        notices.starts_with("note: source `user`: `deactivated` is left to the worker"),
        "{notices}"
    );
    assert_eq!(exit, 0);
}

#[tokio::test]
async fn without_anything_to_say_there_is_no_filter() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("views.toml");
    let views = "version = 1\n[table]\nname = \"app\"\npartition_key = { name = \"id\", type = \"S\" }\n[source.any]\n\
                 match = { kind = [{ exists = true }] }\n[attribute.x]\nsource = \"any\"\nvalue = \"{y}\"\n";
    fs::write(&path, views).expect("view file");
    let (exit, out, notices) = filters(&path, "json").await;
    assert_eq!(out, "{\"Filters\":[]}\n");
    assert!(notices.contains("every record invokes the function"), "{notices}");
    assert_eq!(exit, 0);
    let (_, out, _) = filters(&path, "text").await;
    assert_eq!(out, "no filter: every record invokes the function\n");
}
