use shadowkey_item::{Item, ScalarType, item_from_json};

use super::*;
use crate::ValueProblem;

/// Renders a text template over an item.
fn render(template: &str, item: &str) -> Result<Option<String>, ValueError> {
    let item = item_from_json(item).expect(item);
    let template = Template::parse(template, ScalarType::S).unwrap_or_else(|error| panic!("{template}: {error}"));
    let value = template.render(Scope::item(&item))?;
    Ok(value.map(|value| value.as_s().expect("text").to_owned()))
}

fn problem(template: &str, kind: ScalarType) -> (TemplateProblem, Range<usize>) {
    let error = Template::parse(template, kind).expect_err(template);
    (error.problem, error.span)
}

use std::ops::Range;

fn some(text: &str) -> Result<Option<String>, ValueError> {
    Ok(Some(text.to_owned()))
}

#[test]
fn literals_and_fields_alternate() {
    let item = r#"{"a":{"S":"x"},"n":{"N":"1E2"},"t":{"BOOL":true},"m":{"M":{"c.d":{"L":[{"S":"deep"}]}}}}"#;
    assert_eq!(render("A#{a}#{n}#{t}", item), some("A#x#100#true"));
    assert_eq!(render("{{{a}}}", item), some("{x}"));
    assert_eq!(render("{ m.'c.d'[0] }", item), some("deep"));
    assert_eq!(render("only text", item), some("only text"));
}

