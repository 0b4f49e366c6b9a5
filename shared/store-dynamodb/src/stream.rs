//! Reading a table's change stream, shard after shard.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::types::StreamStatus;
use serde_json::Value;
use shadowkey_item::{NumberError, SequenceNumber};
use shadowkey_store::{Cause, Disposition};

use crate::shard::Shard;
use crate::{Connection, Failure};

/// Reads every record of one table's stream once, from the oldest that the stream still holds.
#[derive(Debug)]
pub struct StreamReader {
    stream: Stream,
    shards: Vec<Shard>,
    // Outlives a call that fails half-way, so that no record is lost.
    unreturned: Vec<Value>,
    /// Whether a shard may have come that is not known.
    is_outdated: bool,
    /// Whether the stream is switched off, so that no more shards come.
    is_off: bool,
}

/// The stream that is read.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) client: Client,
    pub(crate) arn: String,
}

/// Why a stream could not be read.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The table has no change stream.
    #[error("table `{table}` has no stream; switch it on with the view type NEW_AND_OLD_IMAGES")]
    NoStream {
        /// The physical name.
        table: String,
    },
    /// Records were deleted, 24 hours after their change, before they were read.
    #[error(
        "shard `{shard}` of `{stream}` lost records before they were read; the next read starts with the oldest left"
    )]
    Trimmed {
        /// The stream's ARN.
        stream: String,
        /// The shard's identifier.
        shard: String,
    },
    /// The stream no longer has what was to be read again.
    #[error(
        "the stream no longer has these records of shard `{shard}` of `{stream}`: it keeps them for 24 hours, and a stream that is switched off is forgotten; run `verify --repair` instead"
    )]
    Expired {
        /// The stream's ARN.
        stream: String,
        /// The shard's identifier.
        shard: String,
        /// The SDK's own error.
        #[source]
        cause: Cause,
    },
    /// The shard ends, or seems to, before the last record that was to be read again.
    #[error("shard `{shard}` of `{stream}` does not show record `{last}`; try again, or run `verify --repair` instead")]
    Incomplete {
        /// The stream's ARN.
        stream: String,
        /// The shard's identifier.
        shard: String,
        /// The sequence number that did not come.
        last: SequenceNumber,
    },
    /// A record holds what DynamoDB cannot hold.
    #[error("a record of `{stream}` holds a number that is not one")]
    Number {
        /// The stream's ARN.
        stream: String,
        /// What is wrong with it.
        #[source]
        cause: NumberError,
    },
    /// The service did not answer as it should.
    #[error("{operation} on `{of}` {failure}")]
    Service {
        /// The API operation.
        operation: &'static str,
        /// The table's physical name or the stream's ARN.
        of: String,
        /// The kind of failure.
        failure: Failure,
        /// The SDK's own error.
        #[source]
        cause: Cause,
    },
}

impl StreamError {
    /// What to do about it; a read that is tried again goes on where the failed one stopped.
    pub fn disposition(&self) -> Disposition {
        match self {
            Self::NoStream { .. } | Self::Trimmed { .. } | Self::Number { .. } | Self::Expired { .. } => {
                Disposition::Halt
            }
            Self::Incomplete { .. } => Disposition::Retry,
            Self::Service { failure, .. } => failure.disposition(),
        }
    }
}

impl StreamReader {
    /// Finds the stream that the table has now.
    pub async fn open(connection: &Connection, physical_table: &str) -> Result<Self, StreamError> {
        let request = connection.dynamodb().describe_table().table_name(physical_table);
        let answer = request.send().await;
        let answer = answer.map_err(|error| StreamError::service("DescribeTable", physical_table, error))?;
        let arn = answer.table.and_then(|table| table.latest_stream_arn);
        let arn = arn.ok_or_else(|| StreamError::NoStream {
            table: physical_table.to_owned(),
        })?;
        let client = connection.streams().clone();
        Ok(Self {
            stream: Stream { client, arn },
            shards: Vec::new(),
            unreturned: Vec::new(),
            is_outdated: true,
            is_off: false,
        })
    }

    /// Leaves out what is in the stream by now.
    pub(crate) async fn skip_to_latest(&mut self) -> Result<(), StreamError> {
        self.look_for_shards().await?;
        let parents: BTreeSet<String> = self
            .shards
            .iter()
            .filter_map(Shard::parent)
            .map(str::to_owned)
            .collect();
        for shard in &mut self.shards {
            // What others go on from is closed.
            if parents.contains(shard.id()) {
                shard.finish();
            } else {
                shard.skip_to_latest(&self.stream).await?;
            }
        }
        Ok(())
    }

