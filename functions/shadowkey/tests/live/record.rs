use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shadowkey_item::{AttributeValue, Item, item_to_json};
use shadowkey_views::{MARKER, Marker};

use crate::session::{Answer, Folder, Tables, answer, beside, served};

fn world() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tickets")
}

/// Does to a table what the world's events say was done to it.
async fn perform(tables: &Tables) {
    let mut files: Vec<PathBuf> = std::fs::read_dir(world().join("events"))
        .expect("events")
        .map(|entry| entry.expect("entry").path())
        .collect();
    files.sort();
    for file in files {
        let event = std::fs::read_to_string(file).expect("event");
        let event: Value = serde_json::from_str(&event).expect("JSON");
        for record in event["Records"].as_array().expect("records") {
            let change = &record["dynamodb"];
            match change.get("NewImage") {
                Some(image) => tables.put(&without_derived(image)).await,
                None => tables.delete(&change["Keys"]).await,
            }
        }
    }
}

/// What the application writes: the worker's attribute is not its own.
fn without_derived(image: &Value) -> Value {
    let mut image = image.clone();
    image.as_object_mut().expect("an image").remove("NewestFirst");
    image
}

/// An item in JSON without the version in its marker, which depends on how records came in batches.
fn comparable(item: &Item) -> Value {
    let mut item = item.clone();
    if let Some(AttributeValue::M(marker)) = item.get_mut(MARKER) {
        marker.remove("at");
    }
    item_to_json(&item)
}

async fn replayed(folder: &Folder, recording: &str, views: &str) -> (Answer, BTreeMap<String, Vec<Item>>) {
    let files = folder.files(recording);
    let arguments = ["replay", "--views", views, "--format", "json"];
    let files = files.iter().map(String::as_str);
    let answer = answer(&arguments.into_iter().chain(files).collect::<Vec<_>>()).await;
    let json: Value = serde_json::from_str(&answer.out).expect("JSON");
    let tables = serde_json::from_value(json["tables"].clone()).expect("tables");
    (answer, tables)
}

fn views_of(items: &[Item]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for marker in items.iter().filter_map(Marker::of_item) {
        *counts.entry(marker.view).or_default() += 1;
    }
    counts
}

#[tokio::test]
async fn a_recording_replays_to_the_same_tables_and_a_redacted_one_to_their_likeness() {
    let folder = Folder::new();
    let path = world().join("views.toml");
    let views = std::fs::read_to_string(&path).expect("view file");
    let path = path.to_str().expect("path");
    let dev = ["dev", "--views", path, "--port", "0"];
    let (plain, redacted) = (folder.path("plain"), folder.path("redacted"));
    let live = beside(&dev, async |out, notices| {
        let url = served(notices).await;
        let tables = Tables::at(&url, &views);
        perform(&tables).await;
        // The last change of all is said when it has been derived.
        tables.put(&json!({"PK": {"S": "LAST"}, "SK": {"S": "x"}})).await;
        while !out.text().contains("INSERT LAST x") {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let table = tables.first().name.to_string();
        let record = ["record", "--table", &table, "--for", "0s", "--endpoint-url", &url];
        let recorded = answer(&[&record[..], &["--out", &plain, "--format", "json"]].concat()).await;
        assert_eq!(recorded.exit, 0, "{}", recorded.notices);
        let summary: Value = serde_json::from_str(&recorded.out).expect("JSON");
        assert_eq!(summary["files"], json!(folder.files("plain")));
        let options = ["--out", &redacted, "--redact", "--views", path, "--batch-size", "7"];
        let recorded = answer(&[&record[..], &options].concat()).await;
        assert_eq!(recorded.exit, 0, "{}", recorded.notices);
        tables.items().await
    })
    .await;
    let (answer, replay) = replayed(&folder, "plain", path).await;
    assert_eq!(answer.exit, 0, "{}", answer.notices);
    let mut likeness = Vec::new();
    for (table, items) in &live {
        let again = &replay[&table.0];
        let compared = |items: &[Item]| items.iter().map(comparable).collect::<Vec<_>>();
        assert_eq!(compared(again), compared(items), "{table}");
        likeness.push((items.len(), views_of(items)));
    }
    assert!(likeness.iter().any(|(_, views)| views.len() == 3), "{likeness:?}");
    let (answer, redacted) = replayed(&folder, "redacted", path).await;
    assert_eq!(answer.exit, 0, "{}", answer.notices);
    let of_redacted = live.keys().map(|table| &redacted[&table.0]);
    let of_redacted: Vec<_> = of_redacted.map(|items| (items.len(), views_of(items))).collect();
    assert_eq!(of_redacted, likeness);
    for file in folder.files("redacted") {
        let text = std::fs::read_to_string(file).expect("event");
        assert!(
            !text.contains("globex") && !text.contains("The export times out"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_folder_with_event_files_and_a_time_that_is_none_are_refused() {
    let folder = Folder::new();
    let views = folder.file(
        "views.toml",
        "version = 1\n[table]\nname = \"app\"\npartition_key = { name = \"id\", type = \"S\" }\n",
    );
    let used = folder.file("1.json", "{}");
    beside(&["dev", "--views", &views, "--port", "0"], async |_, notices| {
        let url = served(notices).await;
        let record = [
            "record",
            "--table",
            "app",
            "--endpoint-url",
            &url,
            "--out",
            &folder.path(""),
        ];
        let refused = answer(&[&record[..], &["--for", "0s"]].concat()).await;
        assert!(refused.notices.contains(&used), "{}", refused.notices);
        let timeless = answer(&[&record[..], &["--for", "soon"]].concat()).await;
        assert!(
            timeless.notices.contains("write a time such as `30s`"),
            "{}",
            timeless.notices
        );
        let foreign = answer(&[
            "record",
            "--table",
            "other",
            "--endpoint-url",
            &url,
            "--out",
            &folder.path("x"),
        ])
        .await;
        assert!(
            foreign.notices.contains("there is no table `other`"),
            "{}",
            foreign.notices
        );
        assert_eq!([refused.exit, timeless.exit, foreign.exit], [2, 2, 1]);
    })
    .await;
}

#[tokio::test]
async fn from_the_latest_on_only_what_comes_is_recorded() {
    let folder = Folder::new();
    let file = "version = 1\n[table]\nname = \"app\"\npartition_key = { name = \"id\", type = \"S\" }\n";
    let views = folder.file("views.toml", file);
    beside(&["dev", "--views", &views, "--port", "0"], async |_, notices| {
        let url = served(notices).await;
        let tables = Tables::at(&url, file);
        tables.put(&json!({"id": {"S": "early"}})).await;
        let out = folder.path("latest");
        let record = [
            "record",
            "--table",
            "app",
            "--endpoint-url",
            &url,
            "--out",
            &out,
            "--from",
            "latest",
            "--for",
            "3s",
        ];
        let late = async {
            tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
            tables.put(&json!({"id": {"S": "late"}})).await;
        };
        let (recorded, ()) = tokio::join!(answer(&record), late);
        assert_eq!(
            recorded.out,
            format!("1 records in 1 files of {out}\n"),
            "{}",
            recorded.notices
        );
        let text = std::fs::read_to_string(&folder.files("latest")[0]).expect("event");
        assert!(text.contains("late") && !text.contains("early"), "{text}");
    })
    .await;
}
