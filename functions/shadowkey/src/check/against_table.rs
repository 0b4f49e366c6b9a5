//! What a view file says of its tables, against the tables as they are.

mod indexes;

use std::ops::Range;

use maintain::physical_names;
use shadowkey_item::{TableDefinition, TableName};
use shadowkey_store_dynamodb::{KeyAsIs, TableAsIs, describe_table};
use shadowkey_views::{Code, Finding, Views};

use crate::arguments::ConnectionOptions;
use crate::deployed;
use crate::error::CommandError;

/// The one view type that carries both images.
const BOTH_IMAGES: &str = "NEW_AND_OLD_IMAGES";

/// Describes every table of the view file and compares them.
pub(super) async fn findings(
    text: &str,
    views: &Views,
    options: &ConnectionOptions,
) -> Result<Vec<Finding>, CommandError> {
    let connection = deployed::connect(options).await?;
    let names = physical_names(views);
    let mut comparison = Comparison {
        text,
        views,
        found: Vec::new(),
    };
    for table in views.tables() {
        let physical = names.get(&table.name).unwrap_or(&table.name.0);
        match describe_table(&connection, physical).await? {
            Some(found) => comparison.table(&table, &found),
            None => comparison.no_table(&table, physical),
        }
    }
    Ok(comparison.found)
}

/// A view file that is being compared.
struct Comparison<'a> {
    text: &'a str,
    views: &'a Views,
    found: Vec<Finding>,
}

impl Comparison<'_> {
    fn table(&mut self, table: &TableDefinition, found: &TableAsIs) {
        self.key(table, found);
        let is_source = table.name == self.views.table().name;
        if is_source {
            self.stream(table, found);
            self.indexes(table, found);
        }
        let is_state = self.views.state_table().is_some_and(|state| state.name == table.name);
        if is_source || !is_state {
            self.ttl(&table.name, found, is_source);
        }
    }

    fn no_table(&mut self, table: &TableDefinition, physical: &str) {
        let variable = self.views.physical_name_variable(&table.name);
        self.add(
            Code::Sk101,
            &table.name.0,
            format!("there is no table `{physical}`"),
            format!(
                "make it with the key {}, set {variable} to its name, or choose the region and profile that it is in",
                KeyAsIs::from(&table.key)
            ),
        );
    }

    fn key(&mut self, table: &TableDefinition, found: &TableAsIs) {
        let declared = KeyAsIs::from(&table.key);
        if declared != found.key {
            self.add(
                Code::Sk102,
                &table.name.0,
                format!("table `{}` has the key {}, and not {declared}", table.name, found.key),
                "write the table's own key in the view file, or name another table".to_owned(),
            );
        }
    }

    fn stream(&mut self, table: &TableDefinition, found: &TableAsIs) {
        let message = match found.stream.as_deref() {
            Some(BOTH_IMAGES) => return,
            Some(other) => format!("the stream of table `{}` is of type {other}", table.name),
            None => format!("table `{}` has no stream", table.name),
        };
        let help = match found.stream {
            Some(_) => format!("switch the stream off and on again with the view type {BOTH_IMAGES}"),
            None => format!("switch a stream on with the view type {BOTH_IMAGES}"),
        };
        self.add(Code::Sk105, &table.name.0, message, help);
    }

    fn ttl(&mut self, table: &TableName, found: &TableAsIs, is_source: bool) {
        let (declared, found) = (self.views.ttl(), found.ttl.as_deref());
        // Where the view file has no ttl, only the sources' own table can make a difference.
        if declared == found || (declared.is_none() && !is_source) {
            return;
        }
        let by = found.map_or_else(
            || "do not expire".to_owned(),
            |attribute| format!("expire by `{attribute}`"),
        );
        let (message, help) = match declared {
            Some(declared) => (
                format!("items of table `{table}` {by}, and not by `{declared}`"),
                format!("switch time to live on for `{declared}` there, or change `ttl` under `[table]`"),
            ),
            None => (
                format!("items of table `{table}` {by}, and the view file names no `ttl`"),
                "write the attribute as `ttl` under `[table]`, so that shadows expire with their sources".to_owned(),
            ),
        };
        self.add(Code::Sk132, declared.unwrap_or(&table.0), message, help);
    }

    /// Adds a finding where the file first mentions a name.
    fn add(&mut self, code: Code, name: &str, message: String, help: String) {
        let span = mention(self.text, name);
        self.found.push(Finding::new(self.text, code, span, message, help));
    }
}

/// Where a file first has a name as a value; the head of its table section where it has not.
fn mention(text: &str, name: &str) -> Range<usize> {
    let quoted = [format!("\"{name}\""), format!("'{name}'"), "[table]".to_owned()];
    let first = quoted.iter().find_map(|part| Some((text.find(part)?, part.len())));
    first.map_or(0..0, |(start, length)| start..start + length)
}
