//! The worker: a batch of stream records in, conditional writes out, and what to report.
//!
//! One record's way is a straight line: [`Worker::handle`] decodes and coalesces the batch, plans each change, and
//! applies the plan through the [`Store`](shadowkey_store::Store) port. Items are handled side by side, each strictly in
//! order. The worker waits for the outcome of every request it sends and never abandons one.

mod apply;
mod attempts;
mod beside;
mod clock;
mod counters;
mod handle;
mod item;
mod notes;
mod outcome;
mod parked;
mod reconcile;
mod state;
mod transact;
mod turn;

pub use attempts::Settings;
pub use clock::Clock;
pub use counters::Counters;
pub use handle::{Worker, WorkerError};
pub use outcome::{Cause, ItemOutcome, Outcome, Problem};
pub use parked::Parked;
