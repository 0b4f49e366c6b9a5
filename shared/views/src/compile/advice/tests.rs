use std::fs;
use std::path::PathBuf;

use crate::{Code, Finding, Severity, load};

fn workspace() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The findings of a view file with a table of the key PK, SK; `rest` follows it.
fn findings(rest: &str) -> Vec<Finding> {
    let text = format!(
        r#"version = 1
[table]
name = "app"
partition_key = {{ name = "PK", type = "S" }}
sort_key = {{ name = "SK", type = "S" }}
ttl = "expires_at"
{rest}
[source.ticket]
match = {{ PK = [{{ prefix = "ORG#" }}], SK = [{{ prefix = "TICKET#" }}] }}
identity = ["TicketId"]
[source.profile]
match = {{ PK = [{{ prefix = "USER#" }}], SK = ["PROFILE"] }}
"#
    );
    let loaded = load(&text);
    assert!(loaded.views.is_some(), "{:?}", loaded.findings);
    loaded.findings
}

fn codes(rest: &str) -> Vec<String> {
    findings(rest).iter().map(|finding| finding.code.to_string()).collect()
}

/// A shadow view; `rest` follows its key.
fn shadow(name: &str, source: &str, (pk, sk): (&str, &str), rest: &str) -> String {
    format!("[shadow.{name}]\nsource = \"{source}\"\nkey = {{ PK = '{pk}', SK = '{sk}' }}\n{rest}\n")
}

fn index(kind: &str, key: &str) -> String {
    format!("[[table.index]]\nname = \"by-i\"\nkind = \"{kind}\"\n{key}\n")
}

const NONE: [&str; 0] = [];

#[test]
fn each_section_of_the_page_begins_with_a_file_of_that_finding_alone() {
    let page = fs::read_to_string(workspace().join("docs/findings.md")).expect("docs/findings.md");
    let mut sections = page.split("\n## ").skip(1);
    for code in Code::ALL {
        let section = sections.next().unwrap_or_else(|| panic!("no section for {code}"));
        let severity = format!("{:?}", code.severity()).to_lowercase();
        assert!(section.starts_with(&format!("{code} {severity}: ")), "{section}");
        let (_, example) = section.split_once("```toml\n").expect("an example");
        let (example, advice) = example.split_once("```").expect("the example's end");
        let found: Vec<Code> = load(example).findings.iter().map(|finding| finding.code).collect();
        assert_eq!(found, [code], "{example}");
        assert!(advice.len() > 20, "{code} says what to do");
    }
    // What only a comparison with the tables shows has no example of a file alone.
    for code in Code::AGAINST_TABLE {
        let section = sections.next().unwrap_or_else(|| panic!("no section for {code}"));
        let severity = format!("{:?}", code.severity()).to_lowercase();
        assert!(section.starts_with(&format!("{code} {severity}: ")), "{section}");
        assert!(section.len() > 100, "{code} says what to do");
    }
    assert_eq!(sections.next(), None);
}

#[test]
fn what_is_no_error_can_be_allowed() {
    let codes = Code::ALL.into_iter().filter(|code| code.severity() != Severity::Error);
    let codes: Vec<String> = codes.map(|code| code.to_string()).collect();
    assert_eq!(codes, super::super::ALLOWABLE);
}

#[test]
fn the_reference_lists_every_code() {
    let page = fs::read_to_string(workspace().join("docs/views.md")).expect("docs/views.md");
    for code in Code::ALL {
        assert!(page.contains(&format!("| {code} | ")), "{code}");
    }
}

#[test]
fn the_fixture_worlds_are_silent() {
    let worlds = fs::read_dir(workspace().join("tests/fixtures")).expect("tests/fixtures");
    let mut seen = 0;
    for world in worlds
        .map(|world| world.expect("entry").path())
        .filter(|path| path.is_dir())
    {
        let text = fs::read_to_string(world.join("views.toml")).expect("views.toml");
        assert_eq!(load(&text).findings, [], "{}", world.display());
        seen += 1;
    }
    assert!(seen >= 5, "{seen} worlds");
}

