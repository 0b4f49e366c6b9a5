//! The oracle's own calendar, and times as items have them.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use proptest::prelude::*;
use svix_ksuid::Ksuid;
use ulid::Ulid;

/// Year, month, day, hour, minute, second, millisecond, and the offset east of UTC in minutes.
pub(crate) type Civil = [i64; 8];

/// Every year that a time can be of.
pub(crate) const ALL_YEARS: RangeInclusive<i64> = 1..=9999;
/// The years that a KSUID holds whole.
pub(crate) const KSUID_YEARS: RangeInclusive<i64> = 2015..=2149;

/// Milliseconds since 1970, by counting the days of whole years and months from 0000-03-01.
pub(crate) fn instant([y, mo, d, h, mi, s, ms, offset]: Civil) -> i64 {
    const DAYS_TO_1970: i64 = 719_468;
    let (year, month) = if mo > 2 { (y, mo - 3) } else { (y - 1, mo + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + d - 1 - DAYS_TO_1970;
    (((days * 24 + h) * 60 + mi - offset) * 60 + s) * 1000 + ms
}

/// `2023-07-10T14:48:00.000Z` read again, by its places.
pub(crate) fn read_iso(text: &str) -> Option<i64> {
    let places = [0..4, 5..7, 8..10, 11..13, 14..16, 17..19, 20..23];
    let mut civil = [0; 8];
    for (field, place) in civil.iter_mut().zip(places) {
        *field = text.get(place)?.parse().ok()?;
    }
    (text.len() == 24).then(|| instant(civil))
}

/// How a template reads a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Iso,
    AssumeUtc,
    Format(&'static str),
    /// The power of ten from the unit to milliseconds.
    Epoch(i32),
    Ksuid,
    Ulid,
}

impl Kind {
    pub(crate) const ALL: [Self; 11] = [
        Self::Iso,
        Self::Iso,
        Self::AssumeUtc,
        Self::Format("%d %b %Y"),
        Self::Format("%Y%m%d %H:%M:%S%.f %z"),
        Self::Format("%A, %-d %B %Y %I:%M %p %:z"),
        Self::Epoch(3),
        Self::Epoch(0),
        Self::Epoch(-3),
        Self::Ksuid,
        Self::Ulid,
    ];

    pub(crate) fn spelling(self) -> String {
        match self {
            Self::Iso => "time".to_owned(),
            Self::AssumeUtc => "time(assume_utc)".to_owned(),
            Self::Format(format) => format!("time(\"{format}\")"),
            Self::Epoch(3) => "time(epoch_s)".to_owned(),
            Self::Epoch(0) => "time(epoch_ms)".to_owned(),
            Self::Epoch(_) => "time(epoch_us)".to_owned(),
            Self::Ksuid => "time(ksuid)".to_owned(),
            Self::Ulid => "time(ulid)".to_owned(),
        }
    }

    /// Whether a KSUID or a ULID only can be of such years.
    fn years(self, years: RangeInclusive<i64>) -> RangeInclusive<i64> {
        match self {
            Self::Ksuid => KSUID_YEARS,
            Self::Ulid => 1970.max(*years.start())..=*years.end(),
            _ => years,
        }
    }
}

/// A time as an item has it, and the milliseconds since 1970 that it means.
#[derive(Debug, Clone)]
pub(crate) struct Time {
    pub(crate) written: String,
    pub(crate) is_number: bool,
    pub(crate) ms: i64,
}

pub(crate) fn time(kind: Kind, years: RangeInclusive<i64>) -> impl Strategy<Value = Time> {
    let finer = prop_oneof![Just(0u32), 0u32..1000];
    let shape = (0u8..4, 0u8..4, any::<bool>());
    let years = kind.years(years);
    (civil(years.clone()), finer, shape, any::<u128>())
        .prop_map(move |(civil, finer, shape, random)| write(kind, civil, finer, shape, random))
        .prop_filter("within the years", move |time| {
            let first = instant([*years.start(), 1, 1, 0, 0, 0, 0, 0]);
            let end = instant([years.end() + 1, 1, 1, 0, 0, 0, 0, 0]);
            (first..end).contains(&time.ms)
        })
}

fn civil(years: RangeInclusive<i64>) -> impl Strategy<Value = Civil> {
    let near = *years.start().max(&2023)..=2024.min(*years.end());
    let date = prop_oneof![(years, 1i64..=12, 1i64..=28), (near, 2i64..=3, 1i64..=28)];
    let offset = prop_oneof![Just(0i64), -1439i64..1440];
    (date, 0i64..24, 0i64..60, 0i64..60, 0i64..1000, offset)
        .prop_map(|((y, mo, d), h, mi, s, ms, offset)| [y, mo, d, h, mi, s, ms, offset])
}

fn write(kind: Kind, mut civil: Civil, finer: u32, shape: (u8, u8, bool), random: u128) -> Time {
    let utc = |mut civil: Civil| {
        civil[7] = 0;
        instant(civil)
    };
    let (written, ms) = match kind {
        Kind::Iso => iso(civil, finer, shape, true),
        Kind::AssumeUtc => {
            civil[7] = 0;
            iso(civil, finer, shape, false)
        }
        Kind::Format(format) => formatted(format, civil),
        Kind::Epoch(power) => (format!("{}{finer:03}E{}", utc(civil), -3 - power), utc(civil)),
        Kind::Ksuid => {
            let seconds = utc(civil).div_euclid(1000);
            let since_2014 = u32::try_from(seconds - 1_400_000_000).expect("years of KSUIDs");
            let ksuid = Ksuid::new_raw(since_2014, Some(&random.to_be_bytes()));
            (ksuid.to_string(), seconds * 1000)
        }
        Kind::Ulid => {
            let ms = utc(civil);
            let ulid = Ulid::from_parts(u64::try_from(ms).expect("years of ULIDs"), random);
            (ulid.to_string(), ms)
        }
    };
    let ms = match kind {
        // Digits finer than milliseconds are below the number, so that what is cut is cut towards the past.
        Kind::Epoch(_) if utc(civil) < 0 => utc(civil) - i64::from(finer > 0),
        _ => ms,
    };
    Time {
        written,
        is_number: matches!(kind, Kind::Epoch(_)),
        ms,
    }
}

/// One of the spellings that `time` reads; fields that a shape leaves out are zero.
fn iso(mut civil: Civil, finer: u32, (length, zone, has_space): (u8, u8, bool), has_zone: bool) -> (String, i64) {
    let kept = [3, 5, 6, 7].get(usize::from(length)).copied().unwrap_or(7);
    for field in civil.iter_mut().take(7).skip(kept) {
        *field = 0;
    }
    if length == 0 || zone == 0 {
        civil[7] = 0;
    } else if zone == 3 {
        civil[7] -= civil[7] % 60;
    }
    let [y, mo, d, h, mi, s, ms, offset] = civil;
    let mut text = format!("{y:04}-{mo:02}-{d:02}");
    if length > 0 {
        let _ = write!(text, "{}{h:02}:{mi:02}", if has_space { ' ' } else { 'T' });
    }
    if length > 1 {
        let _ = write!(text, ":{s:02}");
    }
    if length > 2 {
        let _ = write!(text, ".{ms:03}");
        if finer > 0 {
            let _ = write!(text, "{finer}");
        }
    }
    if length > 0 && has_zone {
        let (sign, hours, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / 60, offset.abs() % 60);
        let _ = match zone {
            0 => write!(text, "Z"),
            1 => write!(text, "{sign}{hours:02}:{minutes:02}"),
            2 => write!(text, "{sign}{hours:02}{minutes:02}"),
            _ => write!(text, "{sign}{hours:02}"),
        };
    }
    (text, instant(civil))
}

/// A time by one of the formats of [`Kind::ALL`].
fn formatted(format: &str, mut civil: Civil) -> (String, i64) {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    const DAYS: [&str; 7] = [
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "Monday",
        "Tuesday",
        "Wednesday",
    ];
    let [y, mo, d, h, mi, s, ms, offset] = civil;
    let month = MONTHS[usize::try_from(mo - 1).expect("month")];
    let (sign, hours, minutes) = (if offset < 0 { '-' } else { '+' }, offset.abs() / 60, offset.abs() % 60);
    let text = match format {
        "%d %b %Y" => {
            civil = [y, mo, d, 0, 0, 0, 0, 0];
            format!("{d:02} {} {y:04}", &month[..3])
        }
        "%Y%m%d %H:%M:%S%.f %z" => {
            format!("{y:04}{mo:02}{d:02} {h:02}:{mi:02}:{s:02}.{ms:03} {sign}{hours:02}{minutes:02}")
        }
        _ => {
            let days = instant([y, mo, d, 0, 0, 0, 0, 0]).div_euclid(86_400_000);
            let weekday = DAYS[usize::try_from(days.rem_euclid(7)).expect("weekday")];
            let half = if h < 12 { "AM" } else { "pm" };
            let hour = if h % 12 == 0 { 12 } else { h % 12 };
            civil = [y, mo, d, h, mi, 0, 0, offset];
            format!("{weekday}, {d} {month} {y:04} {hour:02}:{mi:02} {half} {sign}{hours:02}:{minutes:02}")
        }
    };
    (text, instant(civil))
}
