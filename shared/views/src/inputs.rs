//! What the file alone says of the values that a view's templates read.

use shadowkey_item::AttributePath;
use shadowkey_key_codec::{LayoutPart, Template};

use crate::pattern::Alternative;
use crate::view::{Source, Views};

/// The inputs of one view.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) source: &'a Source,
    views: &'a Views,
    /// The name that `for_each` gives to elements; a path that starts with it is not of the item.
    element: Option<&'a str>,
}

impl<'a> Inputs<'a> {
    pub(crate) fn new(views: &'a Views, source: usize, element: Option<&'a str>) -> Option<Self> {
        Some(Self {
            source: views.sources.get(source)?,
            views,
            element,
        })
    }

    /// Whether a path starts in the item, and not in an element of `for_each`.
    pub(crate) fn is_of_item(&self, path: &AttributePath) -> bool {
        self.element != Some(path.root())
    }

    /// What the source's match lets a path be; `None` where it says nothing of what the template reads.
    pub(crate) fn matched(&self, path: &AttributePath) -> Option<&'a [Alternative]> {
        if !self.is_of_item(path) || self.views.owns_attribute(path.root()) {
            return None;
        }
        let mut patterns = self.source.pattern.0.iter();
        patterns
            .find(|(matched, _)| matched == path)
            .map(|(_, alternatives)| alternatives.as_slice())
    }

    /// Whether the match lets a path have one value only.
    pub(crate) fn is_pinned(&self, path: &AttributePath) -> bool {
        matches!(self.matched(path), Some([Alternative::Literal(_)]))
    }

    /// The path at a template's end that is written there as it is: no op, and nothing behind it to be escaped for.
    pub(crate) fn plain_end(&self, template: &'a Template) -> Option<&'a AttributePath> {
        let Some(LayoutPart::Field(last)) = template.layout().pop() else {
            return None;
        };
        // The canonical spelling of a field without ops is its path in braces; an op would stand before the brace.
        let is_plain = template.to_string().ends_with(&format!("{{{}}}", last.path));
        (is_plain && self.is_of_item(last.path)).then_some(last.path)
    }
}
