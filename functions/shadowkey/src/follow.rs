//! Following a stream until it is enough.

use std::pin::pin;
use std::time::Duration;

use serde_json::Value;
use shadowkey_store::{Disposition, with_causes};
use shadowkey_store_dynamodb::{Connection, Follower, StreamError, describe_table};
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::Console;
use crate::error::CommandError;

/// How long to wait after an error before the stream is read on.
const PAUSE: Duration = Duration::from_secs(2);
/// The one view type that carries both images.
const BOTH_IMAGES: &str = "NEW_AND_OLD_IMAGES";

/// What becomes of the records.
pub(crate) trait Consumer {
    async fn take(&mut self, records: Vec<Value>, console: &mut Console<'_>) -> Result<(), CommandError>;
}

/// What ends it, but for the stream's own end.
pub(crate) struct Stop {
    interrupted: JoinHandle<std::io::Result<()>>,
    time: Option<Duration>,
}

impl Stop {
    /// Ctrl-C, which ends the process no more from now on, and the end of the given time.
    pub(crate) async fn at_interrupt_or_after(time: Option<Duration>) -> Self {
        let interrupted = tokio::spawn(tokio::signal::ctrl_c());
        // The task listens from its first turn on.
        tokio::task::yield_now().await;
        Self { interrupted, time }
    }

    async fn ended(self) -> Ended {
        let over = async {
            match self.time {
                Some(time) => sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = over => Ended::TimeOver,
            _ = self.interrupted => Ended::Interrupted,
        }
    }
}

/// Why it is enough.
#[derive(Clone, Copy)]
enum Ended {
    TimeOver,
    Interrupted,
}

/// Hands over what comes until the stream's end or the stop. What is in the stream when the time is over comes too; whoever
/// interrupts does not want to wait for it.
pub(crate) async fn follow(
    follower: &mut Follower,
    stop: Stop,
    consumer: &mut impl Consumer,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let mut ended = pin!(stop.ended());
    loop {
        let next = tokio::select! {
            biased;
            ended = &mut ended => return finish(follower, ended, consumer, console).await,
            next = follower.next() => next,
        };
        match next {
            Ok(Some(records)) => consumer.take(records, console).await?,
            Ok(None) => return Ok(()),
            Err(error) if may_pass(&error) => {
                writeln!(console.notices, "warning: {}; reading on", with_causes(&error))?;
                tokio::select! {
                    biased;
                    ended = &mut ended => return finish(follower, ended, consumer, console).await,
                    () = sleep(PAUSE) => {}
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Hands over what is still to be had. What was read before an error is not lost.
async fn finish(
    follower: &mut Follower,
    ended: Ended,
    consumer: &mut impl Consumer,
    console: &mut Console<'_>,
) -> Result<(), CommandError> {
    let mut failed = None;
    let mut records = match ended {
        Ended::TimeOver => follower.rest().await.unwrap_or_else(|error| {
            failed = Some(error);
            Vec::new()
        }),
        Ended::Interrupted => Vec::new(),
    };
    records.extend(follower.read_already());
    if !records.is_empty() {
        consumer.take(records, console).await?;
    }
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

/// Whether the stream can be read on; what it has lost is said once.
fn may_pass(error: &StreamError) -> bool {
    matches!(error, StreamError::Trimmed { .. }) || error.disposition() == Disposition::Retry
}

/// That a table is there and that its stream carries both images.
pub(crate) async fn check_stream(connection: &Connection, table: &str) -> Result<(), CommandError> {
    let Some(found) = describe_table(connection, table).await? else {
        return Err(CommandError::NoTable {
            table: table.to_owned(),
        });
    };
    match found.stream {
        Some(view_type) if view_type != BOTH_IMAGES => Err(CommandError::ViewType {
            table: table.to_owned(),
            view_type,
        }),
        Some(_) => Ok(()),
        None => Err(StreamError::NoStream {
            table: table.to_owned(),
        }
        .into()),
    }
}
