//! What DynamoDB refuses for good.
//!
//! Source: "Quotas" and "Supported data types and naming rules" in the DynamoDB developer guide.

use shadowkey_item::{
    AttributeValue, Item, Key, KeyError, KeySchema, MAX_ITEM_BYTES, MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES,
    item_size,
};
use shadowkey_plan::Update;

use crate::{MAX_ACTIONS, MAX_TRANSACTION_BYTES};

/// The rule that a write breaks.
#[derive(Debug, thiserror::Error)]
pub(super) enum RuleError {
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("the key attribute `{name}` is empty")]
    EmptyKey { name: String },
    #[error("the key attribute `{name}` has {bytes} bytes, more than {limit}")]
    LongKey { name: String, bytes: usize, limit: usize },
    #[error("the key attribute `{name}` cannot be changed")]
    KeyChanged { name: String },
    #[error("the item has more than {MAX_ITEM_BYTES} bytes")]
    LargeItem,
    #[error("the transaction has more than {MAX_ACTIONS} actions")]
    ManyActions,
    #[error("two actions of the transaction concern one item")]
    SameItem,
    #[error("the transaction has more than {MAX_TRANSACTION_BYTES} bytes")]
    LargeTransaction,
    #[error("an attribute has no name")]
    NoName,
    #[error("a set has no element")]
    EmptySet,
}

/// The key of an item that may be put.
pub(super) fn check_put(schema: &KeySchema, item: &Item) -> Result<Key, RuleError> {
    check_names_and_sets(item)?;
    check_size(item)?;
    check_key(schema, item)
}

/// The key of an item that may be updated so.
pub(super) fn check_update(schema: &KeySchema, update: &Update) -> Result<Key, RuleError> {
    check_names_and_sets(&update.set)?;
    match update
        .set
        .keys()
        .chain(&update.remove)
        .find(|name| schema.contains(name))
    {
        Some(name) => Err(RuleError::KeyChanged { name: name.clone() }),
        None => check_key(schema, update.key.attributes()),
    }
}

/// The key that these attributes make or have among them.
pub(super) fn check_key(schema: &KeySchema, attributes: &Item) -> Result<Key, RuleError> {
    let key = schema.key_of(attributes)?;
    for (attribute, limit) in schema.attributes().zip([MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES]) {
        let name = attribute.name.clone();
        let bytes = match key.attributes().get(&name) {
            Some(AttributeValue::S(text)) => text.len(),
            Some(AttributeValue::B(bytes)) => bytes.len(),
            _ => continue,
        };
        if bytes == 0 {
            return Err(RuleError::EmptyKey { name });
        }
        if bytes > limit {
            return Err(RuleError::LongKey { name, bytes, limit });
        }
    }
    Ok(key)
}

/// Whether an item is small enough.
pub(super) fn check_size(item: &Item) -> Result<(), RuleError> {
    if item_size(item) > MAX_ITEM_BYTES {
        return Err(RuleError::LargeItem);
    }
    Ok(())
}

fn check_names_and_sets(attributes: &Item) -> Result<(), RuleError> {
    attributes.iter().try_for_each(|(name, value)| {
        if name.is_empty() {
            return Err(RuleError::NoName);
        }
        check_value(value)
    })
}

fn check_value(value: &AttributeValue) -> Result<(), RuleError> {
    let empty = match value {
        AttributeValue::Ss(set) => set.is_empty(),
        AttributeValue::Ns(set) => set.is_empty(),
        AttributeValue::Bs(set) => set.is_empty(),
        AttributeValue::M(map) => return check_names_and_sets(map),
        AttributeValue::L(list) => return list.iter().try_for_each(check_value),
        _ => false,
    };
    if empty { Err(RuleError::EmptySet) } else { Ok(()) }
}
