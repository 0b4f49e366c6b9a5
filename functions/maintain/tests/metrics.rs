//! What an invocation reports, as CloudWatch reads it.

use std::error::Error;

use maintain::Metrics;
use serde_json::{Value, json};
use shadowkey_store::MemoryStore;
use shadowkey_views::load;
use shadowkey_worker::{Settings, Worker};

const VIEWS: &str = r#"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
[state]
table = "state"
[source.ticket]
match = { PK = [{ prefix = "TICKET#" }] }
[shadow.by-rank]
source = "ticket"
key = { PK = "RANK#{rank | pad(2)}#{PK}" }
"#;

fn event(rank: &str, created: Value) -> String {
    let key = json!({ "PK": { "S": "TICKET#1" } });
    let image = json!({ "PK": { "S": "TICKET#1" }, "rank": { "N": rank } });
    json!({ "Records": [{
        "eventName": "INSERT",
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000",
        "dynamodb": {
            "ApproximateCreationDateTime": created, "Keys": key, "NewImage": image, "SequenceNumber": "100",
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    }] })
    .to_string()
}

#[tokio::test]
async fn an_invocation_reports_what_it_did_and_a_view_what_is_parked_of_it() -> Result<(), Box<dyn Error>> {
    let views = load(VIEWS).views.ok_or("views")?;
    let tables = views.tables().into_iter().map(|table| (table.name, table.key));
    let store = MemoryStore::new(tables.collect::<Vec<_>>());
    let worker = Worker::new(views, store, Settings::default(), maintain::system_clock());
    let metrics = Metrics::start()?;

    let outcome = worker.handle(&event("7", json!(1_700_000_000)), None).await?;
    let mut lines = Vec::new();
    metrics.write("request-1", &outcome, None, &mut lines)?;
    let line: Value = serde_json::from_slice(&lines)?;
    assert_eq!(
        (
            &line["requestId"],
            &line["Service"],
            &line["Records"],
            &line["Puts"],
            &line["Parked"]
        ),
        (
            &json!("request-1"),
            &json!("shadowkey"),
            &json!(1),
            &json!(1),
            &Value::Null
        )
    );
    assert!(line["OldestRecordAge"][0].as_f64().ok_or("age")? > 1e9, "{line}");
    let directive = &line["_aws"]["CloudWatchMetrics"][0];
    assert_eq!(
        (&directive["Namespace"], &directive["Dimensions"]),
        (&json!("shadowkey"), &json!([["Service"]]))
    );

    let outcome = worker.handle(&event("700", Value::Null), None).await?;
    let mut lines = Vec::new();
    metrics.write("request-2", &outcome, Some(0), &mut lines)?;
    let lines: Vec<Value> = serde_json::Deserializer::from_slice(&lines)
        .into_iter()
        .collect::<Result<_, _>>()?;
    let [all, view] = &lines[..] else {
        return Err(format!("{lines:?}").into());
    };
    assert_eq!(
        (
            &all["Parked"],
            &all["ParkedEntries"],
            &all["Puts"],
            &all["OldestRecordAge"]
        ),
        (&json!(1), &json!([0.0]), &Value::Null, &Value::Null)
    );
    assert_eq!((&view["View"], &view["Parked"]), (&json!("by-rank"), &json!(1)));
    Ok(())
}
