//! Sequence numbers of one recording carried over to the next.
//!
//! The stream counts from the clock, so every recording has other numbers, and the expected end state names them in its
//! markers. A recording of the same writes has the same records in the same order; each marker then gets the new number
//! of its record.

use anyhow::{Result, bail};

/// Digits of a sequence number in a marker.
const WIDTH: usize = 40;

/// Puts the new recording's numbers in the place of the old one's, record by record.
///
/// Fails where the number of records differs: which marker belongs to which record has then to be thought through again.
pub(crate) fn carry_over(expected: &str, old: &[String], new: &[String]) -> Result<String> {
    if old.len() != new.len() {
        bail!("there were {} records and now there are {}", old.len(), new.len());
    }
    let mut text = expected.to_owned();
    // In two steps, since a new number may be another record's old one.
    for (index, number) in old.iter().enumerate() {
        text = text.replace(&padded(number), &place_holder(index));
    }
    for (index, number) in new.iter().enumerate() {
        text = text.replace(&place_holder(index), &padded(number));
    }
    Ok(text)
}

fn padded(number: &str) -> String {
    format!("#{number:0>WIDTH$}\"")
}

fn place_holder(index: usize) -> String {
    format!("#record {index}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(numbers: &[&str]) -> Vec<String> {
        numbers.iter().map(|&number| number.to_owned()).collect()
    }

    #[test]
    fn markers_follow_their_records() {
        let marker = |number| format!(r#""at":{{"S":"label{}"#, padded(number));
        let expected = marker("101") + &marker("7") + &marker("102");
        let carried = carry_over(&expected, &numbers(&["101", "102"]), &numbers(&["102", "103"])).expect("same length");
        assert_eq!(carried, marker("102") + &marker("7") + &marker("103"));
    }

    #[test]
    fn another_number_of_records_is_refused() {
        assert!(carry_over("", &numbers(&["1"]), &numbers(&["1", "2"])).is_err());
    }
}
