//! SK032: whether two shadow views can derive one key.
//!
//! Keys meet where every part does, and a part is judged by its [shape](crate::shape): the rule errs on the side of a
//! warning.
//!
//! One more case is decided. Where both views have the same templates, and these write each attribute of the source
//! table's key as it is, one key means one item; so views of sources that no item can be of together never meet.

use shadowkey_key_codec::Template;

use super::{Findings, Shadow};
use crate::Code;
use crate::inputs::Inputs;
use crate::meet::can_meet;
use crate::shape::shapes;
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
