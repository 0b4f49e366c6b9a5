//! The commands that work on deployed tables, on an engine of their own each.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's own words fail the test"
)]

mod against_table;
mod desk;
mod parked;
mod redrive;
