//! The collections that a view's items lie in.

use shadowkey_views::{Collection, Explanation, Resident, Stretch, ViewKind};

use super::{Page, residents};

pub(super) fn write(page: &mut Page, explained: &Explanation) {
    if explained.kind == ViewKind::Shadow && explained.collections.is_empty() {
        page.paragraph("collection");
        page.line(
            4,
            "none: the table has no sort key, so that every item is alone under its key",
        );
    }
    for collection in &explained.collections {
        let place = match &collection.index {
            Some(index) => format!("collection in index {index}"),
            None => "collection".to_owned(),
        };
        page.paragraph(&place);
        of_collection(page, collection, explained);
    }
}

fn of_collection(page: &mut Page, collection: &Collection, explained: &Explanation) {
    let Collection {
        partition_key,
        sort_key,
        order,
        ..
    } = collection;
    let mut others = order.iter().flat_map(|stretch| &stretch.residents);
    if !others.any(|resident| !is_own(resident, explained)) {
        page.words(
            4,
            2,
            &format!("no other items of this file can have its {partition_key}"),
        );
        return;
    }
    let order_of = if collection.by_number {
        "in the order of the number"
    } else {
        "in byte order of"
    };
    page.words(
        4,
        2,
        &format!("the items of this file that can have one {partition_key}, {order_of} {sort_key}"),
    );
    let rows = order
        .iter()
        .map(|stretch| vec![beginning(stretch), residents(&stretch.residents)]);
    page.rows(6, &rows.collect::<Vec<_>>());
    for stretch in order {
        undecided(page, stretch, order);
    }
}

/// Whether these are the very items that are explained: the view's shadows, or the items its attribute is on.
fn is_own(resident: &Resident, explained: &Explanation) -> bool {
    match resident {
        Resident::View(name) => *name == explained.view,
        Resident::Source(name) => explained.kind == ViewKind::Attribute && *name == explained.source,
    }
}

/// What the sort keys begin with; an ellipsis where they go on.
fn beginning(stretch: &Stretch) -> String {
    let goes_on = if stretch.exactly { "" } else { "…" };
    match stretch.starts_with.as_str() {
        "" => goes_on.to_owned(),
        text => format!("{text:?}{goes_on}"),
    }
}

/// Says so where the order depends on values, once for each pair.
fn undecided(page: &mut Page, stretch: &Stretch, order: &[Stretch]) {
    if stretch.residents.len() > 1 {
        let text = format!(
            "undecided: the order among {}, whose sort keys begin alike",
            residents(&stretch.residents)
        );
        page.words(4, 2, &text);
    }
    let reaches = |other: &Stretch| {
        other.starts_with != stretch.starts_with && other.starts_with.starts_with(&stretch.starts_with)
    };
    if stretch.exactly || stretch.undecided_with.is_empty() || !order.iter().any(reaches) {
        return;
    }
    let why = match stretch.starts_with.as_str() {
        "" => "nothing fixes how their sort keys begin".to_owned(),
        text => format!("what follows {text:?} decides"),
    };
    let (these, those) = (residents(&stretch.residents), residents(&stretch.undecided_with));
    let lie = if stretch.residents.len() == 1 { "lies" } else { "lie" };
    page.words(4, 2, &format!("undecided: where {these} {lie} among {those}; {why}"));
}
