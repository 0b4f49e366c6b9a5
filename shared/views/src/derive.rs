//! derive: from one image of one item to all that is derived from it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use shadowkey_item::{
    AttributePath, AttributeValue, Item, Key, KeyError, KeySchema, MAX_ITEM_BYTES, MAX_PARTITION_KEY_BYTES,
    MAX_SORT_KEY_BYTES, TableName, Version, item_size, value_size,
};
use shadowkey_key_codec::{Scope, ValueError, shown_value};

use crate::view::{AttributeView, ShadowView, Views};
use crate::{MARKER, Marker};

/// What a version adds to a marker, at most: an entry with its name, a stream's label, `#` and a padded sequence number.
pub(crate) const VERSION_BYTES: usize = 1 + 2 + 23 + 1 + 40;

/// All that one image derives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Derived {
    /// By name, every attribute that a view of a matching source writes: its value, or `None` where an input is missing
    /// or the view failed and the attribute has no place on the item.
    pub attributes: BTreeMap<String, Option<AttributeValue>>,
    /// The shadows, by view and then by element.
    pub shadows: Vec<Shadow>,
    /// The views that could not be derived.
    pub failures: Vec<Failure>,
}

/// One derived item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadow {
    /// The view it belongs to.
    pub view: String,
    /// The table it is in.
    pub table: TableName,
    /// Its key.
    pub key: Key,
    item: Item,
    marker: Marker,
}

impl Shadow {
    /// The whole item with its marker, which has no version yet.
    pub fn item(&self) -> &Item {
        &self.item
    }

    /// The marker as a change of this version writes it.
    pub fn marker(&self, version: &Version) -> Marker {
        Marker {
            at: Some(version.as_str().to_owned()),
            ..self.marker.clone()
        }
    }

    /// The item as a change of this version writes it.
    pub fn at(&self, version: &Version) -> Item {
        let mut item = self.item.clone();
        item.insert(MARKER.to_owned(), self.marker(version).to_value());
        item
    }
}

/// A view that could not be derived from an image; the item's other views are not touched by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The view.
    pub view: String,
    /// Why, of the first element that failed where there are several.
    pub kind: FailureKind,
    /// How many more elements failed.
    pub more: usize,
}

/// Why a view could not be derived.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FailureKind {
    /// An input's value has no place in the template.
    #[error(transparent)]
    Value(ValueError),
    /// `for_each` goes over something that has no elements.
    #[error(
        "`{path}`: `{value}` is of type {found}, and `for_each` takes a list or a set; write the attribute as one, or name a \
         list or set inside it"
    )]
    NoElements {
        /// The path.
        path: String,
        /// The value there, cut.
        value: String,
        /// The type found there.
        found: &'static str,
    },
    /// A key part, or an attribute that is part of an index's key, is longer than DynamoDB takes.
    #[error(
        "`{name}`: `{value}` is {bytes} bytes long, and DynamoDB takes {limit} there; shorten an input, or keep a part of it only \
         with `prefix` or `hash` in a view of a new name"
    )]
    KeyTooLong {
        /// The attribute.
        name: String,
        /// The value, cut.
        value: String,
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The item would be larger than DynamoDB takes.
    #[error(
        "the item would be {bytes} bytes large, and DynamoDB takes {MAX_ITEM_BYTES}; project fewer attributes, or store less in \
         the source item"
    )]
    ItemTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The shadow would replace its own source.
    #[error(
        "`{key}` is the key of the shadow and of its own source item; make the view's key differ from every source key, such as \
         by a text at its start, in a view of a new name"
    )]
    OwnKey {
        /// The key, cut.
        key: String,
    },
    /// Another view, whose name comes first, derives a shadow of the same item at the same key.
    #[error(
        "the key {key} is that of the shadow of view `{first}` for the same item, whose name comes first; put something into \
         one of the two keys that tells the views apart"
    )]
    SameKey {
        /// The view that has the key.
        first: String,
        /// The key.
        key: String,
    },
    /// The image has no key, so nothing can be derived from it.
    #[error(transparent)]
    Key(KeyError),
}

impl FailureKind {
    /// A short name for the kind of failure, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Value(error) => error.problem.code(),
            Self::NoElements { .. } => "wrong-type",
            Self::KeyTooLong { .. } => "key-too-long",
            Self::ItemTooLarge { .. } => "item-too-large",
            Self::OwnKey { .. } => "own-key",
            Self::SameKey { .. } => "same-key",
            Self::Key(_) => "wrong-key",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "view `{}`: {}", self.view, self.kind)?;
        match self.more {
            0 => Ok(()),
            more => write!(f, " (and {more} more elements failed)"),
        }
    }
}