    /// The stream's ARN; its last part is the stream's label.
    pub fn stream_arn(&self) -> &str {
        &self.stream.arn
    }

    /// The records that are in the stream now and were not returned yet, each in the shape in which Lambda delivers it.
    ///
    /// A shard's records come in order, and a shard's first only after its parent's last. After an error, what had been
    /// read by then comes with the next call.
    pub async fn read_available(&mut self) -> Result<Vec<Value>, StreamError> {
        self.look_for_shards().await?;
        let mut visited = BTreeSet::new();
        while let Some(shard) = next_shard(&mut self.shards, &visited) {
            visited.insert(shard.id().to_owned());
            shard.read_available(&self.stream, &mut self.unreturned).await?;
        }
        Ok(self.take_read())
    }

    /// Reads one page of every shard whose turn it is, and says whether there was anything in one; [`take_read`](Self::take_read)
    /// gives it.
    ///
    /// This asks of a shard as much as a consumer that is there for long may ask; [`read_available`](Self::read_available)
    /// asks for more.
    pub(crate) async fn visit_each(&mut self) -> Result<bool, StreamError> {
        if self.is_outdated {
            self.look_for_shards().await?;
        }
        let before = self.unreturned.len();
        let mut visited = BTreeSet::new();
        while let Some(shard) = next_shard(&mut self.shards, &visited) {
            visited.insert(shard.id().to_owned());
            if !shard.is_finished() {
                self.unreturned.extend(shard.page(&self.stream).await?);
                // Others go on from a shard that has ended.
                self.is_outdated |= shard.is_finished();
            }
        }
        self.is_outdated |= self.shards.iter().all(Shard::is_finished);
        Ok(self.unreturned.len() > before)
    }

    /// Looks for shards with the next visit.
    pub(crate) fn look_again(&mut self) {
        self.is_outdated = true;
    }

    /// Whether everything up to the shards' ends, as last described, has been read.
    pub(crate) fn is_read(&self) -> bool {
        self.shards.iter().all(Shard::is_read)
    }

    /// What was read and not returned.
    pub(crate) fn take_read(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.unreturned)
    }

    /// Whether everything has been read that will ever be in the stream.
    pub(crate) fn is_at_end(&self) -> bool {
        self.is_off && self.shards.iter().all(Shard::is_finished)
    }

    /// Takes up new shards, and drops those that the stream has forgotten.
    async fn look_for_shards(&mut self) -> Result<(), StreamError> {
        let mut listed = Vec::new();
        let mut start = None;
        loop {
            let request = self.stream.client.describe_stream().stream_arn(&self.stream.arn);
            let answer = request.set_exclusive_start_shard_id(start).send().await;
            let answer = answer.map_err(|error| StreamError::service("DescribeStream", &self.stream.arn, error))?;
            let description = answer.stream_description;
            let status = description.as_ref().and_then(|page| page.stream_status.as_ref());
            self.is_off = status == Some(&StreamStatus::Disabled);
            start = description
                .as_ref()
                .and_then(|page| page.last_evaluated_shard_id.clone());
            listed.extend(description.and_then(|page| page.shards).unwrap_or_default());
            if start.is_none() {
                break;
            }
        }
        let mut known = std::mem::take(&mut self.shards);
        self.shards = listed
            .into_iter()
            .map(|description| {
                let position = known
                    .iter()
                    .position(|shard| description.shard_id() == Some(shard.id()));
                Shard::described(description, position.map(|position| known.swap_remove(position)))
            })
            .collect();
        self.is_outdated = false;
        Ok(())
    }
}

/// A shard that was not visited yet and whose parent, if the stream still has it, is read to its end.
fn next_shard<'a>(shards: &'a mut [Shard], visited: &BTreeSet<String>) -> Option<&'a mut Shard> {
    let ready = shards.iter().position(|shard| {
        let waits = |parent: &Shard| shard.parent() == Some(parent.id()) && !parent.is_read();
        !visited.contains(shard.id()) && !shards.iter().any(waits)
    })?;
    shards.get_mut(ready)
}

impl StreamError {
    pub(crate) fn service<E>(operation: &'static str, of: &str, error: SdkError<E, HttpResponse>) -> Self
    where
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        Self::Service {
            operation,
            of: of.to_owned(),
            failure: Failure::from(&error),
            cause: Box::new(error),
        }
    }
}

#[cfg(test)]
mod tests;
