//! `schema`: the JSON Schema of the view file, written anew from the types that read it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use shadowkey_views::view_file_schema;

/// Where the schema stands in the workspace.
const FILE: &str = "docs/view-file.schema.json";

/// Writes the schema to its place in the workspace.
pub(crate) fn run(root: &Path) -> Result<()> {
    fs::write(root.join(FILE), format!("{:#}\n", view_file_schema())).with_context(|| format!("writing {FILE}"))
}
