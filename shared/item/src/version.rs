//! What orders the changes of one source item.

use std::cmp::Ordering;
use std::fmt;

/// The most digits a sequence number has, by the API reference of DynamoDB Streams.
const WIDTH: usize = 40;

/// A stream record's sequence number: decimal, up to 40 digits, so never a machine integer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SequenceNumber(String);

/// A text that is not a sequence number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a sequence number of 1 to 40 decimal digits")]
pub struct SequenceNumberError {
    /// What was given.
    pub text: String,
}

impl SequenceNumber {
    /// Takes a text of 1 to 40 decimal digits.
    pub fn parse(text: &str) -> Result<Self, SequenceNumberError> {
        if (1..=WIDTH).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(SequenceNumberError { text: text.to_owned() })
        }
    }

    /// The text as the stream gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The next number, unless all 40 digits are used up.
    pub fn successor(&self) -> Option<Self> {
        let kept = self.0.trim_end_matches('9');
        let carried = "0".repeat(self.0.len() - kept.len());
        let next = match kept.char_indices().next_back() {
            Some((last, digit)) => {
                let digit = char::from_digit(digit.to_digit(10)? + 1, 10)?;
                format!("{}{digit}{carried}", kept.get(..last)?)
            }
            None => format!("1{carried}"),
        };
        Self::parse(&next).ok()
    }

    fn padded(&self) -> String {
        format!("{:0>WIDTH$}", self.0)
    }
}

impl Ord for SequenceNumber {
    fn cmp(&self, other: &Self) -> Ordering {
        // Only numbers of the same value and other zeros in front need the text to tell them apart.
        (self.padded(), &self.0).cmp(&(other.padded(), &other.0))
    }
}

impl PartialOrd for SequenceNumber {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for SequenceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Orders the changes of one source item: the stream's label, then the sequence number padded to 40 digits.
///
/// It is kept and compared as text, here and in the conditions that DynamoDB evaluates. A stream that is switched off and
/// on again gets a later label, so that its changes win over the old stream's.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(String);

impl Version {
    /// The version of a record: the label is the last part of the stream's ARN.
    pub fn new(stream_label: &str, sequence_number: &SequenceNumber) -> Self {
        // `#` sorts below everything a label consists of (digits, `-`, `.`, `:` and `T`).
        Self(format!("{stream_label}#{}", sequence_number.padded()))
    }

    /// The version below that of every record, for what is written from a reading and not from a record.
    pub fn lowest() -> Self {
        Self(format!("#{:0>WIDTH$}", ""))
    }

    /// The higher of this version and one that a marker carries.
    pub fn or_higher(&self, marked: Option<&str>) -> Self {
        match marked {
            Some(marked) if marked > self.as_str() => Self(marked.to_owned()),
            _ => self.clone(),
        }
    }

    /// The text that goes into a shadow's marker.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(label: &str, sequence_number: &str) -> Version {
        Version::new(label, &SequenceNumber::parse(sequence_number).expect("sequence number"))
    }

    #[test]
    fn versions_order_by_label_and_then_by_number() {
        assert!(version("l", "999") < version("l", "1000"));
        assert!(version("2026-01-05T10:00:00.000", "999") < version("2026-01-06T10:00:00.000", "1"));
        assert!(SequenceNumber("999".into()) < SequenceNumber("1000".into()));
    }

    #[test]
    fn the_lowest_version_is_below_every_record_of_every_stream() {
        assert!(Version::lowest() < version("0", "0"));
        let higher = version("l", "2");
        assert_eq!(version("l", "1").or_higher(Some(higher.as_str())), higher);
        assert_eq!(higher.or_higher(Some(version("l", "1").as_str())), higher);
        assert_eq!(higher.or_higher(None), higher);
    }

    #[test]
    fn the_successor_carries_over_all_digits() {
        let successor = |text: &str| SequenceNumber(text.into()).successor().map(|next| next.0);
        for (text, next) in [("1", "2"), ("109", "110"), ("999", "1000"), ("0099", "0100")] {
            assert_eq!(successor(text).as_deref(), Some(next));
        }
        assert_eq!(successor(&"9".repeat(40)), None);
    }

    #[test]
    fn only_digits_make_a_sequence_number() {
        for bad in ["", "12a", "-1", "1.5", &"1".repeat(41)] {
            assert!(SequenceNumber::parse(bad).is_err(), "{bad}");
        }
    }
}
