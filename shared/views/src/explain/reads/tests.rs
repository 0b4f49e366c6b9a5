use super::*;
use crate::explain::tests::{INDEXED, SHARED, explain, of, source, view};
use crate::explain::{Explanation, Operator};

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
    let element = "for_each = { tag = \"tags\" }\n";
    let views = [
        "[source.s]\nmatch = {}\n".to_owned(),
        shadow("ends", "O#{o}", "X#{at | time | ksuid}"),
        shadow("merged", "{PK}", "{at | time | ksuid}#{SK}"),
        shadow("goes-on", "{PK}", "{at | time | ksuid}#{x}#{SK}"),
        shadow("partition", "{at | time | ksuid}", "{SK}"),
        shadow("later", "{at | time | ksuid}", "{SK}#{x}"),
        shadow("sharded", "ALL#{SK | shard(3)}", "{at | time | ksuid}"),
        shadow("each", "{tag}", "{at | time | ksuid}") + element,
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
    assert_eq!(levels("each"), ["Partition: tag", "Key: tag at PK SK"]);
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
    assert!(place.reads.iter().all(|read| read.index.as_deref() == Some("GSI")));
    // No view gives items of `b` the sort key, so any text may be there; `moving` carries both attributes.
    assert_eq!(place.reads[0].also_reads, [source("b"), view("moving")]);
    assert!(of(&explained, "alone").reads.is_empty());
    // The sort key of `b`'s items is their own affair.
    assert_eq!(reads(&of(&explained, "b-place"))[1].1, "gp = P#{town} & gs = {gs}");
}
