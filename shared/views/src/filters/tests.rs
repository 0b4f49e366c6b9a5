use super::*;
use crate::load;

const TABLE: &str = r#"
    version = 1
    [table]
    name = "app"
    partition_key = { name = "PK", type = "S" }
    sort_key = { name = "SK", type = "S" }
"#;

/// The filters of sources, each with a view, and what is said beside them.
fn filters(sources: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let sources = sources.iter().map(|(name, matched)| {
        let view = format!("[shadow.of-{name}]\nsource = \"{name}\"\nkey = {{ PK = \"V#{{PK}}\", SK = \"{{SK}}\" }}\n");
        format!("[source.{name}]\nmatch = {matched}\n{view}")
    });
    of_file(&(TABLE.to_owned() + &sources.collect::<String>()))
}

fn of_file(text: &str) -> (Vec<String>, Vec<String>) {
    let loaded = load(text);
    let filters = loaded
        .views
        .unwrap_or_else(|| panic!("{:?}", loaded.findings))
        .filters();
    (
        filters.patterns,
        filters.widened.iter().map(Widening::to_string).collect(),
    )
}

#[test]
fn a_match_of_the_key_alone_is_one_pattern_that_needs_no_image() {
    let (patterns, widened) = filters(&[(
        "ticket",
        r#"{ PK = [{ prefix = "ORG#" }], SK = [{ prefix = "TICKET#" }, "ALL"] }"#,
    )]);
    assert_eq!(
        patterns,
        [r#"{"dynamodb":{"Keys":{"PK":{"S":[{"prefix":"ORG#"}]},"SK":{"S":[{"prefix":"TICKET#"},"ALL"]}}}}"#]
    );
    assert_eq!(widened, Vec::<String>::new());
}

#[test]
fn another_attribute_is_looked_at_in_both_images_and_a_record_without_one_passes() {
    let (patterns, _) = filters(&[(
        "user",
        r#"{ PK = [{ prefix = "U#" }], kind = ["user"], "address.x" = ["y"] }"#,
    )]);
    let image = r#"{"address":{"M":{"x":{"S":["y"]}}},"kind":{"S":["user"]}}"#;
    assert_eq!(
        patterns,
        [
            format!(r#"{{"dynamodb":{{"Keys":{{"PK":{{"S":[{{"prefix":"U#"}}]}}}},"NewImage":{image}}}}}"#),
            format!(r#"{{"dynamodb":{{"Keys":{{"PK":{{"S":[{{"prefix":"U#"}}]}}}},"OldImage":{image}}}}}"#),
            r#"{"dynamodb":{"NewImage":{"PK":{"S":[{"exists":false}]}}},"eventName":[{"anything-but":["REMOVE"]}]}"#
                .to_owned(),
            r#"{"dynamodb":{"OldImage":{"PK":{"S":[{"exists":false}]}}},"eventName":[{"anything-but":["INSERT"]}]}"#
                .to_owned(),
        ]
    );
}

#[test]
fn what_a_wider_source_lets_through_is_not_said_again() {
    let (patterns, _) = filters(&[
        ("open", r#"{ PK = [{ prefix = "ORG#" }], Status = ["open"] }"#),
        ("ticket", r#"{ PK = [{ prefix = "ORG#" }] }"#),
    ]);
    assert_eq!(patterns, [r#"{"dynamodb":{"Keys":{"PK":{"S":[{"prefix":"ORG#"}]}}}}"#]);
}

#[test]
fn what_the_language_cannot_say_is_left_out_and_named() {
    let kind = |alternatives: &str| format!(r#"{{ PK = ["A"], x = [{alternatives}] }}"#);
    for (alternatives, reason) in [
        (r#"{ exists = true }"#, Reason::Exists),
        (r#"{ exists = false }, "a""#, Reason::Exists),
        (r#"{ anything-but = ["a"] }"#, Reason::AnythingBut),
        (r#""a", 1"#, Reason::SeveralTypes),
    ] {
        let (patterns, widened) = filters(&[("a", &kind(alternatives))]);
        assert_eq!(
            patterns,
            [r#"{"dynamodb":{"Keys":{"PK":{"S":["A"]}}}}"#],
            "{alternatives}"
        );
        assert_eq!(widened, [format!("source `a`: `x` is left to the worker: {reason}")]);
    }
    for (path, reason) in [
        ("l[0]", Reason::Position),
        ("'a.b'", Reason::Name),
        ("'$or'", Reason::Name),
    ] {
        let (_, widened) = filters(&[("a", &format!(r#"{{ PK = ["A"], "{path}" = ["x"] }}"#))]);
        assert_eq!(
            widened,
            [format!("source `a`: `{path}` is left to the worker: {reason}")]
        );
    }
}

#[test]
fn a_number_and_a_letter_that_may_have_other_cases_are_looked_at_by_type() {
    for (alternatives, leaf) in [
        (r#"{ numeric = [">", 5] }"#, "N"),
        ("100", "N"),
        (r#"{ equals-ignore-case = "ok" }"#, "S"),
        (r#"{ equals-ignore-case = "Ä" }"#, "S"),
        (r#"{ prefix = "" }"#, "S"),
    ] {
        let (patterns, _) = filters(&[("a", &format!("{{ PK = [\"A\"], x = [{alternatives}] }}"))]);
        let wanted = format!(r#""NewImage":{{"x":{{"{leaf}":[{{"exists":true}}]}}}}"#);
        assert!(patterns.iter().any(|pattern| pattern.contains(&wanted)), "{patterns:?}");
    }
}

#[test]
fn no_letter_but_k_is_written_by_another_character_in_another_case() {
    let others = ('\u{80}'..=char::MAX).filter(|c| c.to_lowercase().all(|lower| lower.is_ascii()));
    assert_eq!(others.collect::<String>(), "\u{212a}");
}

#[test]
fn a_match_that_says_nothing_of_the_record_leaves_no_filter() {
    let (patterns, widened) = filters(&[("any", "{ x = [{ exists = true }] }"), ("a", r#"{ PK = ["A"] }"#)]);
    assert_eq!(patterns, Vec::<String>::new());
    assert!(
        widened.iter().any(|widened| widened.contains("there is none")),
        "{widened:?}"
    );
}

#[test]
fn more_alternatives_than_filters_share_them() {
    let sources: Vec<(String, String)> = (0..12)
        .map(|n| (format!("s{n}"), format!("{{ PK = [\"{n}#\"] }}")))
        .collect();
    let sources: Vec<(&str, &str)> = sources
        .iter()
        .map(|(name, matched)| (name.as_str(), matched.as_str()))
        .collect();
    let (patterns, _) = filters(&sources);
    assert_eq!(patterns.len(), MAX_FILTERS);
    assert_eq!(
        patterns
            .iter()
            .map(|pattern| pattern.matches("Keys").count())
            .sum::<usize>(),
        12
    );
    assert!(patterns.iter().all(|pattern| pattern.len() <= MAX_PATTERN_BYTES));
}

#[test]
fn what_does_not_fit_is_reduced_to_keys_and_then_to_nothing() {
    let long = |path: &str, letter: &str| {
        let literals: Vec<String> = (0..30).map(|n| format!("\"{}{n}\"", letter.repeat(200))).collect();
        format!("{path} = [{}]", literals.join(", "))
    };
    let (patterns, widened) = filters(&[("a", &format!("{{ PK = [\"A\"], {} }}", long("x", "x")))]);
    assert_eq!(patterns, [r#"{"dynamodb":{"Keys":{"PK":{"S":["A"]}}}}"#]);
    assert_eq!(widened, [Widening::TooLong { keys_are_left: true }.to_string()]);
    let (patterns, widened) = filters(&[("a", &format!("{{ {} }}", long("PK", "x")))]);
    assert_eq!(patterns, Vec::<String>::new());
    assert_eq!(widened, [Widening::TooLong { keys_are_left: false }.to_string()]);
}

#[test]
fn shadows_that_the_match_does_not_keep_out_are_named() {
    let file = |matched: &str, project: &str| {
        format!(
            "{TABLE}\n[source.user]\nmatch = {matched}\n[shadow.by-name]\nsource = \"user\"\nproject = {project}\n\
             key = {{ PK = \"{{PK}}\", SK = \"NAME#{{name}}\" }}\n[allow]\nby-name = {{ SK031 = \"test\" }}"
        )
    };
    let mixed = Widening::Shadows {
        source: "user".to_owned(),
        view: "by-name".to_owned(),
    }
    .to_string();
    let by_partition = r#"{ PK = [{ prefix = "USER#" }] }"#;
    let by_key = r#"{ PK = [{ prefix = "USER#" }], SK = ["PROFILE"] }"#;
    let by_kind = r#"{ kind = ["user"] }"#;
    for (matched, project, is_mixed) in [
        (by_partition, "\"keys\"", true),
        (by_key, "\"keys\"", false),
        (by_kind, "\"all\"", true),
        (by_kind, "\"keys\"", false),
    ] {
        let (_, widened) = of_file(&file(matched, project));
        assert_eq!(widened.contains(&mixed), is_mixed, "{matched} {project}: {widened:?}");
    }
}

#[test]
fn a_source_without_a_view_lets_nothing_through() {
    let unused = "[source.unused]\nmatch = { PK = [\"B\"] }\n[source.a]\nmatch = { PK = [\"A\"] }\n\
                  [attribute.x]\nsource = \"a\"\nvalue = \"{y}\"\n";
    let (patterns, _) = of_file(&(TABLE.to_owned() + unused));
    assert_eq!(patterns, [r#"{"dynamodb":{"Keys":{"PK":{"S":["A"]}}}}"#]);
}
