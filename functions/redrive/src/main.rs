//! The binary that Lambda runs.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use maintain::{log_as_json, start};
use redrive::handle;
use serde_json::Value;
use shadowkey_store::with_causes;
use shadowkey_store_dynamodb::ObjectStore;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    log_as_json();
    let worker = start()
        .await
        .inspect_err(|error| tracing::error!("{}", with_causes(error)))?;
    let objects = ObjectStore::from_environment().await;
    let (worker, objects) = (&worker, &objects);
    run(service_fn(move |event: LambdaEvent<Value>| async move {
        handle(worker, objects, event)
            .await
            .inspect_err(|error| tracing::error!("{error}"))?;
        Ok::<_, Error>(())
    }))
    .await
}
