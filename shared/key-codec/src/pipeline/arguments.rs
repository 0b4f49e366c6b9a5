//! What each op takes between its parentheses.

use shadowkey_item::AttributeValue;

use super::Argument;
use crate::TemplateProblem;
use crate::digest::{MAX_BUCKETS, MAX_HASH_DIGITS};
use crate::integer::{MAX_WIDTH, Pad};
use crate::time::{EpochUnit, TimeInput, check_format};

fn refused<T>(op: &'static str, takes: &'static str) -> Result<T, TemplateProblem> {
    Err(TemplateProblem::Arguments { op, takes })
}

pub(super) fn none(op: &'static str, given: &[Argument]) -> Result<(), TemplateProblem> {
    if given.is_empty() {
        Ok(())
    } else {
        refused(op, "no argument here")
    }
}

/// One whole number within bounds.
fn integer(given: &[Argument], bounds: std::ops::RangeInclusive<usize>) -> Option<usize> {
    match given {
        [Argument::Integer(number)] => usize::try_from(*number).ok().filter(|number| bounds.contains(number)),
        _ => None,
    }
}

pub(super) fn default(given: &[Argument]) -> Result<AttributeValue, TemplateProblem> {
    match given {
        [Argument::Text(text)] if !text.is_empty() => Ok(text.as_str().into()),
        _ => refused("default", "one text in quotes that is not empty: `default(\"none\")`"),
    }
}

pub(super) fn pad(given: &[Argument]) -> Result<Pad, TemplateProblem> {
    match integer(given, 1..=MAX_WIDTH) {
        Some(width) => Ok(Pad { width, from: None }),
        None => refused("pad", "a width from 1 to 38: `pad(3)`"),
    }
}

pub(super) fn desc_of_pad(given: &[Argument], pad: Pad) -> Result<u128, TemplateProblem> {
    match given {
        [] => Ok(pad.all_nines()),
        [Argument::Integer(from)] if *from <= pad.all_nines() => Ok(*from),
        _ => refused(
            "desc",
            "nothing, or a whole number that fits the width of the `pad` before it: `desc(100)`",
        ),
    }
}

pub(super) fn prefix(given: &[Argument]) -> Result<usize, TemplateProblem> {
    match integer(given, 1..=1024) {
        Some(chars) => Ok(chars),
        None => refused("prefix", "a number of characters from 1 to 1024: `prefix(3)`"),
    }
}

pub(super) fn hash(given: &[Argument]) -> Result<usize, TemplateProblem> {
    match integer(given, 1..=MAX_HASH_DIGITS) {
        Some(digits) => Ok(digits),
        None => refused("hash", "a number of digits from 1 to 64: `hash(16)`"),
    }
}

pub(super) fn shard(given: &[Argument]) -> Result<u64, TemplateProblem> {
    match given {
        [Argument::Integer(buckets)] if (2..=u128::from(MAX_BUCKETS)).contains(buckets) => {
            Ok(u64::try_from(*buckets).unwrap_or(MAX_BUCKETS))
        }
        _ => refused("shard", "a number of buckets from 2 to 10000: `shard(8)`"),
    }
}

const TIME: &str = "nothing, a strptime format in quotes, `assume_utc` alone or after a format, or one of `epoch_s`, `epoch_ms`, `epoch_us`, `ksuid` and `ulid`";

pub(super) fn time(given: &[Argument]) -> Result<TimeInput, TemplateProblem> {
    let (format, words) = match given {
        [Argument::Text(format), words @ ..] => (Some(format), words),
        words => (None, words),
    };
    let assume_utc = match words {
        [] => false,
        [Argument::Word(word)] if word == "assume_utc" => true,
        [Argument::Word(word)] if format.is_none() => return time_of_word(word),
        _ => return refused("time", TIME),
    };
    let Some(format) = format else {
        return Ok(TimeInput::Iso { assume_utc });
    };
    check_format(format).map_err(|message| TemplateProblem::TimeFormat {
        format: format.clone(),
        message,
    })?;
    Ok(TimeInput::Format {
        format: format.clone(),
        assume_utc,
    })
}

fn time_of_word(word: &str) -> Result<TimeInput, TemplateProblem> {
    match (word, EpochUnit::ALL.into_iter().find(|unit| unit.name() == word)) {
        (_, Some(unit)) => Ok(TimeInput::Epoch { unit }),
        ("ksuid", None) => Ok(TimeInput::Ksuid),
        ("ulid", None) => Ok(TimeInput::Ulid),
        _ => refused("time", TIME),
    }
}