impl Views {
    /// Whether an item is a shadow, of whatever deployment, and so never a source.
    ///
    /// An item whose marker names the item itself as its source is none: an application has written back what it read.
    pub fn is_shadow(&self, item: &Item) -> bool {
        Marker::of_item(item).is_some_and(|marker| {
            let own_key = self
                .table
                .key
                .attributes()
                .all(|key| item.get(&key.name) == marker.of.get(&key.name));
            !(marker.from == self.table.name && own_key)
        })
    }

    /// Derives everything from one image of an item of the views' table; nothing from a shadow.
    ///
    /// Attribute views come first, in dependency order, and lie over the image; shadows and their projections see them,
    /// so that the worker's own attribute update changes no shadow. The function is pure: the same image always gives
    /// the same.
    pub fn derive(&self, image: &Item) -> Derived {
        let mut derived = Derived::default();
        if self.is_shadow(image) {
            return derived;
        }
        let source = self.table.key.key_of(image).ok();
        let mut overlay = Cow::Borrowed(image);
        for view in &self.attributes {
            let claimed = derived.attributes.contains_key(&view.attribute);
            if !claimed && !self.matches(view.source, &overlay) {
                self.hide_leftover(view, &mut overlay, source.as_ref());
            } else if !claimed {
                let value = self
                    .attribute_value(view, &overlay, source.as_ref())
                    .unwrap_or_else(|kind| {
                        derived.fail(&view.name, kind);
                        None
                    });
                lay_over(&mut overlay, &view.attribute, value.clone());
                derived.attributes.insert(view.attribute.clone(), value);
            }
        }
        for view in &self.shadows {
            if self.matches(view.source, &overlay) {
                let first = derived.shadows.len();
                self.derive_shadows(view, &overlay, &mut derived);
                derived.drop_same_keys(first);
            }
        }
        derived
    }

    /// Takes an attribute out of sight that is exactly what a view would derive, on an item that is not of its source.
    ///
    /// The item has left the source and the attribute is about to go. Shadows do not see it from the start, so that its
    /// removal changes none.
    fn hide_leftover(&self, view: &AttributeView, overlay: &mut Cow<'_, Item>, source: Option<&Key>) {
        let would_be = view
            .template
            .render(Scope::item(overlay).of_source(source))
            .ok()
            .flatten();
        if would_be.is_some() && would_be.as_ref() == overlay.get(&view.attribute) {
            overlay.to_mut().remove(&view.attribute);
        }
    }

    pub(crate) fn matches(&self, source: usize, item: &Item) -> bool {
        self.sources
            .get(source)
            .is_some_and(|source| source.pattern.matches(item))
    }

    fn attribute_value(
        &self,
        view: &AttributeView,
        item: &Item,
        source: Option<&Key>,
    ) -> Result<Option<AttributeValue>, FailureKind> {
        let value = view
            .template
            .render(Scope::item(item).of_source(source))
            .map_err(FailureKind::Value)?;
        let Some(value) = value else { return Ok(None) };
        let name = &view.attribute;
        self.check_index_keys(name, &value)?;
        let replaced = item.get(name).map_or(0, |old| name.len() + value_size(old));
        check_size(item_size(item) - replaced + name.len() + value_size(&value))?;
        Ok(Some(value))
    }

    /// Whether a value is short enough for every index of the table whose key it belongs to.
    fn check_index_keys(&self, name: &str, value: &AttributeValue) -> Result<(), FailureKind> {
        let indexes = self.table.indexes.iter();
        indexes
            .filter(|index| index.key.contains(name))
            .try_for_each(|index| check_length(&index.key, name, value))
    }

    fn derive_shadows(&self, view: &ShadowView, item: &Item, derived: &mut Derived) {
        let scope = Scope::item(item);
        let Some((name, path)) = &view.for_each else {
            match self.shadow(view, scope, item) {
                Ok(shadow) => derived.shadows.extend(shadow),
                Err(kind) => derived.fail(&view.name, kind),
            }
            return;
        };
        let mut taken = BTreeSet::new();
        for element in match elements(scope, path) {
            Ok(elements) => elements,
            Err(kind) => return derived.fail(&view.name, kind),
        } {
            match self.shadow(view, scope.with_element(name, &element), item) {
                Ok(Some(shadow)) => {
                    if taken.insert(shadow.key.clone()) {
                        derived.shadows.push(shadow);
                    }
                }
                Ok(None) => {}
                Err(kind) => derived.fail(&view.name, kind),
            }
        }
    }