#[test]
fn allow_silences_one_code_of_one_view_and_wants_a_reason() {
    let two = shadow("a", "ticket", ("ALL", "{Title}"), "") + &shadow("b", "ticket", ("EACH", "{Title}"), "");
    assert_eq!(codes(&two), ["SK031", "SK036", "SK031", "SK036"]);
    assert_eq!(
        codes(&(two.clone() + "[allow]\na = { SK031 = \"titles differ\" }\n")),
        ["SK036", "SK031", "SK036"]
    );
    let text = "version = 1\n[table]\nname = \"t\"\npartition_key = { name = \"k\", type = \"S\" }\n[source.s]\nmatch = {}\n\
                [shadow.a]\nsource = \"s\"\nkey = { k = \"A#{k}\" }\n[allow]\na = { SK031 = \" \" }\n";
    let loaded = load(text);
    assert_eq!(loaded.findings[0].code, Code::Sk001);
    assert_eq!((loaded.findings[0].line, loaded.views.is_none()), (11, true));
}

#[test]
fn a_warning_withholds_nothing_and_names_view_and_place() {
    let found = findings(&shadow("a", "ticket", ("{PK}", "{Title}"), ""));
    let [finding] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(finding.severity, Severity::Warning);
    assert_eq!(
        (finding.view.as_deref(), finding.line, finding.column),
        (Some("a"), 9, 7)
    );
}

#[test]
fn sk031_takes_key_or_identity_for_the_name() {
    let of = |source: &str, key, rest: &str| codes(&shadow("a", source, key, rest));
    assert_eq!(of("ticket", ("X#{PK}", "{Title}#{SK}"), ""), NONE);
    assert_eq!(of("ticket", ("X#{City}", "{TicketId}"), ""), NONE);
    assert_eq!(of("ticket", ("X#{PK}", "{Title}"), ""), ["SK031"]);
    assert_eq!(of("ticket", ("X#{PK}", "{Title}"), "unique = true"), NONE);
    assert_eq!(of("profile", ("X#{City}", "{PK}"), ""), NONE, "SK is always PROFILE");
    let element = "for_each = { TicketId = \"tags\" }";
    assert_eq!(
        of("ticket", ("X#{City}", "{TicketId}"), element),
        ["SK031"],
        "no attribute of the item"
    );
}

#[test]
fn sk032_tells_keys_apart_by_what_both_fix() {
    let pair = |a, b| {
        let views = shadow("a", "ticket", a, "unique = true") + &shadow("b", "profile", b, "unique = true");
        codes(&views)
    };
    for (a, b) in [
        (("A#{x}", "{y}"), ("B#{x}", "{y}")),
        (("{x}", "1#{y}"), ("{x}", "2#{y}")),
        (("{x}#a", "{y}"), ("{x}#b", "{y}")),
        (("A#{x}", "B"), ("A#{x}", "C")),
        (("A#{x}", "B"), ("A#{x}", "C#{y}")),
        (("A#{x}", "ABA"), ("A#{x}", "AB{y}BA")),
        (("{PK}", "{y}"), ("{PK}", "{y}")),
        (("{PK}", "{y}"), ("T#{x}", "{y}")),
        (("A#{x}", "Q#{y}"), ("A#{x}", "{SK}")),
    ] {
        assert_eq!(pair(a, b), NONE, "{a:?} {b:?}");
    }
    for (a, b) in [
        (("{x}", "{y}"), ("{x}", "{z}")),
        (("A#{x}", "{y}"), ("A#1{x}", "{y}")),
        (("A#{x}", "B#x"), ("A#{x}", "B#{y}")),
        (("{PK | lower}", "{y}"), ("{PK | lower}", "{y}")),
        (("{PK}#{x}", "{y}"), ("{PK}#{x}", "{y}")),
    ] {
        assert_eq!(pair(a, b), ["SK032"], "{a:?} {b:?}");
    }
}

#[test]
fn sk032_lets_disjoint_sources_share_templates_that_hold_the_whole_key() {
    let sources = |second: &str| {
        format!(
            "[source.open]\nmatch = {{ Status = [\"open\"] }}\n[source.other]\nmatch = {{ Status = [\"{second}\"] }}\n"
        )
    };
    let views = |key| shadow("a", "open", key, "") + &shadow("b", "other", key, "");
    let whole = views(("BY#{PK}", "{Due | time}#{SK}"));
    assert_eq!(codes(&(sources("closed") + &whole)), NONE);
    assert_eq!(codes(&(sources("open") + &whole)), ["SK032"]);
    let folded = views(("BY#{PK | lower}", "{Due | time}#{SK}"));
    assert_eq!(codes(&(sources("closed") + &folded)), ["SK034", "SK032", "SK034"]);
}

