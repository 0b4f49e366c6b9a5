//! Metrics in CloudWatch's embedded metric format: a line on stdout for each invocation, which CloudWatch Logs makes metrics of.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use metrics::{Unit, counter, describe_counter, describe_histogram, histogram};
use metrics_cloudwatch_embedded::{Builder, Collector};
use shadowkey_worker::{Cause, Outcome};

/// The namespace of all metrics.
pub const NAMESPACE: &str = "shadowkey";
/// The dimension that names the function.
const SERVICE: &str = "Service";
/// The dimension that names the view, of what is counted for each view too.
const VIEW: &str = "View";
/// How long ago the oldest record of a batch came to be.
const OLDEST: &str = "OldestRecordAge";
/// How many entries stand parked, as the schedule has found them.
const STANDING: &str = "ParkedEntries";

/// The process's metrics.
pub struct Metrics {
    collector: &'static Collector,
}

/// Metrics cannot be collected: something else in the process does already.
#[derive(Debug, thiserror::Error)]
#[error("metrics cannot be collected: {0}")]
pub struct MetricsError(String);

impl Metrics {
    /// Starts to collect, once in a process, under the function's name, which AWS_LAMBDA_FUNCTION_NAME gives.
    pub fn start() -> Result<Self, MetricsError> {
        let function = env::var("AWS_LAMBDA_FUNCTION_NAME").unwrap_or_else(|_| NAMESPACE.to_owned());
        let builder = Builder::new()
            .cloudwatch_namespace(NAMESPACE)
            .with_dimension(SERVICE, function);
        let collector = builder.init().map_err(|error| MetricsError(error.to_string()))?;
        describe_histogram!(OLDEST, Unit::Milliseconds, "");
        describe_histogram!(STANDING, Unit::Count, "");
        for (name, _) in counts(&Outcome::default()) {
            describe_counter!(name, Unit::Count, "");
        }
        Ok(Self { collector })
    }

    /// Writes what an invocation did to stdout, from where it goes to CloudWatch; and how many entries stand parked, where it
    /// has counted them.
    pub fn report(&self, request_id: &str, outcome: &Outcome, parked: Option<usize>) {
        if let Err(error) = self.write(request_id, outcome, parked, io::stdout().lock()) {
            tracing::error!("metrics not written: {error}");
        }
    }

    /// Writes what an invocation did. What it did not do is left out.
    pub fn write(&self, request_id: &str, outcome: &Outcome, parked: Option<usize>, to: impl Write) -> io::Result<()> {
        for (name, count) in counts(outcome) {
            counter!(name).increment(count);
        }
        let permanent = outcome
            .items
            .iter()
            .filter(|item| item.parked)
            .flat_map(|item| &item.problems)
            .filter(|problem| problem.cause == Cause::Permanent);
        let mut by_view: BTreeMap<&str, u64> = BTreeMap::new();
        for view in permanent.filter_map(|problem| problem.view.as_deref()) {
            *by_view.entry(view).or_default() += 1;
        }
        for (view, count) in by_view {
            counter!("Parked", VIEW => view.to_owned()).increment(count);
        }
        if let Some(age) = outcome.oldest_ms.and_then(age_ms) {
            histogram!(OLDEST).record(age);
        }
        if let Some(parked) = parked.and_then(|parked| u32::try_from(parked).ok()) {
            histogram!(STANDING).record(f64::from(parked));
        }
        self.collector.set_property("requestId", request_id);
        self.collector.flush(to)
    }
}

fn counts(outcome: &Outcome) -> [(&'static str, u64); 14] {
    let counters = outcome.counters;
    [
        ("Records", counters.records),
        ("Changes", counters.changes),
        ("Unchanged", counters.unchanged),
        ("Puts", counters.puts),
        ("Deletes", counters.deletes),
        ("Updates", counters.updates),
        ("Refused", counters.refused),
        ("Reconciled", counters.reconciled),
        ("Parked", counters.parked),
        ("Retried", counters.retried),
        ("Requests", counters.requests),
        ("WriteUnits", counters.write_units),
        ("WrittenBack", counters.written_back),
        ("Undone", undone(outcome)),
    ]
}

/// The items that are to be delivered again.
fn undone(outcome: &Outcome) -> u64 {
    let undone = outcome.items.iter().filter(|item| !item.is_done()).count();
    u64::try_from(undone).unwrap_or(u64::MAX)
}

/// How long ago a time was, in milliseconds; nothing for one that is still to come.
fn age_ms(since_epoch_ms: u64) -> Option<f64> {
    let at = UNIX_EPOCH + Duration::from_millis(since_epoch_ms);
    let age = SystemTime::now().duration_since(at).ok()?;
    Some(f64::from(u32::try_from(age.as_millis()).unwrap_or(u32::MAX)))
}
