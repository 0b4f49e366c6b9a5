//! An attribute's value and the item it stands in.

use std::collections::{BTreeMap, BTreeSet};

use crate::Number;

/// The attributes of one item by name, sorted by name.
pub type Item = BTreeMap<String, AttributeValue>;

/// A value of any of DynamoDB's ten types; two are equal exactly when DynamoDB's `=` says so.
///
/// Source: "Supported data types and naming rules" in the DynamoDB developer guide.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(try_from = "serde_dynamo::AttributeValue")]
pub enum AttributeValue {
    /// Text.
    S(String),
    /// A number of up to 38 digits.
    N(Number),
    /// Bytes.
    B(Vec<u8>),
    /// A truth value.
    Bool(bool),
    /// The explicit absence of a value.
    Null,
    /// A map from names to values.
    M(Item),
    /// A list of values.
    L(Vec<AttributeValue>),
    /// A set of texts.
    Ss(BTreeSet<String>),
    /// A set of numbers.
    Ns(BTreeSet<Number>),
    /// A set of byte strings.
    Bs(BTreeSet<Vec<u8>>),
}

impl AttributeValue {
    /// The type descriptor that DynamoDB JSON uses for this value: `S`, `N`, `BOOL` and so on.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::S(_) => "S",
            Self::N(_) => "N",
            Self::B(_) => "B",
            Self::Bool(_) => "BOOL",
            Self::Null => "NULL",
            Self::M(_) => "M",
            Self::L(_) => "L",
            Self::Ss(_) => "SS",
            Self::Ns(_) => "NS",
            Self::Bs(_) => "BS",
        }
    }

    /// The text, if this is one.
    pub fn as_s(&self) -> Option<&str> {
        match self {
            Self::S(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_n(&self) -> Option<&Number> {
        match self {
            Self::N(number) => Some(number),
            _ => None,
        }
    }

    /// The map, if this is one.
    pub fn as_m(&self) -> Option<&Item> {
        match self {
            Self::M(map) => Some(map),
            _ => None,
        }
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::S(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::S(text)
    }
}

impl From<u64> for AttributeValue {
    fn from(integer: u64) -> Self {
        Self::N(integer.into())
    }
}

impl From<Number> for AttributeValue {
    fn from(number: Number) -> Self {
        Self::N(number)
    }
}
