//! `render`: what one item derives.

use serde_json::{Value, json};
use shadowkey_item::{Item, item_to_json};
use shadowkey_views::Derived;

use crate::arguments::{Format, RenderOptions};
use crate::error::CommandError;
use crate::{Console, files};

pub(crate) fn render(options: &RenderOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let views = files::views(&options.common.views, console.color)?;
    let item = files::only_item(&options.item, &views.table().key)?;
    if views.is_shadow(&item) {
        writeln!(
            console.notices,
            "note: the item is a shadow, and a shadow is never a source"
        )?;
    }
    let derived = views.derive(&item);
    match options.common.format {
        Format::Json => writeln!(console.out, "{}", to_json(&derived))?,
        Format::Text => write!(console.out, "{}", to_text(&derived))?,
    }
    Ok(u8::from(!derived.failures.is_empty()))
}

/// The attributes that have a value.
fn attributes(derived: &Derived) -> Item {
    let present = derived.attributes.iter();
    present
        .filter_map(|(name, value)| Some((name.clone(), value.clone()?)))
        .collect()
}

fn to_json(derived: &Derived) -> Value {
    let shadows = derived
        .shadows
        .iter()
        .map(|shadow| json!({ "view": shadow.view, "table": shadow.table, "item": item_to_json(shadow.item()) }));
    let parked = derived
        .failures
        .iter()
        .map(|failure| json!({ "view": failure.view, "code": failure.kind.code(), "message": failure.to_string() }));
    json!({
        "attributes": item_to_json(&attributes(derived)),
        "shadows": shadows.collect::<Vec<_>>(),
        "parked": parked.collect::<Vec<_>>(),
    })
}

fn to_text(derived: &Derived) -> String {
    let mut lines = Vec::new();
    for (name, value) in item_to_json(&attributes(derived)).as_object().into_iter().flatten() {
        lines.push(format!("attribute {name} = {value}"));
    }
    for shadow in &derived.shadows {
        lines.push(format!("shadow {} in table {}", shadow.view, shadow.table));
        for (name, value) in item_to_json(shadow.item()).as_object().into_iter().flatten() {
            lines.push(format!("    {name} = {value}"));
        }
    }
    for failure in &derived.failures {
        lines.push(format!("failed [{}] {failure}", failure.kind.code()));
    }
    if lines.is_empty() {
        lines.push("the item derives nothing: it matches no source, or every view lacks an input".to_owned());
    }
    lines.push(String::new());
    lines.join("\n")
}
