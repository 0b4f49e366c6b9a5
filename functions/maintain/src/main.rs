//! The binary that Lambda runs.

use lambda_runtime::{Diagnostic, Error, LambdaEvent, run, service_fn};
use maintain::{Metrics, failed, handle, log_as_json, response, start};
use serde_json::value::RawValue;
use shadowkey_store::with_causes;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    log_as_json();
    let worker = start()
        .await
        .inspect_err(|error| tracing::error!("{}", with_causes(error)))?;
    let metrics = Metrics::start()?;
    let (worker, metrics) = (&worker, &metrics);
    run(service_fn(move |event: LambdaEvent<Box<RawValue>>| async move {
        let request_id = event.context.request_id.clone();
        let handled = handle(worker, event).await;
        let outcome = handled.map_err(|error| failed("WorkerError", &error))?;
        metrics.report(&request_id, &outcome, None);
        Ok::<_, Diagnostic>(response(&outcome))
    }))
    .await
}
