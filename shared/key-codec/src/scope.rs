//! Where a template finds its inputs.

use shadowkey_item::{AttributePath, AttributeValue, Item, Key};

/// An item, and the element of one of its lists or sets that a `for_each` has bound to a name.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    item: &'a Item,
    element: Option<(&'a str, &'a AttributeValue)>,
    source: Option<&'a Key>,
    inputs: &'a [(AttributePath, AttributeValue)],
}

static NO_ITEM: Item = Item::new();

impl<'a> Scope<'a> {
    /// The item alone.
    pub fn item(item: &'a Item) -> Self {
        Self {
            item,
            element: None,
            source: None,
            inputs: &[],
        }
    }

    /// No item, but values by the very paths that a template reads.
    pub fn inputs(inputs: &'a [(AttributePath, AttributeValue)]) -> Self {
        Self {
            inputs,
            ..Self::item(&NO_ITEM)
        }
    }

    /// The same with the key of the source item, which `ksuid` derives its payload from.
    pub fn of_source(self, source: Option<&'a Key>) -> Self {
        Self { source, ..self }
    }

    /// The key of the source item, where it is known.
    pub(crate) fn source(&self) -> Option<&'a Key> {
        self.source
    }

    /// The item with an element under a name, which hides an attribute of that name.
    pub fn with_element(self, name: &'a str, element: &'a AttributeValue) -> Self {
        Self {
            element: Some((name, element)),
            ..self
        }
    }

    /// The value at a path.
    pub fn lookup(&self, path: &AttributePath) -> Option<&'a AttributeValue> {
        if let Some((_, value)) = self.inputs.iter().find(|(given, _)| given == path) {
            return Some(value);
        }
        match self.element {
            Some((name, element)) if name == path.root() => path.descend(element),
            _ => path.lookup(self.item),
        }
    }
}
