//! How a table is laid out: its key and its indexes.

use crate::{KeyAttribute, KeySchema, TableName};

/// A table with its key schema and declared indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDefinition {
    /// The logical name.
    pub name: TableName,
    /// The primary key.
    pub key: KeySchema,
    /// The secondary indexes.
    pub indexes: Vec<IndexDefinition>,
}

/// A secondary index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDefinition {
    /// The index's name.
    pub name: String,
    /// Global or local.
    pub kind: IndexKind,
    /// The index key; a local index has the table's own partition key.
    pub key: KeySchema,
    /// Which attributes an index entry carries.
    pub projection: IndexProjection,
}

/// Global or local.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexKind {
    /// A global secondary index, with a partition key of its own.
    Global,
    /// A local secondary index, with the table's partition key.
    Local,
}

/// Which attributes an index entry carries beside its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexProjection {
    /// None.
    Keys,
    /// All.
    All,
    /// These.
    Include(Vec<String>),
}

impl TableDefinition {
    /// Every attribute that is part of the table's key or of an index's, each once.
    pub fn key_attributes(&self) -> Vec<&KeyAttribute> {
        let mut attributes: Vec<_> = self.key.attributes().collect();
        for attribute in self.indexes.iter().flat_map(|index| index.key.attributes()) {
            if !attributes.contains(&attribute) {
                attributes.push(attribute);
            }
        }
        attributes
    }
}
