//! `decode`: a derived key back to the inputs it was made of.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use shadowkey_item::{AttributePath, AttributeValue, KeySchema, Number, ScalarType};
use shadowkey_key_codec::{Decoded, shown_value};

use crate::arguments::{DecodeOptions, Format};
use crate::error::CommandError;
use crate::key::key_attribute;
use crate::views::parts_of;
use crate::{Console, files};

/// A field as items have it: of a number there is one spelling. `None` where no item can have it.
fn of_key(source: &KeySchema, field: Decoded) -> Option<Decoded> {
    let is_number = key_attribute(source, &field.path).is_some_and(|attribute| attribute.kind == ScalarType::N);
    match &field.value {
        Some(AttributeValue::S(text)) if is_number => {
            let number: Number = text.parse().ok()?;
            let value = (number.to_string() == *text).then_some(AttributeValue::N(number))?;
            Some(Decoded {
                value: Some(value),
                ..field
            })
        }
        _ => Some(field),
    }
}

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
            for field in part.template.decode_of(value, known).ok_or_else(foreign)? {
                decoded.push(of_key(&views.table().key, field).ok_or_else(foreign)?);
            }
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
