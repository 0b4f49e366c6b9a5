//! `num`: every DynamoDB number as text that sorts as the numbers do.
//!
//! A positive number is `2`, three digits of exponent, its significant digits, and `.`, which is below every digit. Zero is
//! `1`. A negative number is `0` and the rest complemented, with `:` at its end, which is above every digit.

use shadowkey_item::Number;

use crate::digits::push_decimal;

/// What the exponents' range from -130 is counted from.
const BIAS: i64 = 130;
/// The largest exponent, counted so.
const LARGEST: i64 = 125 + BIAS;

/// Appends a number; where it descends, as its negation is written.
pub(crate) fn push(out: &mut String, number: &Number, descending: bool) {
    let (digits, exponent) = magnitude(number);
    let is_zero = digits.clone().next().is_none();
    let digits = digits.map(char::from);
    let exponent = exponent + BIAS;
    if is_zero {
        out.push('1');
    } else if number.is_negative() != descending {
        out.push('0');
        push_decimal::<3>(out, (LARGEST - exponent).unsigned_abs());
        out.extend(digits.map(complement));
        out.push(':');
    } else {
        out.push('2');
        push_decimal::<3>(out, exponent.unsigned_abs());
        out.extend(digits);
        out.push('.');
    }
}

/// The significant digits, first and last not zero (none for zero), and the power of ten of the first.
pub(crate) fn magnitude(number: &Number) -> (impl Iterator<Item = u8> + Clone, i64) {
    let plain = number.as_str().trim_start_matches('-');
    let (integer, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    let digits = integer.bytes().chain(fraction.bytes());
    let leading = digits.clone().take_while(|digit| *digit == b'0').count();
    let trailing = digits.clone().rev().take_while(|digit| *digit == b'0').count();
    let count = (integer.len() + fraction.len()).saturating_sub(leading + trailing);
    let position = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let exponent = position(integer.len()) - 1 - position(leading);
    (digits.skip(leading).take(count), exponent)
}

fn complement(digit: char) -> char {
    digit
        .to_digit(10)
        .and_then(|digit| char::from_digit(9 - digit, 10))
        .unwrap_or(digit)
}

/// Takes a number from the front of a key.
pub(crate) fn take(key: &mut &str) -> Option<Number> {
    let (sign, rest) = key.split_at_checked(1)?;
    if sign == "1" {
        *key = rest;
        return "0".parse().ok();
    }
    let is_negative = sign == "0";
    let (exponent, rest) = rest.split_at_checked(3)?;
    let (digits, rest) = rest.split_once(if is_negative { ':' } else { '.' })?;
    let exponent: i64 = exponent.parse().ok()?;
    let mut digits = digits.to_owned();
    if is_negative {
        digits = digits.chars().map(complement).collect();
    }
    let exponent = if is_negative { LARGEST - exponent } else { exponent } - BIAS;
    let (first, others) = digits.split_at_checked(1)?;
    let minus = if is_negative { "-" } else { "" };
    let number: Number = format!("{minus}{first}.{others}0E{exponent}").parse().ok()?;
    // Only the one spelling that push() writes is a key.
    let mut again = String::new();
    push(&mut again, &number, false);
    let read = key.get(..key.len() - rest.len())?;
    if sign != "0" && sign != "2" || again != read {
        return None;
    }
    *key = rest;
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(text: &str) -> String {
        let mut out = String::new();
        push(&mut out, &text.parse().expect(text), false);
        out
    }

    #[test]
    fn numbers_sort_as_their_text_does_and_come_back() {
        let ascending = [
            "-9.9E125",
            "-12345678901234567890123456789012345678",
            "-100",
            "-99.5",
            "-2",
            "-1.5",
            "-1",
            "-0.1",
            "-1E-130",
            "0",
            "1E-130",
            "0.1",
            "0.11",
            "1",
            "1.05",
            "1.5",
            "2",
            "9",
            "10",
            "100",
            "18446744073709551617",
            "9.9E125",
        ];
        for pair in ascending.windows(2) {
            assert!(encode(pair[0]) < encode(pair[1]), "{pair:?}");
        }
        for text in ascending {
            let (mut key, number): (String, Number) = (encode(text) + "rest", text.parse().expect(text));
            let mut rest = key.as_str();
            assert_eq!(take(&mut rest), Some(number), "{text}");
            assert_eq!(rest, "rest");
            key.clear();
        }
    }

    #[test]
    fn only_the_one_spelling_is_read() {
        for bad in [
            "", "3", "2130", "213010.", "2130.", "2999 1.", "2130x.", "0125:", "01259:",
        ] {
            assert_eq!(take(&mut &*bad), None, "{bad}");
        }
    }
}
