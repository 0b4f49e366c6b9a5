//! Match patterns: which items belong to a source.
//!
//! The operators are those of Lambda's event filters, with the same meaning for items: all paths must match, one
//! alternative each is enough, and `anything-but` does not match a missing attribute.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Value, json};
use shadowkey_item::{AttributePath, AttributeValue, Item, Number};

/// All paths of one source, each with its alternatives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Pattern(pub(crate) Vec<(AttributePath, Vec<Alternative>)>);

/// One way a value can match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Alternative {
    Literal(AttributeValue),
    Prefix(String),
    Suffix(String),
    AnythingBut(Vec<AttributeValue>),
    EqualsIgnoreCase(String),
    Exists(bool),
    Numeric(Vec<(NumericComparison, Number)>),
}

/// How a number compares with a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumericComparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl NumericComparison {
    pub(crate) const ALL: [Self; 5] = [
        Self::Equal,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
    ];

    pub(crate) const fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    pub(crate) fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }
}

impl Pattern {
    pub(crate) fn matches(&self, item: &Item) -> bool {
        self.0.iter().all(|(path, alternatives)| {
            alternatives
                .iter()
                .any(|alternative| alternative.matches(path.lookup(item)))
        })
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &AttributePath> {
        self.0.iter().map(|(path, _)| path)
    }

    /// Each path with its alternatives in the notation of event filters.
    pub(crate) fn to_json(&self) -> BTreeMap<String, Vec<Value>> {
        // In one order, however the file lists them.
        let to_json = |alternatives: &Vec<Alternative>| {
            let mut alternatives: Vec<Value> = alternatives.iter().map(Alternative::to_json).collect();
            alternatives.sort_by_key(Value::to_string);
            alternatives
        };
        let paths = self.0.iter();
        paths
            .map(|(path, alternatives)| (path.to_string(), to_json(alternatives)))
            .collect()
    }
}

/// Texts that differ in case only have one folded form.
pub(crate) fn ignoring_case(text: &str) -> String {
    text.to_lowercase()
}

impl Alternative {
    pub(crate) fn matches(&self, value: Option<&AttributeValue>) -> bool {
        let text = || value.and_then(AttributeValue::as_s);
        match self {
            Self::Literal(literal) => value == Some(literal),
            Self::Prefix(prefix) => text().is_some_and(|text| text.starts_with(prefix)),
            Self::Suffix(suffix) => text().is_some_and(|text| text.ends_with(suffix)),
            Self::AnythingBut(literals) => value.is_some_and(|value| !literals.contains(value)),
            Self::EqualsIgnoreCase(wanted) => text().is_some_and(|text| ignoring_case(text) == ignoring_case(wanted)),
            Self::Exists(exists) => value.is_some() == *exists,
            Self::Numeric(bounds) => value
                .and_then(AttributeValue::as_n)
                .is_some_and(|number| within(number, bounds)),
        }
    }

    fn to_json(&self) -> Value {
        let literal = |value: &AttributeValue| match value {
            AttributeValue::N(number) => json!({ "N": number.as_str() }),
            other => json!(other.as_s()),
        };
        match self {
            Self::Literal(value) => literal(value),
            Self::Prefix(prefix) => json!({ "prefix": prefix }),
            Self::Suffix(suffix) => json!({ "suffix": suffix }),
            Self::AnythingBut(values) => json!({ "anything-but": values.iter().map(literal).collect::<Vec<_>>() }),
            Self::EqualsIgnoreCase(text) => json!({ "equals-ignore-case": text }),
            Self::Exists(exists) => json!({ "exists": exists }),
            Self::Numeric(bounds) => {
                let bounds = bounds
                    .iter()
                    .map(|(comparison, number)| json!([comparison.symbol(), number.as_str()]));
                json!({ "numeric": bounds.collect::<Vec<_>>() })
            }
        }
    }
}

pub(crate) fn within(number: &Number, bounds: &[(NumericComparison, Number)]) -> bool {
    bounds
        .iter()
        .all(|(comparison, bound)| comparison.holds(number.cmp(bound)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> AttributeValue {
        AttributeValue::N(text.parse().expect(text))
    }

    #[test]
    fn each_operator_matches_what_it_says() {
        use Alternative as A;
        let bounds = vec![
            (NumericComparison::Greater, "5".parse().expect("5")),
            (NumericComparison::LessOrEqual, "10".parse().expect("10")),
        ];
        let cases: [(A, Vec<AttributeValue>, Vec<AttributeValue>); 7] = [
            (A::Literal("a".into()), vec!["a".into()], vec!["ab".into(), number("1")]),
            (
                A::Literal(number("100")),
                vec![number("1E2")],
                vec!["100".into(), number("101")],
            ),
            (
                A::Prefix("ORG#".into()),
                vec!["ORG#1".into(), "ORG#".into()],
                vec!["org#1".into(), number("1")],
            ),
            (A::Suffix("z".into()), vec!["xyz".into()], vec!["zx".into()]),
            (
                A::AnythingBut(vec!["a".into(), number("1")]),
                vec!["b".into(), number("2"), AttributeValue::Null],
                vec!["a".into(), number("1.0")],
            ),
            (
                A::EqualsIgnoreCase("Ä".into()),
                vec!["ä".into(), "Ä".into()],
                vec!["a".into()],
            ),
            (
                A::Numeric(bounds),
                vec![number("5.01"), number("10")],
                vec![number("5"), number("10.01"), "7".into()],
            ),
        ];
        for (alternative, yes, no) in cases {
            assert!(!alternative.matches(None), "{alternative:?} and a missing attribute");
            for value in yes {
                assert!(alternative.matches(Some(&value)), "{alternative:?} {value:?}");
            }
            for value in no {
                assert!(!alternative.matches(Some(&value)), "{alternative:?} {value:?}");
            }
        }
    }

    #[test]
    fn existence_is_of_the_attribute_whatever_its_value() {
        let there = Alternative::Exists(true);
        let missing = Alternative::Exists(false);
        assert!(there.matches(Some(&AttributeValue::Null)) && !there.matches(None));
        assert!(missing.matches(None) && !missing.matches(Some(&AttributeValue::Null)));
    }
}
