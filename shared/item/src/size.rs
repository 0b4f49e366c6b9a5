//! How large DynamoDB counts an item.

use crate::{AttributeValue, Item, Number};

/// The largest item in bytes, names included.
pub const MAX_ITEM_BYTES: usize = 400 * 1024;
/// The longest partition key value in bytes.
pub const MAX_PARTITION_KEY_BYTES: usize = 2048;
/// The longest sort key value in bytes.
pub const MAX_SORT_KEY_BYTES: usize = 1024;

/// The size of an item in bytes by the rules of the developer guide's "DynamoDB item sizes and formats".
///
/// A number's exact size is the service's own affair ("approximately" in the guide); the estimate here is never below it.
pub fn item_size(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_size(value)).sum()
}

/// The size of a value in bytes, without its name.
pub fn value_size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => number_size(number),
        AttributeValue::B(bytes) => bytes.len(),
        AttributeValue::Bool(_) | AttributeValue::Null => 1,
        AttributeValue::M(map) => 3 + map.len() + item_size(map),
        AttributeValue::L(list) => 3 + list.len() + list.iter().map(value_size).sum::<usize>(),
        AttributeValue::Ss(set) => set.iter().map(String::len).sum(),
        AttributeValue::Ns(set) => set.iter().map(number_size).sum(),
        AttributeValue::Bs(set) => set.iter().map(Vec::len).sum(),
    }
}

/// One byte for two significant digits, one for the exponent, one for a sign, and one for digits that straddle bytes.
fn number_size(number: &Number) -> usize {
    let (digits, _) = number.magnitude();
    digits.len().div_ceil(2) + 2 + usize::from(number.is_negative())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item_from_json;

    #[test]
    fn names_and_values_count_in_utf8_bytes() {
        let item =
            item_from_json(r#"{"é": {"S": "日本"}, "m": {"M": {"a": {"BOOL": true}}}, "l": {"L": [{"NULL": true}]}}"#)
                .expect("item");
        assert_eq!(item_size(&item), (2 + 6) + (1 + 3 + 1 + 1 + 1) + (1 + 3 + 1 + 1));
    }
}
