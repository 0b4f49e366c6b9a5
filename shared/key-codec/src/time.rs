//! `time`: an instant as text of fixed width in UTC, ascending or counted back from the end of year 9999.

use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ZonedDateTime};
use shadowkey_item::Number;

use crate::ValueProblem;
use crate::decimal::magnitude;
use crate::digits::push_decimal;
use crate::error::shown;
use crate::operand::Operand;

/// What epochs count from.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
/// 0001-01-01T00:00:00.000Z in milliseconds since 1970.
const FIRST_MS: i64 = -62_135_596_800_000;
/// 9999-12-31T23:59:59.999Z in milliseconds since 1970.
const LAST_MS: i64 = 253_402_300_799_999;
/// Digits of the whole range in milliseconds.
pub(crate) const DESC_WIDTH: usize = 15;

/// How a time is written in the item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TimeInput {
    /// ISO 8601: a date, or a date and a time of day.
    Iso { assume_utc: bool },
    /// A strptime format.
    Format { format: String, assume_utc: bool },
    /// A number since 1970.
    Epoch { unit: EpochUnit },
    /// The time in a KSUID.
    Ksuid,
    /// The time in a ULID.
    Ulid,
}

/// The unit of a number since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EpochUnit {
    Seconds,
    Milliseconds,
    Microseconds,
}

impl EpochUnit {
    pub(crate) const ALL: [Self; 3] = [Self::Seconds, Self::Milliseconds, Self::Microseconds];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Seconds => "epoch_s",
            Self::Milliseconds => "epoch_ms",
            Self::Microseconds => "epoch_us",
        }
    }

    /// A time as a number of the unit.
    pub(crate) fn number(self, ms: i64) -> Option<Number> {
        format!("{ms}E{}", -self.to_milliseconds()).parse().ok()
    }

    /// The power of ten from the unit to milliseconds.
    const fn to_milliseconds(self) -> i64 {
        match self {
            Self::Seconds => 3,
            Self::Milliseconds => 0,
            Self::Microseconds => -3,
        }
    }
}

/// The characters of a time in ascending order.
pub(crate) const WIDTH: usize = 24;

/// Appends a time as `2023-07-10T14:48:00.000Z`.
pub(crate) fn push(out: &mut String, ms: i64) {
    // INVARIANT: milliseconds() gives only years 0001 to 9999, which every DateTime can hold.
    let t = EPOCH.saturating_add(SignedDuration::from_millis(ms));
    push_decimal::<4>(out, t.year().unsigned_abs().into());
    for (before, two) in [
        ('-', t.month()),
        ('-', t.day()),
        ('T', t.hour()),
        (':', t.minute()),
        (':', t.second()),
    ] {
        out.push(before);
        push_decimal::<2>(out, two.unsigned_abs().into());
    }
    out.push('.');
    push_decimal::<3>(out, t.millisecond().unsigned_abs().into());
    out.push('Z');
}

/// Takes a time from the front of a key, in milliseconds since 1970.
pub(crate) fn take(key: &mut &str) -> Option<i64> {
    let (text, rest) = key.split_at_checked(WIDTH)?;
    let ms = iso(text, false).ok()?;
    let mut again = String::new();
    push(&mut again, ms);
    *key = rest;
    (again == text).then_some(ms)
}

/// Appends the 15 digits of the milliseconds from a time to the end of year 9999.
pub(crate) fn push_desc(out: &mut String, ms: i64) {
    push_decimal::<DESC_WIDTH>(out, LAST_MS.abs_diff(ms));
}

/// Takes such digits from the front of a key, and gives the time.
pub(crate) fn take_desc(key: &mut &str) -> Option<i64> {
    let (digits, rest) = key.split_at_checked(DESC_WIDTH)?;
    *key = rest;
    in_range(
        LAST_MS
            - digits
                .bytes()
                .all(|b| b.is_ascii_digit())
                .then_some(digits)?
                .parse::<i64>()
                .ok()?,
    )
}

impl TimeInput {
    /// Whether the input is a number.
    pub(crate) fn takes_number(&self) -> bool {
        matches!(self, Self::Epoch { .. })
    }

    /// Whether an input can be of this time, as far as identifiers do not hold every one.
    pub(crate) fn can_give(&self, ms: i64) -> bool {
        match self {
            Self::Ksuid => ms.rem_euclid(1000) == 0 && crate::ksuid::seconds(ms).is_some(),
            Self::Ulid => ms >= 0,
            Self::Epoch { .. } | Self::Iso { .. } | Self::Format { .. } => true,
        }
    }

