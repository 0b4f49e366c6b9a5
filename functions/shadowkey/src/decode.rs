//! `decode`: a derived key back to the inputs it was made of.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use shadowkey_item::AttributeValue;

use crate::arguments::{DecodeOptions, Format};
use crate::error::CommandError;
use crate::views::parts_of;
use crate::{Console, files};

pub(crate) fn decode(options: &DecodeOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let views = files::views(&options.common.views, console.color)?;
    let parts = parts_of(&views, &options.view)?;
    if parts.len() != options.key.len() {
        return Err(CommandError::KeyParts {
            view: options.view.clone(),
            parts: parts.iter().map(|part| part.name.to_owned()).collect(),
            given: options.key.len(),
        });
    }
    let mut inputs: BTreeMap<String, AttributeValue> = BTreeMap::new();
    let mut lossy: BTreeSet<String> = BTreeSet::new();
    for (part, text) in parts.iter().zip(&options.key) {
        let value = part.value(text)?;
        let foreign = || CommandError::ForeignKey {
            view: options.view.clone(),
            part: part.name.to_owned(),
            value: text.clone(),
            template: part.template.to_string(),
        };
        for field in part.template.decode(&value).ok_or_else(foreign)? {
            let name = field.path.to_string();
            if field.lossy {
                lossy.insert(name.clone());
            }
            let Some(value) = field.value else { continue };
            let first = inputs.entry(name).or_insert_with(|| value.clone());
            // An input that stands in two places is one input, unless its ops have made it different.
            if *first != value && !field.lossy {
                return Err(foreign());
            }
        }
    }
    match options.common.format {
        Format::Json => writeln!(console.out, "{}", json!({ "inputs": inputs, "lossy": lossy }))?,
        Format::Text => {
            for (name, value) in &inputs {
                let mark = if lossy.contains(name) {
                    "  (or what gives the same)"
                } else {
                    ""
                };
                writeln!(
                    console.out,
                    "{name} = {}{mark}",
                    serde_json::to_string(value).unwrap_or_default()
                )?;
            }
            for name in lossy.iter().filter(|name| !inputs.contains_key(*name)) {
                writeln!(console.out, "{name} cannot be read back")?;
            }
        }
    }
    Ok(0)
}
