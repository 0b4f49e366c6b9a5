//! The JSON Schema of the view file, generated from the types that read it, for editors that complete and check as one types.
//!
//! Every form of docs/views.md is valid by it. Whether names, paths and templates are right, it cannot say; that is for
//! [`load`](crate::load).

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use shadowkey_item::ScalarType;

use crate::file::{
    AlternativeSection, ExceptSection, LiteralSection, OneOrMany, OperatorSection, ProjectionSection, ViewFile,
};
use crate::pattern::NumericComparison;

/// The JSON Schema of the view file, in draft 7.
///
/// docs/view-file.schema.json is this value as text.
pub fn view_file_schema() -> Value {
    // The draft that editors of TOML read. A description beside a reference does not count in it, so there are no references.
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let generator = settings
        .with_transform(RecursiveTransform(without_null))
        .into_generator();
    let mut schema = generator.into_root_schema_for::<ViewFile>().to_value();
    // The order of names would depend on features of the JSON library.
    schema.sort_all_objects();
    schema
}

/// TOML has no null: what is optional is left out.
fn without_null(schema: &mut Schema) {
    let Some(Value::Array(types)) = schema.get_mut("type") else {
        return;
    };
    types.retain(|name| name != "null");
    if let [only] = types.as_slice() {
        let only = only.clone();
        schema.insert("type".to_owned(), only);
    }
}

/// The only version there is.
pub(crate) fn version(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "enum": [1] })
}

/// The types of key attributes.
pub(crate) fn key_type(_: &mut SchemaGenerator) -> Schema {
    one_of_types(&[ScalarType::S, ScalarType::N, ScalarType::B])
}

/// The types of what a template gives.
pub(crate) fn derived_type(_: &mut SchemaGenerator) -> Schema {
    one_of_types(&[ScalarType::S, ScalarType::N])
}

fn one_of_types(types: &[ScalarType]) -> Schema {
    let names: Vec<&str> = types.iter().map(|kind| kind.name()).collect();
    json_schema!({ "type": "string", "enum": names })
}

/// What an index may project: no `except`.
pub(crate) fn index_projection(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [projection_word(), projection_names()] })
}

fn projection_word() -> Value {
    json!({ "description": "The key only, or every attribute.", "type": "string", "enum": ["keys", "all"] })
}

fn projection_names() -> Value {
    json!({ "description": "The key and these attributes.", "type": "array", "items": { "type": "string" } })
}

impl JsonSchema for ProjectionSection {
    fn schema_name() -> Cow<'static, str> {
        "Projection".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let except = generator.subschema_for::<ExceptSection>();
        json_schema!({ "anyOf": [projection_word(), projection_names(), except] })
    }
}

impl JsonSchema for AlternativeSection {
    fn schema_name() -> Cow<'static, str> {
        "Alternative".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut literal = generator.subschema_for::<LiteralSection>();
        let description = "Exactly this text, or this number whatever its spelling.";
        literal.insert("description".to_owned(), description.into());
        json_schema!({ "anyOf": [literal, generator.subschema_for::<OperatorSection>()] })
    }
}

impl JsonSchema for LiteralSection {
    fn schema_name() -> Cow<'static, str> {
        "Literal".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number"] })
    }
}

impl JsonSchema for OneOrMany {
    fn schema_name() -> Cow<'static, str> {
        "OneOrMany".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let literal = generator.subschema_for::<LiteralSection>();
        json_schema!({ "type": ["string", "number", "array"], "items": literal, "minItems": 1 })
    }
}

/// The list behind `numeric`. That its elements take turns is beyond a schema for a list of any length.
pub(crate) struct Bounds;

impl JsonSchema for Bounds {
    fn schema_name() -> Cow<'static, str> {
        "Bounds".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let symbols = NumericComparison::ALL.map(NumericComparison::symbol);
        let element = json!({ "anyOf": [{ "type": "string", "enum": symbols }, { "type": "number" }] });
        json_schema!({ "type": "array", "items": element, "minItems": 2 })
    }
}

#[cfg(test)]
mod tests;
