//! Lambda's runtime API, as one process sees it.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;

use crate::function::{Answer, Life};
use crate::point::Point;

/// Serves one process until the task is aborted.
pub(crate) async fn serve(listener: TcpListener, life: Arc<Life>) {
    let routes = Router::new()
        .route("/2018-06-01/runtime/invocation/next", get(next))
        .route("/2018-06-01/runtime/invocation/{id}/response", post(response))
        .route("/2018-06-01/runtime/invocation/{id}/error", post(error))
        .route("/2018-06-01/runtime/init/error", post(error))
        .fallback(request);
    axum::serve(listener, routes.with_state(life)).await.expect("server");
}

async fn next(State(life): State<Arc<Life>>) -> Response {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let Some(invocation) = life.invocations.lock().await.recv().await else {
        return pending().await;
    };
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let headers = [
        ("Lambda-Runtime-Aws-Request-Id", format!("invocation-{number}")),
        ("Lambda-Runtime-Deadline-Ms", invocation.deadline_ms.to_string()),
        (
            "Lambda-Runtime-Invoked-Function-Arn",
            "arn:aws:lambda:eu-central-1:123456789012:function:maintain".to_owned(),
        ),
    ];
    (headers, invocation.event).into_response()
}

async fn response(State(life): State<Arc<Life>>, body: Bytes) -> StatusCode {
    let response = serde_json::from_slice(&body).expect("a response is JSON");
    answer(&life, Answer::Response(response)).await
}

async fn error(State(life): State<Arc<Life>>, body: Bytes) -> StatusCode {
    let error = serde_json::from_slice(&body).expect("an error is JSON");
    answer(&life, Answer::Error(error)).await
}

async fn answer(life: &Life, answer: Answer) -> StatusCode {
    if matches!(life.point, Point::Answer(number) if number == life.way.count_answer()) {
        life.kill();
        return pending().await;
    }
    // Whoever no longer waits for it has taken the process for dead.
    let _ = life.answer.send(answer).await;
    StatusCode::ACCEPTED
}

/// Passes a request on to the engine, unless the process dies of it.
async fn request(State(life): State<Arc<Life>>, parts: Parts, body: Bytes) -> Response {
    let number = life.way.count_request();
    if life.point == Point::BeforeRequest(number) {
        life.kill();
        return pending().await;
    }
    let answer = life.way.pass(parts, body).await;
    if life.point == Point::AfterRequest(number) {
        life.kill();
    }
    match answer {
        Some(answer) => answer,
        None => pending().await,
    }
}
