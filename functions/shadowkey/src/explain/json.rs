//! An explanation for a program.
//!
//! The fields are those of [`Explanation`] and of what is in it, by their names there but for `queries`: each read with its
//! `requests`, which Query takes as they are once the fields in their values are filled in.

use serde_json::{Value, json};
use shadowkey_views::{Condition, Explanation, Read};

use crate::query::{KeyCondition, query};

pub(super) fn to_json(explained: &Explanation) -> Value {
    let queries = explained.reads.iter().map(|read| of_read(&explained.table.0, read));
    json!({
        "view": explained.view,
        "kind": explained.kind,
        "source": explained.source,
        "table": explained.table,
        "for_each": explained.for_each,
        "project": explained.project,
        "ttl": explained.ttl,
        "key": explained.key,
        "collections": explained.collections,
        "queries": queries.collect::<Vec<_>>(),
        "cost": explained.cost,
    })
}

fn of_read(table: &str, read: &Read) -> Value {
    let requests = read.requests.iter().map(|conditions| {
        let conditions: Vec<KeyCondition<'_>> = conditions.iter().map(of_condition).collect();
        query(table, read.index.as_deref(), &conditions)
    });
    json!({
        "reads": read.reads,
        "index": read.index,
        "given": read.given,
        "buckets": read.buckets,
        "requests": requests.collect::<Vec<_>>(),
        "also_reads": read.also_reads,
    })
}

fn of_condition(condition: &Condition) -> KeyCondition<'_> {
    KeyCondition {
        name: &condition.name,
        operator: condition.operator,
        value: json!({ condition.kind.name(): condition.value }),
    }
}
