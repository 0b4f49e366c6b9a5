//! The Lambda function on a table's stream: it composes the worker and answers in Lambda's terms.

mod start;

use std::time::SystemTime;

use aws_lambda_events::streams::{DynamoDbBatchItemFailure, DynamoDbEventResponse};
use lambda_runtime::LambdaEvent;
use serde_json::value::RawValue;
use shadowkey_store::Store;
use shadowkey_worker::{Outcome, Worker, WorkerError};
use tokio::time::Instant;

pub use start::{DEFAULT_VIEWS, StartError, physical_names, read_views, start, system_clock};

/// Handles one batch of stream records; the answer for Lambda is [`response`] of what comes back.
pub async fn handle<S: Store>(worker: &Worker<S>, event: LambdaEvent<Box<RawValue>>) -> Result<Outcome, WorkerError> {
    // A deadline that is past before work begins is none: emulators send a constant there.
    let left = event.context.deadline().duration_since(SystemTime::now());
    let deadline = left.ok().map(|left| Instant::now() + left);
    let outcome = worker.handle(event.payload.get(), deadline).await?;
    tracing::info!(
        request_id = event.context.request_id,
        counters = %serde_json::to_string(&outcome.counters).unwrap_or_default(),
        earliest_failed = outcome.earliest_failed.as_ref().map(|number| number.as_str()),
        "batch handled"
    );
    Ok(outcome)
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
