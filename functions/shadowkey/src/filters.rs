//! `filters`: what the event source mapping lets through to the function.

use crate::arguments::{FiltersOptions, Format};
use crate::error::CommandError;
use crate::{Console, files};

pub(crate) fn filters(options: &FiltersOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let views = files::views(&options.common.views, console.color)?;
    let filters = views.filters();
    for widening in &filters.widened {
        writeln!(console.notices, "note: {widening}")?;
    }
    match options.common.format {
        Format::Json => writeln!(console.out, "{}", filters.to_criteria())?,
        Format::Text if filters.patterns.is_empty() => {
            writeln!(console.out, "no filter: every record invokes the function")?
        }
        Format::Text => {
            for pattern in &filters.patterns {
                writeln!(console.out, "{pattern}")?;
            }
        }
    }
    Ok(0)
}
