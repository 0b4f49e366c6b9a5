use serde_json::json;
use shadowkey_item::Item;
use shadowkey_plan::{Action, Check, Condition, Delete};
use shadowkey_store::{Disposition, Reason, Store, Transacted};

use super::tables::*;

fn neighbour() -> Item {
    item(json!({"PK": {"S": "a"}, "SK": {"S": "10"}, "n": {"N": "7"}}))
}

/// Checks the item that every other test writes.
fn check(condition: Condition) -> Action {
    let delete = delete(condition);
    Action::Check(Check {
        table: delete.table,
        key: delete.key,
        condition: delete.condition,
    })
}

fn put_neighbour(condition: Condition) -> Action {
    Action::Put(put(neighbour(), condition))
}

#[tokio::test]
async fn all_actions_take_effect_at_twice_the_price() {
    let store = crate::store().await;
    given(&store, &item_a(json!({"n": {"N": "1"}}))).await;
    let actions = [
        Action::Update(update(json!({"n": {"N": "2"}}), &[], equal("n", json!({"N": "1"})))),
        put_neighbour(absent("PK")),
    ];
    let transacted = store.transact(&actions).await.expect("transact");
    assert!(
        matches!(transacted, Transacted::Done { write_units: 4 }),
        "{transacted:?}"
    );
    assert_eq!(found(&store).await, Some(item_a(json!({"n": {"N": "2"}}))));
    let actions = [
        check(present("PK")),
        Action::Delete(Delete {
            key: key("app", json!({"PK": {"S": "a"}, "SK": {"S": "10"}})),
            ..delete(Condition::ALWAYS)
        }),
    ];
    let transacted = store.transact(&actions).await.expect("transact");
    assert!(matches!(transacted, Transacted::Done { .. }), "{transacted:?}");
    assert_eq!(store.scan(&app(), None).await.expect("scan").items.len(), 1);
}

#[tokio::test]
async fn a_refused_action_cancels_all_and_says_what_it_found() {
    let store = crate::store().await;
    let there = item_a(json!({"n": {"N": "1"}}));
    given(&store, &there).await;
    let actions = [put_neighbour(absent("PK")), check(equal("n", json!({"N": "2"})))];
    let Transacted::Cancelled { reasons } = store.transact(&actions).await.expect("transact") else {
        panic!("not cancelled");
    };
    let [Reason::None, Reason::Refused { found: Some(found) }] = &reasons[..] else {
        panic!("{reasons:?}");
    };
    assert_eq!(*found, there);
    assert_eq!(store.scan(&app(), None).await.expect("scan").items, [there]);
}

#[tokio::test]
async fn an_action_refused_at_an_empty_place_finds_nothing() {
    let store = crate::store().await;
    let actions = [check(present("PK")), put_neighbour(Condition::ALWAYS)];
    let Transacted::Cancelled { reasons } = store.transact(&actions).await.expect("transact") else {
        panic!("not cancelled");
    };
    assert!(
        matches!(reasons[..], [Reason::Refused { found: None }, Reason::None]),
        "{reasons:?}"
    );
}

#[tokio::test]
async fn two_actions_on_one_item_are_rejected() {
    let store = crate::store().await;
    let actions = [
        check(absent("PK")),
        Action::Put(put(item_a(json!({})), Condition::ALWAYS)),
    ];
    let error = store.transact(&actions).await.expect_err("rejected");
    assert_eq!(error.disposition(), Disposition::Park, "{error}");
    assert_eq!(found(&store).await, None);
}

#[tokio::test]
async fn more_actions_than_a_transaction_holds_are_rejected() {
    let store = crate::store().await;
    let puts = (0..101).map(|n| {
        let item = item(json!({"PK": {"S": "a"}, "SK": {"S": n.to_string()}}));
        Action::Put(put(item, Condition::ALWAYS))
    });
    let error = store.transact(&puts.collect::<Vec<_>>()).await.expect_err("rejected");
    assert_eq!(error.disposition(), Disposition::Park, "{error}");
}
