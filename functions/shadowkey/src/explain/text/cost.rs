//! What changes cost.

use shadowkey_views::{Cost, Event, EventCost, Explanation, IndexCost, Size, ViewKind};

use super::Page;

pub(super) fn write(page: &mut Page, explained: &Explanation) {
    let Cost {
        events, per_element, ..
    } = &explained.cost;
    let each = match (explained.kind, per_element) {
        (ViewKind::Attribute, _) => "for each item, together with its other derived attributes",
        (ViewKind::Shadow, false) => "for each item",
        (ViewKind::Shadow, true) => "for each element that changes",
    };
    page.paragraph(&format!("cost, {each}"));
    let header = ["", "requests", "units to 1 KB", "write units by size"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(events.iter().map(of_event));
    page.rows(4, &rows);
    for event in events.iter().filter(|event| !event.inputs.is_empty()) {
        page.words(4, 2, &format!("inputs that can change: {}", event.inputs.join(", ")));
    }
    page.words(
        4,
        2,
        "what is in the view neither before nor after a change costs nothing",
    );
    if explained.cost.in_transaction {
        let words = "in a transaction all units count twice, and the source item's size, twice, on top; a change that only updates \
                     attributes is no transaction";
        page.words(4, 2, words);
    }
    match explained.cost.size {
        Some(size) => page.words(4, 2, &of_size(size)),
        None => page.line(4, "the size is that of the whole source item"),
    }
    for index in &explained.cost.indexes {
        page.words(4, 2, &of_index(index, explained.kind));
    }
}

fn of_event(cost: &EventCost) -> Vec<String> {
    let what = match (cost.event, cost.updates) {
        (Event::Insert, _) => "comes into the view",
        (Event::Move, 0) => "an input of the key changes",
        (Event::Move, _) => "an input changes",
        (Event::Projection, _) => "only what is carried changes",
        (Event::Unchanged, _) => "nothing of it changes",
        (Event::Leave, _) => "leaves the view",
        (Event::Delete, _) => "is deleted",
    };
    let counted = [(cost.puts, "put"), (cost.updates, "update"), (cost.deletes, "delete")];
    let requests: Vec<String> = counted
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    let requests = match requests.as_slice() {
        [] => "0".to_owned(),
        requests => requests.join(", "),
    };
    let formula = if cost.units == 0 { "" } else { cost.formula };
    vec![what.to_owned(), requests, cost.units.to_string(), formula.to_owned()]
}

fn of_size(size: Size) -> String {
    format!(
        "fixed in each shadow's size: {} bytes of _shadow, besides the source's key in it, and {} of the key",
        size.marker_bytes, size.key_bytes
    )
}

fn of_index(cost: &IndexCost, kind: ViewKind) -> String {
    let IndexCost { index, needs, .. } = cost;
    let who = match kind {
        ViewKind::Attribute => "an item",
        ViewKind::Shadow => "a shadow",
    };
    let having = match needs.as_slice() {
        [] => "every one does".to_owned(),
        needs => format!("with {}", needs.join(" and ")),
    };
    let writes = if cost.moves {
        "1 write there for an entry that comes, goes or changes, 2 where its key in the index changes"
    } else {
        "1 write there for an entry that comes, goes or changes"
    };
    format!(
        "on top, while {who} stands in the {} index {index} ({having}): {writes}",
        cost.kind
    )
}