#[test]
fn a_missing_null_or_empty_input_leaves_the_view() {
    for item in [r#"{"b":{"S":"y"}}"#, r#"{"a":{"NULL":true}}"#, r#"{"a":{"S":""}}"#] {
        assert_eq!(render("A#{a}", item), Ok(None), "{item}");
        assert_eq!(render("A#{a | default(\"none\")}", item), some("A#none"), "{item}");
    }
    assert_eq!(render("A#{a | trim}", r#"{"a":{"S":"  "}}"#), Ok(None));
    assert_eq!(render("A#{a | default(\"x\") | trim}", r#"{"a":{"S":"  "}}"#), Ok(None));
    assert_eq!(render("{a | default(\"7\") | pad(3)}", "{}"), some("007"));
}

#[test]
fn text_before_a_literal_escapes_the_literals_first_character_and_percent() {
    assert_eq!(
        render("{a}_{b}", r#"{"a":{"S":"x_y%z#"},"b":{"S":"c_d%"}}"#),
        some("x%5Fy%25z#_c_d%")
    );
    assert_eq!(render("{a}é", r#"{"a":{"S":"café"}}"#), some("caf%C3%A9é"));
    assert_eq!(
        render("{a}_{b}", r#"{"a":{"S":"New York, NY, USA"},"b":{"S":"Company XYZ"}}"#),
        some("New York, NY, USA_Company XYZ")
    );
}

#[test]
fn different_inputs_never_give_one_key() {
    let key = |a: &str, b: &str| {
        let item = format!(r#"{{"a":{{"S":"{a}"}},"b":{{"S":"{b}"}}}}"#);
        render("{a}#{b}", &item).expect(&item).expect(&item)
    };
    let texts = ["x", "x#", "#x", "#", "%23", "%", "%2", "x%23#", "##"];
    let mut seen = std::collections::BTreeMap::new();
    for a in texts {
        for b in texts {
            if let Some(other) = seen.insert(key(a, b), (a, b)) {
                panic!("{other:?} and {:?} give one key", (a, b));
            }
        }
    }
}

#[test]
fn numbers_pad_to_fixed_width_and_invert() {
    let rating = |template: &str, n: &str| render(template, &format!(r#"{{"n":{{"N":"{n}"}}}}"#));
    assert_eq!(rating("{n | pad(3)}", "2"), some("002"));
    assert_eq!(rating("{n | pad(3)}", "10.0"), some("010"));
    assert_eq!(rating("{n | pad(3) | desc}", "10"), some("989"));
    assert_eq!(rating("{n | pad(3) | desc(100)}", "10"), some("090"));
    assert_eq!(rating("{n | pad(3)}#", "10"), some("010#"));
    let wide = "12345678901234567890123456789012345678";
    assert_eq!(rating("{n | pad(38)}", wide), some(wide));
    assert_eq!(
        rating("{n | pad(38) | desc}", wide),
        some("87654321098765432109876543210987654321")
    );
}

#[test]
fn a_number_that_does_not_fit_is_an_error_and_never_a_wrong_key() {
    let error = |template: &str, value: &str| {
        let item = format!(r#"{{"rating":{value}}}"#);
        render(template, &item).expect_err(&item).to_string()
    };
    assert_eq!(
        error("{rating | pad(3)}", r#"{"N":"1000"}"#),
        "`rating`: `1000` does not fit `pad(3)`; widen it, which needs a new view name, since keys already written keep their width"
    );
    for (value, part) in [
        (r#"{"N":"-1"}"#, "not a whole number"),
        (r#"{"N":"1.5"}"#, "not a whole number"),
        (r#"{"N":"1E125"}"#, "does not fit"),
        (r#"{"S":"10"}"#, "is of type S"),
        (r#"{"L":[]}"#, "is of type L"),
    ] {
        assert!(error("{rating | pad(3)}", value).contains(part), "{value}");
    }
    assert!(error("{rating | pad(3) | desc(100)}", r#"{"N":"101"}"#).contains("more than the 100"));
}

#[test]
fn text_ops_take_text_only() {
    assert_eq!(
        render("{a | trim | upper}", r#"{"a":{"S":" VanDyke "}}"#),
        some("VANDYKE")
    );
    assert_eq!(render("{a | upper}", r#"{"a":{"S":"straße"}}"#), some("STRASSE"));
    assert_eq!(render("{a | lower}", r#"{"a":{"S":"ΟΔΟΣ"}}"#), some("οδος"));
    let error = render("{a | upper}", r#"{"a":{"N":"1"}}"#).expect_err("a number");
    assert_eq!(error.problem.code(), "wrong-type");
    let long = format!(r#"{{"a":{{"L":[{{"S":"{}"}}]}}}}"#, "x".repeat(500));
    let error = render("{a}", &long).expect_err("a list").to_string();
    assert!(error.contains('…') && error.len() < 250, "{error}");
}

#[test]
fn a_failure_is_reported_though_another_input_is_missing() {
    let error = render("{missing}#{n | pad(1)}", r#"{"n":{"N":"10"}}"#).expect_err("too wide");
    assert!(matches!(*error.problem, ValueProblem::TooWide { width: 1, .. }));
}

#[test]
fn numbers_stay_numbers_in_templates_of_type_n() {
    let number = |template: &str, item: &str| {
        let item = item_from_json(item).expect(item);
        Template::parse(template, ScalarType::N)
            .expect(template)
            .render(Scope::item(&item))
            .map(|value| value.map(|value| value.as_n().expect("number").to_string()))
    };
    let big = r#"{"n":{"N":"18446744073709551617"}}"#;
    assert_eq!(number("{n}", big), some("18446744073709551617"));
    assert_eq!(number("{n | neg}", big), some("-18446744073709551617"));
    assert_eq!(number("{n | default(\"1E1\")}", "{}"), some("10"));
    assert_eq!(number("{n | neg}", "{}"), Ok(None));
    let text = number("{n}", r#"{"n":{"S":"1"}}"#).expect_err("text");
    assert_eq!(text.problem.code(), "wrong-type");
}

#[test]
fn an_element_hides_an_attribute_of_its_name() {
    let item = item_from_json(r#"{"tag":{"S":"attribute"},"id":{"S":"1"}}"#).expect("item");
    let element = item_from_json(r#"{"e":{"M":{"name":{"S":"x"}}}}"#).expect("item");
    let scope = Scope::item(&item).with_element("tag", element.get("e").expect("e"));
    let rendered = |template: &str| Template::parse(template, ScalarType::S).expect(template).render(scope);
    assert_eq!(rendered("{tag.name}#{id}"), Ok(Some("x#1".into())));
    assert!(rendered("{tag}").is_err());
}

#[test]
fn a_template_that_cannot_work_names_the_place() {
    use TemplateProblem as P;
    let text = |template: &str| problem(template, ScalarType::S);
    assert_eq!(text(""), (P::Empty, 0..0));
    assert_eq!(text("a{b"), (P::UnclosedField, 1..3));
    assert_eq!(text("a}b"), (P::StrayBrace, 1..2));
    assert!(matches!(text("{}"), (P::Path(_), span) if span == (1..2)));
    assert!(matches!(text("{a b}"), (P::Expected { .. }, span) if span == (3..4)));
    assert_eq!(text("{a | flod}"), (P::UnknownOp { name: "flod".into() }, 5..9));
    assert_eq!(text("{a}{b}"), (P::Adjacent, 0..3));
    assert_eq!(text("{a}%b"), (P::PercentLiteral, 3..5));
    assert_eq!(text("{a | neg}"), (P::NumberForText, 0..9));
    for bad in [
        "{a | pad}",
        "{a | pad(0)}",
        "{a | pad(39)}",
        "{a | pad(\"3\")}",
        "{a | pad(2) | desc(100)}",
    ] {
        assert!(matches!(text(bad), (P::Arguments { .. }, _)), "{bad}");
    }
    for bad in [
        "{a | prefix(0)}",
        "{a | shard(1)}",
        "{a | hash(65)}",
        "{a | num(3)}",
        "{a | desc(3)}",
        "{a | time(5)}",
        "{a | time(soon)}",
        "{a | time(epoch_s, assume_utc)}",
        "{a | default(\"\")}",
        "{a | upper(1)}",
    ] {
        assert!(matches!(text(bad), (P::Arguments { .. }, _)), "{bad}");
    }
    for bad in [
        "{a | pad(3) | num}",
        "{a | neg | desc}",
        "{a | ksuid}",
        "{a | time | desc | ksuid}",
        "{a | shard(8) | desc}",
        "{a | hash(8) | upper}",
        "{a | upper | num}",
        "{a | exact | exact}",
        "{a | desc | upper}",
        "{a | upper | pad(3)}",
        "{a | pad(3) | upper}",
        "{a | time | time}",
        "{a | pad(3) | desc | desc}",
        "{a | trim | default(\"x\")}",
        "{a | upper | time(epoch_s)}",
    ] {
        assert!(matches!(text(bad), (P::Sequence { .. }, _)), "{bad}");
    }
    for format in [
        "%",
        "",
        "%Y",
        "%Y-%m",
        "%d %b %Y %Z",
        "%Y-%m-%d %H:%M %Q",
        "%Y-%m-%d %M:%S",
        "%Y-%m-%d %z",
        "%s%.f",
        "%Y-%m-%d %I:%M",
    ] {
        let template = format!("{{a | time(\"{format}\")}}");
        assert!(matches!(text(&template), (P::TimeFormat { .. }, _)), "{format}");
    }
    assert!(matches!(text("{a | default(\" \") | trim}"), (P::Arguments { .. }, _)));
    assert!(matches!(text("{a | default(\"x\") | time}"), (P::Default(_), _)));
    assert!(matches!(
        text("{a | default(\"1999-01-01\") | time | ksuid}"),
        (P::Default(ValueProblem::KsuidRange { .. }), _)
    ));
    assert!(Template::parse("{a | default(\"2023-07-10\") | time | ksuid}", ScalarType::S).is_ok());
    assert!(matches!(
        text("{a | default(\"x\") | pad(3)}"),
        (P::Arguments { .. }, _)
    ));
    assert_eq!(problem("{a}#", ScalarType::N).0, P::NotOneNumber);
    assert_eq!(problem("{a | upper}", ScalarType::N).0, P::TextForNumber);
    assert_eq!(problem("{a}", ScalarType::B).0, P::Type(ScalarType::B));
}

#[test]
fn fixed_widths_may_stand_before_a_field() {
    assert_eq!(
        render(
            "{n | pad(2)}{t | time}{a}",
            r#"{"n":{"N":"7"},"t":{"S":"2023-07-10"},"a":{"S":"x"}}"#
        ),
        some("072023-07-10T00:00:00.000Zx")
    );
}

#[test]
fn a_template_prints_its_canonical_spelling() {
    for (given, canonical) in [
        (
            "A#{ a|upper }#{n|pad( 3 )|desc}",
            "A#{a | upper}#{n | pad(3) | desc(999)}",
        ),
        (
            "{t | time(\"%d %b\\\" %Y\",assume_utc) | desc}{{",
            "{t | time(\"%d %b\\\" %Y\", assume_utc) | desc}{{",
        ),
        (
            "{'a b'.c | default(\"q\") | lower}",
            "{'a b'.c | default(\"q\") | lower}",
        ),
        ("{t | time(epoch_ms)}", "{t | time(epoch_ms)}"),
    ] {
        let template = Template::parse(given, ScalarType::S).expect(given);
        assert_eq!(template.to_string(), canonical);
        assert_eq!(Template::parse(canonical, ScalarType::S).expect(canonical), template);
    }
}

#[test]
fn a_prefix_takes_only_what_is_given() {
    let prefix = |template: &str, item: &str| {
        let item = item_from_json(item).expect(item);
        let template = Template::parse(template, ScalarType::S).expect(template);
        template.prefix(Scope::item(&item)).expect("prefix")
    };
    let start = |text: &str| KeyPrefix::Start(text.to_owned());
    assert_eq!(prefix("{a}#{b}", r#"{"a":{"S":"Ord"}}"#), start("Ord#"));
    assert_eq!(prefix("{a}#{b | default(\"n\")}", r#"{"a":{"S":"q"}}"#), start("q#"));
    assert_eq!(prefix("A#{a | default(\"n\")}#{b}", r#"{"b":{"S":"q"}}"#), start("A#"));
    assert_eq!(prefix("{a | num}{b}", r#"{"a":{"N":"1"}}"#), start("21301."));
    let whole = KeyPrefix::Whole("q#x".into());
    assert_eq!(prefix("{a}#{b}", r#"{"a":{"S":"q"},"b":{"S":"x"}}"#), whole);
    let ksuid = prefix("{t | time | ksuid}#{a}", r#"{"t":{"S":"2023-07-10"},"a":{"S":"x"}}"#);
    assert_eq!(
        ksuid,
        start(""),
        "a KSUID is of one source item, and it is not known which"
    );
}

#[test]
fn a_number_that_is_no_time_is_not_decoded_to_one() {
    let decode = |template: &str, number: &str| {
        let number = AttributeValue::N(number.parse().expect(number));
        Template::parse(template, ScalarType::N)
            .expect(template)
            .decode(&number)
    };
    assert!(decode("{t | time}", "253402300799999").is_some());
    assert!(decode("{t | time}", "253402300800000").is_none());
    assert!(decode("{t | time | neg}", "62135596800001").is_none());
}

#[test]
fn canonically_equivalent_text_folds_alike() {
    let fold = |text: &str| {
        let item = Item::from([("a".to_owned(), text.into())]);
        Template::parse("{a | fold}", ScalarType::S)
            .expect("template")
            .render(Scope::item(&item))
            .expect("rendered")
    };
    assert_eq!(fold("\u{1f80}\u{301}"), fold("\u{1f04}\u{345}"));
    assert_eq!(fold("\u{3b1}\u{307}\u{345}"), fold("\u{3b1}\u{345}\u{307}"));
}

/// Whether a template takes a text key apart.
fn decodes(template: &str, key: &str) -> bool {
    let template = Template::parse(template, ScalarType::S).expect(template);
    template.decode(&AttributeValue::S(key.to_owned())).is_some()
}

#[test]
fn what_the_ops_never_give_is_not_decoded() {
    for (template, own, foreign) in [
        ("{a | shard(8)}", "07", "08"),
        ("{a | shard(8)}", "00", "0a"),
        ("{a | shard(101)}", "100", "101"),
        ("{a | hash(2)}", "0f", "0F"),
        ("{a | upper}", "AB", "Ab"),
        ("{a | lower}", "ab", "Ab"),
        ("{a | fold}", "ab", "AB"),
        ("{a | fold}", "ff", "ﬀ"),
        ("{a | trim}", "a b", "a "),
        ("{a | nfc}", "é", "e\u{301}"),
        ("{a | prefix(2)}", "éé", "ééé"),
        ("{a | fold}#{b}", "a%23#B", "A%23#B"),
        ("{a | upper | exact}", "AB\u{1}", "aB\u{1}"),
        ("{a | lower | desc}", "9e~", "be~"),
        ("{a | lower | prefix(2)}", "ab", "aB"),
        ("{a | prefix(2) | trim}", "ab", "abc"),
        ("{a | prefix(2) | upper}", "SSSSSS", "SSSSSSS"),
        ("{a | trim | prefix(3)}", "ab ", " ab"),
        ("{a | trim | lower}", "a", " a"),
        ("{a | nfc | fold}", "é", "É"),
        (
            "{a | time(ksuid)}",
            "2023-07-10T00:00:00.000Z",
            "2023-07-10T00:00:00.001Z",
        ),
        (
            "{a | time(ulid)}",
            "1970-01-01T00:00:00.000Z",
            "1969-12-31T23:59:59.999Z",
        ),
    ] {
        assert!(decodes(template, own), "{template} {own:?}");
        assert!(!decodes(template, foreign), "{template} {foreign:?}");
    }
    // What a later op makes of a text need not be what an earlier one gives.
    assert!(decodes("{a | trim | prefix(2)}", "a "));
    assert!(decodes("{a | lower | upper}", "AB"));
    assert!(decodes("{a | trim | fold}", " \u{308}"), "of a diaeresis");
}

#[test]
fn what_the_ops_give_of_characters_they_change_is_decoded() {
    let ops = ["upper", "lower", "fold", "nfc", "trim", "prefix(2)"];
    let pairs = ops.iter().flat_map(|a| ops.map(|b| format!("{{a | {a} | {b}}}")));
    let templates: Vec<Template> = pairs
        .map(|template| Template::parse(&template, ScalarType::S).expect(&template))
        .collect();
    let plain: Vec<&Template> = templates.iter().step_by(ops.len() + 1).collect();
    let is_changed = |c: &char| {
        let item = Item::from([("a".to_owned(), c.to_string().into())]);
        let same = Ok(Some(AttributeValue::S(c.to_string())));
        plain.iter().any(|template| template.render(Scope::item(&item)) != same)
    };
    // Every third of the characters that some op changes, but for ideographs.
    let chars = ('\u{0}'..'\u{3400}')
        .chain('\u{a000}'..'\u{ac00}')
        .chain('\u{f900}'..'\u{1ffff}');
    for c in chars.filter(is_changed).step_by(3) {
        let text = format!("{c}\u{345}\u{301}\u{3a3}");
        for template in &templates {
            for text in [c.to_string(), text.clone()] {
                let item = Item::from([("a".to_owned(), text.as_str().into())]);
                let Some(key) = template.render(Scope::item(&item)).expect("text") else {
                    continue;
                };
                assert!(template.decode(&key).is_some(), "{template} {text:?} {key:?}");
            }
        }
    }
}

#[test]
fn an_input_that_stands_more_than_once_is_one_input() {
    for (template, own, foreign) in [
        ("{n | pad(3)}#{n}", "007#7", "007#8"),
        ("{n}#{n | pad(3)}", "7#007", "07#007"),
        ("{a}#{a | lower}", "X%23#x#", "X#y"),
        ("{a | shard(8)}#{a}", "04#x", "05#x"),
        ("{a | hash(16)}{a}", "2d711642b726b044x", "2d711642b726b044y"),
    ] {
        assert!(decodes(template, own), "{template} {own:?}");
        assert!(!decodes(template, foreign), "{template} {foreign:?}");
    }
    let template = Template::parse("{n | neg}", ScalarType::N).expect("template");
    let number = |text: &str| AttributeValue::N(text.parse().expect(text));
    let known = [(AttributePath::attribute("n"), number("7"))];
    assert!(template.decode_of(&number("-7"), &known).is_some());
    assert_eq!(template.decode_of(&number("7"), &known), None);
}
