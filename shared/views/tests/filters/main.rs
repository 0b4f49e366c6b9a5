//! The filters of a view file drop no record that derives anything, by an evaluator of Lambda's language that shares nothing
//! with what makes them.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod generate;
mod lambda;
mod worlds;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::Value;
use shadowkey_item::{Item, item_from_json};
use shadowkey_views::{Views, load};

use crate::generate::{Case, cases};
use crate::lambda::passes;

const IMAGES: [&str; 2] = ["OldImage", "NewImage"];

fn image(record: &Value, name: &str) -> Option<Item> {
    let image = record.pointer(&format!("/dynamodb/{name}"))?;
    Some(item_from_json(&image.to_string()).expect("an image"))
}

/// Whether one of the record's images derives anything, or fails to.
fn matters(views: &Views, record: &Value) -> bool {
    IMAGES.iter().filter_map(|name| image(record, name)).any(|image| {
        let derived = views.derive(&image);
        !(derived.attributes.is_empty() && derived.shadows.is_empty() && derived.failures.is_empty())
    })
}

/// The record, and again without each of its images.
fn with_images_missing(record: &Value) -> Vec<Value> {
    let mut records = vec![record.clone()];
    for name in IMAGES {
        let mut record = record.clone();
        let change = record["dynamodb"].as_object_mut().expect("a change");
        if change.remove(name).is_some() {
            records.push(record);
        }
    }
    records
}

/// The first form of the record that matters and does not pass.
fn lost(views: &Views, patterns: &[String], record: &Value) -> Option<Value> {
    let forms = with_images_missing(record);
    forms
        .into_iter()
        .find(|form| matters(views, record) && !passes(patterns, form))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_record_that_derives_something_is_dropped(case in cases()) {
        if let Some(views) = load(&case.file).views {
            let filters = views.filters();
            prop_assert_eq!(lost(&views, &filters.patterns, &case.record), None, "{:?}", filters);
        }
    }
}

/// Random cases whose view files have no errors, always the same ones.
fn sample(count: usize) -> Vec<(Views, Case)> {
    let mut runner = TestRunner::deterministic();
    let drawn = std::iter::repeat_with(|| cases().new_tree(&mut runner).expect("a case").current());
    let loaded = drawn
        .take(count)
        .filter_map(|case| Some((load(&case.file).views?, case)));
    loaded.collect()
}

#[test]
fn the_cases_are_worth_something() {
    let cases = sample(2000);
    let filtered =
        |(views, case): &&(Views, Case)| !views.filters().patterns.is_empty() && matters(views, &case.record);
    let dropped = |(views, case): &&(Views, Case)| !passes(&views.filters().patterns, &case.record);
    let shared = |(views, _): &&(Views, Case)| views.filters().patterns.iter().any(|pattern| pattern.contains("$or"));
    let counts = [
        cases.iter().filter(filtered).count(),
        cases.iter().filter(dropped).count(),
        cases.iter().filter(shared).count(),
    ];
    assert!(
        cases.len() > 1000 && counts.iter().all(|count| *count > 50),
        "{} {counts:?}",
        cases.len()
    );
}

#[test]
fn a_filter_that_is_too_narrow_is_noticed() {
    let without =
        |word: &'static str| move |pattern: &Value| (!pattern.to_string().contains(word)).then(|| pattern.clone());
    let with = |place: &'static str, rule: Value| {
        move |pattern: &Value| {
            let mut pattern = pattern.clone();
            let node = pattern.pointer_mut("/dynamodb").and_then(Value::as_object_mut)?;
            let image = node.entry(place).or_insert_with(|| serde_json::json!({}));
            image.as_object_mut()?.extend(rule.as_object().cloned()?);
            Some(pattern)
        }
    };
    let unmarked = serde_json::json!({"_shadow": {"M": {"view": {"S": [{"exists": false}]}}}});
    let number = serde_json::json!({"b": {"N": ["100"]}});
    let cases = sample(3000);
    let narrowed = |what: &str, change: &dyn Fn(&Value) -> Option<Value>| {
        assert!(cases.iter().any(|case| is_lost_once_changed(case, change)), "{what}");
    };
    narrowed("the old image is not looked at", &without("OldImage"));
    narrowed("the new image is not looked at", &without("NewImage"));
    narrowed("missing images do not pass", &without("eventName"));
    narrowed("whatever carries a marker is dropped", &with("NewImage", unmarked));
    narrowed("a number is looked for by its text", &with("NewImage", number));
}

/// Whether a change to every pattern loses the record.
fn is_lost_once_changed((views, case): &(Views, Case), change: &dyn Fn(&Value) -> Option<Value>) -> bool {
    let patterns = views.filters().patterns;
    let parsed = patterns
        .iter()
        .map(|pattern| serde_json::from_str(pattern).expect("JSON"));
    let mut changed: Vec<String> = parsed
        .filter_map(|pattern| Some(change(&pattern)?.to_string()))
        .collect();
    if changed.is_empty() && !patterns.is_empty() {
        changed.push(r#"{"dynamodb":{"Keys":{"PK":{"S":["nothing"]}}}}"#.to_owned());
    }
    lost(views, &changed, &case.record).is_some()
}
