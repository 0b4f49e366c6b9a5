//! Reading a run of records again, by its shard and sequence numbers.

use std::ops::RangeInclusive;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodbstreams::types::{Record, ShardIteratorType};
use serde_json::Value;
use shadowkey_item::SequenceNumber;

use crate::shard::EMPTY_PAGES;
use crate::stream::Stream;
use crate::stream_record::lambda_record;
use crate::{Connection, StreamError};

/// Reads the records of a shard from the first of these numbers to the last, each in the shape in which Lambda delivers it.
///
/// The stream has them for 24 hours. [`StreamError::Expired`] says that it no longer has the first of them, or the shard.
pub async fn read_range(
    connection: &Connection,
    stream_arn: &str,
    shard: &str,
    numbers: &RangeInclusive<SequenceNumber>,
) -> Result<Vec<Value>, StreamError> {
    let stream = Stream {
        client: connection.streams().clone(),
        arn: stream_arn.to_owned(),
    };
    let mut range = Range {
        stream: &stream,
        shard,
        last_read: None,
    };
    let mut records = Vec::new();
    let mut iterator = Some(range.iterator(numbers.start()).await?);
    let mut empty_pages = 0;
    while let Some(current) = iterator.take().filter(|_| empty_pages < EMPTY_PAGES) {
        let (page, next) = range.page(current, numbers.start()).await?;
        empty_pages = if page.is_empty() { empty_pages + 1 } else { 0 };
        for record in page {
            let Some(number) = number_of(&record) else { continue };
            if number > *numbers.end() {
                return Ok(records);
            }
            let is_last = number == *numbers.end();
            let record = lambda_record(record, &stream.arn);
            records.push(record.map_err(|cause| StreamError::Number {
                stream: stream.arn.clone(),
                cause,
            })?);
            range.last_read = Some(number);
            if is_last {
                return Ok(records);
            }
        }
        iterator = next;
    }
    Err(StreamError::Incomplete {
        stream: stream.arn.clone(),
        shard: shard.to_owned(),
        last: numbers.end().clone(),
    })
}

/// A range that is being read.
struct Range<'a> {
    stream: &'a Stream,
    shard: &'a str,
    last_read: Option<SequenceNumber>,
}

impl Range<'_> {
    /// An iterator behind the last record read, or at the first of the range.
    async fn iterator(&self, first: &SequenceNumber) -> Result<String, StreamError> {
        let (kind, number) = match &self.last_read {
            Some(number) => (ShardIteratorType::AfterSequenceNumber, number),
            None => (ShardIteratorType::AtSequenceNumber, first),
        };
        let request = self.stream.client.get_shard_iterator();
        let request = request.stream_arn(&self.stream.arn).shard_id(self.shard);
        let answer = request
            .shard_iterator_type(kind)
            .sequence_number(number.as_str())
            .send()
            .await;
        match answer {
            Ok(output) => Ok(output.shard_iterator.unwrap_or_default()),
            Err(error) => Err(self.failed("GetShardIterator", error)),
        }
    }

    /// A page, which may be empty, and the iterator of the next one, if the shard goes on.
    async fn page(
        &self,
        iterator: String,
        first: &SequenceNumber,
    ) -> Result<(Vec<Record>, Option<String>), StreamError> {
        match self.stream.client.get_records().shard_iterator(iterator).send().await {
            Ok(output) => Ok((output.records.unwrap_or_default(), output.next_shard_iterator)),
            // It lasts 15 minutes; the place it stood at is known.
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(|error| error.is_expired_iterator_exception()) =>
            {
                Ok((Vec::new(), Some(self.iterator(first).await?)))
            }
            Err(error) => Err(self.failed("GetRecords", error)),
        }
    }

    fn failed<E>(&self, operation: &'static str, error: SdkError<E, HttpResponse>) -> StreamError
    where
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        match error.code() {
            Some("TrimmedDataAccessException" | "ResourceNotFoundException") => StreamError::Expired {
                stream: self.stream.arn.clone(),
                shard: self.shard.to_owned(),
                cause: Box::new(error),
            },
            _ => StreamError::service(operation, &self.stream.arn, error),
        }
    }
}

fn number_of(record: &Record) -> Option<SequenceNumber> {
    SequenceNumber::parse(record.dynamodb()?.sequence_number()?).ok()
}

#[cfg(test)]
mod tests;
