use super::*;
use crate::load;
use shadowkey_item::{Item, ScalarType};
use shadowkey_key_codec::{Scope, Template};

const TABLE: &str = r#"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
"#;

fn explain(views: &str) -> Vec<Explanation> {
    let loaded = load(&format!("{TABLE}{views}"));
    loaded
        .views
        .unwrap_or_else(|| panic!("{:?}", loaded.findings))
        .explain()
}

fn of(explained: &[Explanation], view: &str) -> Explanation {
    let mut found = explained.iter().filter(|explanation| explanation.view == view);
    found.next().expect(view).clone()
}

fn view(resident: &str) -> Resident {
    Resident::View(resident.to_owned())
}

fn source(resident: &str) -> Resident {
    Resident::Source(resident.to_owned())
}

/// The conditions of the first request of each read, and how many requests it takes.
fn reads(explained: &Explanation) -> Vec<(Reads, String, usize)> {
    let spelled = |conditions: &Vec<Condition>| {
        let parts = conditions.iter().map(|part| match part.operator {
            Operator::Equal => format!("{} = {}", part.name, part.value),
            Operator::BeginsWith => format!("{} ^ {}", part.name, part.value),
        });
        parts.collect::<Vec<_>>().join(" & ")
    };
    let reads = explained.reads.iter();
    reads
        .map(|read| (read.reads, spelled(&read.requests[0]), read.requests.len()))
        .collect()
}

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
        let part = layout::of_template("SK", Role::SortKey, &template);
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
        let part = layout::of_template("SK", Role::SortKey, &template);
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
        layout::of_template("SK", Role::SortKey, &template).ordered
    };
    assert!(ordered("{a | time}#{b}"));
    assert!(ordered("{a | exact}{b | num | desc}"));
    assert!(!ordered("{a}#{b | time}"), "`New York#` sorts before `New#`");
    assert!(!ordered("{a | shard(2)}{b | time}"));
    assert!(!ordered("{a | time | ksuid}{b}"), "only the second is ordered");
}

const SHARED: &str = r##"
[source.book]
match = { PK = [{ prefix = "BOOK#" }], SK = ["BOOK"] }
[source.note]
match = { PK = [{ prefix = "NOTE#" }], SK = [{ prefix = "A" }] }
[source.odd]
match = { PK = [{ prefix = "BOOK#1" }] }
[shadow.small]
source = "book"
key = { PK = "BOOK#{id}", SK = "best#{PK}" }
unique = true
[shadow.capital]
source = "book"
key = { PK = "BOOK#{id}", SK = "Z#{id}" }
[shadow.longer]
source = "book"
key = { PK = "BOOK#{id}", SK = "Z#OLD#{id}" }
[shadow.elsewhere]
source = "book"
key = { PK = "SHELF#{id}", SK = "Z#{PK}" }
"##;

#[test]
fn a_collection_is_in_byte_order_and_says_what_is_undecided() {
    let explained = of(&explain(SHARED), "capital");
    let [collection] = explained.collections.as_slice() else {
        panic!("one collection");
    };
    let order: Vec<_> = collection
        .order
        .iter()
        .map(|s| {
            (
                s.starts_with.as_str(),
                s.exactly,
                s.residents.clone(),
                s.undecided_with.clone(),
            )
        })
        .collect();
    // `Z` is 0x5A and `b` is 0x62. What the match says of a plain field at the end counts: `best#{PK}` is of books. The source `odd` fixes no sort key, so it can lie anywhere; `note` has other partitions.
    assert_eq!(
        order,
        [
            (
                "",
                false,
                vec![source("odd")],
                vec![source("book"), view("capital"), view("longer"), view("small")]
            ),
            ("BOOK", true, vec![source("book")], vec![source("odd")]),
            ("Z#", false, vec![view("capital")], vec![source("odd"), view("longer")]),
            (
                "Z#OLD#",
                false,
                vec![view("longer")],
                vec![source("odd"), view("capital")]
            ),
            ("best#BOOK#", false, vec![view("small")], vec![source("odd")]),
        ]
    );
}

