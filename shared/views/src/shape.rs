//! What the file alone fixes of the values of a key part: how they begin and how they end.
//!
//! A template fixes the text before its first field and the text behind its last. Values that begin with different texts
//! never meet, nor do values that end with different ones. A field without ops at a template's end is written as it is,
//! so that what the source's match says of it (a literal, a prefix, a suffix) counts as fixed too. Numbers, and whatever
//! lies between two fields, are taken to meet.

use shadowkey_item::{AttributePath, AttributeValue};
use shadowkey_key_codec::{LayoutPart, Template};

use crate::inputs::Inputs;
use crate::pattern::{Alternative, Pattern};

/// What is fixed of a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Shape {
    pub(crate) start: String,
    pub(crate) end: String,
    /// The start is all there is.
    pub(crate) is_whole: bool,
}

impl Shape {
    /// Whether one value can be of both shapes.
    pub(crate) fn can_meet(&self, other: &Self) -> bool {
        match (self.is_whole, other.is_whole) {
            (true, true) => self.start == other.start,
            (true, false) => other.has(&self.start),
            (false, true) => self.has(&other.start),
            (false, false) => {
                let starts = either_way(&self.start, &other.start, |long, short| long.starts_with(short));
                starts && either_way(&self.end, &other.end, |long, short| long.ends_with(short))
            }
        }
    }

    /// Whether a value of this shape can be the text.
    fn has(&self, text: &str) -> bool {
        let inside = text.strip_prefix(self.start.as_str());
        inside.is_some_and(|rest| rest.ends_with(self.end.as_str()))
    }
}

fn either_way(a: &str, b: &str, holds: impl Fn(&str, &str) -> bool) -> bool {
    holds(a, b) || holds(b, a)
}

/// The shapes that a template's values can have, one for each alternative of the match where it says anything.
pub(crate) fn shapes(template: &Template, inputs: Inputs<'_>) -> Vec<Shape> {
    let layout = template.layout();
    let literal = |part: Option<&LayoutPart<'_>>| match part {
        Some(LayoutPart::Literal(text)) => (*text).to_owned(),
        _ => String::new(),
    };
    let fixed = Shape {
        start: literal(layout.first()),
        end: literal(layout.last()),
        is_whole: !layout.iter().any(|part| matches!(part, LayoutPart::Field(_))),
    };
    let end = inputs.plain_end(template).and_then(|path| inputs.matched(path));
    let is_alone = layout
        .iter()
        .filter(|part| matches!(part, LayoutPart::Field(_)))
        .count()
        == 1;
    match end {
        Some(alternatives) => alternatives
            .iter()
            .map(|value| fixed.narrowed(value, is_alone))
            .collect(),
        None => vec![fixed],
    }
}

/// The shapes that an attribute of the items of a source can have, one for each alternative of the match.
pub(crate) fn shapes_of_match(pattern: &Pattern, attribute: &str) -> Vec<Shape> {
    let path = AttributePath::attribute(attribute);
    match pattern.0.iter().find(|(matched, _)| *matched == path) {
        Some((_, alternatives)) => alternatives
            .iter()
            .map(|value| Shape::default().narrowed(value, true))
            .collect(),
        None => vec![Shape::default()],
    }
}

impl Shape {
    /// The shape where the field at the end is of an alternative; `is_alone` where it is the only field.
    fn narrowed(&self, value: &Alternative, is_alone: bool) -> Self {
        let mut shape = self.clone();
        match value {
            Alternative::Literal(value) => {
                let text = match value {
                    AttributeValue::S(text) => text.as_str(),
                    AttributeValue::N(number) => number.as_str(),
                    _ => return shape,
                };
                if is_alone {
                    shape.start.push_str(text);
                    shape.is_whole = true;
                } else {
                    text.clone_into(&mut shape.end);
                }
            }
            Alternative::Prefix(text) if is_alone => shape.start.push_str(text),
            Alternative::Suffix(text) => text.clone_into(&mut shape.end),
            _ => {}
        }
        shape
    }
}
