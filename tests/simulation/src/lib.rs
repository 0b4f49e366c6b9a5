//! A deterministic simulation of the worker at the `Store` port: writers, a stream with shards, Lambda's event source
//! mapping, faults, crashes and the actors beside the stream, all driven by one seed.
//!
//! A run goes through [`run()`]: a `Profile` is drawn from the seed, tasks for every actor are spawned on a
//! runtime whose clock is paused, and the driver lets one of them take one step at a time. Auditors look at every step
//! and, once all is quiet, compare the tables with what deriving every item from nothing gives. The same seed gives the
//! same trace, byte for byte.
//!
//! There is no engine here, no SDK, no thread within a run and no clock but the paused one.

#![expect(
    clippy::expect_used,
    reason = "what the simulation set up itself is there; a broken run is best stopped loudly"
)]

mod actors;
mod audit;
mod backfill;
mod call;
mod coverage;
mod desk;
mod driver;
mod faults;
mod invocation;
mod mapping;
mod profile;
mod redrive;
mod run;
mod settle;
mod sim;
mod stream;
mod tables;
mod trace;
mod transaction;
mod world;
mod writer;

pub use coverage::{Coverage, Event};
pub use run::{Options, Report, run, shrink};
