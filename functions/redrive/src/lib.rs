//! The Lambda function on the failure bucket: every item of a batch that was given up is reconciled, and the object tagged.
//!
//! An object stays where it is. Its tag `shadowkey` says `redriven`, or `refused` where it is no batch of a DynamoDB stream;
//! one that has no such tag yet is still to be done. On a schedule, the function tries again what is parked.

mod notice;

use std::future::Future;

use lambda_runtime::LambdaEvent;
use maintain::{deadline, invocation};
use serde_json::Value;
use shadowkey_store::{Store, with_causes};
use shadowkey_store_dynamodb::{ObjectError, ObjectId, ObjectStore, Tags};
use shadowkey_stream::{BatchError, GivenUp, given_up};
use shadowkey_worker::{Outcome, Worker, WorkerError};
use tokio::time::Instant;
use tracing::Instrument;

use crate::notice::Notice;

/// The tag that says what was done with an object.
pub const TAG: &str = "shadowkey";

/// What the function needs of a bucket.
pub trait Objects: Send + Sync {
    /// An object's bytes; `None` where it is gone.
    fn get(&self, object: &ObjectId) -> impl Future<Output = Result<Option<Vec<u8>>, ObjectError>> + Send;

    /// An object's tags; `None` where it is gone.
    fn tags(&self, object: &ObjectId) -> impl Future<Output = Result<Option<Tags>, ObjectError>> + Send;

    /// Gives an object these tags and no others.
    fn set_tags(&self, object: &ObjectId, tags: &Tags) -> impl Future<Output = Result<(), ObjectError>> + Send;
}

impl Objects for ObjectStore {
    async fn get(&self, object: &ObjectId) -> Result<Option<Vec<u8>>, ObjectError> {
        Self::get(self, object).await
    }

    async fn tags(&self, object: &ObjectId) -> Result<Option<Tags>, ObjectError> {
        Self::tags(self, object).await
    }

    async fn set_tags(&self, object: &ObjectId, tags: &Tags) -> Result<(), ObjectError> {
        Self::set_tags(self, object, tags).await
    }
}

