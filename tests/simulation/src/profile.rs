//! What a seed draws before the first step: the world, the sizes, the faults and how often they come.

use std::time::Duration;

use shadowkey_worker::Settings;

use crate::world::World;

/// What kind of run it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// No faults, one consumer; the next write comes when all is quiet.
    Calm,
    /// Everything that the worker's promises allow for.
    Storm,
    /// A consumer stops for good; a repair ends the run.
    ConsumerStops,
    /// Requests take effect late; a repair ends the run.
    LateRequests,
}

impl Mode {
    /// Whether an assumption of the worker's promises is broken.
    pub(crate) fn is_broken(self) -> bool {
        matches!(self, Self::ConsumerStops | Self::LateRequests)
    }
}

/// How often a fault comes, in a thousand calls.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    pub(crate) throttled: u32,
    pub(crate) conflict: u32,
    pub(crate) unavailable: u32,
    pub(crate) lost_answer: u32,
    pub(crate) rejected: u32,
    pub(crate) halt: u32,
    pub(crate) crash: u32,
    pub(crate) late: u32,
}

/// The rules of an event source mapping.
#[derive(Debug)]
pub(crate) struct MappingRules {
    pub(crate) batch_size: usize,
    /// `None` is for ever.
    pub(crate) retries: Option<u32>,
    pub(crate) bisect: bool,
    pub(crate) timeout: Duration,
}

#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) mode: Mode,
    pub(crate) world: &'static World,
    /// Whether many runs beside the stream get into each other's way, and into the stream's.
    pub(crate) crowd: bool,
    pub(crate) state: bool,
    /// Whether the worker writes all at once.
    pub(crate) transactional: bool,
    pub(crate) operations: usize,
    pub(crate) shards: u64,
    /// A shard splits at every so manyth write, on average.
    pub(crate) split_every: u32,
    pub(crate) rules: MappingRules,
    pub(crate) second_consumer: bool,
    /// How many of the world's items are written.
    pub(crate) items: usize,
    pub(crate) backfills: usize,
    /// How much more often a run beside the stream crashes than a function on it.
    pub(crate) beside_crashes: u32,
    pub(crate) parked_retries: usize,
    pub(crate) rates: Rates,
    pub(crate) settings: Settings,
}

impl Profile {
    pub(crate) fn draw(rng: &mut fastrand::Rng) -> Self {
        let mode = match rng.u32(0..100) {
            0..12 => Mode::Calm,
            12..84 => Mode::Storm,
            84..92 => Mode::ConsumerStops,
            _ => Mode::LateRequests,
        };
        let calm = mode == Mode::Calm;
        let crowd = mode == Mode::Storm && rng.u32(0..6) == 0;
        let world = World::draw(rng);
        let state = calm || crowd || rng.u32(0..10) < 7;
        Self {
            mode,
            world,
            crowd,
            state,
            transactional: !crowd && rng.u32(0..4) == 0,
            operations: if rng.u32(0..4) == 0 {
                rng.usize(2..10)
            } else {
                rng.usize(10..50)
            },
            shards: rng.u64(1..=3),
            split_every: rng.u32(8..80),
            rules: MappingRules {
                batch_size: rng.usize(1..=10),
                // Without a state table what fails for good would block its shard for ever.
                retries: if state && rng.bool() { None } else { Some(rng.u32(0..6)) },
                bisect: rng.bool(),
                // Now and then a call takes longer than the margin.
                timeout: Duration::from_millis(if rng.bool() {
                    rng.u64(80..300)
                } else {
                    rng.u64(300..3000)
                }),
            },
            second_consumer: !calm && !crowd && rng.u32(0..3) == 0,
            items: if crowd {
                3
            } else {
                rng.choice([1, 2, 3, 3]).unwrap_or(3)
            },
            backfills: match rng.usize(1..=4) {
                number if crowd => 3 + number,
                _ if calm || rng.bool() => 0,
                number => number,
            },
            beside_crashes: if crowd { 3 } else { rng.u32(1..=4) },
            parked_retries: if calm || !state { 0 } else { rng.usize(0..4) },
            rates: Rates::draw(mode, state, rng),
            settings: Settings {
                items_side_by_side: rng.choice([1, 3, 32]).unwrap_or(1),
                attempts: if crowd { rng.u32(2..6) } else { rng.u32(1..6) },
                first_pause: Duration::from_millis(rng.u64(1..20)),
                longest_pause: Duration::from_millis(rng.u64(20..60)),
                deadline_margin: Duration::from_millis(rng.u64(2..40)),
                jitter_seed: rng.u64(..),
            },
        }
    }
}

impl Rates {
    fn draw(mode: Mode, state: bool, rng: &mut fastrand::Rng) -> Self {
        if mode == Mode::Calm {
            return Self::default();
        }
        // Some runs have none of a fault, so that the others get further.
        let mut rate = |most: u32| if rng.u32(0..3) > 0 { rng.u32(0..=most) } else { 0 };
        Self {
            throttled: rate(80),
            conflict: rate(40),
            unavailable: rate(60),
            lost_answer: rate(80),
            rejected: if state { rate(15) } else { 0 },
            halt: rate(3),
            crash: rate(60),
            late: if mode == Mode::LateRequests { 20 + rate(60) } else { 0 },
        }
    }
}
