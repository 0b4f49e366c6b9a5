//! The end-to-end tests' own words: a fixture [`World`] that was replayed on an engine, and the [`Query`] its readers send.
//!
//! The tests themselves are in `tests/`: one module for each world, and the architecture.

mod query;
mod replay;
mod world;

pub use query::{Query, texts};
pub use replay::Replay;
pub use world::World;
