use aws_sdk_dynamodb::types::{StreamSpecification, StreamViewType};
use serde_json::{Value, json};
use shadowkey_local::Engine;
use shadowkey_store_dynamodb::{ChangeStream, create_table};

use crate::session::{Folder, Tables, answer, beside, served};

const VIEWS: &str = r#"
version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
[source.user]
match = { PK = [{ prefix = "USER#" }], SK = ["PROFILE"] }
identity = ["PK"]
[attribute.GSI1SK]
source = "user"
value = "{city}"
[shadow.by-score]
source = "user"
key = { PK = "SCORES", SK = "{score | pad(3)}#{PK}" }
"#;

fn user(id: u32, score: u32) -> Value {
    json!({"PK": {"S": format!("USER#{id}")}, "SK": {"S": "PROFILE"}, "city": {"S": "Porto"}, "score": {"N": score.to_string()}})
}

#[tokio::test]
async fn what_is_loaded_and_what_is_written_is_derived_and_said_once() {
    let folder = Folder::new();
    let views = folder.file("views.toml", VIEWS);
    let items = folder.file("items.jsonl", &user(1, 5).to_string());
    let arguments = ["dev", "--views", &views, "--load", &items, "--port", "0"];
    beside(&arguments, async |out, notices| {
        let tables = Tables::at(&served(notices).await, VIEWS);
        let loaded = "INSERT USER#1 PROFILE: GSI1SK = Porto; +by-score SCORES 005#USER#1";
        assert_eq!(out.lines(1).await, [loaded]);
        tables.put(&user(1, 7)).await;
        let moved = "MODIFY USER#1 PROFILE: +by-score SCORES 007#USER#1; -by-score SCORES 005#USER#1";
        // The put has taken the attribute away.
        let moved = moved.replace(": ", ": GSI1SK = Porto; ");
        assert_eq!(out.lines(2).await[1..], [moved]);
        tables.put(&json!({"PK": {"S": "ORG#1"}, "SK": {"S": "x"}})).await;
        assert_eq!(out.lines(3).await[2..], ["INSERT ORG#1 x: nothing to derive"]);
        tables.delete(&user(1, 0)).await;
        let gone = "REMOVE USER#1 PROFILE: -by-score SCORES 007#USER#1";
        assert_eq!(out.lines(4).await[3..], [gone]);
        let items = tables.items().await;
        assert_eq!(items[&tables.first().name].len(), 1, "{items:?}");
    })
    .await;
}

#[tokio::test]
async fn what_fails_is_said_in_its_line_and_json_stands_alone() {
    let folder = Folder::new();
    let views = folder.file("views.toml", VIEWS);
    let arguments = ["dev", "--views", &views, "--port", "0", "--format", "json"];
    beside(&arguments, async |out, notices| {
        let tables = Tables::at(&served(notices).await, VIEWS);
        tables.put(&user(8, 9810)).await;
        let line: Value = serde_json::from_str(&out.lines(1).await[0]).expect("JSON");
        assert_eq!([&line["event"], &line["key"]["PK"]["S"]], ["INSERT", "USER#8"]);
        assert_eq!(line["attributes"], json!({"GSI1SK": {"S": "Porto"}}));
        assert_eq!(line["problems"][0]["view"], "by-score");
        tables.put(&user(8, 981)).await;
        let line: Value = serde_json::from_str(&out.lines(2).await[1]).expect("JSON");
        assert_eq!([&line["event"], &line["problems"]], [&json!("MODIFY"), &json!([])]);
        assert_eq!(line["puts"][0]["item"]["SK"]["S"], "981#USER#8");
    })
    .await;
}

#[tokio::test]
async fn the_stream_of_another_engine_is_followed() {
    let engine = Engine::start().await.expect("engine");
    let tables = Tables::at(&engine.endpoint_url(), VIEWS);
    create_table(&tables.connection, "app", tables.first(), ChangeStream::On)
        .await
        .expect("table");
    tables.put(&user(1, 5)).await;
    let folder = Folder::new();
    let views = folder.file("views.toml", VIEWS);
    let arguments = ["dev", "--views", &views, "--endpoint-url", &engine.endpoint_url()];
    beside(&arguments, async |out, _| {
        let lines = out.lines(1).await;
        assert_eq!(
            lines,
            ["INSERT USER#1 PROFILE: GSI1SK = Porto; +by-score SCORES 005#USER#1"]
        );
        assert_eq!(tables.items().await[&tables.first().name].len(), 2);
    })
    .await;
}

#[tokio::test]
async fn a_port_that_is_taken_and_a_file_that_is_broken_or_missing_are_named() {
    let folder = Folder::new();
    let views = folder.file("views.toml", VIEWS);
    let engine = Engine::start().await.expect("engine");
    let url = engine.endpoint_url();
    let port = url.rsplit(':').next().expect("a port");
    let taken = answer(&["dev", "--views", &views, "--port", port]).await;
    assert!(
        taken.notices.contains(&format!("cannot listen on port {port}")),
        "{}",
        taken.notices
    );
    let broken = folder.file("broken.toml", "version = 2");
    let broken = answer(&["dev", "--views", &broken, "--port", "0"]).await;
    assert!(broken.notices.contains("SK001"), "{}", broken.notices);
    let missing = answer(&["dev", "--views", &folder.path("no.toml"), "--port", "0"]).await;
    assert!(
        missing.notices.contains("no.toml` cannot be read"),
        "{}",
        missing.notices
    );
    let items = folder.file("items.jsonl", "{\"PK\": {\"S\": \"USER#1\"}}");
    let foreign = answer(&["dev", "--views", &views, "--load", &items, "--port", "0"]).await;
    assert!(
        foreign.notices.contains("the item does not fit the table"),
        "{}",
        foreign.notices
    );
    assert_eq!([taken.exit, broken.exit, missing.exit, foreign.exit], [1, 1, 2, 2]);
    assert_eq!(taken.out + &broken.out + &missing.out + &foreign.out, "");
}

#[tokio::test]
async fn a_table_that_is_missing_or_has_no_whole_stream_is_named() {
    let folder = Folder::new();
    let views = folder.file("views.toml", VIEWS);
    let engine = Engine::start().await.expect("engine");
    let url = engine.endpoint_url();
    let tables = Tables::at(&url, VIEWS);
    let arguments = ["dev", "--views", &views, "--endpoint-url", &url];
    let answer_of = async |message: &str| {
        let answer = answer(&arguments).await;
        assert!(answer.notices.contains(message), "{}", answer.notices);
        assert_eq!((answer.exit, answer.out.as_str()), (1, ""));
    };
    answer_of("there is no table `app`").await;
    create_table(&tables.connection, "app", tables.first(), ChangeStream::Off)
        .await
        .expect("table");
    answer_of("table `app` has no stream").await;
    let stream = StreamSpecification::builder()
        .stream_enabled(true)
        .stream_view_type(StreamViewType::KeysOnly);
    let update = tables.connection.dynamodb().update_table().table_name("app");
    let update = update.stream_specification(stream.build().expect("stream"));
    update.send().await.expect("answer");
    answer_of("is of type KEYS_ONLY").await;
}
