//! What the codec promises of every template: keys are injective, ordered forms keep the order of tuples, and decoding
//! inverts encoding.
//!
//! The oracle is written separately: exact decimals by another library, code points for text, a civil calendar of its
//! own for times, and the standard library's case.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's own words fail the test"
)]

mod calendar;
mod case;
mod field;
mod generate;
mod input;

use std::cmp::Ordering;

use proptest::prelude::*;
use shadowkey_item::{AttributePath, AttributeValue, Item, Number, ScalarType};
use shadowkey_key_codec::{Scope, Template};

use crate::case::{Case, case, number_case};
use crate::field::Output;
use crate::generate::{any_form, bare, dressed, ordered_form, reversible_form};
use crate::input::{atom, decimal, number, text};

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn different_outputs_give_different_keys(case in case(dressed(any_form()))) {
        let (a, b) = (case.outputs(&case.a), case.outputs(&case.b));
        let (key_a, key_b) = (case.key(&case.a), case.key(&case.b));
        prop_assert_eq!(key_a.is_some(), a.is_some());
        prop_assert_eq!(key_b.is_some(), b.is_some());
        if key_a.is_some() && key_b.is_some() {
            prop_assert_eq!(key_a == key_b, a == b);
        }
    }

    #[test]
    fn ordered_fields_keep_the_order_of_tuples(case in case(dressed(ordered_form()))) {
        if let (Some(a), Some(b)) = (case.outputs(&case.a), case.outputs(&case.b)) {
            prop_assert_eq!(case.key(&case.a).cmp(&case.key(&case.b)), case.compare(&a, &b));
        }
    }

    #[test]
    fn decoding_gives_what_the_ops_gave_and_the_input_where_nothing_is_lost(case in case(dressed(any_form()))) {
        let Some(outputs) = case.outputs(&case.a) else { return Ok(()) };
        let key = case.key(&case.a).expect("complete");
        let decoded = case.template().decode(&key).expect("decoded");
        prop_assert_eq!(decoded.len(), outputs.len());
        for (position, (decoded, output)) in decoded.iter().zip(&outputs).enumerate() {
            let (field, input) = (&case.fields[position], &case.a[position]);
            prop_assert_eq!(&decoded.path, &AttributePath::attribute(format!("f{position}")));
            prop_assert_eq!(decoded.lossy, field.is_lossy());
            let read = decoded.value.as_ref().map(|value| field.read(value));
            prop_assert_eq!(read, field.kept(output));
            if !decoded.lossy && !input.becomes_text(field.form) {
                prop_assert_eq!(&decoded.value, &input.value());
            }
        }
    }

    #[test]
    fn whatever_is_decoded_renders_to_the_same_again(
        case in case(bare(reversible_form())), at in 0usize..12, more in atom(), cut in 0usize..3,
    ) {
        let key = case.key(&case.a).expect("complete");
        let mut chars: Vec<char> = key.as_s().expect("text").chars().collect();
        let at = at.min(chars.len());
        let end = (at + cut).min(chars.len());
        chars.splice(at..end, more.chars());
        let garbled = AttributeValue::S(chars.into_iter().collect());
        if let Some(decoded) = case.template().decode(&garbled) {
            let fields = decoded.into_iter();
            let item: Item = fields.map(|field| (field.path.root().to_owned(), field.value.expect("value"))).collect();
            prop_assert_eq!(case.template().render(Scope::item(&item)), Ok(Some(garbled)));
        }
    }

    #[test]
    fn numbers_of_type_n_keep_their_order_or_turn_it(case in number_case()) {
        let [a, b] = [&case.a, &case.b].map(|input| case.rendered(input));
        prop_assert_eq!(decimal(a.as_str()), case.number(&case.a));
        prop_assert_eq!(a.cmp(&b), case.number(&case.a).cmp(&case.number(&case.b)));
        let decoded = case.template().decode(&AttributeValue::N(a)).expect("decoded");
        let [decoded] = decoded.as_slice() else { panic!("one field") };
        let value = decoded.value.as_ref().expect("value");
        let again = Template::parse(&case.again(), ScalarType::N).expect("template");
        let item = Item::from([("f0".to_owned(), value.clone())]);
        let again = again.render(Scope::item(&item)).expect("rendered").expect("complete");
        prop_assert_eq!(decimal(again.as_n().expect("number").as_str()), case.number(&case.a));
        if !decoded.lossy {
            prop_assert_eq!(Some(value.clone()), case.a.value());
        }
    }

    #[test]
    fn folding_twice_changes_nothing(text in text()) {
        let fold = Template::parse("{f0 | fold}", ScalarType::S).expect("template");
        let render = |value: AttributeValue| fold.render(Scope::item(&Item::from([("f0".to_owned(), value)]))).expect("rendered");
        if let Some(once) = render(text.as_str().into()) {
            prop_assert_eq!(render(once.clone()), Some(once));
        }
    }

    #[test]
    fn a_number_compares_as_the_oracle_does(a in number(), b in number()) {
        let parse = |text: &str| text.parse::<Number>().expect("number");
        prop_assert_eq!(parse(&a).cmp(&parse(&b)), decimal(&a).cmp(&decimal(&b)));
    }
}

impl Case {
    /// The order of two tuples, field by field.
    fn compare(&self, a: &[Output], b: &[Output]) -> Ordering {
        let fields = self.fields.iter().zip(a.iter().zip(b));
        let mut orders = fields.map(|(field, (a, b))| {
            let order = a.compare(b);
            if field.form.descends() { order.reverse() } else { order }
        });
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}
