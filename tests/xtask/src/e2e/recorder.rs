//! What stands between the functions and the emulator: it passes every request on and notes which API calls it is.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{Method, Request, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// An action as IAM knows it, by a session of a function's role.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    pub(super) session: String,
    pub(super) action: String,
    /// Such as `table/app` or `bucket/key`: the end of its ARN.
    pub(super) resource: String,
}

/// It runs in a thread of its own until the process ends.
#[derive(Debug)]
pub(super) struct Recorder {
    calls: Arc<Mutex<Vec<Call>>>,
}

#[derive(Clone)]
struct Way {
    emulator: u16,
    client: Client<HttpConnector, Full<Bytes>>,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl Recorder {
    /// Listens on a port and passes on to another.
    pub(super) fn start(port: u16, emulator: u16) -> Result<Self> {
        let calls = Arc::default();
        let way = Way {
            emulator,
            client: Client::builder(TokioExecutor::new()).build_http(),
            calls: Arc::clone(&calls),
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let listener = listener.with_context(|| format!("listening on port {port}"))?;
        listener.set_nonblocking(true)?;
        let routes = Router::new().fallback(pass).with_state(way);
        // The rehearsal's own thread waits for programs whose requests come by here.
        thread::spawn(move || -> Result<()> {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async { Ok(axum::serve(tokio::net::TcpListener::from_std(listener)?, routes).await?) })
        });
        Ok(Self { calls })
    }

    /// The calls since it was last asked.
    pub(super) fn take(&self) -> Vec<Call> {
        std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn pass(State(way): State<Way>, parts: Parts, body: Bytes) -> Response {
    let path = parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default();
    let Ok(uri) = format!("http://127.0.0.1:{}{path}", way.emulator).parse::<Uri>() else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let of = parts.clone();
    let mut request = Request::from_parts(parts, Full::new(body.clone()));
    *request.uri_mut() = uri;
    let Ok(answer) = way.client.request(request).await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let calls = calls(&of, &body, answer.status());
    way.calls.lock().unwrap_or_else(PoisonError::into_inner).extend(calls);
    let (parts, body) = answer.into_parts();
    match body.collect().await {
        Ok(body) => Response::from_parts(parts, Body::from(body.to_bytes())),
        Err(_) => StatusCode::BAD_GATEWAY.into_response(),
    }
}

/// The calls that a request is.
fn calls(request: &Parts, body: &[u8], status: StatusCode) -> Vec<Call> {
    let header = |name: &str| request.headers.get(name).and_then(|value| value.to_str().ok());
    let authorization = header("authorization").unwrap_or_default();
    let session = authorization.split_once("Credential=").map_or("", |(_, rest)| rest);
    let session = session.split('/').next().unwrap_or_default();
    let actions = match header("x-amz-target") {
        Some(target) => dynamodb(target, &serde_json::from_slice(body).unwrap_or_default()),
        None => s3(request, status),
    };
    let call = |(action, resource)| Call {
        session: session.to_owned(),
        action,
        resource,
    };
    actions.into_iter().map(call).collect()
}

/// A transaction needs the permission for each of its parts.
///
/// Source: "Using IAM with DynamoDB transactions" in the DynamoDB developer guide.
fn dynamodb(target: &str, body: &Value) -> Vec<(String, String)> {
    let operation = target.rsplit('.').next().unwrap_or_default();
    let table = |part: &Value| format!("table/{}", part["TableName"].as_str().unwrap_or_default());
    if operation != "TransactWriteItems" {
        return vec![(format!("dynamodb:{operation}"), table(body))];
    }
    let parts = body["TransactItems"].as_array().into_iter().flatten();
    let parts = parts.filter_map(Value::as_object).flatten();
    parts
        .map(|(kind, part)| match kind.as_str() {
            "ConditionCheck" => ("dynamodb:ConditionCheckItem".to_owned(), table(part)),
            kind => (format!("dynamodb:{kind}Item"), table(part)),
        })
        .collect()
}

/// That an object is gone, S3 says to those alone who may list the bucket.
fn s3(request: &Parts, status: StatusCode) -> Vec<(String, String)> {
    let object = request.uri.path().trim_start_matches('/').to_owned();
    let of_tags = request
        .uri
        .query()
        .is_some_and(|query| query.split('&').any(|part| part.starts_with("tagging")));
    let verb = match request.method {
        Method::GET => "Get",
        Method::PUT => "Put",
        _ => return vec![(format!("s3:{}", request.method), object)],
    };
    let mut actions = Vec::new();
    if status == StatusCode::NOT_FOUND {
        let bucket = object.split('/').next().unwrap_or_default().to_owned();
        actions.push(("s3:ListBucket".to_owned(), bucket));
    }
    actions.push((
        format!("s3:{verb}Object{}", if of_tags { "Tagging" } else { "" }),
        object,
    ));
    actions
}
