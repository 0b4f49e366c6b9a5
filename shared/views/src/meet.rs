//! Whether two sources can meet in one item.
//!
//! They cannot when some path that both match has no value that satisfies both. What cannot be decided counts as
//! meeting, so that a conflict is never overlooked.

use crate::pattern::{Alternative, NumericComparison, Pattern, ignoring_case, within};
use shadowkey_item::{AttributeValue, Number};

/// Whether an item can match both patterns.
pub(crate) fn can_meet(a: &Pattern, b: &Pattern) -> bool {
    a.0.iter().all(|(path, left)| {
        b.0.iter()
            .filter(|(other, _)| other == path)
            .all(|(_, right)| left.iter().any(|left| right.iter().any(|right| overlap(left, right))))
    })
}

/// Whether a value, or the absence of one, can match both alternatives.
fn overlap(a: &Alternative, b: &Alternative) -> bool {
    use Alternative as A;
    match (a, b) {
        (A::Exists(a), A::Exists(b)) => a == b,
        (A::Exists(exists), _) | (_, A::Exists(exists)) => *exists,
        (A::Literal(value), other) | (other, A::Literal(value)) => other.matches(Some(value)),
        (A::Numeric(_), A::Prefix(_) | A::Suffix(_) | A::EqualsIgnoreCase(_))
        | (A::Prefix(_) | A::Suffix(_) | A::EqualsIgnoreCase(_), A::Numeric(_)) => false,
        (A::Prefix(a), A::Prefix(b)) => a.starts_with(b.as_str()) || b.starts_with(a.as_str()),
        (A::Suffix(a), A::Suffix(b)) => a.ends_with(b.as_str()) || b.ends_with(a.as_str()),
        (A::EqualsIgnoreCase(a), A::EqualsIgnoreCase(b)) => ignoring_case(a) == ignoring_case(b),
        (A::Numeric(a), A::Numeric(b)) => numeric_overlap(a, b),
        (A::Numeric(bounds), A::AnythingBut(values)) | (A::AnythingBut(values), A::Numeric(bounds)) => {
            !only_value(bounds).is_some_and(|number| values.contains(&AttributeValue::N(number)))
        }
        // Case has no inverse that is certain, and a text can begin and end as one likes.
        (A::EqualsIgnoreCase(_), _) | (_, A::EqualsIgnoreCase(_)) => true,
        (A::AnythingBut(_), _) | (_, A::AnythingBut(_)) => true,
        (A::Prefix(_), A::Suffix(_)) | (A::Suffix(_), A::Prefix(_)) => true,
    }
}

/// Whether a number can lie within both. If one does, one of the bounds or a number just beside it does; between two
/// bounds that both exclude, there is always another number.
fn numeric_overlap(a: &[(NumericComparison, Number)], b: &[(NumericComparison, Number)]) -> bool {
    let bounds: Vec<_> = a.iter().chain(b).cloned().collect();
    if bounds.iter().any(|(_, bound)| within(bound, &bounds)) {
        return true;
    }
    let is = |wanted: [NumericComparison; 2]| {
        bounds
            .iter()
            .filter(move |(comparison, _)| wanted.contains(comparison))
            .map(|(_, bound)| bound)
    };
    let lower = is([NumericComparison::Greater, NumericComparison::GreaterOrEqual]).max();
    let upper = is([NumericComparison::Less, NumericComparison::LessOrEqual]).min();
    let has_equal = bounds
        .iter()
        .any(|(comparison, _)| *comparison == NumericComparison::Equal);
    !has_equal
        && match (lower, upper) {
            (Some(lower), Some(upper)) => lower < upper,
            _ => true,
        }
}

/// The number, where the bounds allow exactly one.
fn only_value(bounds: &[(NumericComparison, Number)]) -> Option<Number> {
    bounds
        .iter()
        .find(|(comparison, _)| *comparison == NumericComparison::Equal)
        .map(|(_, number)| number.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shadowkey_item::AttributePath;

    fn meet(a: Alternative, b: Alternative) -> bool {
        let pattern = |alternative| Pattern(vec![(AttributePath::attribute("a"), vec![alternative])]);
        let forward = can_meet(&pattern(a.clone()), &pattern(b.clone()));
        assert_eq!(forward, can_meet(&pattern(b), &pattern(a)), "symmetric");
        forward
    }

    fn numeric(bounds: &[(NumericComparison, &str)]) -> Alternative {
        let number = |text: &str| text.parse().expect("number");
        Alternative::Numeric(bounds.iter().map(|(c, text)| (*c, number(text))).collect())
    }

    #[test]
    fn sources_meet_unless_a_path_keeps_them_apart() {
        use Alternative as A;
        use NumericComparison as C;
        assert!(!meet(A::Literal("a".into()), A::Literal("b".into())));
        assert!(!meet(A::Prefix("ORG#".into()), A::Prefix("USER#".into())));
        assert!(meet(A::Prefix("ORG#".into()), A::Prefix("ORG#1".into())));
        assert!(!meet(A::Prefix("ORG#".into()), A::Literal("USER#1".into())));
        assert!(meet(A::Prefix("a".into()), A::Suffix("b".into())));
        assert!(!meet(A::Exists(false), A::Prefix("".into())));
        assert!(meet(A::Exists(true), A::Prefix("".into())));
        assert!(!meet(A::AnythingBut(vec!["a".into()]), A::Literal("a".into())));
        assert!(meet(A::AnythingBut(vec!["a".into()]), A::Prefix("a".into())));
        assert!(!meet(A::Numeric(vec![]), A::Prefix("1".into())));
        assert!(!meet(numeric(&[(C::Less, "5")]), numeric(&[(C::Greater, "5")])));
        assert!(!meet(numeric(&[(C::Less, "5")]), numeric(&[(C::GreaterOrEqual, "5")])));
        assert!(meet(
            numeric(&[(C::LessOrEqual, "5")]),
            numeric(&[(C::GreaterOrEqual, "5")])
        ));
        assert!(meet(numeric(&[(C::Less, "5")]), numeric(&[(C::Greater, "4")])));
        assert!(!meet(numeric(&[(C::Equal, "5")]), numeric(&[(C::Greater, "5")])));
    }

    #[test]
    fn different_paths_keep_nothing_apart() {
        let pattern = |name: &str, text: &str| {
            Pattern(vec![(
                AttributePath::attribute(name),
                vec![Alternative::Literal(text.into())],
            )])
        };
        assert!(can_meet(&pattern("a", "x"), &pattern("b", "y")));
    }
}
