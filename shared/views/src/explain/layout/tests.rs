use super::*;
use shadowkey_item::{Item, ScalarType};
use shadowkey_key_codec::{Scope, Template};

/// Each op chain with an input, and what FORMAT.md says of its output.
const FORMS: [(&str, &str, &str); 20] = [
    ("", r#"{"S":"x#y"}"#, "text none"),
    (" | trim | lower", r#"{"S":" X "}"#, "text none lossy"),
    (" | prefix(1)", r#"{"S":"xy"}"#, "text none lossy"),
    (r#" | default("a } | b \" c")"#, r#"{"S":"x"}"#, "text none lossy"),
    (" | pad(3)", r#"{"N":"7"}"#, "3 ascending"),
    (" | pad(3) | desc", r#"{"N":"7"}"#, "3 descending"),
    (" | pad(3) | desc(100)", r#"{"N":"7"}"#, "3 descending"),
    (" | num", r#"{"N":"-7"}"#, ".: ascending"),
    (" | num | desc", r#"{"N":"-7"}"#, ".: descending"),
    (" | time", r#"{"S":"2024-01-01"}"#, "24 ascending lossy"),
    (r#" | time("%d } %b %Y")"#, r#"{"S":"x"}"#, "24 ascending lossy"),
    (" | time | desc", r#"{"S":"2024-01-01"}"#, "15 descending lossy"),
    (" | time(epoch_s)", r#"{"N":"7"}"#, "24 ascending lossy"),
    (" | time | ksuid", r#"{"S":"2024-01-01"}"#, "27 second lossy"),
    (" | shard(8)", r#"{"S":"x"}"#, "2 none lossy"),
    (" | shard(1000)", r#"{"S":"x"}"#, "3 none lossy"),
    (" | upper | hash(16)", r#"{"S":"x"}"#, "16 none lossy"),
    (" | exact", r#"{"S":"x"}"#, "\u{1} ascending"),
    (" | exact | desc", r#"{"S":"x"}"#, "~ descending"),
    (" | desc", r#"{"S":"x"}"#, "~ descending"),
];

fn only_field(part: &KeyPart) -> &Field {
    part.pieces.iter().find_map(Piece::as_field).expect("field")
}

#[test]
fn each_form_is_told_as_the_format_has_it() {
    for (ops, _, expected) in FORMS {
        let template = Template::parse(&format!("A{{{{{{x{ops}}}#"), ScalarType::S).expect(ops);
        let part = of_template("SK", Role::SortKey, &template);
        let field = only_field(&part);
        let spelled: String = part.pieces.iter().map(Piece::spelling).collect();
        assert_eq!(spelled, template.to_string(), "every op is found");
        let output = match &field.output {
            Output::Fixed { bytes } => bytes.to_string(),
            Output::Text { escaped } => {
                assert_eq!(escaped, &['#', '%']);
                "text".to_owned()
            }
            Output::SelfDelimiting { ends_with } => ends_with.iter().collect(),
            Output::Number => "number".to_owned(),
        };
        let order = serde_json::to_value(field.order).expect("order");
        let lossy = if field.lossy { " lossy" } else { "" };
        assert_eq!(
            format!("{output} {}{lossy}", order.as_str().expect("text")),
            expected,
            "{ops}"
        );
    }
}

/// What the codec renders and reads back is as the layout says.
#[test]
fn widths_ends_and_losses_are_those_of_rendered_values() {
    for (ops, input, _) in FORMS.into_iter().filter(|(ops, ..)| !ops.contains("%d }")) {
        let template = Template::parse(&format!("{{x{ops}}}"), ScalarType::S).expect(ops);
        let part = of_template("SK", Role::SortKey, &template);
        let field = only_field(&part);
        let item: Item = serde_json::from_str(&format!(r#"{{"x":{input},"id":{{"S":"7"}}}}"#)).expect("item");
        let schema = shadowkey_item::KeySchema {
            partition: shadowkey_item::KeyAttribute {
                name: "id".to_owned(),
                kind: ScalarType::S,
            },
            sort: None,
        };
        let key = schema.key_of(&item).expect("key");
        let value = template.render(Scope::item(&item).of_source(Some(&key)));
        let value = value.expect(ops).expect(ops);
        let decoded = template.decode(&value).expect(ops);
        assert_eq!(field.lossy, decoded[0].lossy, "{ops}");
        let text = value.as_s().expect("text");
        match &field.output {
            Output::Fixed { bytes } => assert_eq!(text.len(), *bytes, "{ops}"),
            Output::SelfDelimiting { ends_with } => assert!(text.ends_with(ends_with.as_slice()), "{ops}: {text}"),
            Output::Text { escaped } => assert!(escaped.is_empty()),
            Output::Number => panic!("{ops}"),
        }
    }
}

#[test]
fn a_part_is_ordered_when_only_its_last_field_is_plain() {
    let ordered = |text: &str| {
        let template = Template::parse(text, ScalarType::S).expect(text);
        of_template("SK", Role::SortKey, &template).ordered
    };
    assert!(ordered("{a | time}#{b}"));
    assert!(ordered("{a | exact}{b | num | desc}"));
    assert!(!ordered("{a}#{b | time}"), "`New York#` sorts before `New#`");
    assert!(!ordered("{a | shard(2)}{b | time}"));
    assert!(!ordered("{a | time | ksuid}{b}"), "only the second is ordered");
}
