//! SK032: whether two shadow views can derive one key.
//!
//! Keys meet where every part does. A part is judged by what its template fixes: the text before its first field and the
//! text behind its last. Values that begin with different texts never meet, nor do values that end with different ones.
//! A field without ops at a template's end is written as it is, so that what the source's match says of it (a literal, a
//! prefix, a suffix) counts as fixed too. Numbers, and whatever lies between two fields, are taken to meet: the rule errs
//! on the side of a warning.
//!
//! One more case is decided. Where both views have the same templates, and these write each attribute of the source
//! table's key as it is, one key means one item; so views of sources that no item can be of together never meet.

use shadowkey_item::AttributeValue;
use shadowkey_key_codec::{LayoutPart, Template};

use super::inputs::Inputs;
use super::{Findings, Shadow};
use crate::Code;
use crate::meet::can_meet;
use crate::pattern::Alternative;
use crate::view::Views;

impl Findings<'_> {
    /// One finding for each pair, at the view that stands later in the file.
    pub(super) fn meetings(&mut self, shadows: &[Shadow<'_>], views: &Views) {
        for (position, later) in shadows.iter().enumerate() {
            for earlier in shadows.iter().take(position) {
                if later.view.table == earlier.view.table && keys_can_meet(later, earlier, views) {
                    let message = format!(
                        "the view `{}` can derive the same key from another item",
                        earlier.view.name
                    );
                    let help = "begin a key part of each with a text of its own, such as `BY-TIME#`";
                    self.add_for(&later.view.name, Code::Sk032, later.section.key.span(), message, help);
                }
            }
        }
    }
}

fn keys_can_meet(a: &Shadow<'_>, b: &Shadow<'_>, views: &Views) -> bool {
    let mut parts = a.view.key.iter().zip(&b.view.key);
    let meet = parts.all(|((_, left), (_, right))| parts_can_meet((left, a.inputs), (right, b.inputs)));
    meet && !(a.view.key == b.view.key && is_one_item(a, views) && is_one_item(b, views) && are_apart(a, b))
}

fn are_apart(a: &Shadow<'_>, b: &Shadow<'_>) -> bool {
    !can_meet(&a.inputs.source.pattern, &b.inputs.source.pattern)
}

/// Whether the key can be read back to the source's key.
fn is_one_item(shadow: &Shadow<'_>, views: &Views) -> bool {
    let mut attributes = views.table.key.attributes();
    attributes.all(|attribute| {
        let mut templates = shadow.view.key.iter().map(|(_, template)| template);
        templates.any(|template| {
            let end = shadow.inputs.plain_end(template);
            end.is_some_and(|path| path.rest().is_empty() && path.root() == attribute.name)
        })
    })
}

fn parts_can_meet(a: (&Template, Inputs<'_>), b: (&Template, Inputs<'_>)) -> bool {
    let rights = shapes(b.0, b.1);
    let lefts = shapes(a.0, a.1);
    lefts.iter().any(|left| rights.iter().any(|right| left.can_meet(right)))
}

/// What is fixed of a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Shape {
    start: String,
    end: String,
    /// The start is all there is.
    is_whole: bool,
}

impl Shape {
    fn can_meet(&self, other: &Self) -> bool {
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
fn shapes(template: &Template, inputs: Inputs<'_>) -> Vec<Shape> {
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
