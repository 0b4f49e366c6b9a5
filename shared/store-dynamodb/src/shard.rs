//! Reading one shard of a stream.

use aws_sdk_dynamodbstreams::operation::get_records::{GetRecordsError, GetRecordsOutput};
use aws_sdk_dynamodbstreams::types::{Record, Shard as Description, ShardIteratorType};
use serde_json::Value;

use crate::StreamError;
use crate::stream::Stream;
use crate::stream_record::lambda_record;

/// How many empty pages in a row end a visit to a shard.
///
/// An empty page is not the end: "it might take multiple calls to get to a portion of the shard that contains stream
/// records" (GetRecords in the API reference). What lies behind more empty pages than this comes with the next visit.
pub(crate) const EMPTY_PAGES: usize = 10;

/// Where the reader is in a shard.
#[derive(Debug)]
pub(crate) struct Shard {
    id: String,
    parent: Option<String>,
    /// The last record's sequence number: of a closed shard at the service, of an open one at the embedded engine.
    ending: Option<String>,
    last_read: Option<String>,
    iterator: Option<String>,
    finished: bool,
}

impl Shard {
    /// A shard as the stream describes it now, at the place that was reached in it.
    pub(crate) fn described(description: Description, known: Option<Self>) -> Self {
        let ending = description
            .sequence_number_range
            .and_then(|range| range.ending_sequence_number);
        match known {
            Some(known) => Self { ending, ..known },
            None => Self {
                id: description.shard_id.unwrap_or_default(),
                parent: description.parent_shard_id,
                ending,
                last_read: None,
                iterator: None,
                finished: false,
            },
        }
    }

    /// The shard's identifier.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The identifier of the shard that this one goes on from.
    pub(crate) fn parent(&self) -> Option<&str> {
        self.parent.as_deref()
    }

    /// Whether everything up to the shard's end, as last described, has been read.
    pub(crate) fn is_read(&self) -> bool {
        self.finished || (self.ending.is_some() && self.last_read == self.ending)
    }

    /// Whether there is nothing behind what was read.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Takes the shard for read.
    pub(crate) fn finish(&mut self) {
        self.finished = true;
    }

    /// Goes to where the next record will be.
    pub(crate) async fn skip_to_latest(&mut self, stream: &Stream) -> Result<(), StreamError> {
        self.iterator = Some(self.iterator_of(stream, ShardIteratorType::Latest).await?);
        Ok(())
    }

    /// Reads what the shard has to give.
    pub(crate) async fn read_available(
        &mut self,
        stream: &Stream,
        records: &mut Vec<Value>,
    ) -> Result<(), StreamError> {
        let mut empty_pages = 0;
        while !self.finished && empty_pages < EMPTY_PAGES {
            let page = self.page(stream).await?;
            if !page.is_empty() {
                empty_pages = 0;
            } else if self.is_read() {
                break;
            } else {
                empty_pages += 1;
            }
            records.extend(page);
        }
        Ok(())
    }

    /// Reads the next page, which may be empty.
    pub(crate) async fn page(&mut self, stream: &Stream) -> Result<Vec<Value>, StreamError> {
        let Some(output) = self.get_records(stream).await? else {
            return Ok(Vec::new());
        };
        let records = output.records.unwrap_or_default();
        let last = records.last().and_then(sequence_number);
        let records = records.into_iter().map(|record| lambda_record(record, &stream.arn));
        let records = records.collect::<Result<_, _>>().map_err(|cause| StreamError::Number {
            stream: stream.arn.clone(),
            cause,
        })?;
        self.finished = output.next_shard_iterator.is_none();
        self.iterator = output.next_shard_iterator;
        self.last_read = last.or(self.last_read.take());
        Ok(records)
    }

    /// The service's next page, or none where the iterator has expired and the next call gets a new one.
    async fn get_records(&mut self, stream: &Stream) -> Result<Option<GetRecordsOutput>, StreamError> {
        let iterator = match self.iterator.clone() {
            Some(iterator) => iterator,
            None => self.new_iterator(stream).await?,
        };
        match stream.client.get_records().shard_iterator(iterator).send().await {
            Ok(output) => Ok(Some(output)),
            Err(error) => match error.as_service_error() {
                // It lasts 15 minutes; the place it stood at is known.
                Some(GetRecordsError::ExpiredIteratorException(_)) => {
                    self.iterator = None;
                    Ok(None)
                }
                Some(GetRecordsError::TrimmedDataAccessException(_)) => Err(self.trimmed(stream)),
                _ => Err(StreamError::service("GetRecords", &stream.arn, error)),
            },
        }
    }

    /// An iterator behind the last record read, or at the oldest one there is.
    async fn new_iterator(&mut self, stream: &Stream) -> Result<String, StreamError> {
        let kind = match self.last_read {
            Some(_) => ShardIteratorType::AfterSequenceNumber,
            None => ShardIteratorType::TrimHorizon,
        };
        self.iterator_of(stream, kind).await
    }

    async fn iterator_of(&mut self, stream: &Stream, kind: ShardIteratorType) -> Result<String, StreamError> {
        let request = stream
            .client
            .get_shard_iterator()
            .stream_arn(&stream.arn)
            .shard_id(&self.id);
        let request = request
            .shard_iterator_type(kind)
            .set_sequence_number(self.last_read.clone());
        match request.send().await {
            Ok(output) => Ok(output.shard_iterator.unwrap_or_default()),
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(|error| error.is_trimmed_data_access_exception()) =>
            {
                Err(self.trimmed(stream))
            }
            Err(error) => Err(StreamError::service("GetShardIterator", &stream.arn, error)),
        }
    }

    /// Reports a loss once and goes on with the oldest record left.
    fn trimmed(&mut self, stream: &Stream) -> StreamError {
        self.iterator = None;
        self.last_read = None;
        StreamError::Trimmed {
            stream: stream.arn.clone(),
            shard: self.id.clone(),
        }
    }
}

fn sequence_number(record: &Record) -> Option<String> {
    record.dynamodb()?.sequence_number().map(str::to_owned)
}
