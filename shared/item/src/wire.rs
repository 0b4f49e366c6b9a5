//! The gateway to DynamoDB JSON and to the SDK, both by way of [`serde_dynamo`].

use std::collections::{BTreeMap, HashMap};

use serde::{Serialize, Serializer};
use serde_dynamo::AttributeValue as Wire;

use crate::{AttributeValue, Item, Number, NumberError};

/// Takes a record's image; an absent image arrives as an empty one, which a real image never is.
pub fn image_from_wire(image: serde_dynamo::Item) -> Result<Option<Item>, NumberError> {
    let item = map_from_wire(image.into_inner())?;
    Ok(if item.is_empty() { None } else { Some(item) })
}

/// Gives an item to the SDK or to a serializer.
pub fn item_into_wire(item: Item) -> serde_dynamo::Item {
    serde_dynamo::Item::from(map_into_wire(item))
}

/// Reads an item in DynamoDB JSON, as the AWS CLI prints it.
pub fn item_from_json(json: &str) -> Result<Item, serde_json::Error> {
    serde_json::from_str(json)
}

/// Writes an item as DynamoDB JSON with its names in order.
pub fn item_to_json(item: &Item) -> serde_json::Value {
    let value_to_json = |value: &AttributeValue| {
        serde_json::to_value(value).unwrap_or_else(|error| unreachable!("an attribute value is always JSON: {error}"))
    };
    item.iter()
        .map(|(name, value)| (name.clone(), value_to_json(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn map_from_wire(map: HashMap<String, Wire>) -> Result<Item, NumberError> {
    map.into_iter()
        .map(|(name, value)| Ok((name, AttributeValue::try_from(value)?)))
        .collect()
}

fn map_into_wire(item: Item) -> HashMap<String, Wire> {
    item.into_iter().map(|(name, value)| (name, value.into())).collect()
}

/// DynamoDB JSON with the names of maps in order, at every depth.
impl Serialize for AttributeValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::M(map) => BTreeMap::from([("M", map)]).serialize(serializer),
            Self::L(list) => BTreeMap::from([("L", list)]).serialize(serializer),
            // Keys are of these, and nothing of them is copied.
            Self::S(text) => serializer.serialize_newtype_variant("AttributeValue", 0, "S", text),
            Self::N(number) => serializer.serialize_newtype_variant("AttributeValue", 1, "N", number.as_str()),
            other => Wire::from(other.clone()).serialize(serializer),
        }
    }
}

impl TryFrom<Wire> for AttributeValue {
    type Error = NumberError;

    fn try_from(wire: Wire) -> Result<Self, NumberError> {
        Ok(match wire {
            Wire::S(text) => Self::S(text),
            Wire::N(text) => Self::N(text.parse()?),
            Wire::B(bytes) => Self::B(bytes),
            Wire::Bool(truth) => Self::Bool(truth),
            Wire::Null(_) => Self::Null,
            Wire::M(map) => Self::M(map_from_wire(map)?),
            Wire::L(list) => Self::L(list.into_iter().map(Self::try_from).collect::<Result<_, _>>()?),
            Wire::Ss(set) => Self::Ss(set.into_iter().collect()),
            Wire::Ns(set) => Self::Ns(set.iter().map(|text| text.parse()).collect::<Result<_, _>>()?),
            Wire::Bs(set) => Self::Bs(set.into_iter().collect()),
        })
    }
}

impl From<AttributeValue> for Wire {
    fn from(value: AttributeValue) -> Self {
        let text = |number: Number| number.to_string();
        match value {
            AttributeValue::S(text) => Self::S(text),
            AttributeValue::N(number) => Self::N(text(number)),
            AttributeValue::B(bytes) => Self::B(bytes),
            AttributeValue::Bool(truth) => Self::Bool(truth),
            AttributeValue::Null => Self::Null(true),
            AttributeValue::M(map) => Self::M(map_into_wire(map)),
            AttributeValue::L(list) => Self::L(list.into_iter().map(Self::from).collect()),
            AttributeValue::Ss(set) => Self::Ss(set.into_iter().collect()),
            AttributeValue::Ns(set) => Self::Ns(set.into_iter().map(text).collect()),
            AttributeValue::Bs(set) => Self::Bs(set.into_iter().collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_survives_dynamodb_json() {
        let json = r#"{"b":{"B":"AAEC"},"bs":{"BS":["AA==","AQ=="]},"f":{"BOOL":false},"l":{"L":[{"N":"1"},{"NULL":true}]},"m":{"M":{"a":{"S":""}}},"n":{"N":"12345678901234567890123456789012345678"},"ns":{"NS":["2","10"]},"s":{"S":"x"},"ss":{"SS":["a","b"]}}"#;
        let item = item_from_json(json).expect("item");
        assert_eq!(item_to_json(&item).to_string(), json);
    }

    #[test]
    fn maps_print_in_order_at_every_depth() {
        let names: Vec<String> = (10..40).map(|n| format!("\"n{n}\":{{\"S\":\"\"}}")).collect();
        let json = format!(r#"{{"l":{{"L":[{{"M":{{{}}}}}]}}}}"#, names.join(","));
        let item = item_from_json(&json).expect("item");
        assert_eq!(serde_json::to_string(&item).expect("json"), json);
        assert_eq!(item_to_json(&item).to_string(), json);
    }

    #[test]
    fn sets_and_numbers_compare_as_dynamodb_compares_them() {
        let a = item_from_json(r#"{"s":{"SS":["b","a"]},"n":{"N":"1E2"}}"#).expect("item");
        let b = item_from_json(r#"{"s":{"SS":["a","b"]},"n":{"N":"100.0"}}"#).expect("item");
        assert_eq!(a, b);
    }

    #[test]
    fn an_empty_image_is_an_absent_one() {
        assert_eq!(
            image_from_wire(serde_dynamo::Item::from(HashMap::<String, Wire>::new())),
            Ok(None)
        );
    }
}
