//! The marker that every shadow carries.

use shadowkey_item::{AttributeValue, Item, TableName};

/// The reserved attribute that holds the marker.
pub const MARKER: &str = "_shadow";

/// What a shadow says about itself: whose it is, and how new.
///
/// "Its own shadow" means the same `from`, `view` and `of`. A shadow with another `from` belongs to another deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The logical name of the source item's table.
    pub from: TableName,
    /// The view that derives it.
    pub view: String,
    /// The source item's key.
    pub of: Item,
    /// The version of the change that wrote it; `None` in what [`derive`](crate::Views::derive) gives.
    pub at: Option<String>,
    /// The fingerprint of the view's definition and of the key format.
    pub def: String,
}

impl Marker {
    /// The marker of an item, if it carries a whole one.
    pub fn of_item(item: &Item) -> Option<Self> {
        let map = item.get(MARKER)?.as_m()?;
        let text = |name: &str| map.get(name).and_then(AttributeValue::as_s).map(str::to_owned);
        Some(Self {
            from: TableName(text("from")?),
            view: text("view")?,
            of: map.get("of")?.as_m()?.clone(),
            at: text("at"),
            def: text("def").unwrap_or_default(),
        })
    }

    /// The marker as the attribute's value.
    pub fn to_value(&self) -> AttributeValue {
        let mut map = Item::from([
            ("from".to_owned(), self.from.0.as_str().into()),
            ("view".to_owned(), self.view.as_str().into()),
            ("of".to_owned(), AttributeValue::M(self.of.clone())),
            ("def".to_owned(), self.def.as_str().into()),
        ]);
        if let Some(at) = &self.at {
            map.insert("at".to_owned(), at.as_str().into());
        }
        AttributeValue::M(map)
    }

    /// Whether both mark the same view's shadow of the same source item.
    pub fn same_owner(&self, other: &Self) -> bool {
        self.from == other.from && self.view == other.view && self.of == other.of
    }
}
