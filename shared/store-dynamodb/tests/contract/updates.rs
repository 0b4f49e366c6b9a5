use serde_json::json;
use shadowkey_plan::Condition;
use shadowkey_store::{Store, Written};

use super::tables::*;

#[tokio::test]
async fn an_update_sets_and_removes_and_leaves_the_rest() {
    let store = crate::store().await;
    given(
        &store,
        &item_a(json!({"set": {"N": "1"}, "gone": {"S": "x"}, "stays": {"SS": ["a"]}})),
    )
    .await;
    let change = update(json!({"set": {"N": "2"}, "new": {"S": "y"}}), &["gone"], present("PK"));
    assert_done(&store.update(&change).await.expect("update"));
    let expected = item_a(json!({"set": {"N": "2"}, "new": {"S": "y"}, "stays": {"SS": ["a"]}}));
    assert_eq!(found(&store).await, Some(expected));
}

#[tokio::test]
async fn an_update_whose_condition_holds_for_nothing_creates_the_item() {
    let store = crate::store().await;
    let change = update(json!({"n": {"N": "1"}}), &["other"], Condition::ALWAYS);
    assert_done(&store.update(&change).await.expect("update"));
    assert_eq!(found(&store).await, Some(item_a(json!({"n": {"N": "1"}}))));
}

#[tokio::test]
async fn an_update_of_an_item_that_has_to_be_there_does_not_create_it() {
    let store = crate::store().await;
    let change = update(json!({"n": {"N": "1"}}), &[], present("PK"));
    let written = store.update(&change).await.expect("update");
    assert_eq!(written, Written::Refused { found: None });
    assert_eq!(found(&store).await, None);
}

#[tokio::test]
async fn a_refused_update_changes_nothing_and_gives_what_it_found() {
    let store = crate::store().await;
    let old = item_a(json!({"n": {"N": "1"}}));
    given(&store, &old).await;
    let change = update(json!({"n": {"N": "3"}}), &[], equal("n", json!({"N": "2"})));
    let written = store.update(&change).await.expect("update");
    let found_there = Some(old.clone());
    assert_eq!(written, Written::Refused { found: found_there });
    assert_eq!(found(&store).await, Some(old));
}

#[tokio::test]
async fn removing_what_is_not_there_is_no_error() {
    let store = crate::store().await;
    let there = item_a(json!({"n": {"N": "1"}}));
    given(&store, &there).await;
    assert_done(
        &store
            .update(&update(json!({}), &["absent"], Condition::ALWAYS))
            .await
            .expect("update"),
    );
    assert_eq!(found(&store).await, Some(there));
}

#[tokio::test]
async fn an_update_that_removes_every_attribute_leaves_the_key() {
    let store = crate::store().await;
    given(&store, &item_a(json!({"a": {"N": "1"}, "b": {"N": "2"}}))).await;
    assert_done(
        &store
            .update(&update(json!({}), &["a", "b"], Condition::ALWAYS))
            .await
            .expect("update"),
    );
    assert_eq!(found(&store).await, Some(item_a(json!({}))));
}

#[tokio::test]
async fn an_update_of_nothing_changes_nothing() {
    let store = crate::store().await;
    let there = item_a(json!({"n": {"N": "1"}}));
    given(&store, &there).await;
    assert_done(
        &store
            .update(&update(json!({}), &[], present("n")))
            .await
            .expect("update"),
    );
    assert_eq!(found(&store).await, Some(there));
}

#[tokio::test]
async fn names_may_be_reserved_words_or_hold_any_character() {
    let store = crate::store().await;
    let names = [
        "name",
        "size",
        "Status",
        "a.b",
        "due date",
        "#x",
        ":y",
        "a[0]",
        "it's",
        "größe",
        "0",
        "-",
        "#n0",
        "a/b\\c\"d",
    ];
    let mut expected = item_a(json!({}));
    for name in names {
        let quoted = format!("'{}'", name.replace('\'', "''"));
        let change = update(json!({name: {"S": name}}), &[], absent(&quoted));
        assert_done(&store.update(&change).await.expect(name));
        let change = update(json!({"last": {"S": name}}), &[], equal(&quoted, json!({"S": name})));
        assert_done(&store.update(&change).await.expect(name));
        expected.insert(name.to_owned(), name.into());
        expected.insert("last".to_owned(), name.into());
        assert_eq!(found(&store).await.as_ref(), Some(&expected));
    }
    assert_done(
        &store
            .update(&update(json!({}), &names, Condition::ALWAYS))
            .await
            .expect("update"),
    );
    assert_eq!(found(&store).await, Some(item_a(json!({"last": {"S": "a/b\\c\"d"}}))));
}

#[tokio::test]
async fn one_name_may_be_set_and_be_in_the_condition() {
    let store = crate::store().await;
    given(&store, &item_a(json!({"n": {"N": "1"}}))).await;
    let condition = Condition::All(vec![
        equal("n", json!({"N": "1"})),
        present("SK"),
        less("n", json!({"N": "2"})),
    ]);
    assert_done(
        &store
            .update(&update(json!({"n": {"N": "2"}}), &[], condition))
            .await
            .expect("update"),
    );
    assert_eq!(found(&store).await, Some(item_a(json!({"n": {"N": "2"}}))));
}
