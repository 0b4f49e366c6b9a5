//! The contract of every command: JSON on stdout alone, exit codes, and what odd input does.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's own words fail the test"
)]

mod check;
mod decode;
mod deployed;
mod desk;
mod explain;
mod key;
mod render;
mod replay;
