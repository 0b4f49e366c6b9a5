//! `decode`: a derived key back to the inputs it was made of.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use shadowkey_item::{AttributePath, AttributeValue};
use shadowkey_key_codec::{Decoded, shown_value};

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
    let values = parts.iter().zip(&options.key).map(|(part, text)| part.value(text));
    let values: Vec<AttributeValue> = values.collect::<Result<_, _>>()?;
    let decode = |known: &[(AttributePath, AttributeValue)]| -> Result<Vec<Decoded>, CommandError> {
        let mut decoded = Vec::new();
        for ((part, value), text) in parts.iter().zip(&values).zip(&options.key) {
            let foreign = || CommandError::ForeignKey {
                view: options.view.clone(),
                part: part.name.to_owned(),
                value: shown_value(&text.as_str().into()),
                template: part.template.to_string(),
            };
            decoded.extend(part.template.decode_of(value, known).ok_or_else(foreign)?);
        }
        Ok(decoded)
    };
    // What stands wholly in any part has to give what stands of it in every other.
    let whole = Decoded::whole(&decode(&[])?);
    let decoded = decode(&whole)?;
    let mut lossy: BTreeSet<String> = BTreeSet::new();
    let mut inputs: BTreeMap<String, AttributeValue> = whole
        .into_iter()
        .map(|(path, value)| (path.to_string(), value))
        .collect();
    for field in decoded.into_iter().filter(|field| field.lossy) {
        let name = field.path.to_string();
        if inputs.contains_key(&name) && !lossy.contains(&name) {
            continue;
        }
        if let Some(value) = field.value {
            inputs.entry(name.clone()).or_insert(value);
        }
        lossy.insert(name);
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
