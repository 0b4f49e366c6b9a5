use super::*;
use crate::render_findings;

/// A view file whose table has the key PK, SK; `rest` follows it.
fn file(rest: &str) -> String {
    format!(
        r#"version = 1
[table]
name = "app"
partition_key = {{ name = "PK", type = "S" }}
sort_key = {{ name = "SK", type = "S" }}
ttl = "expires_at"

[source.ticket]
match = {{ PK = [{{ prefix = "ORG#" }}], SK = [{{ prefix = "TICKET#" }}] }}
[source.user]
match = {{ PK = [{{ prefix = "USER#" }}] }}
{rest}"#
    )
}

/// The findings of a file as `CODE line:column message`.
fn findings(rest: &str) -> Vec<String> {
    let text = file(rest);
    let loaded = load(&text);
    let is_broken = loaded
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    assert_eq!(loaded.views.is_none(), is_broken, "{rest}");
    let shown = |f: &Finding| {
        assert!(!f.help.is_empty());
        format!("{} {}:{} {}", f.code, f.line, f.column, f.message)
    };
    loaded.findings.iter().map(shown).collect()
}

fn codes(rest: &str) -> Vec<String> {
    let code = |finding: &String| finding.split(' ').next().unwrap_or("").to_owned();
    findings(rest).iter().map(code).collect()
}

/// A shadow view with everything but `rest`.
fn shadow(rest: &str) -> String {
    format!("[shadow.s]\nsource = \"ticket\"\n{rest}")
}

/// An attribute view of the ticket source.
fn attribute(name: &str, source: &str, value: &str) -> String {
    format!("[attribute.{name}]\nsource = \"{source}\"\nvalue = \"{value}\"\n")
}

#[test]
fn a_good_file_has_no_findings() {
    let rest = r##"
[attribute.GSI1PK]
source = "ticket"
value = "{Status}#{UpdatedAt | time}"
[shadow.tickets-by-updated]
source = "ticket"
key = { PK = "{PK}", SK = "UPDATED#{UpdatedAt | time | desc}#{SK}" }
project = { except = ["Notes"] }
[shadow.by-tag]
source = "ticket"
for_each = { tag = "tags" }
key = { PK = "TAG#{tag | lower}", SK = "{PK}#{SK}" }
project = ["Title"]
[shadow.users-by-email]
source = "user"
into = { table = "lookup", partition_key = { name = "id", type = "S" } }
key = { id = "EMAIL#{email | lower}" }
unique = true
[allow]
users-by-email = { SK031 = "addresses are unique by registration" }
"##;
    assert_eq!(findings(rest), Vec::<String>::new());
}

#[test]
fn sk001_names_what_is_not_toml_or_not_a_view_file() {
    for (rest, line, part) in [
        ("[shadow.s\n", 12, "unclosed table"),
        ("[shadow.s]\nsuorce = \"ticket\"\n", 13, "unknown field `suorce`"),
        ("[shadow.s]\nsource = \"ticket\"\n", 12, "missing field `key`"),
        ("[shadow.s]\nsource = 5\n", 13, "invalid type"),
        (
            "[source.x]\nmatch = { a = [{ prefix = \"a\", suffix = \"b\" }] }",
            13,
            "one operator",
        ),
        (
            "[source.x]\nmatch = { a = [{ prefxi = \"a\" }] }",
            13,
            "unknown field `prefxi`",
        ),
        (
            "[source.x]\nmatch = { a = [{ numeric = [\">\"] }] }",
            13,
            "comparisons and numbers",
        ),
        (
            "[source.x]\nmatch = { a = [{ numeric = [\"~\", 5] }] }",
            13,
            "comparisons and numbers",
        ),
        ("[source.x]\nmatch = { a = [] }", 13, "no alternative"),
        ("[source.x]\nmatch = { a = [nan] }", 13, "not a decimal number"),
    ] {
        let text = file(rest);
        let found = load(&text).findings;
        let finding = found.first().unwrap_or_else(|| panic!("{rest}"));
        assert_eq!(finding.code, Code::Sk001, "{rest}: {}", finding.message);
        assert!(finding.message.contains(part), "{rest}: {}", finding.message);
        assert_eq!(finding.line, line, "{rest}");
    }
    let typo = load(&file("[shadow.s]\nsuorce = \"ticket\"\n")).findings;
    assert_eq!(typo[0].help, "did you mean `source`?");
    assert_eq!(
        load(&file("").replace("version = 1", "version = 2")).findings[0].code,
        Code::Sk001
    );
}

