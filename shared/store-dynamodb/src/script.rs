//! A service that answers from a script, for tests of what no engine does when asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use aws_config::retry::RetryConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use aws_smithy_http_client::test_util::infallible_client_fn;
use serde_json::Value;

use crate::Connection;

/// One request that is expected, and its answer.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// The API operation.
    pub(crate) operation: &'static str,
    /// Fields that the request's body has to have.
    pub(crate) request: Value,
    /// The HTTP status.
    pub(crate) status: u16,
    /// The answer's body.
    pub(crate) answer: Value,
}

/// The requests that are still to come.
#[derive(Debug, Clone)]
pub(crate) struct Script(Arc<Mutex<VecDeque<Exchange>>>);

impl Script {
    /// A connection to a service that expects exactly these requests in this order.
    pub(crate) fn start(exchanges: impl IntoIterator<Item = Exchange>) -> (Connection, Self) {
        let script = Self(Arc::new(Mutex::new(exchanges.into_iter().collect())));
        let service = script.clone();
        let http_client = infallible_client_fn(move |request| {
            let target = request.headers().get("x-amz-target").expect("a target");
            let (_, operation) = target.to_str().expect("text").split_once('.').expect("an operation");
            let body = serde_json::from_slice(request.body().bytes().expect("a body")).expect("JSON");
            service.answer(operation, &body)
        });
        let config = SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(http_client)
            .retry_config(RetryConfig::disabled())
            .region(Region::from_static("eu-central-1"))
            .credentials_provider(SharedCredentialsProvider::new(Credentials::new(
                "a", "b", None, None, "script",
            )))
            .build();
        (Connection::new(config), script)
    }
    fn answer(&self, operation: &str, request: &Value) -> http::Response<String> {
        let exchange = self.0.lock().expect("lock").pop_front();
        let expected = exchange.unwrap_or_else(|| panic!("{operation} after the script's end: {request}"));
        assert_eq!(operation, expected.operation);
        for (name, value) in expected.request.as_object().expect("fields") {
            assert_eq!(request.get(name), Some(value), "{operation}: {name}");
        }
        http::Response::builder()
            .status(expected.status)
            .body(expected.answer.to_string())
            .expect("a response")
    }

    /// That every request has come.
    pub(crate) fn finish(self) {
        assert!(self.0.lock().expect("lock").is_empty(), "{self:?}");
    }
}
