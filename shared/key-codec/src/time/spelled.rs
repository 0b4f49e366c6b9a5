//! Times as items have them: a time that decoding finds has to be one that some text of the template's form is of.

use jiff::SignedDuration;
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::Offset;
use svix_ksuid::Ksuid;
use ulid::Ulid;

use super::{EPOCH, TimeInput, push};
use crate::ksuid;
use crate::operand::Operand;
use crate::text::{TextOp, applied};

const DAY_MS: i64 = 86_400_000;

impl TimeInput {
    /// Whether some input can be of this time when it has gone through the ops; not decided for a KSUID whose case an op
    /// changes.
    pub(crate) fn can_give(&self, ops: &[TextOp], ms: i64) -> bool {
        let gives = |text: String| {
            let text = applied(ops, text.into());
            self.milliseconds(&Operand::Text(text)) == Ok(ms)
        };
        match self {
            Self::Epoch { .. } => true,
            Self::Iso { .. } => in_iso(ms).into_iter().any(gives),
            Self::Format { format, .. } => in_format(format, ms).is_none_or(|texts| texts.into_iter().any(gives)),
            Self::Ulid => u64::try_from(ms).is_ok_and(|ms| gives(Ulid::from_parts(ms, 0).to_string())),
            Self::Ksuid if ops.iter().any(|op| op.changes_case()) => is_of_ksuid(ms).is_some(),
            Self::Ksuid => is_of_ksuid(ms).is_some_and(|seconds| gives(Ksuid::new_raw(seconds, None).to_string())),
        }
    }
}

fn is_of_ksuid(ms: i64) -> Option<u32> {
    ksuid::seconds(ms).filter(|_| ms.rem_euclid(1000) == 0)
}

/// The shortest spellings: whoever cuts a text, or changes its case, leaves one of them whole or none.
fn in_iso(ms: i64) -> Vec<String> {
    let mut whole = String::new();
    push(&mut whole, ms);
    let (date, time) = whole.split_once('T').unwrap_or((&whole, ""));
    let time = time.trim_end_matches('Z').trim_end_matches('0').trim_end_matches('.');
    let time = time
        .strip_suffix(":00")
        .filter(|time| time.contains(':'))
        .unwrap_or(time);
    let of_day = ["Z", "+00", ""]
        .into_iter()
        .flat_map(|zone| ['T', ' '].map(|between| format!("{date}{between}{time}{zone}")));
    let midnight = (ms.rem_euclid(DAY_MS) == 0).then(|| date.to_owned());
    midnight.into_iter().chain(of_day).collect()
}

/// The time by a format, in UTC and where the local time is a whole minute or hour; `None` where that cannot be written.
fn in_format(format: &str, ms: i64) -> Option<Vec<String>> {
    let seconds = ms.div_euclid(1000);
    let east = [0, -seconds.rem_euclid(60), -seconds.rem_euclid(3600)];
    let texts = east.map(|east| {
        let local = EPOCH.checked_add(SignedDuration::from_millis(ms + east * 1000)).ok()?;
        let mut broken = BrokenDownTime::from(local);
        broken.set_offset(Some(Offset::from_seconds(i32::try_from(east).ok()?).ok()?));
        broken.to_string(format).ok()
    });
    let texts: Vec<String> = texts.into_iter().flatten().collect();
    (!texts.is_empty()).then_some(texts)
}
