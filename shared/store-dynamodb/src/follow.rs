//! Following a table's change stream as it grows.

use std::time::Duration;

use serde_json::Value;
use tokio::time::sleep;

use crate::{Connection, StreamError, StreamReader};

/// How many looks that find nothing say that there is nothing now; "it might take multiple calls" (GetRecords in the API
/// reference).
const QUIET_LOOKS: usize = 3;

/// Where in the stream to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// At the oldest record that it still holds.
    Oldest,
    /// Behind the newest.
    Latest,
}

/// A reader of one table's stream that waits for what comes: through all shards, each after the one it goes on from.
#[derive(Debug)]
pub struct Follower {
    reader: StreamReader,
    pace: Duration,
}

impl Follower {
    /// Finds the stream that the table has now. `pace` is the pause after a look that found nothing: the service answers five
    /// such looks a second at each shard, for all consumers together.
    ///
    /// With [`Start::Latest`], a shard that gives no record until its iterator expires, after 15 minutes without a look, is
    /// taken up again at its oldest record.
    pub async fn open(
        connection: &Connection,
        physical_table: &str,
        start: Start,
        pace: Duration,
    ) -> Result<Self, StreamError> {
        let mut reader = StreamReader::open(connection, physical_table).await?;
        if start == Start::Latest {
            reader.skip_to_latest().await?;
        }
        Ok(Self { reader, pace })
    }

    /// The stream's ARN; its last part is the stream's label.
    pub fn stream_arn(&self) -> &str {
        self.reader.stream_arn()
    }

    /// Waits for the next records, each in the shape in which Lambda delivers it; `None` at the end of a stream that is switched
    /// off.
    ///
    /// After an error, or when this is dropped before it has answered, the next call goes on where this one was.
    pub async fn next(&mut self) -> Result<Option<Vec<Value>>, StreamError> {
        loop {
            self.reader.visit_each().await?;
            let records = self.reader.take_read();
            if !records.is_empty() {
                return Ok(Some(records));
            }
            if self.reader.is_at_end() {
                return Ok(None);
            }
            sleep(self.pace).await;
        }
    }

    /// The records that are there now: until the shards' ends, or as far as a few looks at shards that go on find them.
    ///
    /// After an error, what was read by then comes with the next call.
    pub async fn rest(&mut self) -> Result<Vec<Value>, StreamError> {
        self.reader.look_again();
        let mut quiet_looks = 0;
        loop {
            let came = self.reader.visit_each().await?;
            quiet_looks = if came { 0 } else { quiet_looks + 1 };
            if quiet_looks > 0 {
                if self.reader.is_read() || quiet_looks == QUIET_LOOKS {
                    return Ok(self.reader.take_read());
                }
                sleep(self.pace).await;
            }
        }
    }

    /// The records that were read by a call that did not answer.
    pub fn read_already(&mut self) -> Vec<Value> {
        self.reader.take_read()
    }
}