#[test]
fn sk033_asks_whether_shadows_carry_the_whole_index_key() {
    let global = "partition_key = { name = \"G\", type = \"S\" }\nsort_key = { name = \"H\", type = \"S\" }";
    let of = |key: &str, project: &str, rest: &str| {
        let view = shadow("a", "ticket", ("A#{PK}", "{SK}"), &format!("project = {project}"));
        codes(&(index("global", key) + &view + rest))
    };
    assert_eq!(of(global, "\"all\"", ""), ["SK033"]);
    assert_eq!(of(global, "[\"G\", \"H\"]", ""), ["SK033"]);
    assert_eq!(of(global, "{ except = [\"Notes\"] }", ""), ["SK033"]);
    for silent in ["\"keys\"", "[\"G\"]", "{ except = [\"H\"] }"] {
        assert_eq!(of(global, silent, ""), NONE, "{silent}");
    }
    let of_profiles = "[attribute.G]\nsource = \"profile\"\nvalue = \"{City | lower}\"\n";
    assert_eq!(of(global, "\"all\"", of_profiles), NONE, "no ticket has G");
    let inverted = "partition_key = { name = \"SK\", type = \"S\" }\nsort_key = { name = \"PK\", type = \"S\" }";
    assert_eq!(of(inverted, "\"all\"", ""), NONE, "no projection helps");
    let local = index("local", "sort_key = { name = \"L\", type = \"S\" }");
    let view = shadow("a", "ticket", ("A#{PK}", "{SK}"), "project = [\"L\"]");
    assert_eq!(codes(&(local.clone() + &view)), ["SK033"]);
    let elsewhere = "[shadow.a]\nsource = \"ticket\"\nkey = { id = \"{TicketId}\" }\nproject = [\"L\"]\n\
                     into = { table = \"t\", partition_key = { name = \"id\", type = \"S\" } }\n";
    assert_eq!(codes(&(local + elsewhere)), NONE, "the index is of another table");
}

#[test]
fn sk034_measures_literals_and_sees_ids_cut_short() {
    let fixed = |pk: usize, sk: usize| {
        let (pk, sk) = (format!("{}{{PK}}", "x".repeat(pk)), format!("{}{{SK}}", "x".repeat(sk)));
        codes(&shadow("a", "ticket", (pk.as_str(), sk.as_str()), ""))
    };
    assert_eq!(fixed(1984, 960), NONE);
    assert_eq!(fixed(1985, 960), ["SK034"]);
    assert_eq!(fixed(1984, 961), ["SK034"]);
    let of = |key, rest: &str| codes(&shadow("a", "ticket", key, rest));
    assert_eq!(of(("A#{City | prefix(2)}", "{TicketId}"), ""), NONE);
    assert_eq!(of(("A#{City}", "{TicketId | hash(8)}"), ""), ["SK034"]);
    let both = findings(&shadow(
        "a",
        "ticket",
        ("A#{City | prefix(2)}", "{TicketId | hash(8)}"),
        "",
    ));
    assert!(both[0].message.contains("`TicketId`"), "{both:?}");
    assert_eq!(of(("A#{TicketId | shard(8)}", "{TicketId}"), ""), NONE);
    assert_eq!(of(("A#{City}", "{Mail | prefix(8)}"), "unique = true"), ["SK034"]);
}

#[test]
fn sk034_sees_names_whose_spellings_are_folded_together() {
    let of = |source: &str, key: (&str, &str), rest: &str| codes(&shadow("a", source, key, rest));
    for op in [
        "upper",
        "lower",
        "fold",
        "nfc",
        "trim",
        "time",
        "default(\"x\")",
        "lower | exact",
        "upper | desc",
    ] {
        let folded = format!("U#{{PK | {op}}}");
        assert_eq!(of("ticket", (&folded, "{SK}"), ""), ["SK034"], "{op}");
        assert_eq!(of("ticket", (&folded, "{SK}"), "unique = true"), NONE, "{op}");
        assert_eq!(of("ticket", (&folded, "{PK | exact}{SK}"), ""), NONE, "{op}");
        assert_eq!(of("ticket", (&folded, "{SK}#{TicketId}"), ""), NONE, "{op}");
        let identity = format!("{{TicketId | {op}}}");
        assert_eq!(of("ticket", ("A#{City}", &identity), ""), ["SK034"], "{op}");
        assert_eq!(
            of("ticket", ("A#{PK}", &format!("{identity}#{{SK}}")), ""),
            NONE,
            "{op}"
        );
    }
    assert_eq!(of("ticket", ("U#{PK | desc}", "{SK | exact}"), ""), NONE);
    assert_eq!(
        of("profile", ("U#{PK}", "{SK | lower}"), ""),
        NONE,
        "SK is always PROFILE"
    );
    let ksuid = ("U#{PK | lower}", "{At | time | ksuid}#{SK}");
    assert_eq!(of("ticket", ksuid, ""), NONE, "the ksuid holds the source's key");
    let prefixed = ("U#{SK | prefix(3)}", "{At | time | ksuid}");
    assert_eq!(of("ticket", prefixed, ""), NONE, "whatever else is lost");
    let both = findings(&shadow("a", "ticket", ("A#{PK | upper}", "{TicketId | lower}"), ""));
    assert!(both[0].message.contains("`TicketId`"), "{both:?}");
}

