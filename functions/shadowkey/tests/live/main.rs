//! The commands that follow a stream.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's own words fail the test"
)]

mod dev;
mod record;
mod session;
mod signal;
