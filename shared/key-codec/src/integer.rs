//! `pad(w)` and its inversions: whole numbers as digits of fixed width.

use std::fmt::Write as _;

use shadowkey_item::Number;

use crate::ValueProblem;

/// The widest `pad`: as many digits as a DynamoDB number keeps.
pub(crate) const MAX_WIDTH: usize = 38;

/// Digits of a fixed width, ascending or counted back from a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pad {
    pub(crate) width: usize,
    pub(crate) from: Option<u128>,
}

impl Pad {
    /// The largest number of the width.
    pub(crate) fn all_nines(self) -> u128 {
        10u128.pow(u32::try_from(self.width).unwrap_or(0)) - 1
    }

    /// Appends the number's digits.
    pub(crate) fn push(self, out: &mut String, number: &Number) -> Result<(), ValueProblem> {
        let digits = number
            .as_unsigned_integer()
            .ok_or_else(|| ValueProblem::NotUnsigned { value: number.clone() })?;
        let value = digits
            .parse::<u128>()
            .ok()
            .filter(|value| *value <= self.all_nines())
            .ok_or_else(|| ValueProblem::TooWide {
                value: number.clone(),
                width: self.width,
            })?;
        let value = match self.from {
            None => value,
            Some(from) => from.checked_sub(value).ok_or_else(|| ValueProblem::AboveDesc {
                value: number.clone(),
                from,
            })?,
        };
        let _ = write!(out, "{value:0>width$}", width = self.width);
        Ok(())
    }

    /// Takes the digits from the front of a key, and gives the number.
    pub(crate) fn take(self, key: &mut &str) -> Option<Number> {
        let (digits, rest) = key.split_at_checked(self.width)?;
        let value: u128 = digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then_some(digits)?
            .parse()
            .ok()?;
        let value = match self.from {
            None => value,
            Some(from) => from.checked_sub(value)?,
        };
        *key = rest;
        value.to_string().parse().ok()
    }
}
