//! The Lambda function on a table's stream: it composes the worker and answers in Lambda's terms.

mod metrics;
mod start;

use std::error::Error;
use std::time::SystemTime;

use aws_lambda_events::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use lambda_runtime::{Context, Diagnostic, LambdaEvent};
use serde_json::value::RawValue;
use shadowkey_store::{Store, with_causes};
use shadowkey_worker::{Outcome, Worker, WorkerError};
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument, Span, error_span};

pub use metrics::{Metrics, MetricsError, NAMESPACE};
pub use start::{DEFAULT_VIEWS, StartError, log_as_json, physical_names, read_views, start, system_clock, worker};

/// Handles one batch of stream records; the answer for Lambda is [`response`] of what comes back.
pub async fn handle<S: Store>(worker: &Worker<S>, event: LambdaEvent<Box<RawValue>>) -> Result<Outcome, WorkerError> {
    let handled = async {
        let outcome = worker.handle(event.payload.get(), deadline(&event.context)).await?;
        tracing::info!(
            counters = %serde_json::to_string(&outcome.counters).unwrap_or_default(),
            earliest_failed = outcome.earliest_failed.as_ref().map(|number| number.as_str()),
            "batch handled"
        );
        Ok(outcome)
    };
    handled.instrument(invocation(&event.context.request_id)).await
}

/// The span of an invocation, whose fields stand on every line of its log: the request, and once they are known the object that
/// it is about, how many records, and their first and last sequence numbers. (A batch does not say which shard it is of.)
pub fn invocation(request_id: &str) -> Span {
    error_span!(
        "invocation",
        request_id,
        object = Empty,
        records = Empty,
        first = Empty,
        last = Empty
    )
}

/// The end of an invocation, as its context has it.
///
/// A deadline that is past before work begins is none: emulators send a constant there.
pub fn deadline(context: &Context) -> Option<Instant> {
    let left = context.deadline().duration_since(SystemTime::now());
    left.ok().map(|left| Instant::now() + left)
}

/// Logs why an invocation fails, and gives it as Lambda shows it, with the name of its kind.
pub fn failed(kind: &str, error: &dyn Error) -> Diagnostic {
    let error_message = with_causes(error);
    tracing::error!("{error_message}");
    Diagnostic {
        error_type: kind.to_owned(),
        error_message,
    }
}

/// The response for Lambda: the earliest failed sequence number, from which the batch is delivered again.
///
/// An identifier is never null or empty, either of which Lambda takes as "the whole batch failed".
pub fn response(outcome: &Outcome) -> DynamoDbEventResponse {
    let mut response = DynamoDbEventResponse::default();
    response.batch_item_failures = outcome
        .earliest_failed
        .iter()
        .map(|number| {
            let mut failure = DynamoDbBatchItemFailure::default();
            failure.item_identifier = Some(number.to_string());
            failure
        })
        .collect();
    response
}
