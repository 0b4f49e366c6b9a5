//! The binary that Lambda runs.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use maintain::{Metrics, failed, log_as_json, start};
use redrive::handle;
use serde_json::Value;
use shadowkey_store::with_causes;
use shadowkey_store_dynamodb::ObjectStore;
use shadowkey_worker::Outcome;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    log_as_json();
    let worker = start()
        .await
        .inspect_err(|error| tracing::error!("{}", with_causes(error)))?;
    let objects = ObjectStore::from_environment().await;
    let metrics = Metrics::start()?;
    let (worker, objects, metrics) = (&worker, &objects, &metrics);
    run(service_fn(move |event: LambdaEvent<Value>| async move {
        let request_id = event.context.request_id.clone();
        let report = |outcome: &Outcome, parked| metrics.report(&request_id, outcome, parked);
        let handled = handle(worker, objects, event, report).await;
        handled.map_err(|error| failed("RedriveError", &error))
    }))
    .await
}
