use crate::explain::tests::{SHARED, explain, of, source, view};

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
