//! Items to and from the SDK's types.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue as SdkValue;
use shadowkey_item::{AttributeValue, Item, NumberError, image_from_wire, item_into_wire};

/// An item as the SDK takes it.
pub(crate) fn to_sdk(item: &Item) -> HashMap<String, SdkValue> {
    item_into_wire(item.clone()).into()
}

/// A value as the SDK takes it.
pub(crate) fn value_to_sdk(value: &AttributeValue) -> SdkValue {
    serde_dynamo::AttributeValue::from(value.clone()).into()
}

/// An item the SDK gave, `None` for none.
pub(crate) fn from_sdk(item: Option<HashMap<String, SdkValue>>) -> Result<Option<Item>, NumberError> {
    image_from_wire(serde_dynamo::Item::from(item.unwrap_or_default()))
}
