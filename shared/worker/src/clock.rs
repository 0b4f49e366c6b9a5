//! The time of day, for leases and for what is written down for people.

use std::time::Duration;

use tokio::time::Instant;

/// The time of day: as it was when the clock was made, and as it has run on since.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    unix: Duration,
    since: Instant,
}

impl Clock {
    /// A clock that shows this time since the Unix epoch now.
    pub fn at(unix: Duration) -> Self {
        Self {
            unix,
            since: Instant::now(),
        }
    }

    /// Milliseconds since the Unix epoch.
    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from((self.unix + self.since.elapsed()).as_millis()).unwrap_or(u64::MAX)
    }

    /// The time as RFC 3339 has it, in UTC.
    pub(crate) fn now_text(&self) -> String {
        let ms = i64::try_from(self.now_ms()).unwrap_or(i64::MAX);
        jiff::Timestamp::from_millisecond(ms)
            .map(|time| time.to_string())
            .unwrap_or_default()
    }
}
