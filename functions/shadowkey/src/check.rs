//! `check`: the findings in a view file, and where it differs from the tables.

mod against_table;

use serde_json::json;
use shadowkey_views::{Severity, load, render_findings};

use crate::arguments::{CheckOptions, Format};
use crate::error::CommandError;
use crate::{Console, files};

pub(crate) async fn check(options: &CheckOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let path = &options.common.views;
    let text = files::text(path)?;
    let loaded = load(&text);
    let mut findings = loaded.findings;
    if options.against_table {
        match loaded.views {
            Some(views) => findings.extend(against_table::findings(&text, &views, &options.connection).await?),
            None => writeln!(
                console.notices,
                "the file has errors, so it was not compared with the tables"
            )?,
        }
    }
    match options.common.format {
        Format::Json => writeln!(console.out, "{}", json!({ "findings": findings }))?,
        Format::Text if findings.is_empty() => writeln!(console.out, "{}: no findings", path.display())?,
        Format::Text => write!(
            console.out,
            "{}",
            render_findings(&path.display().to_string(), &text, &findings, console.color)
        )?,
    }
    let is_error = findings.iter().any(|finding| finding.severity == Severity::Error);
    Ok(u8::from(is_error))
}
