//! The `[table]` section, and the names that tables go by.

use std::collections::BTreeMap;

use shadowkey_item::{
    IndexDefinition, IndexKind, IndexProjection, KeyAttribute, KeySchema, TableDefinition, TableName,
};
use toml::Spanned;

use super::Findings;
use crate::file::{IndexKindSection, IndexSection, KeySection, ProjectionSection, TableSection, ViewFile};
use crate::view::ShadowView;
use crate::{Code, MARKER, Views};

impl Views {
    /// The environment variable that holds the physical name of a table: `SHADOWKEY_TABLE` for the sources' own,
    /// `SHADOWKEY_TABLE_LOOKUP` for one named `lookup`. Without it the physical name is the logical one.
    pub fn physical_name_variable(&self, table: &TableName) -> String {
        if *table == self.table.name {
            "SHADOWKEY_TABLE".to_owned()
        } else {
            variable(&table.0)
        }
    }
}

fn variable(table: &str) -> String {
    let plain = table.chars().map(|c| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    });
    format!("SHADOWKEY_TABLE_{}", plain.collect::<String>())
}

impl Findings<'_> {
    pub(super) fn table(&mut self, section: &TableSection) -> TableDefinition {
        self.table_name(&section.name);
        let key = self.key_schema(&section.partition_key, section.sort_key.as_ref());
        if let Some(ttl) = section
            .ttl
            .as_ref()
            .filter(|ttl| key.contains(ttl.get_ref()) || *ttl.get_ref() == MARKER || ttl.get_ref().is_empty())
        {
            let message = format!("`{}` cannot be the ttl attribute", ttl.get_ref());
            self.add(
                Code::Sk003,
                ttl.span(),
                message,
                "name the attribute that the table's time to live is set to",
            );
        }
        let mut indexes: Vec<IndexDefinition> = Vec::new();
        for index in &section.index {
            if indexes.iter().any(|other| other.name == *index.name.get_ref()) {
                let message = format!("there are two indexes named `{}`", index.name.get_ref());
                self.add(Code::Sk003, index.name.span(), message, "give each its own name");
            }
            indexes.extend(self.index(index, &key));
        }
        let table = TableDefinition {
            name: TableName(section.name.get_ref().clone()),
            key,
            indexes,
        };
        self.one_type_each(section, &table);
        table
    }

    pub(super) fn table_name(&mut self, name: &Spanned<String>) {
        if name.get_ref().is_empty() {
            self.add(
                Code::Sk001,
                name.span(),
                "the table has no name",
                "give it the name that it goes by in your code",
            );
        }
    }

    pub(super) fn key_schema(&mut self, partition: &KeySection, sort: Option<&KeySection>) -> KeySchema {
        let partition = self.key_attribute(partition);
        let sort = sort.map(|sort| self.sort_key(&partition, sort));
        KeySchema { partition, sort }
    }

    fn sort_key(&mut self, partition: &KeyAttribute, section: &KeySection) -> KeyAttribute {
        let sort = self.key_attribute(section);
        if sort.name == partition.name {
            let message = format!("`{}` is both partition key and sort key", sort.name);
            self.add(
                Code::Sk003,
                section.name.span(),
                message,
                "leave `sort_key` out where the table has none",
            );
        }
        sort
    }

    fn key_attribute(&mut self, section: &KeySection) -> KeyAttribute {
        let name = section.name.get_ref();
        if name.is_empty() || name == MARKER {
            let message = format!("`{name}` cannot be a key attribute");
            self.add(
                Code::Sk003,
                section.name.span(),
                message,
                "write the name that the table's key has",
            );
        }
        KeyAttribute {
            name: name.clone(),
            kind: section.kind,
        }
    }

    /// The companion table holds nothing else.
    pub(super) fn state_table(&mut self, file: &ViewFile, shadows: &[ShadowView]) {
        let Some(state) = file.state.as_ref().map(|state| &state.table) else {
            return;
        };
        self.table_name(state);
        let is_shared = shadows.iter().any(|view| view.table.0 == *state.get_ref());
        if is_shared || state.get_ref() == file.table.name.get_ref() {
            let message = format!("the companion table `{}` is used for items too", state.get_ref());
            self.add(
                Code::Sk003,
                state.span(),
                message,
                "give the companion a table of its own",
            );
        }
    }

    fn index(&mut self, section: &IndexSection, table: &KeySchema) -> Option<IndexDefinition> {
        let is_usual = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let name = section.name.get_ref();
        // Source: "Naming rules and data types" in the DynamoDB developer guide.
        if !(3..=255).contains(&name.len()) || !name.chars().all(is_usual) {
            return self.bad_index(
                section,
                "an index's name has 3 to 255 letters, digits, `_`, `-` and `.`",
            );
        }
        let (kind, key) = match (section.kind, &section.partition_key, &section.sort_key) {
            (IndexKindSection::Global, Some(partition), sort) => {
                (IndexKind::Global, self.key_schema(partition, sort.as_ref()))
            }
            (IndexKindSection::Local, _, _) if table.sort.is_none() => {
                return self.bad_index(section, "a local index needs a table with a sort key");
            }
            (IndexKindSection::Local, None, Some(sort)) => {
                let key = KeySchema {
                    partition: table.partition.clone(),
                    sort: Some(self.sort_key(&table.partition, sort)),
                };
                (IndexKind::Local, key)
            }
            (IndexKindSection::Global, None, _) => {
                return self.bad_index(section, "a global index needs a `partition_key`");
            }
            (IndexKindSection::Local, _, None) => return self.bad_index(section, "a local index needs a `sort_key`"),
            (IndexKindSection::Local, Some(partition), Some(_))
                if *partition.name.get_ref() != table.partition.name =>
            {
                return self.bad_index(section, "a local index has the table's own partition key");
            }
            (IndexKindSection::Local, Some(partition), Some(sort)) => {
                (IndexKind::Local, self.key_schema(partition, Some(sort)))
            }
        };
        let projection = match &section.projection {
            ProjectionSection::Keys => IndexProjection::Keys,
            ProjectionSection::All => IndexProjection::All,
            ProjectionSection::Names(names) => IndexProjection::Include(names.clone()),
            ProjectionSection::Except(_) => return self.bad_index(section, "an index cannot project all but some"),
        };
        Some(IndexDefinition {
            name: section.name.get_ref().clone(),
            kind,
            key,
            projection,
        })
    }

    fn bad_index(&mut self, section: &IndexSection, message: &str) -> Option<IndexDefinition> {
        self.add(
            Code::Sk003,
            section.name.span(),
            message,
            "declare the index as the table has it",
        );
        None
    }

    /// One attribute has one type in all the keys of a table.
    fn one_type_each(&mut self, section: &TableSection, table: &TableDefinition) {
        let mut kinds = BTreeMap::new();
        for attribute in table.key_attributes() {
            let kind = *kinds.entry(&attribute.name).or_insert(attribute.kind);
            if kind != attribute.kind {
                let message = format!(
                    "`{}` is of type {kind} in one key and {} in another",
                    attribute.name, attribute.kind
                );
                self.add(
                    Code::Sk003,
                    section.name.span(),
                    message,
                    "give the attribute one type in all keys",
                );
            }
        }
    }

    /// Two logical names never share the variable that holds their physical name.
    pub(super) fn environment_names(&mut self, file: &ViewFile) {
        let mut names: BTreeMap<String, &str> = BTreeMap::new();
        let tables = file.shadow.values().filter_map(|shadow| shadow.into.as_ref());
        for table in tables
            .map(|into| &into.table)
            .filter(|table| table.get_ref() != file.table.name.get_ref())
        {
            let name = table.get_ref().as_str();
            let other = *names.entry(variable(name)).or_insert(name);
            if other != name {
                let message = format!(
                    "the tables `{other}` and `{name}` would share the variable {}",
                    variable(name)
                );
                self.add(
                    Code::Sk003,
                    table.span(),
                    message,
                    "give one of them a name with other letters or digits",
                );
            }
        }
    }
}
