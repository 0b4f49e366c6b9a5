//! The conditions of conditional writes, as data.
//!
//! [`Condition::holds`] is the one definition of what a condition means; the memory store evaluates it and the DynamoDB
//! adapter renders it as a ConditionExpression.

use shadowkey_item::{AttributePath, AttributeValue, Item, Key};

/// A condition on the item that stands where a write is to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Every part holds; with no part it always holds.
    All(Vec<Condition>),
    /// At least one part holds.
    Any(Vec<Condition>),
    /// There is a value at the path.
    Present(AttributePath),
    /// There is no value at the path, or no item.
    Absent(AttributePath),
    /// There is a value of the same type at the path, and it compares so with the given one.
    Compare(AttributePath, Comparison, AttributeValue),
}

/// How two values compare; only texts, numbers and bytes have an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`: also true of a value of another type.
    NotEqual,
    /// `<`
    Less,
}

impl Condition {
    /// The condition that always holds.
    pub const ALWAYS: Self = Self::All(Vec::new());

    /// Nothing stands at the key.
    pub fn nothing_at(key: &Key) -> Self {
        let attribute = key.attributes().keys().next().cloned().unwrap_or_default();
        Self::Absent(AttributePath::attribute(attribute))
    }

    /// The value at the path is exactly this, or there is none.
    pub fn is(path: AttributePath, value: Option<AttributeValue>) -> Self {
        match value {
            Some(value) => Self::Compare(path, Comparison::Equal, value),
            None => Self::Absent(path),
        }
    }

    /// Whether the condition holds for what stands in the place, `None` being nothing.
    pub fn holds(&self, found: Option<&Item>) -> bool {
        let at = |path: &AttributePath| found.and_then(|item| path.lookup(item));
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(found)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(found)),
            Self::Present(path) => at(path).is_some(),
            Self::Absent(path) => at(path).is_none(),
            Self::Compare(path, comparison, value) => at(path).is_some_and(|there| comparison.compare(there, value)),
        }
    }
}

impl Comparison {
    fn compare(self, there: &AttributeValue, value: &AttributeValue) -> bool {
        match self {
            Self::Equal => there == value,
            Self::NotEqual => there != value,
            Self::Less => match (there, value) {
                (AttributeValue::S(a), AttributeValue::S(b)) => a < b,
                (AttributeValue::N(a), AttributeValue::N(b)) => a < b,
                (AttributeValue::B(a), AttributeValue::B(b)) => a < b,
                _ => false,
            },
        }
    }
}
