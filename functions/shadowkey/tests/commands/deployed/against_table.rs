//! The contract of `check --against-table`: each of its codes, found where it is and not where it is not.

use aws_sdk_dynamodb::types::TimeToLiveSpecification;
use serde_json::Value;
use shadowkey_store_dynamodb::{ChangeStream, create_table};
use shadowkey_views::load;

use super::Deployed;

const VIEWS: &str = r##"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
ttl = "expires"
[[table.index]]
name = "by-place"
kind = "global"
partition_key = { name = "place", type = "S" }
sort_key = { name = "rank", type = "N" }
projection = ["title", "about"]
[[table.index]]
name = "by-title"
kind = "local"
sort_key = { name = "title", type = "S" }
projection = "all"
[state]
table = "app-shadowkey"
[source.ticket]
match = { PK = [{ prefix = "ORG#" }], SK = [{ prefix = "TICKET#" }] }
[attribute.place]
source = "ticket"
value = "{country | upper}#{city}"
[shadow.by-code]
source = "ticket"
into = { table = "lookup", partition_key = { name = "id", type = "S" } }
key = { id = "CODE#{code}#{PK}#{SK}" }
"##;

/// An engine with the tables of one view file; those named have no stream.
async fn deployed(views: &str, streamless: &[&str]) -> Deployed {
    let desk = Deployed::with_tables(views, async |connection| {
        for table in load(views).views.expect("views").tables() {
            let stream = match streamless.contains(&table.name.0.as_str()) {
                true => ChangeStream::Off,
                false => ChangeStream::On,
            };
            create_table(connection, &table.name.0, &table, stream)
                .await
                .expect("table");
        }
    });
    desk.await
}

async fn expire(desk: &Deployed, table: &str, attribute: &str) {
    let specification = TimeToLiveSpecification::builder()
        .enabled(true)
        .attribute_name(attribute);
    let request = desk.connection.dynamodb().update_time_to_live().table_name(table);
    let request = request.time_to_live_specification(specification.build().expect("specification"));
    request.send().await.expect("time to live");
}

/// The codes that are found where this view file meets the tables of the desk, and the exit code.
async fn compare(desk: &Deployed, views: &str) -> (Vec<String>, u8) {
    desk.file("views.toml", views);
    let answer = desk.run(&["check", "--against-table", "--format", "json"]).await;
    let findings = answer.json()["findings"].clone();
    let findings = findings.as_array().expect("findings").iter();
    let codes = findings.map(|finding| finding["code"].as_str().expect("code").to_owned());
    (codes.collect(), answer.exit)
}

async fn expiring() -> Deployed {
    let desk = deployed(VIEWS, &[]).await;
    for table in ["app", "lookup"] {
        expire(&desk, table, "expires").await;
    }
    desk
}

