use serde_json::{Value, json};
use shadowkey_item::{KeyAttribute, ScalarType};

use super::*;
use crate::coalesce;

fn schema() -> KeySchema {
    KeySchema {
        partition: KeyAttribute {
            name: "id".to_owned(),
            kind: ScalarType::S,
        },
        sort: None,
    }
}

/// A record as a stream carries it, of the item `id`.
fn wire(event: &str, number: &str, id: &str, old: Option<&str>, new: Option<&str>) -> Value {
    let image = |title: &str| json!({ "id": { "S": id }, "title": { "S": title } });
    let mut change = json!({
        "ApproximateCreationDateTime": 1_689_000_000,
        "Keys": { "id": { "S": id } },
        "SequenceNumber": number,
        "SizeBytes": 59,
        "StreamViewType": "NEW_AND_OLD_IMAGES",
    });
    if let Some(old) = old {
        change["OldImage"] = image(old);
    }
    if let Some(new) = new {
        change["NewImage"] = image(new);
    }
    json!({
        "eventID": "1", "eventName": event, "eventVersion": "1.1", "eventSource": "aws:dynamodb", "awsRegion": "eu-central-1",
        "dynamodb": change,
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000",
    })
}

fn decode_all(records: &[Value]) -> Vec<Result<Record, RecordError>> {
    decode(&json!({ "Records": records }).to_string(), &schema(), None).expect("batch")
}

fn modify() -> Value {
    wire("MODIFY", "111", "a", Some("x"), Some("y"))
}

#[test]
fn fields_that_no_view_needs_may_be_missing_or_odd() {
    let expected = decode_all(&[modify()]).remove(0).expect("record");
    let with = |edit: &dyn Fn(&mut Value)| {
        let mut record = modify();
        edit(&mut record);
        decode_all(&[record]).remove(0)
    };
    let times = [
        (json!(1_689_000_000), Some(1_689_000_000_000)),
        (json!(1_689_000_000.123_456), Some(1_689_000_000_123)),
        (json!(1.689e9), Some(1_689_000_000_000)),
        (json!(1_689_000_000_123_u64), Some(1_689_000_000_123)),
        (json!(1_689_000_000_123_456_u64), Some(1_689_000_000_123)),
        (json!(null), None),
        (json!(-1), None),
        (json!("x"), None),
    ];
    for (time, created_ms) in times {
        let record = with(&|record| record["dynamodb"]["ApproximateCreationDateTime"] = time.clone());
        let expected = Record {
            created_ms,
            ..expected.clone()
        };
        assert_eq!(record.ok(), Some(expected), "{time}");
    }
    for view_type in [json!("SOMETHING_NEW"), json!(null), json!(7)] {
        let record = with(&|record| record["dynamodb"]["StreamViewType"] = view_type.clone());
        assert_eq!(record.ok().as_ref(), Some(&expected), "{view_type}");
    }
    for field in ["SizeBytes", "StreamViewType"] {
        let record = with(&|record| drop(record["dynamodb"].as_object_mut().expect("object").remove(field)));
        assert_eq!(record.ok().as_ref(), Some(&expected), "{field}");
    }
    for field in ["eventID", "awsRegion", "eventSource", "eventVersion"] {
        let record = with(&|record| drop(record.as_object_mut().expect("object").remove(field)));
        assert_eq!(record.ok().as_ref(), Some(&expected), "{field}");
    }
    let size = with(&|record| record["dynamodb"]["SizeBytes"] = json!(59.5));
    assert_eq!(size.ok().as_ref(), Some(&expected));
    let ttl =
        with(&|record| record["userIdentity"] = json!({ "type": "Service", "principalId": "dynamodb.amazonaws.com" }));
    assert_eq!(ttl.ok().as_ref(), Some(&expected));
}

#[test]
fn numbers_stay_exact() {
    let mut record = modify();
    record["dynamodb"]["NewImage"]["n"] = json!({ "N": "123456789012345678901234567890" });
    let record = decode_all(&[record]).remove(0).expect("record");
    let n = record.new.expect("new").get("n").cloned().expect("n");
    assert_eq!(n.as_n().expect("number").as_str(), "123456789012345678901234567890");
}

/// A record that was changed, between two that were not.
fn odd(edit: impl Fn(&mut Value)) -> Result<Record, RecordError> {
    let mut record = modify();
    edit(&mut record);
    let mut decoded = decode_all(&[modify(), record, modify()]);
    assert!(decoded[0].is_ok() && decoded[2].is_ok());
    decoded.remove(1)
}

#[test]
fn a_record_without_its_key_fails_alone_and_keeps_its_number() {
    let error = odd(|record| record["dynamodb"]["Keys"] = json!({ "other": { "S": "a" } })).expect_err("no key");
    assert!(matches!(error.problem, RecordProblem::Key(_)));
    let number = error.sequence_number.map(|number| number.to_string());
    assert_eq!((error.position, number.as_deref()), (1, Some("111")));
    let nothing = odd(|record| *record = json!([])).expect_err("no record");
    assert!(matches!(nothing.problem, RecordProblem::Json(_)) && nothing.sequence_number.is_none());
}