#[test]
fn a_query_names_everybody_it_can_also_give() {
    let explained = explain(SHARED);
    let besides = |name: &str| {
        let reads = of(&explained, name).reads;
        reads.into_iter().map(|read| read.also_reads).collect::<Vec<_>>()
    };
    // begins_with "Z#" takes in "Z#OLD#", and the other way round a field that starts with "OLD#" does.
    assert_eq!(besides("capital"), [vec![view("longer"), source("odd")], vec![]]);
    assert_eq!(besides("longer"), [vec![view("capital"), source("odd")], vec![]]);
    assert_eq!(besides("small"), [vec![source("odd")], vec![]]);
    assert_eq!(besides("elsewhere"), [vec![], vec![]]);
}

#[test]
fn a_whole_key_comes_before_those_that_go_on_from_it() {
    let explained = explain(
        r##"
[source.book]
match = { SK = ["BOOK"] }
[shadow.after]
source = "book"
key = { PK = "{PK}", SK = "BOOK#{a}" }
[shadow.around]
source = "book"
key = { PK = "{PK}", SK = "BO{a}" }
"##,
    );
    let explained = of(&explained, "after");
    let order = &explained.collections[0].order;
    let starts: Vec<_> = order
        .iter()
        .map(|s| (s.starts_with.as_str(), s.undecided_with.clone()))
        .collect();
    assert_eq!(
        starts,
        [
            ("BO", vec![source("book"), view("after")]),
            ("BOOK", vec![view("around")]),
            ("BOOK#", vec![view("around")]),
        ]
    );
}

#[test]
fn each_level_of_fields_has_a_query() {
    let explained = explain(
        r##"
[source.s]
match = {}
[shadow.a]
source = "s"
key = { PK = "O#{o}", SK = "X{{#{o}#{t | time}#{PK}#{o}" }
"##,
    );
    // `o` is given with the partition key, so it is no level of its own; the braces stay as a template has them.
    assert_eq!(
        reads(&explained[0]),
        [
            (Reads::Partition, "PK = O#{o} & SK ^ X{{#".to_owned(), 1),
            (Reads::Beginning, "PK = O#{o} & SK ^ X{{#{o}#{t | time}#".to_owned(), 1),
            (
                Reads::Key,
                "PK = O#{o} & SK = X{{#{o}#{t | time}#{PK}#{o}".to_owned(),
                1
            ),
        ]
    );
    let given: Vec<_> = explained[0].reads.iter().map(|read| read.given.join(" ")).collect();
    assert_eq!(given, ["o", "o t", "o t PK"]);
}

#[test]
fn a_ksuid_takes_the_whole_key_of_its_source() {
    let shadow = |name: &str, pk: &str, sk: &str| {
        format!("[shadow.{name}]\nsource = \"s\"\nkey = {{ PK = '{pk}', SK = '{sk}' }}\nunique = true\n")
    };
    let element = "for_each = { PK = \"tags\" }\n";
    let views = [
        "[source.s]\nmatch = {}\n".to_owned(),
        shadow("ends", "O#{o}", "X#{at | time | ksuid}"),
        shadow("merged", "{PK}", "{at | time | ksuid}#{SK}"),
        shadow("goes-on", "{PK}", "{at | time | ksuid}#{x}#{SK}"),
        shadow("partition", "{at | time | ksuid}", "{SK}"),
        shadow("later", "{at | time | ksuid}", "{SK}#{x}"),
        shadow("sharded", "ALL#{SK | shard(3)}", "{at | time | ksuid}"),
        shadow("each", "{PK}", "{at | time | ksuid}") + element,
    ];
    let explained = explain(&views.concat());
    let levels = |name: &str| {
        let reads = of(&explained, name).reads;
        let spelled = |read: &Read| format!("{:?}: {}", read.reads, read.given.join(" "));
        reads.iter().map(spelled).collect::<Vec<_>>()
    };
    assert_eq!(levels("ends"), ["Partition: o", "Key: o at PK SK"]);
    assert_eq!(levels("merged"), ["Partition: PK", "Key: PK at SK"]);
    assert_eq!(
        levels("goes-on"),
        ["Partition: PK", "Beginning: PK at SK", "Key: PK at SK x"]
    );
    assert_eq!(levels("partition"), ["Key: at PK SK"]);
    assert_eq!(levels("later"), ["Partition: at PK SK", "Key: at PK SK x"]);
    assert_eq!(levels("sharded"), ["Partition: ", "Key: at PK SK"]);
    assert_eq!(of(&explained, "sharded").reads[1].requests.len(), 1, "`SK` is given");
    assert_eq!(levels("each"), ["Partition: PK", "Key: PK at PK of the source SK"]);
}