#[test]
fn sk035_asks_for_order_only_where_an_op_does() {
    let of = |sk: &str| codes(&shadow("a", "ticket", ("A#{PK}", sk), ""));
    assert_eq!(of("{Title}#{Due | time}#{SK}"), ["SK035"]);
    assert_eq!(of("{Title}#{City}#{Rank | pad(3)}#{SK}"), ["SK035"]);
    assert_eq!(of("{Title | exact}{Due | time}#{SK}"), NONE);
    assert_eq!(of("{Due | time}#{Title}#{SK}"), NONE);
    assert_eq!(of("{Title}#{City}#{SK}"), NONE);
    let pinned = "[source.open]\nmatch = { Status = [\"open\"] }\n".to_owned()
        + &shadow("a", "open", ("A#{PK}", "{Status}#{Due | time}#{SK}"), "");
    assert_eq!(codes(&pinned), NONE);
    let attribute = "[attribute.L]\nsource = \"ticket\"\nvalue = \"{Title}#{Due | time}\"\n";
    let local = index("local", "sort_key = { name = \"L\", type = \"S\" }");
    assert_eq!(codes(&(local + attribute)), ["SK035"], "an index's sort key");
    assert_eq!(codes(attribute), NONE, "no key");
}

#[test]
fn sk036_wants_a_field_in_a_partition_key() {
    assert_eq!(codes(&shadow("a", "ticket", ("ALL", "{PK}#{SK}"), "")), ["SK036"]);
    let attribute = "[attribute.G]\nsource = \"ticket\"\nvalue = \"ALL\"\n";
    let global = index("global", "partition_key = { name = \"G\", type = \"S\" }");
    assert_eq!(codes(&(global + attribute)), ["SK036"]);
}

#[test]
fn sk061_is_of_plain_joins_that_choose_no_items() {
    let global = index("global", "partition_key = { name = \"G\", type = \"S\" }");
    let of = |source: &str, value: &str, rest: &str| {
        let view = format!("[attribute.G]\nsource = \"{source}\"\nvalue = \"{value}\"\n");
        codes(&(global.clone() + &view + rest))
    };
    assert_eq!(of("ticket", "{a}#{b}", ""), ["SK061"]);
    assert_eq!(of("ticket", "{a}#{b}#{c}#{d}", ""), ["SK061"]);
    for value in [
        "{a}#{b}#{c}#{d}#{e}",
        "{a}",
        "X#{a}#{b}",
        "{a}#{b | lower}",
        "{a}#{b.c}",
        "{a}#{a}",
    ] {
        assert_eq!(of("ticket", value, ""), NONE, "{value}");
    }
    let other = "[attribute.g]\nattribute = \"G\"\nsource = \"profile\"\nvalue = \"USER#{City}\"\n";
    assert_eq!(
        of("ticket", "{a}#{b}", other),
        NONE,
        "the attribute is of several views"
    );
    let chosen = "[source.open]\nmatch = { Status = [\"open\"] }\n";
    assert_eq!(
        of("open", "{a}#{b}", chosen),
        NONE,
        "the view leaves items out of the index"
    );
    assert_eq!(of("open", "{a}#{Status}", chosen), ["SK061"]);
    let local = index("local", "sort_key = { name = \"G\", type = \"S\" }");
    let view = "[attribute.G]\nsource = \"ticket\"\nvalue = \"{a}#{b}\"\n";
    assert_eq!(codes(&(local + view)), NONE, "a local index has one sort key attribute");
}
