//! Which attributes a shadow can carry, and so which declared indexes it can stand in.

use shadowkey_item::{AttributePath, IndexDefinition};

use crate::meet::can_meet;
use crate::pattern::{Alternative, Pattern};
use crate::view::{Projection, ShadowView, Views};

impl Views {
    /// Whether a view's projection can give its shadows an attribute.
    ///
    /// A list of names is taken at its word. `all` and `except` carry what an item has: any attribute, but for those that
    /// the match rules out and those that only attribute views of other sources write.
    pub(crate) fn can_carry(&self, view: &ShadowView, name: &str) -> bool {
        let Some(pattern) = self.sources.get(view.source).map(|source| &source.pattern) else {
            return false;
        };
        match view.projection {
            Projection::Keys => false,
            Projection::Include(_) => view.projection.contains(name),
            Projection::All | Projection::Except(_) => {
                let there = Pattern(vec![(AttributePath::attribute(name), vec![Alternative::Exists(true)])]);
                let mut sources = (self.attributes.iter())
                    .filter(|view| view.attribute == name)
                    .filter_map(|view| self.sources.get(view.source));
                let is_written = !self.owns_attribute(name) || sources.any(|source| can_meet(&source.pattern, pattern));
                view.projection.contains(name) && is_written && can_meet(pattern, &there)
            }
        }
    }

    /// The attributes that a shadow has to carry, besides its own key, to stand in an index of the sources' table; `None`
    /// where it never does.
    pub(crate) fn carried_into<'a>(&self, view: &ShadowView, index: &'a IndexDefinition) -> Option<Vec<&'a str>> {
        let names = index.key.attributes().map(|attribute| attribute.name.as_str());
        let needed: Vec<&str> = names.filter(|name| !view.schema.contains(name)).collect();
        let can_have = |name: &&str| self.ttl.as_deref() == Some(*name) || self.can_carry(view, name);
        (view.table == self.table.name && needed.iter().all(can_have)).then_some(needed)
    }
}
