//! What commands need to know of one view: its templates by the attribute each of them fills.

use shadowkey_item::{AttributeValue, ScalarType, TableName};
use shadowkey_key_codec::{Template, shown_value};
use shadowkey_views::{AttributeView, ShadowView, Views};

use crate::error::CommandError;

/// A key part of a shadow view, or the attribute of an attribute view.
pub(crate) struct Part<'a> {
    pub(crate) name: &'a str,
    pub(crate) template: &'a Template,
}

impl Part<'_> {
    /// A value of the part's type from the text that stands for it on a command line.
    pub(crate) fn value(&self, text: &str) -> Result<AttributeValue, CommandError> {
        match self.template.kind() {
            ScalarType::N => {
                let number = text.parse().map_err(|source| CommandError::NotANumber {
                    text: shown_value(&text.into()),
                    part: self.name.to_owned(),
                    source,
                })?;
                Ok(AttributeValue::N(number))
            }
            _ => Ok(text.into()),
        }
    }
}

/// The parts of a view, partition key first.
pub(crate) fn parts_of<'a>(views: &'a Views, name: &str) -> Result<Vec<Part<'a>>, CommandError> {
    if let Some(view) = views.shadow_views().iter().find(|view| view.name() == name) {
        let parts = view.key().iter();
        return Ok(parts.map(|(name, template)| Part { name, template }).collect());
    }
    if let Some(view) = views.attribute_views().iter().find(|view| view.name() == name) {
        return Ok(vec![Part {
            name: view.attribute(),
            template: view.template(),
        }]);
    }
    Err(unknown(views, name))
}

/// The refusal of a name that no view has.
pub(crate) fn unknown(views: &Views, name: &str) -> CommandError {
    let shadows = views.shadow_views().iter().map(ShadowView::name);
    let known = shadows.chain(views.attribute_views().iter().map(AttributeView::name));
    CommandError::UnknownView {
        view: name.to_owned(),
        known: known.map(str::to_owned).collect(),
    }
}

/// The logical name of the table that a view's values are in.
pub(crate) fn table_of(views: &Views, name: &str) -> TableName {
    let shadow = views.shadow_views().iter().find(|view| view.name() == name);
    shadow.map_or(&views.table().name, |view| view.table()).clone()
}
