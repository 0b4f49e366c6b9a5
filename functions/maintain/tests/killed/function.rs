//! One process of the function, and the server it lives by.
//!
//! The server plays Lambda's runtime API as "Using the Lambda runtime API for custom runtimes" in the Lambda developer
//! guide describes it, and passes every other request on to the engine. So it knows how far the process is, and kills it
//! there. What has reached the engine by then takes effect before the process counts as dead, and what has not, never.

use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::point::Point;
use crate::server;
use crate::way::Way;
use crate::world::World;

/// How long an invocation may take, until it is a failure of the test.
const PATIENCE: Duration = Duration::from_secs(60);
const SIGKILL: i32 = 9;

/// What became of an invocation.
#[derive(Debug)]
pub(crate) enum Answer {
    /// The function's response.
    Response(Value),
    /// The error it reported.
    Error(Value),
    /// It was killed, and nobody heard of it.
    Death,
}

/// An event on its way to the process.
#[derive(Debug)]
pub(crate) struct Invocation {
    pub(crate) event: String,
    pub(crate) deadline_ms: u128,
}

/// A running process.
pub(crate) struct Function {
    life: Arc<Life>,
    answers: mpsc::Receiver<Answer>,
    invocations: mpsc::Sender<Invocation>,
    server: JoinHandle<()>,
}

/// What the server knows of the process.
pub(crate) struct Life {
    pub(crate) point: Point,
    pub(crate) way: Way,
    pub(crate) invocations: tokio::sync::Mutex<mpsc::Receiver<Invocation>>,
    pub(crate) answer: mpsc::Sender<Answer>,
    /// `None` until it is started.
    process: Mutex<Option<Child>>,
    dead: watch::Sender<bool>,
}

impl Function {
    /// Starts a process that is killed at a point.
    pub(crate) async fn start(world: &World, point: Point) -> Self {
        let (invocations, invoked) = mpsc::channel(1);
        let (answer, answers) = mpsc::channel(1);
        let life = Arc::new(Life {
            point,
            way: Way::to(world.engine_address()),
            invocations: tokio::sync::Mutex::new(invoked),
            answer,
            process: Mutex::default(),
            dead: watch::Sender::new(false),
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("address");
        let server = tokio::spawn(server::serve(listener, Arc::clone(&life)));
        *life.process() = Some(spawn(world, address));
        if let Point::Moment(moment) = point {
            let life = Arc::clone(&life);
            tokio::spawn(async move {
                sleep(moment).await;
                life.kill();
            });
        }
        Self {
            life,
            answers,
            invocations,
            server,
        }
    }

    pub(crate) fn is_dead(&self) -> bool {
        *self.life.dead.borrow()
    }

    /// Hands over an event that is to be dealt with within a time.
    pub(crate) async fn invoke(&mut self, event: &Value, within: Duration) -> Answer {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time after 1970");
        let invocation = Invocation {
            event: event.to_string(),
            deadline_ms: (now + within).as_millis(),
        };
        self.invocations.send(invocation).await.expect("the server is there");
        tokio::select! {
            answer = self.answers.recv() => answer.expect("the server is there"),
            () = self.life.died() => Answer::Death,
            () = sleep(PATIENCE) => panic!("no answer after {PATIENCE:?}; the process: {:?}", self.life.process()),
        }
    }

    /// Kills the process if it lives, and waits for what it has under way.
    pub(crate) async fn bury(self) {
        self.life.kill();
        let process = self.life.process().take();
        let status = process.expect("a process").wait().expect("its end");
        assert_eq!(status.signal(), Some(SIGKILL), "the process ended by itself: {status}");
        self.life.way.close().await;
        self.server.abort();
    }
}

impl Life {
    /// Kills the process, which then answers nothing and is answered nothing.
    pub(crate) fn kill(&self) {
        if let Some(process) = self.process().as_mut() {
            process.kill().expect("a process of our own");
        }
        self.dead.send_replace(true);
    }

    pub(crate) async fn died(&self) {
        let mut dead = self.dead.subscribe();
        dead.wait_for(|dead| *dead)
            .await
            .map(drop)
            .expect("the sender is there");
    }

    fn process(&self) -> MutexGuard<'_, Option<Child>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The binary as Lambda starts it, with nothing else of the test's own environment.
fn spawn(world: &World, server: SocketAddr) -> Child {
    Command::new(env!("CARGO_BIN_EXE_maintain"))
        .env_clear()
        .env("AWS_LAMBDA_RUNTIME_API", server.to_string())
        .env("AWS_LAMBDA_FUNCTION_NAME", "maintain")
        .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
        .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
        .env("AWS_ENDPOINT_URL_DYNAMODB", format!("http://{server}"))
        .env("AWS_REGION", "eu-central-1")
        .env("RUST_LOG", "error")
        .env("SHADOWKEY_VIEWS", world.view_file())
        .envs(world.physical_names())
        .stdout(Stdio::null())
        .spawn()
        .expect("the function's binary")
}