#[test]
fn a_shard_takes_one_request_for_each_bucket_until_its_input_is_given() {
    let explained = explain(
        r##"
[source.s]
match = {}
[shadow.all]
source = "s"
key = { PK = "ALL#{id | shard(3)}", SK = "{t | time}#{id}" }
unique = true
[shadow.inside]
source = "s"
key = { PK = "O#{o}", SK = "{PK | shard(11)}{t | time}" }
unique = true
"##,
    );
    assert_eq!(
        reads(&of(&explained, "all")),
        [
            (Reads::Partition, "PK = ALL#00".to_owned(), 3),
            (Reads::Beginning, "PK = ALL#00 & SK ^ {t | time}#".to_owned(), 3),
            (
                Reads::Key,
                "PK = ALL#{id | shard(3)} & SK = {t | time}#{id}".to_owned(),
                1
            ),
        ]
    );
    let all = of(&explained, "all");
    let values: Vec<_> = all.reads[0]
        .requests
        .iter()
        .map(|request| request[0].value.as_str())
        .collect();
    assert_eq!(values, ["ALL#00", "ALL#01", "ALL#02"]);
    assert_eq!(
        reads(&of(&explained, "inside")),
        [
            (Reads::Partition, "PK = O#{o}".to_owned(), 1),
            (Reads::Beginning, "PK = O#{o} & SK ^ 00".to_owned(), 11),
            (Reads::Key, "PK = O#{o} & SK = 00{t | time}".to_owned(), 11),
        ]
    );
}

#[test]
fn shards_beyond_counting_are_one_request_with_the_fields_in_it() {
    let explained = explain(
        r##"
[source.s]
match = {}
[shadow.a]
source = "s"
key = { PK = "{a | shard(10000)}{b | shard(2)}", SK = "{PK}" }
"##,
    );
    let read = &explained[0].reads[0];
    assert_eq!(read.requests.len(), 1);
    assert_eq!(read.requests[0][0].value, "{a | shard(10000)}{b | shard(2)}");
    assert_eq!(read.buckets.len(), 2);
}

const INDEXED: &str = r##"ttl = "expires"
[[table.index]]
name = "G"
kind = "global"
partition_key = { name = "gp", type = "S" }
sort_key = { name = "gs", type = "S" }
projection = "all"
[[table.index]]
name = "inverted"
kind = "global"
partition_key = { name = "SK", type = "S" }
sort_key = { name = "PK", type = "S" }
[source.a]
match = { PK = [{ prefix = "A#" }] }
[source.b]
match = { PK = [{ prefix = "B#" }] }
[attribute.a-place]
attribute = "gp"
source = "a"
value = "P#{place}"
[attribute.a-time]
attribute = "gs"
source = "a"
value = "T#{t | time}"
[attribute.b-place]
attribute = "gp"
source = "b"
value = "P#{town}"
[attribute.alone]
source = "a"
value = "{PK}!"
[shadow.bare]
source = "a"
key = { PK = "S#{PK}", SK = "{SK}" }
[shadow.moving]
source = "a"
key = { PK = "M#{t | time}", SK = "{PK}" }
project = ["gp", "gs"]
[shadow.each]
source = "a"
for_each = { PK = "tags" }
key = { PK = "E#{PK}", SK = "{SK}" }
project = { except = ["gs"] }
unique = true
"##;

#[test]
fn an_attribute_is_read_by_the_index_that_has_it_in_its_key() {
    let explained = explain(INDEXED);
    let place = of(&explained, "a-place");
    assert_eq!(
        reads(&place),
        [
            (Reads::Partition, "gp = P#{place} & gs ^ T#".to_owned(), 1),
            (Reads::Key, "gp = P#{place} & gs = T#{t | time}".to_owned(), 1),
        ]
    );
    assert_eq!(reads(&place), reads(&of(&explained, "a-time")));
    assert!(place.reads.iter().all(|read| read.index.as_deref() == Some("G")));
    // No view gives items of `b` the sort key, so any text may be there; `moving` carries both attributes.
    assert_eq!(place.reads[0].also_reads, [source("b"), view("moving")]);
    assert!(of(&explained, "alone").reads.is_empty());
    // The sort key of `b`'s items is their own affair.
    assert_eq!(reads(&of(&explained, "b-place"))[1].1, "gp = P#{town} & gs = {gs}");
}

