//! Random conditions over random items, with [`Condition::holds`] as the oracle.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use shadowkey_item::{AttributePath, AttributeValue, Item};
use shadowkey_plan::{Comparison, Condition};
use shadowkey_store::{Store, Written};

use super::tables::*;

/// How many conditions one run tries.
const CASES: u32 = 300;

fn scalar() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        prop::sample::select(vec!["", "a", "b", "ä"]).prop_map(AttributeValue::from),
        prop::sample::select(vec!["-1", "0", "1", "1.5", "10000000000000000000000000000000000001"])
            .prop_map(|number| AttributeValue::N(number.parse().expect("number"))),
        vec(prop::sample::select(vec![0_u8, 0x7f, 0x80]), 0..2).prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        prop::collection::btree_set("[ab]", 1..3).prop_map(AttributeValue::Ss),
    ]
}

fn any_value() -> impl Strategy<Value = AttributeValue> {
    scalar().prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(AttributeValue::L),
            btree_map(name(), inner, 0..3).prop_map(AttributeValue::M),
        ]
    })
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b.c", "size"]).prop_map(str::to_owned)
}

fn any_item() -> impl Strategy<Value = Item> {
    btree_map(name(), any_value(), 0..4).prop_map(|mut item| {
        item.extend(key_a().attributes().clone());
        item
    })
}

fn any_path() -> impl Strategy<Value = AttributePath> {
    let step = prop_oneof![
        name().prop_map(|name| format!(".'{name}'")),
        (0..3_usize).prop_map(|index| format!("[{index}]")),
    ];
    (name(), vec(step, 0..3)).prop_map(|(root, steps)| path(&format!("'{root}'{}", steps.concat())))
}

fn any_condition() -> impl Strategy<Value = Condition> {
    let comparison = prop::sample::select(vec![Comparison::Equal, Comparison::NotEqual, Comparison::Less]);
    let leaf = prop_oneof![
        any_path().prop_map(Condition::Present),
        any_path().prop_map(Condition::Absent),
        (any_path(), comparison, any_value())
            .prop_map(|(path, comparison, value)| { Condition::Compare(path, comparison, value) }),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Condition::All),
            vec(inner, 0..4).prop_map(Condition::Any),
        ]
    })
}

#[test]
fn a_condition_holds_in_the_store_exactly_when_it_holds_by_definition() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("runtime");
    let store = runtime.block_on(crate::store());
    let mut runner = TestRunner::new(Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    });
    let cases = (proptest::option::of(any_item()), any_condition());
    let outcome = runner.run(&cases, |(there, condition)| {
        let written = runtime.block_on(async {
            match &there {
                Some(item) => given(&store, item).await,
                None => assert_done(&store.delete(&delete(Condition::ALWAYS)).await.expect("delete")),
            }
            store.delete(&delete(condition.clone())).await
        });
        let written = written.map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        match written {
            Written::Done { .. } => prop_assert!(condition.holds(there.as_ref())),
            Written::Refused { found } => {
                prop_assert!(!condition.holds(there.as_ref()));
                prop_assert_eq!(found, there);
            }
        }
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
