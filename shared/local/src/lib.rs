//! A DynamoDB engine inside this process, for `replay`, `dev` and the tests.
//!
//! [`Engine`] serves the DynamoDB and DynamoDB Streams APIs on a local port, from memory. The engine is `dynoxide`; where
//! it differs from the service in ways that this program can meet, it does so like this (measured on 3.2.0):
//!
//! - The stream gets a record for a write that changes nothing; the service's stream does not.
//! - ARNs and records name the region `dynoxide`, and a stream's label is `<seconds>.<nanoseconds>` instead of a date.
//! - A table's stream has one shard for ever. The open shard shows an EndingSequenceNumber, which is that of its last
//!   record; DescribeStream gives no KeySchema.
//! - A record of an expired item spells its user identity `type` and `principalId`, where the Streams API has `Type` and
//!   `PrincipalId`, so that an SDK sees an identity without content.
//! - Items expire only when [`Engine::expire_items`] is called.
//! - Each write to a table with a stream scans what the stream holds already: from 5,000 puts a second at the start to 500
//!   when it holds 24,000 records. Use a fresh engine for each run.

use std::net::{Ipv4Addr, SocketAddr};

use dynoxide::{Database, DynoxideError};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running engine with no tables; it stops when it is stopped or dropped, and its data is gone.
pub struct Engine {
    address: SocketAddr,
    database: Database,
    // Dropping the sender resolves the server's shutdown future as well as sending does.
    shutdown: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

/// Why the engine did not start or work.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// There is no database in memory.
    #[error("the embedded engine's database failed")]
    Database(#[from] DynoxideError),
    /// It cannot listen on the port.
    #[error("the embedded engine cannot listen on port {port} of this machine (0 is any free one)")]
    Listen {
        /// The port asked for.
        port: u16,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

impl Engine {
    /// Starts an engine on a free port of 127.0.0.1, served by the Tokio runtime it is called in.
    pub async fn start() -> Result<Self, EngineError> {
        Self::start_on(0).await
    }

    /// Starts an engine on a port of 127.0.0.1.
    pub async fn start_on(port: u16) -> Result<Self, EngineError> {
        let database = Database::memory()?;
        let listen = |source| EngineError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let (shutdown, stopped) = oneshot::channel::<()>();
        let serving = dynoxide::server::serve_with_shutdown(listener, database.clone(), async {
            let _ = stopped.await;
        });
        let server = tokio::spawn(async {
            // Only accepting connections can fail; clients then see refused connections, which they report.
            let _ = serving.await;
        });
        Ok(Self {
            address,
            database,
            shutdown,
            server,
        })
    }

    /// Where clients connect to, such as `http://127.0.0.1:40321`.
    pub fn endpoint_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Deletes the items that have expired, as the service does in its own time, and says how many.
    pub fn expire_items(&self) -> Result<usize, EngineError> {
        Ok(self.database.sweep_ttl()?)
    }

    /// Stops accepting requests and waits for those that are running.
    pub async fn stop(self) {
        drop(self.shutdown);
        let _ = self.server.await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    async fn health(address: SocketAddr) -> std::io::Result<String> {
        let mut connection = TcpStream::connect(address).await?;
        connection
            .write_all(b"GET / HTTP/1.1\r\nHost: local\r\nConnection: close\r\n\r\n")
            .await?;
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await?;
        Ok(answer)
    }

    #[tokio::test]
    async fn a_started_engine_answers_at_its_endpoint() {
        let engine = Engine::start().await.expect("engine");
        assert_eq!(engine.endpoint_url(), format!("http://{}", engine.address));
        assert!(
            health(engine.address)
                .await
                .expect("answer")
                .starts_with("HTTP/1.1 200")
        );
    }

    #[tokio::test]
    async fn two_engines_run_side_by_side() {
        let (one, other) = (
            Engine::start().await.expect("one"),
            Engine::start().await.expect("other"),
        );
        assert_ne!(one.endpoint_url(), other.endpoint_url());
    }

    #[tokio::test]
    async fn a_port_that_is_taken_is_named() {
        let engine = Engine::start().await.expect("engine");
        let port = engine.address.port();
        let error = Engine::start_on(port).await.err().expect("taken");
        assert!(error.to_string().contains(&port.to_string()));
    }

    #[tokio::test]
    async fn a_stopped_engine_refuses_connections() {
        let engine = Engine::start().await.expect("engine");
        let address = engine.address;
        engine.stop().await;
        assert!(health(address).await.is_err());
    }

    #[tokio::test]
    async fn a_dropped_engine_stops() {
        let engine = Engine::start().await.expect("engine");
        let address = engine.address;
        drop(engine);
        for _ in 0..100 {
            if health(address).await.is_err() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        panic!("the engine still answers");
    }
}
