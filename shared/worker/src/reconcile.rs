//! The place for doubts: where a change cannot be applied from its images alone.
//!
//! Reading the source and making its derived data match is not part of this release. A change that needs it is reported
//! as failed and the shadows in doubt are left as they are; nothing is guessed.

use shadowkey_item::Key;
use shadowkey_plan::{Change, Doubt};

use crate::{Cause, Problem, Worker};

/// A doubt, and the view and key it is about; `None` where it is about the whole item.
pub(crate) type Doubtful<'a> = (Doubt, Option<(&'a str, &'a Key)>);

impl<S> Worker<S> {
    /// Settles the doubts that applying a change has left: so far, by having the change delivered again until they are gone.
    pub(crate) fn reconcile(&self, _change: &Change, doubts: Vec<Doubtful<'_>>) -> Vec<Problem> {
        let report = |(doubt, place): Doubtful<'_>| match place {
            Some((view, key)) => problem(doubt).of(view, key),
            None => problem(doubt),
        };
        doubts.into_iter().map(report).collect()
    }
}

fn problem(doubt: Doubt) -> Problem {
    let (code, message) = match doubt {
        Doubt::Newer => (
            "newer-shadow",
            "a later change of the same item has written the shadow already, so this one came late; it is delivered again, and \
             is done once the later change is delivered again too",
        ),
        Doubt::Claimed => (
            "claimed",
            "another shadow of the same table has the place; remove it if its source no longer derives that key",
        ),
        Doubt::ImageMissing => (
            "image-missing",
            "a record does not carry the images of its event, so nothing was written for this item; touch the item to have it \
             derived again",
        ),
    };
    Problem::new(Cause::Doubt, code, message)
}