#[test]
fn a_record_that_is_not_readable_beyond_its_key_names_its_item() {
    let unreadable = |edit: &dyn Fn(&mut Value), reason: &str| {
        let record = odd(edit).expect("record");
        assert!(
            matches!(&record.flaw, Some(Flaw::Unreadable(why)) if why.contains(reason)),
            "{:?}",
            record.flaw
        );
        assert!(record.version.is_some() && record.sequence_number.is_some());
        assert_eq!(record.key.attributes()["id"], "a".into());
    };
    unreadable(&|record| record["dynamodb"]["NewImage"]["x"] = json!({ "Q": 1 }), "Q");
    unreadable(
        &|record| record["dynamodb"]["NewImage"]["n"] = json!({ "N": "NaN" }),
        "NaN",
    );
    unreadable(&|record| record["eventName"] = json!("UPSERT"), "UPSERT");
    unreadable(
        &|record| record["dynamodb"]["NewImage"]["id"] = json!({ "S": "b" }),
        "another key",
    );
}

#[test]
fn a_record_without_a_version_keeps_its_images() {
    let record = odd(|record| record["eventSourceARN"] = json!("stream-ARN")).expect("record");
    assert_eq!((record.flaw, record.version), (Some(Flaw::NoVersion), None));
    assert!(record.sequence_number.is_some() && record.old.is_some() && record.new.is_some());
    for number in [json!("12x"), json!(null), json!("")] {
        let record = odd(|record| record["dynamodb"]["SequenceNumber"] = number.clone()).expect("record");
        assert_eq!(
            (record.flaw, record.sequence_number),
            (Some(Flaw::NoVersion), None),
            "{number}"
        );
    }
}

#[test]
fn a_stream_without_both_images_stops_the_function() {
    for view_type in PARTIAL_VIEW_TYPES {
        let mut record = modify();
        record["dynamodb"]["StreamViewType"] = json!(view_type);
        let event = json!({ "Records": [modify(), record] }).to_string();
        assert!(
            matches!(decode(&event, &schema(), None), Err(BatchError::ViewType { .. })),
            "{view_type}"
        );
    }
    assert!(matches!(decode("{}", &schema(), None), Err(BatchError::NotABatch(_))));
}

#[test]
fn images_that_do_not_fit_the_event_are_a_flaw() {
    let missing = Some(Flaw::ImageMissing);
    for (event, old, new, flaw) in [
        ("INSERT", None, Some("x"), None),
        ("INSERT", None, None, missing.clone()),
        ("MODIFY", Some("x"), Some("y"), None),
        ("MODIFY", None, Some("y"), missing.clone()),
        ("REMOVE", Some("x"), None, None),
        ("REMOVE", None, None, missing.clone()),
        ("REMOVE", Some("x"), Some("y"), missing.clone()),
        ("INSERT", Some("x"), Some("y"), missing.clone()),
    ] {
        let record = decode_all(&[wire(event, "1", "a", old, new)])
            .remove(0)
            .expect("record");
        assert_eq!(record.flaw, flaw, "{event} {old:?} {new:?}");
        assert_eq!(coalesce([record]).remove(0).flaw, flaw);
    }
}

#[test]
fn records_of_one_item_become_one_change_with_its_whole_chain() {
    let records = decode_all(&[
        wire("MODIFY", "8", "a", Some("1"), Some("2")),
        wire("INSERT", "9", "b", None, Some("1")),
        wire("MODIFY", "10", "a", Some("2"), Some("3")),
        wire("REMOVE", "11", "a", Some("3"), None),
        wire("INSERT", "12", "a", None, Some("4")),
    ]);
    let changes = coalesce(records.into_iter().map(|record| record.expect("record")));
    let [a, b] = changes.as_slice() else {
        panic!("{changes:?}")
    };
    let titles = |change: &shadowkey_plan::Change| {
        let title = |image: &Option<Item>| {
            image
                .as_ref()
                .map(|item| item["title"].as_s().expect("title").to_owned())
        };
        change.chain.iter().map(title).collect::<Vec<_>>()
    };
    let some = |title: &str| Some(title.to_owned());
    assert_eq!(titles(a), [some("1"), some("2"), some("3"), None, some("4")]);
    assert_eq!(a.position, 0);
    assert!(
        a.version
            .as_str()
            .ends_with("#0000000000000000000000000000000000000012")
    );
    assert_eq!((titles(b), b.position), (vec![None, some("1")], 1));
}

#[test]
fn a_batch_of_another_tables_stream_is_refused_whole() {
    let of = |arn: Value| {
        let mut record = modify();
        record["eventSourceARN"] = arn;
        record
    };
    let of_table = |table: &str| {
        of(json!(format!(
            "arn:aws:dynamodb:eu-central-1:1:table/{table}/stream/2026"
        )))
    };
    let records = |first: Value, second: Value| json!({ "Records": [first, second] }).to_string();
    let mixed = records(of_table("app"), of_table("billing"));
    let error = decode(&mixed, &schema(), Some("app")).expect_err("another table");
    assert!(matches!(&error, BatchError::OtherTable { expected, found } if expected == "app" && found == "billing"));
    assert!(decode(&mixed, &schema(), None).is_ok());
    let unnamed = records(of(Value::Null), of_table("app"));
    assert!(decode(&unnamed, &schema(), Some("app")).is_ok());
}
