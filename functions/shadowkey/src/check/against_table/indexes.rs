//! Declared indexes against those that there are.

use shadowkey_item::{IndexDefinition, IndexKind, IndexProjection, TableDefinition};
use shadowkey_store_dynamodb::{IndexAsIs, KeyAsIs, TableAsIs};
use shadowkey_views::Code;

use super::Comparison;

impl Comparison<'_> {
    pub(super) fn indexes(&mut self, table: &TableDefinition, found: &TableAsIs) {
        for declared in &table.indexes {
            match found.indexes.iter().find(|index| index.name == declared.name) {
                Some(index) => self.index(declared, index),
                None => self.no_index(declared),
            }
        }
        let is_declared = |index: &IndexAsIs| table.indexes.iter().any(|declared| declared.name == index.name);
        for index in found.indexes.iter().filter(|index| !is_declared(index)) {
            self.undeclared(table, index);
        }
    }

    fn no_index(&mut self, declared: &IndexDefinition) {
        let help = match declared.kind {
            IndexKind::Global => "add it to the table, or take it out of the view file",
            IndexKind::Local => {
                "take it out of the view file, or make the table anew with it: a table gets local indexes only when it is made"
            }
        };
        let (name, kind) = (&declared.name, kind(declared.kind));
        let message = format!("the table has no {kind} index `{name}`");
        self.add(Code::Sk103, name, message, help.to_owned());
    }

    fn index(&mut self, declared: &IndexDefinition, found: &IndexAsIs) {
        let name = &declared.name;
        let key = KeyAsIs::from(&declared.key);
        if (declared.kind, &key) != (found.kind, &found.key) {
            let (was, is) = (kind(declared.kind), kind(found.kind));
            let message = format!(
                "index `{name}` is {is} with the key {}, and not {was} with the key {key}",
                found.key
            );
            let help = "write it in the view file as the table has it, or declare a new index under a new name in both";
            self.add(Code::Sk104, name, message, help.to_owned());
        }
        let (was, is) = (projection(&declared.projection), projection(&found.projection));
        if was != is {
            let message = format!("index `{name}` projects {is}, and not {was}");
            let help = "write `projection` as the table has it";
            self.add(Code::Sk131, name, message, help.to_owned());
        }
    }

    fn undeclared(&mut self, table: &TableDefinition, found: &IndexAsIs) {
        let views = self.views;
        let in_key = |name: &str| found.key.attributes().any(|attribute| attribute.name == name);
        let attributes = views.attribute_views().iter().filter(|view| in_key(view.attribute()));
        let attributes = attributes.map(|view| view.name());
        let own = views.shadow_views().iter().filter(|view| *view.table() == table.name);
        let shadows = own.filter(|view| {
            let carries =
                |name: &str| table.key.contains(name) || views.ttl() == Some(name) || view.projection().contains(name);
            found.key.attributes().all(|attribute| carries(&attribute.name))
        });
        let writers: Vec<String> = attributes
            .chain(shadows.map(|view| view.name()))
            .map(|name| format!("`{name}`"))
            .collect();
        if writers.is_empty() {
            return;
        }
        let (index, key) = (&found.name, &found.key);
        let message = format!(
            "the view file does not declare index `{index}`, whose key {key} is written by {}",
            writers.join(", ")
        );
        let help = "declare it with `[[table.index]]`, so that `check` and `explain` know it";
        self.add(Code::Sk161, &table.name.0, message, help.to_owned());
    }
}

fn kind(kind: IndexKind) -> &'static str {
    match kind {
        IndexKind::Global => "global",
        IndexKind::Local => "local",
    }
}

/// A projection as a person reads it; the order of names does not matter.
fn projection(projection: &IndexProjection) -> String {
    match projection {
        IndexProjection::Keys => "keys only".to_owned(),
        IndexProjection::All => "all attributes".to_owned(),
        IndexProjection::Include(names) => {
            let mut names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.sort();
            names.join(", ")
        }
    }
}