    /// The instant in milliseconds since 1970, finer digits cut, within years 0001 to 9999.
    pub(crate) fn milliseconds(&self, value: &Operand<'_>) -> Result<i64, ValueProblem> {
        let text = || value.text("`time`");
        match self {
            Self::Epoch { unit } => epoch(value.number("`time` of an epoch")?, *unit),
            Self::Iso { assume_utc } => iso(text()?, *assume_utc),
            Self::Format { format, assume_utc } => formatted(text()?, format, *assume_utc),
            Self::Ksuid => identifier(text()?, "a KSUID", crate::ksuid::milliseconds),
            Self::Ulid => identifier(text()?, "a ULID", ulid_milliseconds),
        }
    }
}

/// The time in an identifier.
fn identifier(text: &str, form: &'static str, read: fn(&str) -> Option<i64>) -> Result<i64, ValueProblem> {
    read(text)
        .and_then(in_range)
        .ok_or_else(|| ValueProblem::NotAnIdentifier {
            value: shown(text),
            form,
        })
}

fn out_of_range(text: &str) -> ValueProblem {
    ValueProblem::TimeRange {
        value: shown(text),
        unit: None,
    }
}

fn ulid_milliseconds(text: &str) -> Option<i64> {
    // 26 characters of base32 can say more than 16 bytes hold.
    if !text.starts_with(|c| ('0'..='7').contains(&c)) {
        return None;
    }
    i64::try_from(ulid::Ulid::from_string(text).ok()?.timestamp_ms()).ok()
}

/// Scales a number to milliseconds and cuts towards the past, so that the order of instants survives.
fn epoch(number: &Number, unit: EpochUnit) -> Result<i64, ValueProblem> {
    let out_of_range = || ValueProblem::TimeRange {
        value: shown(number.as_str()),
        unit: Some(unit.name()),
    };
    let (digits, exponent) = magnitude(number);
    let whole = usize::try_from(exponent + 1 + unit.to_milliseconds()).unwrap_or(0);
    // 18 digits of milliseconds are far outside the range and still fit an i64.
    if whole > 18 {
        return Err(out_of_range());
    }
    let is_cut = digits.clone().nth(whole).is_some();
    let kept = digits.chain(std::iter::repeat(b'0')).take(whole);
    let magnitude = kept.fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    let ms = match (number.is_negative(), is_cut) {
        (false, _) => magnitude,
        (true, false) => -magnitude,
        (true, true) => -magnitude - 1,
    };
    in_range(ms).ok_or_else(out_of_range)
}

/// A time, if it is within years 0001 to 9999.
pub(crate) fn in_range(ms: i64) -> Option<i64> {
    (FIRST_MS..=LAST_MS).contains(&ms).then_some(ms)
}

/// Milliseconds since 1970 of a civil time so many seconds east of UTC; `None` outside years 0001 to 9999.
///
/// Civil arithmetic throughout: jiff's Timestamp ends a day before year 9999 does.
fn instant(civil: DateTime, offset_seconds: i64) -> Option<i64> {
    let ns = EPOCH.duration_until(civil).as_nanos();
    let ms = i64::try_from(ns.div_euclid(1_000_000)).ok()?;
    in_range(ms - offset_seconds * 1000)
}

/// Reads `YYYY-MM-DD`, alone or with `T` or a space, `hh:mm[:ss[.f]]`, and `Z` or an offset.
fn iso(text: &str, assume_utc: bool) -> Result<i64, ValueProblem> {
    let not_a_time = || ValueProblem::NotATime {
        value: shown(text),
        form: "a time such as `2023-07-10` or `2023-07-10T14:48:00.000Z`".to_owned(),
    };
    let mut rest = Reader { rest: text };
    let (civil, has_time_of_day) = rest.date_and_time().ok_or_else(not_a_time)?;
    let offset = if has_time_of_day && !rest.rest.is_empty() {
        rest.offset().ok_or_else(not_a_time)?
    } else if has_time_of_day && !assume_utc {
        return Err(ValueProblem::NoZone {
            value: shown(text),
            zone: "`Z` or an offset",
            assume_utc: TimeInput::Iso { assume_utc: true }.to_string(),
        });
    } else {
        0
    };
    if !rest.rest.is_empty() {
        return Err(not_a_time());
    }
    instant(civil, offset).ok_or_else(|| out_of_range(text))
}

