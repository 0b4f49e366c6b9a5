use shadowkey_item::{KeySchema, item_from_json};

use crate::{Scope, Template};
use shadowkey_item::{KeyAttribute, ScalarType};

/// The message for a value in a template.
fn message(template: &str, value: &str) -> String {
    let item = item_from_json(&format!(r#"{{"a":{value},"id":{{"S":"7"}}}}"#)).expect(value);
    let kind = if template.contains("neg") {
        ScalarType::N
    } else {
        ScalarType::S
    };
    let partition = KeyAttribute {
        name: "id".to_owned(),
        kind: ScalarType::S,
    };
    let source = KeySchema { partition, sort: None }.key_of(&item).expect("key");
    let template = Template::parse(template, kind).expect(template);
    let error = template.render(Scope::item(&item).of_source(Some(&source)));
    error.expect_err(value).to_string()
}

/// Each problem once, and each way out of a wrong type.
const CASES: [(&str, &str); 28] = [
    ("{a}", r#"{"L":[{"S":"x"}]}"#),
    ("{a}", r#"{"M":{"city":{"S":"x"}}}"#),
    ("{a}", r#"{"NS":["1"]}"#),
    ("{a | exact}", r#"{"B":"AAEC"}"#),
    ("{a | upper}", r#"{"N":"1"}"#),
    ("{a | trim}", r#"{"BOOL":true}"#),
    ("{a | exact}", r#"{"N":"1"}"#),
    ("{a | exact}", r#"{"BOOL":true}"#),
    ("{a | desc}", r#"{"N":"1"}"#),
    ("{a | hash(4)}", r#"{"N":"1"}"#),
    ("{a | time}", r#"{"N":"1688999280"}"#),
    ("{a | time(ulid)}", r#"{"BOOL":true}"#),
    ("{a | time(epoch_s)}", r#"{"S":"1688999280"}"#),
    ("{a | pad(3)}", r#"{"S":"many"}"#),
    ("{a | num}", r#"{"BOOL":true}"#),
    ("{a | neg}", r#"{"S":"5"}"#),
    ("{a | pad(3)}", r#"{"N":"-0.5"}"#),
    ("{a | pad(3)}", r#"{"N":"1000"}"#),
    ("{a | pad(3)}", r#"{"N":"1E100"}"#),
    ("{a | pad(3) | desc(100)}", r#"{"N":"101"}"#),
    (
        "{a | time}",
        r#"{"S":"May 26, 1988\nand a text that goes on, and on, and on, and on, and on"}"#,
    ),
    ("{a | time(\"%d %b %Y\")}", r#"{"S":"1988-05-26"}"#),
    ("{a | time(ksuid)}", r#"{"S":"0ujtsYcgvSTl8PAuAdqWYSMnLO"}"#),
    ("{a | time}", r#"{"S":"2023-07-10T14:48"}"#),
    ("{a | time(\"%d.%m.%Y %H:%M\")}", r#"{"S":"10.07.2023 14:48"}"#),
    ("{a | time | ksuid}", r#"{"S":"1999-12-31"}"#),
    ("{a | time}", r#"{"S":"0000-01-01"}"#),
    ("{a | time(epoch_s)}", r#"{"N":"1688999280000"}"#),
];

#[test]
fn each_message_names_path_value_rule_and_way_out() {
    let messages: Vec<String> = CASES.iter().map(|(template, value)| message(template, value)).collect();
    for message in &messages {
        assert!(message.starts_with("`a`: `") && message.contains("; "), "{message}");
    }
    insta::assert_snapshot!(messages.join("\n"), @r#"
    `a`: `{"L":[{"S":"x"}]}` is of type L, and a field takes text, a number or a truth value; name one of its elements, as in `{tags[0]}`, or go over all of them with `for_each`
    `a`: `{"M":{"city":{"S":"x"}}}` is of type M, and a field takes text, a number or a truth value; name a value inside it, as in `{address.city}`
    `a`: `{"NS":["1"]}` is of type NS, and a field takes text, a number or a truth value; go over its elements with `for_each`
    `a`: `{"B":"AAEC"}` is of type B, and `exact` takes text; write the attribute as text, such as its base64
    `a`: `1` is of type N, and an op on text takes text; write the attribute as text, or leave the op out in a view of a new name
    `a`: `true` is of type BOOL, and an op on text takes text; write the attribute as text, or leave the op out in a view of a new name
    `a`: `1` is of type N, and `exact` takes text; write the attribute as text, or use `num`, which orders numbers, in a view of a new name
    `a`: `true` is of type BOOL, and `exact` takes text; write the attribute as text
    `a`: `1` is of type N, and `desc` of text takes text; write the attribute as text, or use `num | desc` in a view of a new name
    `a`: `1` is of type N, and `hash` takes text; write the attribute as text, or use `shard`, which takes any type, in a view of a new name
    `a`: `1688999280` is of type N, and `time` takes text; write the attribute as text, or say its unit, as in `time(epoch_s)`, in a view of a new name
    `a`: `true` is of type BOOL, and `time` takes text; write the attribute as text
    `a`: `1688999280` is of type S, and `time` of an epoch takes a number; write the attribute as a number, or read its text with `time` in a view of a new name
    `a`: `many` is of type S, and `pad` takes a number; write the attribute as a number, or use `exact`, which orders text, in a view of a new name
    `a`: `true` is of type BOOL, and `num` takes a number; write the attribute as a number
    `a`: `5` is of type S, and `neg` takes a number; write the attribute as a number
    `a`: `-0.5` is not a whole number of zero or more, which `pad` needs; write such a number, or use `num`, which orders every number, in a view of a new name
    `a`: `1000` does not fit `pad(3)`; widen it, which needs a new view name, since keys already written keep their width
    `a`: `1000000000000000000000000000000000000000000000000000000000000000…` does not fit `pad(3)`; use `num` instead, which needs a new view name, since keys already written keep their width
    `a`: `101` is more than the 100 of `desc(100)`; raise it, which needs a new view name, since keys already written were made with it
    `a`: `May 26, 1988\nand a text that goes on, and on, and on, and on, an…` is not a time such as `2023-07-10` or `2023-07-10T14:48:00.000Z`; write the attribute so, or have `time` read the format it has, in a view of a new name
    `a`: `1988-05-26` is not a time by the format `%d %b %Y`; write the attribute so, or have `time` read the format it has, in a view of a new name
    `a`: `0ujtsYcgvSTl8PAuAdqWYSMnLO` is not a KSUID; write the attribute so, or read the time from another attribute with `time`
    `a`: `2023-07-10T14:48` is a time of day without zone; write it with `Z` or an offset, or say `time(assume_utc)` in a view of a new name if it is in UTC
    `a`: `10.07.2023 14:48` is a time of day without zone; write it with an offset, and the format with `%z`, or say `time("%d.%m.%Y %H:%M", assume_utc)` in a view of a new name if it is in UTC
    `a`: `1999-12-31` is outside 2014-05-13T16:53:20Z to 2150-06-19T23:21:35Z, which a KSUID can hold; correct the attribute, or use `time` without `ksuid` in a view of a new name
    `a`: `0000-01-01` is outside the years 0001 to 9999, which `time` orders; correct the attribute
    `a`: `1688999280000` is outside the years 0001 to 9999, which `time` orders; correct the attribute, or its unit, which `time(epoch_s)` says: there are `epoch_s`, `epoch_ms` and `epoch_us`; another one needs a new view name
    "#);
}
