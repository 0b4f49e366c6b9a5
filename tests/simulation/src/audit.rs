//! The auditors: at every step, at every answer, and once all is at rest.

mod branches;
mod convergence;
mod costs;
mod outcome;
mod parked;
mod repair;
mod writes;

pub(crate) use branches::count_branch;
pub(crate) use convergence::at_rest;
pub(crate) use outcome::{count_outcome, outcome};
pub(crate) use repair::repair;
pub(crate) use writes::Auditor;
