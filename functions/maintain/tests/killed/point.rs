//! Where a process is killed.

use std::time::Duration;

use fastrand::Rng;

/// The requests and answers that a process gets to at most.
const REQUESTS: u32 = 40;
const ANSWERS: u32 = 3;
/// A process of a debug build takes some 10 ms to start.
const MOMENTS_MS: u64 = 80;

/// Where in its life a process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// So long after its start, whatever it is doing.
    Moment(Duration),
    /// When it has sent this request, before it takes effect.
    BeforeRequest(u32),
    /// When this request has taken effect, before it is answered.
    AfterRequest(u32),
    /// When it has sent this answer, before anyone has taken note of it.
    Answer(u32),
    /// Nowhere.
    Never,
}

impl Point {
    /// The kinds of points at which processes are killed.
    pub(crate) const KINDS: [&'static str; 4] = ["at a moment", "before a request", "after a request", "at an answer"];

    /// Any point.
    pub(crate) fn random(rng: &mut Rng) -> Self {
        match rng.u32(0..10) {
            0..=1 => Self::Moment(Duration::from_millis(rng.u64(0..MOMENTS_MS))),
            2..=4 => Self::BeforeRequest(rng.u32(1..=REQUESTS)),
            5..=7 => Self::AfterRequest(rng.u32(1..=REQUESTS)),
            _ => Self::Answer(rng.u32(1..=ANSWERS)),
        }
    }

    /// Its kind, in words.
    pub(crate) fn kind(self) -> &'static str {
        let [moment, before, after, answer] = Self::KINDS;
        match self {
            Self::Moment(_) => moment,
            Self::BeforeRequest(_) => before,
            Self::AfterRequest(_) => after,
            Self::Answer(_) => answer,
            Self::Never => "never",
        }
    }
}
