//! What became of reconciled items, for a program and for a person.

use serde_json::{Value, json};
use shadowkey_item::item_to_json;
use shadowkey_worker::{ItemOutcome, Outcome};

/// How an item ended: `done`; `parked`, with the problems that are; or `failed`, and to be tried again.
fn outcome_of(item: &ItemOutcome) -> &'static str {
    match (item.is_done(), item.problems.is_empty()) {
        (true, true) => "done",
        (true, false) => "parked",
        (false, _) => "failed",
    }
}

/// The items that are neither done nor parked.
pub(crate) fn failed_items(outcome: &Outcome) -> impl Iterator<Item = &ItemOutcome> {
    outcome.items.iter().filter(|item| !item.is_done())
}

pub(crate) fn item_json(item: &ItemOutcome) -> Value {
    let problems = item
        .problems
        .iter()
        .map(|problem| json!({ "view": problem.view, "code": problem.code, "message": problem.message }));
    json!({
        "of": item_to_json(item.key.attributes()),
        "outcome": outcome_of(item),
        "problems": problems.collect::<Vec<_>>(),
    })
}

/// The problems of an item, a line each.
pub(crate) fn item_lines(item: &ItemOutcome) -> String {
    let outcome = outcome_of(item);
    let lines = item.problems.iter().map(|problem| {
        let view = problem.view.as_deref().unwrap_or("item");
        format!(
            "{outcome} [{}] {} {view}: {}\n",
            problem.code, item.key, problem.message
        )
    });
    lines.collect()
}
