//! The binary that Lambda runs.

use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use maintain::{handle, response, start};
use serde_json::value::RawValue;
use shadowkey_store::with_causes;
use tracing_subscriber::EnvFilter;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_env_filter(filter)
        .init();
    let worker = start()
        .await
        .inspect_err(|error| tracing::error!("{}", with_causes(error)))?;
    let worker = &worker;
    run(service_fn(move |event: LambdaEvent<Box<RawValue>>| async move {
        let outcome = handle(worker, event)
            .await
            .inspect_err(|error| tracing::error!("{error}"))?;
        Ok::<_, Error>(response(&outcome))
    }))
    .await
}
