//! Sending a request until it is answered: backoff with full jitter, within the invocation's time.

use std::future::Future;
use std::time::Duration;

use shadowkey_store::{Disposition, StoreError};
use tokio::time::{Instant, sleep};

use crate::Counters;

/// How the worker paces itself.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How many items are handled side by side.
    pub items_side_by_side: usize,
    /// How often a request is sent at most.
    pub attempts: u32,
    /// The longest first pause between attempts; each further one may be twice as long.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// How long before its deadline an invocation stops starting requests; longer than one attempt may take.
    pub deadline_margin: Duration,
    /// What the pauses' jitter starts from.
    pub jitter_seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            items_side_by_side: 32,
            attempts: 6,
            first_pause: Duration::from_millis(50),
            longest_pause: Duration::from_secs(2),
            deadline_margin: Duration::from_secs(12),
            jitter_seed: 0,
        }
    }
}

/// The end of an invocation's time for new work.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closing(pub(crate) Option<Instant>);

impl Closing {
    /// Whether work may still start after a pause.
    pub(crate) fn allows(self, pause: Duration) -> bool {
        self.0.is_none_or(|closing| Instant::now() + pause < closing)
    }
}

/// Sends a request until the store answers, the attempts are used up, or the time is.
pub(crate) async fn send<T, F: Future<Output = Result<T, StoreError>>>(
    settings: &Settings,
    closing: Closing,
    jitter: &mut fastrand::Rng,
    counters: &mut Counters,
    mut call: impl FnMut() -> F,
) -> Result<T, StoreError> {
    let mut longest = settings.first_pause;
    let mut sent = 0;
    loop {
        counters.requests += 1;
        sent += 1;
        let error = match call().await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let longest_ms = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        let pause = Duration::from_millis(jitter.u64(0..=longest_ms));
        if error.disposition() != Disposition::Retry || sent >= settings.attempts || !closing.allows(pause) {
            return Err(error);
        }
        counters.retried += 1;
        sleep(pause).await;
        longest = (longest * 2).min(settings.longest_pause);
    }
}
