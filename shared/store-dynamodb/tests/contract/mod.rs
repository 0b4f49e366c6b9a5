//! What every store has to do: the same tests on every engine.
//!
//! The crate that includes this module gives the engine, as `crate::store()`: a store with the tables of [`tables`], empty.

pub(crate) mod tables;

mod conditions;
mod deletes;
mod paths;
mod puts;
mod random_conditions;
mod reads;
mod rejections;
mod transactions;
mod updates;
mod values;
