//! The pure planner: from a change of one source item to the conditional writes that make its derived data true.

mod condition;
mod write;

pub use condition::{Comparison, Condition};
pub use write::{Delete, Put, Update, Write};
