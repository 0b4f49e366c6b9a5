//! At every answer: the earliest failure is reported, and nothing that only failed for good.

use std::rc::Rc;

use shadowkey_worker::{Cause, ItemOutcome, Outcome};

use crate::sim::{Running, Sim};
use crate::stream::Record;
use crate::{Coverage, Event};

/// Counts what an outcome tells.
pub(crate) fn count_outcome(coverage: &mut Coverage, outcome: &Outcome) {
    coverage.add(Event::ReconciledItem, outcome.counters.reconciled);
    coverage.add(Event::ParkedView, outcome.counters.parked);
    coverage.add(Event::UnchangedChange, outcome.counters.unchanged);
}

/// Checks the outcome of a batch against what it consisted of and what was sent.
pub(crate) fn outcome(sim: &Sim, outcome: &Outcome, records: &[Rc<Record>], running: &Running) {
    count_outcome(&mut sim.coverage.borrow_mut(), outcome);
    let reported = outcome.earliest_failed.as_ref();
    let reported = reported.and_then(|number| records.iter().position(|record| record.number == number.as_str()));
    for item in &outcome.items {
        let first = records
            .iter()
            .position(|record| record.key == item.key && concerns_a_source(sim, record));
        if !item.is_done() && reported.is_none_or(|reported| first.is_some_and(|first| first < reported)) {
            sim.violate(format!(
                "{} failed, and delivery goes on behind it: {:?}",
                item.key, item.problems
            ));
        }
        let only_for_good = !item.problems.is_empty() && !may_succeed_later(item);
        if sim.profile.state && only_for_good && first.is_some() && first == reported {
            sim.violate(format!(
                "{} is retried though it cannot succeed: {:?}",
                item.key, item.problems
            ));
        }
    }
    super::costs::check(sim, records, &running.calls);
}

/// A record of nothing but a shadow, of whichever deployment, is no change of a source item.
fn concerns_a_source(sim: &Sim, record: &Record) -> bool {
    let images = record.old.iter().chain(&record.new);
    images.into_iter().any(|image| !sim.views.is_shadow(image))
}

fn may_succeed_later(item: &ItemOutcome) -> bool {
    item.problems.iter().any(|problem| problem.cause != Cause::Permanent)
}
