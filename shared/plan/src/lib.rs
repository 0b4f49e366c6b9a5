//! The pure planner: from a change of one source item to the conditional writes that make its derived data true, and
//! from a refused write to what it means; and from one reading of an item to what brings its derived data up to date.
//!
//! [`plan()`] looks at the chain of images only; it reads no table and knows no clock. A change that alters no derived data
//! plans nothing.

mod attributes;
mod change;
mod condition;
mod plan;
mod standing;
mod target;
mod transaction;
mod verdict;
mod write;

pub use attributes::plan_attributes;
pub use change::{Change, Flaw};
pub use condition::{Comparison, Condition};
pub use plan::{Plan, PlannedDelete, PlannedPut, plan};
pub use target::{Contested, Correction, Seen, Target};
pub use transaction::{ShadowWrite, Transactions};
pub use verdict::{DeleteVerdict, PutVerdict, judge_delete, judge_put};
pub use write::{Action, Check, Delete, Place, Put, Update};