    fn shadow(&self, view: &ShadowView, scope: Scope<'_>, item: &Item) -> Result<Option<Shadow>, FailureKind> {
        let of = self.table.key.key_of(item).map_err(FailureKind::Key)?;
        let scope = scope.of_source(Some(&of));
        let mut shadow = Item::new();
        let mut complete = true;
        for (name, template) in &view.key {
            match template.render(scope).map_err(FailureKind::Value)? {
                Some(value) => {
                    check_length(&view.schema, name, &value)?;
                    if view.table == self.table.name {
                        self.check_index_keys(name, &value)?;
                    }
                    shadow.insert(name.clone(), value);
                }
                None => complete = false,
            }
        }
        if !complete {
            return Ok(None);
        }
        let key = view.schema.key_of(&shadow).map_err(FailureKind::Key)?;
        if view.table == self.table.name && key == of {
            let key = shown_value(&key.to_string().into());
            return Err(FailureKind::OwnKey { key });
        }
        for (name, value) in item {
            let projected = view.projection.contains(name) || self.ttl.as_ref() == Some(name);
            if projected && name != MARKER && !view.schema.contains(name) {
                shadow.insert(name.clone(), value.clone());
            }
        }
        let marker = Marker {
            from: self.table.name.clone(),
            view: view.name.clone(),
            of: of.attributes().clone(),
            at: None,
            def: view.fingerprint.clone(),
        };
        shadow.insert(MARKER.to_owned(), marker.to_value());
        check_size(item_size(&shadow) + VERSION_BYTES)?;
        Ok(Some(Shadow {
            view: view.name.clone(),
            table: view.table.clone(),
            key,
            item: shadow,
            marker,
        }))
    }
}

impl Derived {
    /// The names of the views that could not be derived.
    pub fn failed_views(&self) -> impl Iterator<Item = &str> {
        self.failures.iter().map(|failure| failure.view.as_str())
    }

    /// Takes out shadows, from the given one on, whose place a shadow before them has.
    fn drop_same_keys(&mut self, first: usize) {
        if first == 0 || first == self.shadows.len() {
            return;
        }
        let own = self.shadows.split_off(first);
        let earlier: BTreeMap<_, _> = self
            .shadows
            .iter()
            .map(|shadow| ((&shadow.table, &shadow.key), shadow))
            .collect();
        let has_place = |shadow: &Shadow| {
            earlier
                .get(&(&shadow.table, &shadow.key))
                .map(|first| first.view.clone())
        };
        let judged: Vec<_> = own.into_iter().map(|shadow| (has_place(&shadow), shadow)).collect();
        for (taken_by, shadow) in judged {
            let key = &shadow.key;
            match taken_by {
                None => self.shadows.push(shadow),
                Some(first) => self.fail(
                    &shadow.view,
                    FailureKind::SameKey {
                        first,
                        key: key.to_string(),
                    },
                ),
            }
        }
    }

    /// Notes a failure, once for each view.
    fn fail(&mut self, view: &str, kind: FailureKind) {
        match self.failures.last_mut().filter(|last| last.view == view) {
            Some(last) => last.more += 1,
            None => self.failures.push(Failure {
                view: view.to_owned(),
                kind,
                more: 0,
            }),
        }
    }
}

fn lay_over(overlay: &mut Cow<'_, Item>, attribute: &str, value: Option<AttributeValue>) {
    if overlay.get(attribute) == value.as_ref() {
        return;
    }
    match value {
        Some(value) => overlay.to_mut().insert(attribute.to_owned(), value),
        None => overlay.to_mut().remove(attribute),
    };
}

/// The elements of the list or set at a path that are neither NULL nor empty; none where it is missing or NULL itself.
fn elements(scope: Scope<'_>, path: &AttributePath) -> Result<Vec<AttributeValue>, FailureKind> {
    let is_there = |element: &&AttributeValue| **element != AttributeValue::Null && element.as_s() != Some("");
    Ok(match scope.lookup(path) {
        None | Some(AttributeValue::Null) => Vec::new(),
        Some(AttributeValue::L(list)) => list.iter().filter(is_there).cloned().collect(),
        Some(AttributeValue::Ss(set)) => set.iter().map(|text| text.as_str().into()).collect(),
        Some(AttributeValue::Ns(set)) => set.iter().cloned().map(AttributeValue::N).collect(),
        Some(AttributeValue::Bs(set)) => set.iter().cloned().map(AttributeValue::B).collect(),
        Some(other) => {
            return Err(FailureKind::NoElements {
                path: path.to_string(),
                value: shown_value(other),
                found: other.type_name(),
            });
        }
    })
}

fn check_length(schema: &KeySchema, name: &str, value: &AttributeValue) -> Result<(), FailureKind> {
    let limit = if schema.partition.name == name {
        MAX_PARTITION_KEY_BYTES
    } else {
        MAX_SORT_KEY_BYTES
    };
    match value {
        AttributeValue::S(text) if text.len() > limit => Err(FailureKind::KeyTooLong {
            name: name.to_owned(),
            value: shown_value(value),
            bytes: text.len(),
            limit,
        }),
        _ => Ok(()),
    }
}

fn check_size(bytes: usize) -> Result<(), FailureKind> {
    if bytes > MAX_ITEM_BYTES {
        Err(FailureKind::ItemTooLarge { bytes })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
