//! Stand-ins for the values of a recording.
//!
//! A stand-in has its value's type and length, and every letter or digit of a text is one again, of the same case. Runs of
//! letters and runs of digits are replaced, each by the same one wherever it stands, and different ones by different ones.
//! So texts stay equal or different as they were, a key that an application has joined from attributes still is, and
//! `pad`, case and splitting at separators go on working. A number's digits are replaced as those of a text.
//!
//! What it leaves, and so what a redacted recording still tells: attribute names, types, lengths and order in lists; whatever is
//! neither letter nor digit; dates and times of ISO form; zeros at the front of digits, signs and decimal points; truth values;
//! which values are equal, how many there are and when they changed; the words of the view file, if one is given; the
//! table's name and region. Identifiers that carry a time (KSUID, ULID) and epoch times no longer mean one, and `numeric`
//! matches and the order of values are those of the stand-ins.

mod words;

use serde_json::Value;
use shadowkey_item::{AttributeValue, Item, Number, item_from_json, item_to_json};
use shadowkey_views::MARKER;

use crate::error::CommandError;
use crate::record::redact::words::Words;

pub(super) use crate::record::redact::words::Redactor;

/// The account of the examples in AWS's documentation.
const ACCOUNT: &str = "123456789012";
/// What a shadow's marker says besides its source's key.
const OF_MARKER: &str = "of";

impl Redactor {
    /// Puts stand-ins into a record's key and images.
    pub(super) fn record(&mut self, record: &mut Value) -> Result<(), CommandError> {
        for pointer in ["/dynamodb/Keys", "/dynamodb/NewImage", "/dynamodb/OldImage"] {
            if let Some(place) = record.pointer_mut(pointer) {
                let item = item_from_json(&place.to_string()).map_err(CommandError::Record)?;
                *place = item_to_json(&self.item(item));
            }
        }
        if let Some(Value::String(arn)) = record.get_mut("eventSourceARN") {
            let parts: Vec<&str> = arn.split(':').collect();
            let with_account = |(position, part)| if position == 4 { ACCOUNT } else { part };
            *arn = parts
                .into_iter()
                .enumerate()
                .map(with_account)
                .collect::<Vec<_>>()
                .join(":");
        }
        Ok(())
    }

    fn item(&mut self, item: Item) -> Item {
        let attributes = item.into_iter();
        attributes
            .map(|(name, value)| match value {
                AttributeValue::M(marker) if name == MARKER => (name, AttributeValue::M(self.marker(marker))),
                value => (name, self.value(value)),
            })
            .collect()
    }

    fn marker(&mut self, marker: Item) -> Item {
        let fields = marker.into_iter();
        fields
            .map(|(name, value)| match name.as_str() {
                OF_MARKER => (name, self.value(value)),
                _ => (name, value),
            })
            .collect()
    }

    fn value(&mut self, value: AttributeValue) -> AttributeValue {
        match value {
            AttributeValue::S(text) => AttributeValue::S(self.text(&text)),
            AttributeValue::N(number) => AttributeValue::N(self.number(&number)),
            AttributeValue::B(bytes) => AttributeValue::B(self.bytes(&bytes)),
            AttributeValue::M(map) => {
                AttributeValue::M(map.into_iter().map(|(name, value)| (name, self.value(value))).collect())
            }
            AttributeValue::L(list) => AttributeValue::L(list.into_iter().map(|value| self.value(value)).collect()),
            AttributeValue::Ss(set) => AttributeValue::Ss(set.iter().map(|text| self.text(text)).collect()),
            AttributeValue::Ns(set) => AttributeValue::Ns(set.iter().map(|number| self.number(number)).collect()),
            AttributeValue::Bs(set) => AttributeValue::Bs(set.iter().map(|bytes| self.bytes(bytes)).collect()),
            plain @ (AttributeValue::Bool(_) | AttributeValue::Null) => plain,
        }
    }

    fn text(&mut self, text: &str) -> String {
        let mut stand_in = String::with_capacity(text.len());
        for word in Words::of(text) {
            stand_in.push_str(&self.word(word));
        }
        stand_in
    }

    /// A number of as many digits, before and behind the point.
    fn number(&mut self, number: &Number) -> Number {
        let (integer, fraction) = number.as_str().split_once('.').unwrap_or((number.as_str(), ""));
        let mut stand_in = self.text(integer);
        if !fraction.is_empty() {
            // The last digit of a fraction is no zero, as the first of a whole number is none.
            let backwards: String = fraction.chars().rev().collect();
            let fraction: String = self.text(&backwards).chars().rev().collect();
            stand_in = format!("{stand_in}.{fraction}");
        }
        stand_in
            .parse()
            .unwrap_or_else(|error| unreachable!("as many digits in the same places are a number again: {error}"))
    }
}

#[cfg(test)]
mod tests;