#[test]
fn sk002_points_at_the_place_inside_a_template() {
    assert_eq!(
        findings(&shadow("key = { PK = \"{PK}\", SK = \"UPDATED#{UpdatedAt | tmie}\" }")),
        ["SK002 14:49 the op `tmie` is not known"]
    );
    let text = file(&shadow("key = { PK = '{PK', SK = \"{SK}#\" }"));
    assert_eq!(load(&text).findings[0].code, Code::Sk002);
    assert_eq!(
        codes(&shadow("key = { PK = \"{PK}\", SK = \"{SK | num | upper}\" }")),
        ["SK002"]
    );
    assert_eq!(
        codes("[shadow.s]\nsource = \"tikcet\"\nkey = { PK = \"A\", SK = \"{SK}\" }"),
        ["SK002"]
    );
    assert_eq!(codes("[source.x]\nmatch = { \"a b\" = [\"x\"] }"), ["SK002"]);
    assert_eq!(codes("[allow]\nnothing = { SK031 = \"x\" }"), ["SK002"]);
    let unknown = load(&file(
        "[shadow.s]\nsource = \"tikcet\"\nkey = { PK = \"A\", SK = \"{SK}\" }",
    ));
    assert_eq!(unknown.findings[0].help, "did you mean `ticket`?");
    assert_eq!(unknown.findings[0].view.as_deref(), Some("s"));
}

#[test]
fn sk003_holds_keys_to_the_target_table() {
    assert_eq!(codes(&shadow("key = { PK = \"{PK}\" }")), ["SK003"]);
    assert_eq!(
        codes(&shadow("key = { PK = \"{PK}\", SK = \"{SK}#\", id = \"x\" }")),
        ["SK003"]
    );
    let into = |kind: &str, id: &str| {
        shadow(&format!(
            "into = {{ table = \"t\", partition_key = {{ name = \"id\", type = \"{kind}\" }} }}\nkey = {{ id = \"{id}\" }}\n"
        ))
    };
    let unique = into("N", "{Score | neg}") + "unique = true\n";
    assert_eq!(codes(&unique), Vec::<String>::new());
    assert_eq!(codes(&into("N", "A#{Score}")), ["SK003"]);
    assert_eq!(codes(&into("N", "{Score | upper}")), ["SK003"]);
    assert_eq!(codes(&into("S", "{Score | neg}")), ["SK003"]);
    assert_eq!(codes(&into("B", "{Score}")), ["SK003"]);
    let other = into("S", "{SK}") + &into("N", "{Score}").replace("shadow.s", "shadow.t");
    assert_eq!(codes(&other), ["SK003"]);
    let base = into("S", "{SK}").replace("table = \"t\"", "table = \"app\"");
    assert_eq!(codes(&base), ["SK003"]);
    let twins = into("S", "{SK}")
        + &into("S", "{SK}")
            .replace("shadow.s", "shadow.t")
            .replace("\"t\"", "\"T\"");
    assert_eq!(codes(&twins), ["SK003"], "two tables would share one variable");
    let index = "[[table.index]]\nname = \"by-i\"\nkind = \"global\"\npartition_key = { name = \"G\", type = \"N\" }\n";
    assert_eq!(
        codes(&(index.to_owned() + &attribute("G", "ticket", "{Status}"))),
        ["SK003"]
    );
}

#[test]
fn a_shadow_that_would_stand_on_its_own_source_item_is_refused() {
    assert_eq!(codes(&shadow("key = { PK = \"{PK}\", SK = \"{SK}\" }")), ["SK003"]);
    assert_eq!(
        codes(&shadow("key = { PK = \"{PK}\", SK = \"X#{SK}\" }")),
        Vec::<String>::new()
    );
}

#[test]
fn a_file_that_a_table_would_refuse_is_refused_here() {
    assert_eq!(
        codes("[attribute.'']\nsource = \"ticket\"\nvalue = \"x\""),
        ["SK001", "SK004"]
    );
    assert_eq!(codes("[state]\ntable = \"app\""), ["SK003"]);
    assert_eq!(codes("[allow]\ns = { SK001 = \"x\" }"), ["SK002", "SK002"]);
    let text = file("[[table.index]]\nname = \"by-l\"\nkind = \"local\"\nsort_key = { name = \"x\", type = \"S\" }");
    assert_eq!(load(&text).findings, []);
    for bad in ["\"x\"", "\"by l\"", "\"é-index\"", "\"\""] {
        assert_eq!(code_of(&text.replace("\"by-l\"", bad)), [Code::Sk003], "{bad}");
    }
    for bad in ["PK", "_shadow", ""] {
        let text = text.replace("name = \"x\"", &format!("name = \"{bad}\""));
        assert_eq!(code_of(&text), [Code::Sk003], "{bad}");
    }
    let no_sort = text.replace("sort_key = { name = \"SK\", type = \"S\" }", "");
    assert_eq!(code_of(&no_sort), [Code::Sk003]);
}

