//! Whose an item is that stands where a shadow belongs.

use shadowkey_item::{Item, TableName};
use shadowkey_views::{Marker, Views};

/// What stands in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing.
    Empty,
    /// A shadow of this deployment.
    Shadow(Marker),
    /// An item of the application's, or another deployment's shadow: never to be touched.
    Foreign,
}

impl Standing {
    /// Judges what was found at a place of a table.
    ///
    /// An item that the application wrote back with the marker it had read is the application's.
    pub(crate) fn of(views: &Views, table: &TableName, found: Option<&Item>) -> Self {
        let Some(item) = found else { return Self::Empty };
        let source = views.table();
        let is_own_source =
            |of: &Item| *table == source.name && source.key.key_of(item).is_ok_and(|key| key.attributes() == of);
        match Marker::of_item(item) {
            Some(marker) if marker.from == source.name && !is_own_source(&marker.of) => Self::Shadow(marker),
            _ => Self::Foreign,
        }
    }
}