/// Reads fixed-width fields from the front of a text.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn date_and_time(&mut self) -> Option<(DateTime, bool)> {
        let year = i16::try_from(self.digits(4)?).ok()?;
        self.literal("-")?;
        let month = self.two()?;
        self.literal("-")?;
        let day = self.two()?;
        let has_time_of_day = self.literal("T").or_else(|| self.literal(" ")).is_some();
        let (mut hour, mut minute, mut second, mut nanosecond) = (0, 0, 0, 0);
        if has_time_of_day {
            hour = self.two()?;
            self.literal(":")?;
            minute = self.two()?;
            if self.literal(":").is_some() {
                second = self.two()?;
                if self.literal(".").is_some() {
                    nanosecond = self.fraction()?;
                }
            }
        }
        let civil = DateTime::new(year, month, day, hour, minute, second, nanosecond).ok()?;
        Some((civil, has_time_of_day))
    }

    /// `Z`, `+hh:mm`, `+hhmm` or `+hh`, in seconds east of UTC.
    fn offset(&mut self) -> Option<i64> {
        if self.literal("Z").is_some() {
            return Some(0);
        }
        let sign = if self.literal("+").is_some() {
            1
        } else {
            self.literal("-")?;
            -1
        };
        let hours = self.digits(2)?;
        let has_colon = self.literal(":").is_some();
        let minutes = if has_colon || !self.rest.is_empty() {
            self.digits(2)?
        } else {
            0
        };
        (hours < 24 && minutes < 60).then_some(sign * i64::from(hours * 3600 + minutes * 60))
    }

    fn literal(&mut self, literal: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(literal)?;
        Some(())
    }

    fn two(&mut self) -> Option<i8> {
        i8::try_from(self.digits(2)?).ok()
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        self.rest = rest;
        digits.parse().ok()
    }

    /// Nanoseconds; digits beyond them are cut.
    fn fraction(&mut self) -> Option<i32> {
        let count = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        let kept = digits.bytes().chain(std::iter::repeat(b'0')).take(9);
        (count > 0).then(|| kept.fold(0, |number, digit| number * 10 + i32::from(digit - b'0')))
    }
}

/// Reads a text by a strptime format.
fn formatted(text: &str, format: &str, assume_utc: bool) -> Result<i64, ValueProblem> {
    let not_a_time = || ValueProblem::NotATime {
        value: shown(text),
        form: format!("a time by the format `{format}`"),
    };
    let out_of_range = || out_of_range(text);
    let parsed = strtime::parse(format, text).map_err(|_| not_a_time())?;
    if parsed.iana_time_zone().is_some() || has_leap_second(text, format, &parsed) {
        return Err(not_a_time());
    }
    if let Some(timestamp) = parsed.timestamp() {
        return in_range(timestamp.as_millisecond()).ok_or_else(out_of_range);
    }
    if parsed.hour().is_none() {
        if parsed.minute().is_some() || parsed.second().is_some() || parsed.offset().is_some() {
            return Err(not_a_time());
        }
        let date = parsed.to_date().map_err(|_| not_a_time())?;
        return instant(date.into(), 0).ok_or_else(out_of_range);
    }
    let offset = match parsed.offset() {
        Some(offset) => i64::from(offset.seconds()),
        None if assume_utc => 0,
        None => {
            let format = format.to_owned();
            let assume_utc = true;
            return Err(ValueProblem::NoZone {
                value: shown(text),
                zone: "an offset, and the format with `%z`",
                assume_utc: TimeInput::Format { format, assume_utc }.to_string(),
            });
        }
    };
    instant(parsed.to_datetime().map_err(|_| not_a_time())?, offset).ok_or_else(out_of_range)
}

/// Whether a text has the second 60, which strptime reads as 59: some `60` in it may be a `59` and is read alike.
fn has_leap_second(text: &str, format: &str, parsed: &BrokenDownTime) -> bool {
    let is_alike = |(at, _): (usize, &str)| {
        let (before, rest) = text.split_at_checked(at)?;
        let ordinary = format!("{before}59{}", rest.get(2..)?);
        let other = strtime::parse(format, &ordinary).ok()?;
        Some(other.to_datetime().ok()? == parsed.to_datetime().ok()?)
    };
    parsed.second() == Some(59) && text.match_indices("60").filter_map(is_alike).any(|is_alike| is_alike)
}

/// Whether a strptime format can be used: what it writes of a time it must read again as a time.
pub(crate) fn check_format(format: &str) -> Result<(), String> {
    let has = |directives: [&str; 2]| directives.iter().any(|directive| format.contains(directive));
    if has(["%I", "%l"]) && !has(["%p", "%P"]) {
        return Err("an hour of twelve needs `%p`".to_owned());
    }
    if format.contains("%s") && format != "%s" {
        return Err("`%s` is a whole time and stands alone".to_owned());
    }
    let sample = ZonedDateTime::new(Timestamp::UNIX_EPOCH, TimeZone::UTC);
    let written = strtime::format(format, &sample).map_err(|error| error.to_string())?;
    match formatted(&written, format, true) {
        Ok(_) => Ok(()),
        Err(_) => Err(format!(
            "it does not give a date, with an hour and an offset at most (it writes `{written}`, and that is no time)"
        )),
    }
}

#[cfg(test)]
mod tests;