fn code_of(text: &str) -> Vec<Code> {
    load(text).findings.into_iter().map(|finding| finding.code).collect()
}

#[test]
fn names_that_would_hide_another_are_refused() {
    let shadow = shadow("key = { PK = \"X#{PK}\", SK = \"{SK}\" }");
    let twin = attribute("x", "ticket", "{Status}").replace("[attribute.x]", "[attribute.s]");
    assert_eq!(codes(&(shadow.clone() + "\n" + &twin)), ["SK001"]);
    let element = shadow.clone() + "\nfor_each = { SK = \"tags\" }\n";
    assert_eq!(codes(&element), ["SK003"]);
}

#[test]
fn a_finding_never_cuts_a_character() {
    for rest in [
        "[attribute.a]\nsource = \"ticket\"\nvalue = \"{🙂}\"",
        "[source.x]\nmatch = { 'a🙂' = [\"x\"] }",
    ] {
        let text = file(rest);
        let found = load(&text).findings;
        assert!(!found.is_empty(), "{rest}");
        assert!(render_findings("views.toml", &text, &found, false).contains('🙂'));
    }
}

#[test]
fn sk004_keeps_attribute_views_off_keys_marker_and_ttl() {
    for target in ["PK", "SK", "_shadow", "expires_at"] {
        assert_eq!(codes(&attribute(target, "ticket", "{Status}#")), ["SK004"], "{target}");
    }
}

#[test]
fn sk005_refuses_views_that_feed_themselves() {
    assert_eq!(codes(&attribute("a", "ticket", "{a}#")), ["SK005"]);
    let two = attribute("a", "ticket", "{b}#") + &attribute("b", "ticket", "{a}#");
    assert_eq!(codes(&two), ["SK005", "SK005"]);
    let by_match = "[source.x]\nmatch = { a = [{ exists = false }] }\n".to_owned() + &attribute("a", "x", "{Status}#");
    assert_eq!(codes(&by_match), ["SK005"]);
    let chain = attribute("a", "ticket", "{b}#") + &attribute("b", "ticket", "{Status}#");
    assert_eq!(codes(&chain), Vec::<String>::new());
    let apart = attribute("a", "ticket", "{b}#") + &attribute("b", "user", "{a}#");
    assert_eq!(codes(&apart), Vec::<String>::new(), "no item is of both sources");
}

#[test]
fn sk006_wants_a_literal_behind_plain_text() {
    assert_eq!(codes(&shadow("key = { PK = \"{PK}\", SK = \"{a}{b}\" }")), ["SK006"]);
    assert_eq!(codes(&shadow("key = { PK = \"{PK}\", SK = \"{a}%{b}\" }")), ["SK006"]);
}

#[test]
fn sk007_lets_one_view_write_an_attribute_of_an_item() {
    let overloaded = |source: &str| {
        attribute("a", "ticket", "{Status}#") + &attribute("b", source, "{email}#") + "attribute = \"a\"\n"
    };
    assert_eq!(codes(&overloaded("user")), Vec::<String>::new());
    assert_eq!(codes(&overloaded("ticket")), ["SK007"]);
}

#[test]
fn all_findings_of_a_file_come_at_once_in_its_order() {
    let rest = attribute("PK", "ticket", "{Status}{b}") + &shadow("key = { PK = \"{PK\", SK = \"{SK | x}\" }");
    assert_eq!(codes(&rest), ["SK004", "SK006", "SK002", "SK002"]);
}

#[test]
fn a_finding_shows_its_line_to_a_person() {
    let text = file(&shadow("key = { PK = \"{PK}\", SK = \"{UpdatedAt | tmie}\" }"));
    let shown = render_findings("views.toml", &text, &load(&text).findings, false);
    for part in [
        "error[SK002]",
        "s: the op `tmie` is not known",
        "views.toml:14:41",
        "did you mean `time`?",
        "^^^^",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
}

#[test]
fn a_match_number_keeps_all_its_digits() {
    let rest =
        "[source.x]\nmatch = { n = [12345678901234567.25, 1_000] }\n[attribute.a]\nsource = \"x\"\nvalue = \"{b}\"\n";
    let views = load(&file(rest)).views.expect("views");
    let derived = |n: &str| {
        let item = format!(r#"{{"PK":{{"S":"p"}},"SK":{{"S":"s"}},"b":{{"S":"x"}},"n":{{"N":"{n}"}}}}"#);
        views
            .derive(&shadowkey_item::item_from_json(&item).expect("item"))
            .attributes
            .len()
    };
    assert_eq!(derived("12345678901234567.25"), 1);
    assert_eq!(derived("12345678901234567.26"), 0);
    assert_eq!(derived("1E3"), 1);
}
