//! Lambda's filter pattern language, from its documentation, for the patterns that a test looks at.
//!
//! "Control which events Lambda sends to your function" lists the operators and the limits; "Event patterns" and "Comparison
//! operators" of the EventBridge user guide, which it refers to, say how arrays and missing fields match. Where they leave
//! something open, such as the case of letters beyond ASCII, the answer here is that it does not match.

use serde_json::{Map, Value};

/// Whether an event source mapping with these filters hands a record to its function.
pub(crate) fn passes(patterns: &[String], record: &Value) -> bool {
    assert!(patterns.len() <= 5, "{} filters", patterns.len());
    let matches_one = |text: &String| {
        assert!(text.chars().count() <= 4096, "{} characters", text.chars().count());
        let pattern: Value = serde_json::from_str(text).expect("a pattern is JSON");
        let pattern = pattern.as_object().expect("a pattern is an object");
        assert!(!pattern.is_empty(), "a pattern has conditions");
        node_matches(pattern, Some(record))
    };
    patterns.is_empty() || patterns.iter().any(matches_one)
}

fn node_matches(pattern: &Map<String, Value>, node: Option<&Value>) -> bool {
    pattern.iter().all(|(field, rule)| match rule {
        Value::Array(alternatives) if field == "$or" => {
            let alternatives = alternatives
                .iter()
                .map(|alternative| alternative.as_object().expect("an alternative"));
            assert!(alternatives.len() > 1, "`$or` has several alternatives");
            alternatives
                .into_iter()
                .any(|alternative| node_matches(alternative, node))
        }
        Value::Array(rules) => {
            assert!(!rules.is_empty(), "a leaf has a rule");
            leaf_matches(rules, field_of(node, field))
        }
        Value::Object(inner) => match field_of(node, field) {
            Some(Value::Array(elements)) => elements.iter().any(|element| node_matches(inner, Some(element))),
            below => node_matches(inner, below),
        },
        other => panic!("`{other}` is neither a rule nor a node"),
    })
}

fn field_of<'a>(node: Option<&'a Value>, field: &str) -> Option<&'a Value> {
    node.and_then(|node| node.get(field))
}

/// A leaf is a plain value or an array of such; a field that is missing or has fields of its own is none.
fn leaf_matches(rules: &[Value], field: Option<&Value>) -> bool {
    let values: Vec<&Value> = match field {
        Some(Value::Array(elements)) => elements.iter().filter(|element| !element.is_object()).collect(),
        Some(Value::Object(_)) | None => Vec::new(),
        Some(plain) => vec![plain],
    };
    rules.iter().any(|rule| match rule {
        Value::Object(operator) => {
            let [(name, operand)] = operator.iter().collect::<Vec<_>>()[..] else {
                panic!("`{rule}` is not one operator")
            };
            operator_matches(name, operand, &values)
        }
        literal => values.contains(&literal),
    })
}

fn operator_matches(name: &str, operand: &Value, values: &[&Value]) -> bool {
    let text = |holds: fn(&str, &str) -> bool| {
        let wanted = operand.as_str().expect("the operand is text");
        values
            .iter()
            .any(|value| value.as_str().is_some_and(|value| holds(value, wanted)))
    };
    match name {
        "prefix" => text(|value, wanted| value.starts_with(wanted)),
        "suffix" => text(|value, wanted| value.ends_with(wanted)),
        "equals-ignore-case" => text(str::eq_ignore_ascii_case),
        "exists" => operand.as_bool().expect("true or false") != values.is_empty(),
        "anything-but" => {
            let excluded = operand.as_array().expect("a list");
            assert!(excluded.iter().all(Value::is_string), "a list of texts");
            values.iter().any(|value| !excluded.contains(value))
        }
        other => panic!("`{other}` is no operator that is used, or none that Lambda has"),
    }
}

#[test]
fn the_documented_traps_are_traps_here() {
    let record = serde_json::json!({"dynamodb": {"NewImage": {
        "_shadow": {"M": {"view": {"S": "v"}}}, "n": {"N": "5"}, "set": {"SS": ["a", "b"]}, "list": {"L": [{"S": "x"}, {"S": "y"}]}
    }}});
    let image = |pattern: &str| passes(&[format!(r#"{{"dynamodb":{{"NewImage":{pattern}}}}}"#)], &record);
    assert!(image(r#"{"_shadow":[{"exists":false}]}"#), "exists looks at leaves");
    assert!(!image(r#"{"_shadow":{"M":{"view":{"S":[{"exists":false}]}}}}"#));
    assert!(
        image(r#"{"n":{"N":["5"]}}"#) && !image(r#"{"n":{"N":[5]}}"#),
        "a number is text"
    );
    assert!(!image(r#"{"missing":{"S":[{"anything-but":["a"]}]}}"#));
    assert!(
        image(r#"{"set":{"SS":["b"]}}"#) && image(r#"{"list":{"L":{"S":["y"]}}}"#),
        "one element is enough"
    );
    assert!(image(r#"{"$or":[{"n":{"N":["6"]}},{"set":{"SS":["a"]}}]}"#));
}
