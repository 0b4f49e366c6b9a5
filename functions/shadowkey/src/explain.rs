//! `explain`: what a view's keys look like, what lies beside them, which queries read them, and what changes cost.

mod json;
mod text;

use serde_json::{Value, json};

use crate::arguments::{ExplainOptions, Format};
use crate::error::CommandError;
use crate::views::unknown;
use crate::{Console, files};

pub(crate) fn explain(options: &ExplainOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let views = files::views(&options.common.views, console.color)?;
    let mut explanations = views.explain();
    if let Some(name) = &options.view {
        explanations.retain(|explanation| explanation.view == *name);
        if explanations.is_empty() {
            return Err(unknown(&views, name));
        }
    }
    match options.common.format {
        Format::Json => {
            let explained: Vec<Value> = explanations.iter().map(json::to_json).collect();
            writeln!(console.out, "{}", json!({ "views": explained }))?;
        }
        Format::Text if explanations.is_empty() => writeln!(console.out, "the view file declares no view")?,
        Format::Text => {
            let texts: Vec<String> = explanations.iter().map(text::to_text).collect();
            write!(console.out, "{}", texts.join("\n"))?;
        }
    }
    Ok(0)
}
