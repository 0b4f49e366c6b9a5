//! Why a batch or a record cannot be read.

use shadowkey_item::{KeyError, NumberError, SequenceNumber};

/// A batch that cannot be read at all; the function stops with it.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// It is not an event of a stream.
    #[error("the event is not a batch of DynamoDB stream records (an object with `Records`)")]
    NotABatch(#[source] serde_json::Error),
    /// The stream does not carry both images.
    #[error(
        "the stream's view type is {view_type}; shadowkey needs NEW_AND_OLD_IMAGES: switch the table's stream off and on again with that type"
    )]
    ViewType {
        /// The type the record names.
        view_type: String,
    },
    /// The batch is of another table's stream.
    #[error(
        "the batch is of the stream of table `{found}`, and the views are of table `{expected}`; correct the event source mapping, \
         or the table's name"
    )]
    OtherTable {
        /// The table that the view file is about, by its physical name.
        expected: String,
        /// The table that the record names.
        found: String,
    },
}

/// A record of which not even the item's key can be read; its neighbours can.
#[derive(Debug, thiserror::Error)]
#[error("record {position} of the batch cannot be read: {problem}")]
pub struct RecordError {
    /// The record's place in the batch, from 0.
    pub position: usize,
    /// Its sequence number, if that much can be read.
    pub sequence_number: Option<SequenceNumber>,
    /// What is wrong.
    #[source]
    pub problem: RecordProblem,
}

/// What is wrong with a record.
#[derive(Debug, thiserror::Error)]
pub enum RecordProblem {
    /// It is not the JSON of a stream record.
    #[error("{0}")]
    Json(serde_json::Error),
    /// A number in an image is none that DynamoDB can hold.
    #[error(transparent)]
    Number(NumberError),
    /// It is no INSERT, MODIFY or REMOVE.
    #[error("its eventName `{name}` is not INSERT, MODIFY or REMOVE")]
    EventName {
        /// The name.
        name: String,
    },
    /// It comes from a stream without both images; the whole batch does, and fails with it.
    #[error("its StreamViewType is {view_type}")]
    ViewType {
        /// The type.
        view_type: String,
    },
    /// An image is of another item than its keys say.
    #[error("an image has another key than the record's own `Keys`")]
    ForeignImage,
    /// Its keys are not those of the view file's table.
    #[error(transparent)]
    Key(KeyError),
}