/// Events with puts, deletes, updates and units.
fn events(explained: &Explanation) -> Vec<(Event, u32, u32, u32, u32)> {
    let events = explained.cost.events.iter();
    events
        .map(|cost| (cost.event, cost.puts, cost.deletes, cost.updates, cost.units))
        .collect()
}

#[test]
fn shadows_cost_what_the_promise_says() {
    let explained = explain(INDEXED);
    let moving = of(&explained, "moving");
    assert_eq!(
        events(&moving),
        [
            (Event::Insert, 1, 0, 0, 1),
            (Event::Move, 1, 1, 0, 2),
            (Event::Projection, 1, 0, 0, 1),
            (Event::Unchanged, 0, 0, 0, 0),
            (Event::Leave, 0, 1, 0, 1),
            (Event::Delete, 0, 1, 0, 1),
        ]
    );
    assert_eq!(moving.cost.events[1].inputs, ["t"], "`PK` never changes");
    assert!(
        events(&of(&explained, "bare"))
            .iter()
            .all(|event| event.0 != Event::Move)
    );
    let each = of(&explained, "each");
    assert!(each.cost.per_element);
    assert_eq!(
        each.cost.events[1].inputs,
        ["PK"],
        "an element hides the key attribute of its name"
    );
    let ttl = events(&of(&explained, "bare"));
    assert!(
        ttl.contains(&(Event::Projection, 1, 0, 0, 1)),
        "the ttl attribute is carried"
    );
}

#[test]
fn a_shadow_that_carries_nothing_has_nothing_to_touch() {
    let explained =
        explain("[source.s]\nmatch = {}\n[shadow.a]\nsource = \"s\"\nkey = { PK = \"X#{PK}\", SK = \"{SK}\" }\n");
    assert_eq!(
        events(&explained[0]).iter().map(|event| event.0).collect::<Vec<_>>(),
        [Event::Insert, Event::Unchanged, Event::Leave, Event::Delete]
    );
}

#[test]
fn attributes_cost_one_update_and_nothing_when_their_item_goes() {
    let explained = explain(INDEXED);
    assert_eq!(
        events(&of(&explained, "a-place")),
        [
            (Event::Insert, 0, 0, 1, 1),
            (Event::Move, 0, 0, 1, 1),
            (Event::Unchanged, 0, 0, 0, 0),
            (Event::Leave, 0, 0, 1, 1),
            (Event::Delete, 0, 0, 0, 0),
        ]
    );
    assert!(of(&explained, "a-place").cost.size.is_none());
}

#[test]
fn the_indexes_that_cost_on_top_are_those_an_item_stands_in() {
    let explained = explain(INDEXED);
    let indexes = |name: &str| {
        let indexes = of(&explained, name).cost.indexes;
        let told = |cost: IndexCost| format!("{} {} {}", cost.index, cost.needs.join("+"), cost.moves);
        indexes.into_iter().map(told).collect::<Vec<_>>()
    };
    // Every item has the key of `inverted`. `each` leaves `gs` out and `bare` projects nothing.
    assert_eq!(indexes("bare"), ["inverted  false"]);
    assert_eq!(indexes("moving"), ["G gp+gs true", "inverted  false"]);
    assert_eq!(indexes("each"), ["inverted  false"]);
    // The attribute is of G's key; `inverted` carries keys only.
    assert_eq!(indexes("a-place"), ["G gp+gs true"]);
    assert_eq!(indexes("alone"), ["G gp+gs false"]);
}

#[test]
fn the_markers_size_is_counted_to_the_byte() {
    let views = load(&format!("{TABLE}{INDEXED}")).views.expect("views");
    let size = of(&views.explain(), "bare").cost.size.expect("size");
    let item: Item = serde_json::from_str(r#"{"PK":{"S":"A#1"},"SK":{"S":"x"}}"#).expect("item");
    let shadow = &views.derive(&item).shadows[0];
    let number = shadowkey_item::SequenceNumber::parse("7").expect("number");
    let version = shadowkey_item::Version::new("2026-01-05T10:00:00.000", &number);
    // `of` holds `A#1` and `x`; the key `S#A#1` and `x` has `S#` fixed.
    let (of_source, of_key) = (3 + 1, 3 + 1);
    assert_eq!(
        shadowkey_item::item_size(&shadow.at(&version)),
        size.marker_bytes + of_source + size.key_bytes + of_key
    );
}
