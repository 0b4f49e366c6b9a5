//! The queries that read a view.

use shadowkey_item::ScalarType;
use shadowkey_views::{Condition, Explanation, Operator, Read, Reads, ViewKind};

use super::{COLUMNS, Page, residents};

/// The most requests of one read that are all printed.
const PRINTED: usize = 16;

pub(super) fn write(page: &mut Page, explained: &Explanation) {
    page.paragraph("queries");
    if explained.reads.is_empty() && explained.kind == ViewKind::Attribute {
        let attribute = explained.key.first().map_or("it", |part| &part.name);
        page.words(4, 2, &format!("none: no declared index has {attribute} in its key"));
    }
    for read in &explained.reads {
        of_read(page, read);
    }
}

fn of_read(page: &mut Page, read: &Read) {
    let partition = partition_of(read);
    let what = match read.reads {
        Reads::Partition => format!("all of one {partition}"),
        Reads::Beginning => "one beginning".to_owned(),
        Reads::Key => "one key".to_owned(),
    };
    let place = read.index.as_ref().map(|index| format!(" in index {index}"));
    let given = match read.given.as_slice() {
        [] => ", no input needed".to_owned(),
        given => format!(", given {}", given.join(", ")),
    };
    page.words(4, 2, &format!("{what}{}{given}", place.unwrap_or_default()));
    if !read.buckets.is_empty() {
        let of: Vec<String> = read
            .buckets
            .iter()
            .map(|shard| format!("{} | shard({})", shard.path, shard.buckets))
            .collect();
        let requests: usize = read.buckets.iter().map(|shard| shard.buckets).product();
        let text = format!(
            "{requests} requests, one for each bucket of {}; merge the answers by the sort key",
            of.join(" and ")
        );
        page.words(6, 2, &text);
    }
    requests(page, &read.requests);
    if !read.also_reads.is_empty() {
        page.words(6, 2, &format!("can also give items of {}", residents(&read.also_reads)));
    }
}

fn partition_of(read: &Read) -> &str {
    let first = read.requests.first().and_then(|conditions| conditions.first());
    first.map_or("partition", |condition| &condition.name)
}

/// All requests, or the first and the last of many.
fn requests(page: &mut Page, requests: &[Vec<Condition>]) {
    match requests {
        [first, second, .., last] if requests.len() > PRINTED => {
            of_request(page, first);
            of_request(page, second);
            page.line(6, "…");
            of_request(page, last);
        }
        _ => requests.iter().for_each(|conditions| of_request(page, conditions)),
    }
}

fn of_request(page: &mut Page, conditions: &[Condition]) {
    let spelled: Vec<String> = conditions.iter().map(spelling).collect();
    let line = spelled.join(" AND ");
    if line.chars().count() + 6 <= COLUMNS {
        page.line(6, &line);
    } else {
        page.line(6, &spelled.join("\n        AND "));
    }
}

fn spelling(condition: &Condition) -> String {
    let Condition { name, value, .. } = condition;
    let value = match condition.kind {
        ScalarType::N => value.clone(),
        _ => format!("{value:?}"),
    };
    match condition.operator {
        Operator::Equal => format!("{name} = {value}"),
        Operator::BeginsWith => format!("begins_with({name}, {value})"),
    }
}
