//! DynamoDB's decimal number: exact, 38 significant digits, compared by value.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The most significant digits a number may have.
const MAX_DIGITS: usize = 38;
/// The exponent of the first significant digit lies between these: 1E-130 to 9.99…E+125.
const EXPONENTS: std::ops::RangeInclusive<i64> = -130..=125;

/// A decimal number in its one canonical spelling: plain digits, no exponent, no leading or trailing zero that does not
/// count, no negative zero. So `1E2`, `100.0` and `+100` are all `100`.
///
/// Limits: 38 significant digits, magnitude 1E-130 to 9.9…E+125, as in the developer guide's "Number" section. It is
/// never a machine integer or a float, so nothing is rounded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Number(String);

/// Why a text is not a DynamoDB number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// It is not decimal notation.
    #[error("`{text}` is not a decimal number")]
    Syntax {
        /// What was given.
        text: String,
    },
    /// It has more than 38 significant digits.
    #[error("`{text}` has {digits} significant digits; DynamoDB keeps 38")]
    TooPrecise {
        /// What was given.
        text: String,
        /// How many significant digits it has.
        digits: usize,
    },
    /// Its magnitude is outside 1E-130 to 9.9…E+125.
    #[error("`{text}` is outside DynamoDB's range of 1E-130 to 9.9E+125")]
    OutOfRange {
        /// What was given.
        text: String,
    },
}

impl From<u64> for Number {
    fn from(integer: u64) -> Self {
        Self(integer.to_string())
    }
}

impl Number {
    /// The canonical spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.0.starts_with('-')
    }

    /// The number with its sign turned; zero stays zero.
    #[must_use]
    pub fn negated(&self) -> Self {
        match self.0.strip_prefix('-') {
            Some(positive) => Self(positive.to_owned()),
            None if self.0 == "0" => self.clone(),
            None => Self(format!("-{}", self.0)),
        }
    }

    /// Its digits if it is an integer that is not negative.
    pub fn as_unsigned_integer(&self) -> Option<&str> {
        self.0.bytes().all(|b| b.is_ascii_digit()).then_some(self.0.as_str())
    }

    /// The significant digits, first and last not zero (none for zero), and the power of ten of the first.
    pub fn magnitude(&self) -> (String, i64) {
        let unsigned = self.0.strip_prefix('-').unwrap_or(&self.0);
        let (digits, exponent) = significant(unsigned, 0);
        (digits, exponent)
    }
}

/// Strips a plain `123.450` times ten to the `shift` to its significant digits and the power of ten of the first one.
fn significant(plain: &str, shift: i64) -> (String, i64) {
    let (integer, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    let all = format!("{integer}{fraction}");
    let leading = all.bytes().take_while(|b| *b == b'0').count();
    let digits = all.trim_matches('0').to_owned();
    let position = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let exponent = shift
        .saturating_add(position(integer.len()))
        .saturating_sub(1)
        .saturating_sub(position(leading));
    (digits, exponent)
}

/// Writes significant digits without an exponent.
fn plain(negative: bool, digits: &str, exponent: i64) -> String {
    if digits.is_empty() {
        return "0".to_owned();
    }
    let sign = if negative { "-" } else { "" };
    let Ok(before_point) = usize::try_from(exponent + 1) else {
        let zeros = "0".repeat(usize::try_from(-exponent - 1).unwrap_or(0));
        return format!("{sign}0.{zeros}{digits}");
    };
    match digits.split_at_checked(before_point) {
        Some((integer, "")) => format!("{sign}{integer}"),
        Some(("", fraction)) => format!("{sign}0.{fraction}"),
        Some((integer, fraction)) => format!("{sign}{integer}.{fraction}"),
        None => format!("{sign}{digits}{}", "0".repeat(before_point - digits.len())),
    }
}

/// Whether the text is a canonical integer already, as nearly all numbers that DynamoDB returns are.
fn is_canonical_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.len() <= MAX_DIGITS
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (matches!(digits.bytes().next(), Some(b'1'..=b'9')) || text == "0")
}

impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        if is_canonical_integer(text) {
            return Ok(Self(text.to_owned()));
        }
        let syntax = || NumberError::Syntax { text: text.to_owned() };
        let negative = text.starts_with('-');
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (mantissa, shift) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, shift)) => (mantissa, exponent_value(shift).ok_or_else(syntax)?),
            None => (unsigned, 0),
        };
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let decimal = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if integer.len() + fraction.len() == 0 || !decimal(integer) || !decimal(fraction) {
            return Err(syntax());
        }
        let (digits, exponent) = significant(mantissa, shift);
        if digits.len() > MAX_DIGITS {
            return Err(NumberError::TooPrecise {
                text: text.to_owned(),
                digits: digits.len(),
            });
        }
        if !digits.is_empty() && !EXPONENTS.contains(&exponent) {
            return Err(NumberError::OutOfRange { text: text.to_owned() });
        }
        Ok(Self(plain(negative, &digits, exponent)))
    }
}

/// The exponent after an `E`; one too long for an `i64` is as good as infinite.
fn exponent_value(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let far = i64::from(i32::MAX);
    let magnitude = digits.parse::<i64>().map_or(far, |value| value.min(far));
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative(), other.is_negative()) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => cmp_magnitude(self, other),
            (true, true) => cmp_magnitude(other, self),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn cmp_magnitude(a: &Number, b: &Number) -> Ordering {
    let (a_digits, a_exponent) = a.magnitude();
    let (b_digits, b_exponent) = b.magnitude();
    // Zero has no digits: it is below everything whatever its exponent.
    (!a_digits.is_empty(), a_exponent, a_digits).cmp(&(!b_digits.is_empty(), b_exponent, b_digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        text.parse().expect(text)
    }

    #[test]
    fn equal_numbers_have_one_spelling() {
        for (given, canonical) in [
            ("1E2", "100"),
            ("100.0", "100"),
            ("+100", "100"),
            ("0100", "100"),
            ("-0", "0"),
            ("0.000", "0"),
            ("0E999", "0"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-1.50e-3", "-0.0015"),
            (
                "12345678901234567890123456789012345678",
                "12345678901234567890123456789012345678",
            ),
            ("123.4500", "123.45"),
            ("1000e-2", "10"),
        ] {
            assert_eq!(number(given).as_str(), canonical, "{given}");
        }
        assert_eq!(number("1E-130").as_str().len(), 132);
        assert_eq!(number("9.9E125").as_str().len(), 126);
    }

    #[test]
    fn what_dynamodb_cannot_hold_is_refused() {
        for bad in [
            "", "-", "+", ".", "1_000", "0x1", "1e", "e5", "1e1.5", "NaN", " 1", "1,5", "--1",
        ] {
            assert!(
                matches!(bad.parse::<Number>(), Err(NumberError::Syntax { .. })),
                "{bad}"
            );
        }
        assert!(matches!("1E126".parse::<Number>(), Err(NumberError::OutOfRange { .. })));
        assert!(matches!(
            "1E-131".parse::<Number>(),
            Err(NumberError::OutOfRange { .. })
        ));
        assert!(matches!(
            "1E99999999999999999999".parse::<Number>(),
            Err(NumberError::OutOfRange { .. })
        ));
        let long = "1".repeat(39);
        assert!(matches!(
            long.parse::<Number>(),
            Err(NumberError::TooPrecise { digits: 39, .. })
        ));
    }

    #[test]
    fn order_is_by_value() {
        let ascending = [
            "-9.9E125",
            "-100",
            "-99.5",
            "-2",
            "-1E-130",
            "0",
            "1E-130",
            "0.5",
            "1",
            "1.05",
            "1.5",
            "2",
            "10",
            "18446744073709551617",
            "9.9E125",
        ];
        for pair in ascending.windows(2) {
            let [a, b] = pair else { unreachable!() };
            assert!(number(a) < number(b), "{a} < {b}");
        }
    }

    #[test]
    fn negation_is_its_own_inverse() {
        for text in ["0", "1", "-1", "0.25", "-12345678901234567890"] {
            assert_eq!(number(text).negated().negated(), number(text));
        }
        assert_eq!(number("0").negated().as_str(), "0");
        assert_eq!(number("5").negated().as_str(), "-5");
    }
}