/// Why an invocation fails, so that Lambda tries it again.
#[derive(Debug, thiserror::Error)]
pub enum RedriveError {
    /// It is not what S3 sends.
    #[error(
        "the event is neither a notice of S3 that objects were created nor one of a schedule; let the bucket's notifications, or a schedule of EventBridge, invoke this function"
    )]
    NotANotice(#[source] serde_json::Error),
    /// What is parked could not be tried again.
    #[error(transparent)]
    Retry(#[from] WorkerError),
    /// Some objects are not done; each was logged with its reason.
    #[error("{} of the event's objects not done, `{}` the first of them; they are left as they were", objects.len(), objects.first().map(ToString::to_string).unwrap_or_default())]
    NotDone {
        /// The objects.
        objects: Vec<ObjectId>,
    },
}

/// Why an object is not done.
#[derive(Debug, thiserror::Error)]
enum ObjectFailure {
    #[error(transparent)]
    Objects(#[from] ObjectError),
    #[error(transparent)]
    Worker(#[from] WorkerError),
    #[error("{failed} of {items} items failed, or a record cannot be read")]
    Items { failed: usize, items: usize },
}

/// Redrives every object of an event, or on a schedule tries again what is parked. An object that fails does not keep others
/// from being done. What became of each is reported, and on a schedule how many entries stay parked.
pub async fn handle<S: Store, O: Objects>(
    worker: &Worker<S>,
    objects: &O,
    event: LambdaEvent<Value>,
    report: impl Fn(&Outcome, Option<usize>),
) -> Result<(), RedriveError> {
    let deadline = deadline(&event.context);
    let request_id = &event.context.request_id;
    if is_of_a_schedule(&event.payload) {
        let retried = retry_parked(worker, request_id, deadline).instrument(invocation(request_id));
        let (outcome, parked) = Box::pin(retried).await?;
        report(&outcome, Some(parked));
        return Ok(());
    }
    let notice: Notice = serde_json::from_value(event.payload).map_err(RedriveError::NotANotice)?;
    let mut not_done = Vec::new();
    for object in notice.objects() {
        let run = run_id(request_id, &object.to_string());
        let span = invocation(request_id);
        span.record("object", object.to_string());
        let redriven = async {
            let redriven = redrive(worker, objects, &object, &run, deadline, &report).await;
            redriven.inspect_err(|error| tracing::error!("not redriven: {}", with_causes(error)))
        };
        if Box::pin(redriven.instrument(span)).await.is_err() {
            not_done.push(object);
        }
    }
    match not_done.is_empty() {
        true => Ok(()),
        false => Err(RedriveError::NotDone { objects: not_done }),
    }
}

/// Lambda tries an invocation again under the same request id, and no two runs may have one name.
fn run_id(request_id: &str, what: &str) -> String {
    format!("redrive-{request_id}-{:016x}-{what}", fastrand::u64(..))
}

/// Whether EventBridge sends the event, by one of its rules or by its Scheduler.
///
/// Source: "Schedule" in the EventBridge user guide and "Templated targets" in the EventBridge Scheduler user guide.
fn is_of_a_schedule(event: &Value) -> bool {
    let source = event.get("source").and_then(Value::as_str);
    matches!(source, Some("aws.events" | "aws.scheduler"))
}

/// Tries again what is parked, and does what crashed runs have left. What stays parked is no failure of the invocation.
async fn retry_parked<S: Store>(
    worker: &Worker<S>,
    request_id: &str,
    deadline: Option<Instant>,
) -> Result<(Outcome, usize), RedriveError> {
    let outcome = worker.retry_parked(&run_id(request_id, "parked"), deadline).await?;
    let items = outcome.items.len();
    let parked = worker.parked().await?.len();
    tracing::info!(items, parked, counters = %serde_json::to_string(&outcome.counters).unwrap_or_default(), "parked entries tried again");
    Ok((outcome, parked))
}

async fn redrive<S: Store, O: Objects>(
    worker: &Worker<S>,
    objects: &O,
    object: &ObjectId,
    run: &str,
    deadline: Option<Instant>,
    report: &impl Fn(&Outcome, Option<usize>),
) -> Result<(), ObjectFailure> {
    let Some(tags) = objects.tags(object).await? else {
        tracing::warn!("the object is gone");
        return Ok(());
    };
    if let Some(done) = tags.get(TAG) {
        tracing::info!(tag = done, "the object was dealt with before");
        return Ok(());
    }
    let Some(bytes) = objects.get(object).await? else {
        tracing::warn!("the object is gone");
        return Ok(());
    };
    let tag = match event_of(&bytes) {
        Ok(event) => match worker.redrive(&event, run, deadline).await {
            // Several deployments may share a bucket; each tags its own.
            Err(WorkerError::Batch(error @ BatchError::OtherTable { .. })) => {
                tracing::warn!("left for whom it is of: {error}");
                return Ok(());
            }
            outcome => {
                let outcome = outcome?;
                report(&outcome, None);
                settled(&outcome)?;
                "redriven"
            }
        },
        Err(reason) => {
            tracing::error!("refused: {reason}");
            "refused"
        }
    };
    let mut tags = tags;
    tags.insert(TAG.to_owned(), tag.to_owned());
    objects.set_tags(object, &tags).await?;
    tracing::info!(tag, "object tagged");
    Ok(())
}

/// The event in an object, or why it is refused.
fn event_of(bytes: &[u8]) -> Result<String, String> {
    let text = str::from_utf8(bytes).map_err(|_| "it is not text".to_owned())?;
    match given_up(text) {
        Ok(GivenUp::Event(event)) => Ok(event),
        Ok(GivenUp::Range(_)) => {
            Err("it has no `payload`; read its records from the stream again with `shadowkey redrive`".to_owned())
        }
        Err(error) => Err(with_causes(&error)),
    }
}

/// Fails unless every item of a batch is done.
fn settled(outcome: &Outcome) -> Result<(), ObjectFailure> {
    let items = outcome.items.len();
    let failed = outcome.items.iter().filter(|item| !item.is_done()).count();
    tracing::info!(items, failed, counters = %serde_json::to_string(&outcome.counters).unwrap_or_default(), "batch redriven");
    match outcome.earliest_failed {
        None if failed == 0 => Ok(()),
        _ => Err(ObjectFailure::Items { failed, items }),
    }
}

#[cfg(test)]
mod tests;
