//! The way from one process to the engine, which ends with the process.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{Request, Uri};
use axum::response::Response;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// Passes requests on, and counts what comes by.
pub(crate) struct Way {
    engine: SocketAddr,
    client: Client<HttpConnector, Full<Bytes>>,
    requests: AtomicU32,
    answers: AtomicU32,
    /// `None` once the way is closed.
    under_way: Mutex<Option<JoinSet<()>>>,
}

impl Way {
    pub(crate) fn to(engine: SocketAddr) -> Self {
        Self {
            engine,
            client: Client::builder(TokioExecutor::new()).build_http(),
            requests: AtomicU32::new(0),
            answers: AtomicU32::new(0),
            under_way: Mutex::new(Some(JoinSet::new())),
        }
    }

    /// Which request this is, from 1.
    pub(crate) fn count_request(&self) -> u32 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Which answer to an invocation this is, from 1.
    pub(crate) fn count_answer(&self) -> u32 {
        self.answers.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The engine's answer; none where the way is closed. A request that is under way takes effect whoever still waits.
    pub(crate) async fn pass(&self, parts: Parts, body: Bytes) -> Option<Response> {
        let (answer, answered) = oneshot::channel();
        let (client, request) = (self.client.clone(), self.request(parts, body));
        let passing = async move {
            let response = client.request(request).await.expect("the engine answers");
            let (parts, body) = response.into_parts();
            let body = body.collect().await.expect("a whole answer").to_bytes();
            let _ = answer.send(Response::from_parts(parts, Body::from(body)));
        };
        self.under_way().as_mut()?.spawn(passing);
        answered.await.ok()
    }

    /// Lets nothing more through, and waits for what is.
    pub(crate) async fn close(&self) {
        let under_way = self.under_way().take();
        under_way.expect("it is closed once").join_all().await;
    }

    fn request(&self, parts: Parts, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::from_parts(parts, Full::new(body));
        let uri = format!("http://{}{}", self.engine, request.uri().path());
        *request.uri_mut() = uri.parse::<Uri>().expect("URL");
        request
    }

    fn under_way(&self) -> MutexGuard<'_, Option<JoinSet<()>>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
