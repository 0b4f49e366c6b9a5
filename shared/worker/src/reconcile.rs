//! The place for doubts: where a change cannot be applied from its images alone.
//!
//! Reading the source and making its derived data match is not part of this release. A change that needs it is reported
//! as failed and its shadows are left as they are; nothing is guessed.

use shadowkey_plan::Verdict;

use crate::{Cause, Problem};

/// Why a change needs its item to be read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// A later change of the item has written the shadow.
    Newer,
    /// Another source's shadow has the place, and may have no right to it any more.
    Claimed,
    /// A record lacks an image it should have carried.
    ImageMissing,
}

impl Doubt {
    pub(crate) fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Claimed => Self::Claimed,
            _ => Self::Newer,
        }
    }
}

/// Reports a doubt: the change is delivered again, and fails again until the doubt is gone.
pub(crate) fn reconcile_needed(view: Option<&str>, doubt: Doubt) -> Problem {
    let (code, message) = match doubt {
        Doubt::Newer => (
            "newer-shadow",
            "a later change of the same item has written its shadow already, so this change came late",
        ),
        Doubt::Claimed => (
            "claimed",
            "another source item's shadow has the place; remove it if its source no longer derives that key",
        ),
        Doubt::ImageMissing => (
            "image-missing",
            "a record carries no image though its stream should; nothing was written for this item",
        ),
    };
    let view_prefix = view.map(|view| format!("view `{view}`: ")).unwrap_or_default();
    Problem {
        view: view.map(str::to_owned),
        cause: Cause::Doubt,
        code,
        message: format!("{view_prefix}{message}"),
    }
}