#[tokio::test]
async fn tables_that_are_as_the_file_says_have_no_finding() {
    let desk = expiring().await;
    assert_eq!(compare(&desk, VIEWS).await, (vec![], 0));
    let text = desk.run(&["check", "--against-table"]).await;
    assert!(text.out.ends_with("no findings\n"), "{}", text.out);
    let reordered = VIEWS.replace(r#"["title", "about"]"#, r#"["about", "title"]"#);
    assert_eq!(compare(&desk, &reordered).await, (vec![], 0));
}

#[tokio::test]
async fn each_difference_is_found_as_what_it_is() {
    let desk = expiring().await;
    for (what, other, code, exit) in [
        ("table = \"app-shadowkey\"", "table = \"app-state\"", "SK101", 1),
        ("{ table = \"lookup\"", "{ table = \"lookups\"", "SK101", 1),
        (
            "into = { table = \"lookup\", partition_key = { name = \"id\"",
            "into = { table = \"lookup\", partition_key = { name = \"Id\"",
            "SK102",
            1,
        ),
        ("name = \"by-title\"", "name = \"by-titles\"", "SK103", 1),
        (
            "name = \"rank\", type = \"N\"",
            "name = \"rank\", type = \"S\"",
            "SK104",
            1,
        ),
        ("[\"title\", \"about\"]", "[\"title\"]", "SK131", 0),
        ("projection = \"all\"", "projection = \"keys\"", "SK131", 0),
    ] {
        assert!(VIEWS.contains(what), "{what}");
        let views = VIEWS
            .replace(what, other)
            .replace("{ id =", if code == "SK102" { "{ Id =" } else { "{ id =" });
        assert_eq!(compare(&desk, &views).await, (vec![code.to_owned()], exit), "{other}");
    }
    let renamed = VIEWS.replace("SK", "sk");
    assert_eq!(compare(&desk, &renamed).await, (vec!["SK102".to_owned()], 1));
}

#[tokio::test]
async fn a_stream_without_both_images_is_an_error() {
    let desk = deployed(VIEWS, &["app", "lookup"]).await;
    let (codes, exit) = compare(&desk, VIEWS).await;
    assert_eq!(
        (codes, exit),
        (["SK105", "SK132", "SK132"].map(str::to_owned).to_vec(), 1)
    );
}

#[tokio::test]
async fn items_that_expire_by_another_attribute_are_a_warning() {
    let desk = deployed(VIEWS, &[]).await;
    assert_eq!(compare(&desk, VIEWS).await.0, ["SK132", "SK132"]);
    let without = VIEWS.replace("ttl = \"expires\"\n", "");
    assert_eq!(compare(&desk, &without).await, (vec![], 0));
    for table in ["app", "lookup"] {
        expire(&desk, table, "gone_at").await;
    }
    assert_eq!(
        compare(&desk, VIEWS).await,
        (vec!["SK132".to_owned(), "SK132".to_owned()], 0)
    );
    assert_eq!(compare(&desk, &without).await, (vec!["SK132".to_owned()], 0));
}

#[tokio::test]
async fn an_index_that_is_not_declared_is_noted_if_a_view_writes_its_key() {
    let desk = expiring().await;
    let section = |name: &str| {
        let start = VIEWS.find(&format!("[[table.index]]\nname = \"{name}\"")).expect(name);
        let rest = &VIEWS[start + 2..];
        &VIEWS[start..start + 2 + rest.find("\n[").expect("an end") + 1]
    };
    let without = VIEWS.replace(section("by-place"), "");
    assert_eq!(compare(&desk, &without).await, (vec!["SK161".to_owned()], 0));
    assert_eq!(
        compare(&desk, &VIEWS.replace(section("by-title"), "")).await,
        (vec![], 0)
    );
    let leaking = VIEWS.replace(section("by-title"), "")
        + "[shadow.titles]\nsource = \"ticket\"\nkey = { PK = \"T#{PK}\", SK = \"{title}#{SK}\" }\nproject = [\"title\"]\n";
    assert_eq!(compare(&desk, &leaking).await, (vec!["SK161".to_owned()], 0));
}

#[tokio::test]
async fn a_finding_says_where_what_and_what_to_do() {
    let desk = expiring().await;
    desk.file(
        "views.toml",
        &VIEWS.replace("name = \"rank\", type = \"N\"", "name = \"rank\", type = \"S\""),
    );
    let answer = desk.run(&["check", "--against-table", "--format", "json"]).await;
    let finding: Value = answer.json()["findings"][0].clone();
    assert_eq!(finding["line"], 8);
    assert_eq!(
        finding["message"],
        "index `by-place` is global with the key place (S), rank (N), and not global with the key place (S), rank (S)"
    );
    assert!(
        finding["help"]
            .as_str()
            .is_some_and(|help| help.contains("new index under a new name"))
    );
    let text = desk.run(&["check", "--against-table"]).await;
    assert!(
        text.out.contains("error[SK104]") && text.out.contains("views.toml:8:8"),
        "{}",
        text.out
    );
}

#[tokio::test]
async fn a_file_with_errors_is_not_compared() {
    let desk = deployed(VIEWS, &["app"]).await;
    desk.file("views.toml", &VIEWS.replace("| upper", "| uper"));
    let answer = desk.run(&["check", "--against-table"]).await;
    assert!(
        answer.exit == 1 && answer.out.contains("SK002") && !answer.out.contains("SK1"),
        "{}",
        answer.out
    );
    assert!(answer.notices.contains("not compared"), "{}", answer.notices);
}
