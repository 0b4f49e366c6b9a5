//! A value on its way through the ops.

use std::borrow::Cow;

use shadowkey_item::{AttributeValue, Number};

use crate::ValueProblem;
use crate::error::shown;

/// The input as the item has it, or the text that ops on text have made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Operand<'a> {
    Text(Cow<'a, str>),
    /// A value of any type but text.
    Other(&'a AttributeValue),
}

impl<'a> From<&'a AttributeValue> for Operand<'a> {
    fn from(value: &'a AttributeValue) -> Self {
        match value {
            AttributeValue::S(text) => Self::Text(text.as_str().into()),
            other => Self::Other(other),
        }
    }
}

impl Operand<'_> {
    /// The text that an op takes.
    pub(crate) fn text(&self, op: &'static str) -> Result<&str, ValueProblem> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Other(_) => Err(self.wrong_type(op, "text")),
        }
    }

    /// The number that an op takes.
    pub(crate) fn number(&self, op: &'static str) -> Result<&Number, ValueProblem> {
        match self {
            Self::Other(AttributeValue::N(number)) => Ok(number),
            _ => Err(self.wrong_type(op, "a number")),
        }
    }

    /// What a field without ops writes.
    pub(crate) fn plain(&self) -> Result<&str, ValueProblem> {
        self.as_plain()
            .ok_or_else(|| self.wrong_type("a field", "text, a number or a truth value"))
    }

    /// A value of any type as text: plain where a field without ops would take it, and DynamoDB JSON where not.
    pub(crate) fn spelled(&self) -> Cow<'_, str> {
        match (self.as_plain(), self) {
            (None, Self::Other(other)) => serde_json::to_string(other).unwrap_or_default().into(),
            (plain, _) => plain.unwrap_or("").into(),
        }
    }

    fn as_plain(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Other(AttributeValue::N(number)) => Some(number.as_str()),
            Self::Other(AttributeValue::Bool(true)) => Some("true"),
            Self::Other(AttributeValue::Bool(false)) => Some("false"),
            Self::Other(_) => None,
        }
    }

    pub(crate) fn wrong_type(&self, op: &'static str, takes: &'static str) -> ValueProblem {
        ValueProblem::WrongType {
            value: shown(&self.spelled()),
            found: match self {
                Self::Text(_) => "S",
                Self::Other(other) => other.type_name(),
            },
            op,
            takes,
        }
    }
}
