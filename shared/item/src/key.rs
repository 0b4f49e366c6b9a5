//! Tables' names, key schemas and primary keys.

use std::cmp::Ordering;
use std::fmt;

use crate::Item;

/// The logical name of a table, as the view file gives it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct TableName(pub String);

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The types a key attribute may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum ScalarType {
    /// Text.
    S,
    /// Number.
    N,
    /// Bytes.
    B,
}

impl ScalarType {
    /// The type descriptor in DynamoDB JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::S => "S",
            Self::N => "N",
            Self::B => "B",
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A key attribute's name and type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct KeyAttribute {
    /// The attribute's name.
    pub name: String,
    /// The attribute's type.
    pub kind: ScalarType,
}

/// Which attributes make a table's primary key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct KeySchema {
    /// The partition key.
    pub partition: KeyAttribute,
    /// The sort key, where the table has one.
    pub sort: Option<KeyAttribute>,
}

/// The primary key of one item: one or two attributes by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(transparent)]
pub struct Key(Item);

/// Why an item has no primary key of a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A key attribute is missing.
    #[error("the key attribute `{name}` is missing; the table's key in the view file has to be the table's own")]
    Missing {
        /// The key attribute.
        name: String,
    },
    /// A key attribute has another type than the schema says.
    #[error("the key attribute `{name}` is of type {found}, not {expected} as the view file says")]
    WrongType {
        /// The key attribute.
        name: String,
        /// The type the schema gives it.
        expected: ScalarType,
        /// The type it has.
        found: &'static str,
    },
}

impl KeySchema {
    /// The key attributes, partition key first.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        std::iter::once(&self.partition).chain(self.sort.as_ref())
    }

    /// Whether an attribute belongs to the key.
    pub fn contains(&self, name: &str) -> bool {
        self.attributes().any(|attribute| attribute.name == name)
    }

    /// The primary key of an item.
    pub fn key_of(&self, item: &Item) -> Result<Key, KeyError> {
        self.attributes()
            .map(|KeyAttribute { name, kind }| {
                let value = item.get(name).ok_or_else(|| KeyError::Missing { name: name.clone() })?;
                if value.type_name() == kind.name() {
                    Ok((name.clone(), value.clone()))
                } else {
                    Err(KeyError::WrongType {
                        name: name.clone(),
                        expected: *kind,
                        found: value.type_name(),
                    })
                }
            })
            .collect::<Result<Item, _>>()
            .map(Key)
    }

    /// The order in which a table keeps two items' keys: partition key, then sort key; a partition's items lie together.
    pub fn cmp_keys(&self, a: &Item, b: &Item) -> Ordering {
        self.attributes()
            .map(|attribute| a.get(&attribute.name).cmp(&b.get(&attribute.name)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl Key {
    /// The key attributes by name.
    pub fn attributes(&self) -> &Item {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::item_to_json(&self.0).to_string())
    }
}
