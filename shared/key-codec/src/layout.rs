//! How a template's values are laid out, for findings and explanations.

use shadowkey_item::AttributePath;

use crate::Template;
use crate::parse::Part;
use crate::pipeline::Form;

/// A part of a rendered value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutPart<'a> {
    /// The same in every value.
    Literal(&'a str),
    /// Different from item to item.
    Field(FieldLayout<'a>),
}

/// What is known of a field before any value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldLayout<'a> {
    /// The input's path.
    pub path: &'a AttributePath,
    /// Plain text, which nothing but the literal behind it ends.
    pub is_plain_text: bool,
    /// The order of the keys is the order of the inputs, whatever follows.
    pub is_ordered: bool,
    /// Different inputs are bound to give the same: `prefix`, `hash`, `shard`.
    pub collides: bool,
    /// Different inputs can give the same: all of these, and `default`, `upper`, `lower`, `fold`, `nfc`, `trim`, `time`.
    pub is_lossy: bool,
    /// It holds a hash of the source item's whole key: `ksuid`.
    pub is_of_source: bool,
}

impl Template {
    /// The parts in order.
    pub fn layout(&self) -> Vec<LayoutPart<'_>> {
        let parts = self.parts().iter();
        parts
            .map(|part| match part {
                Part::Literal(literal) => LayoutPart::Literal(literal),
                Part::Field(field) => LayoutPart::Field(FieldLayout {
                    path: &field.path,
                    is_plain_text: field.pipeline.form().is_plain_text(),
                    is_ordered: field.pipeline.form().is_ordered(),
                    collides: field.pipeline.collides(),
                    is_lossy: field.pipeline.is_lossy(),
                    is_of_source: matches!(field.pipeline.form(), Form::Ksuid(_)),
                }),
            })
            .collect()
    }
}
