//! Why a command could not answer.

use std::io;
use std::path::PathBuf;

use shadowkey_item::{KeyError, NumberError, TableName};
use shadowkey_key_codec::ValueError;
use shadowkey_local::EngineError;
use shadowkey_store::StoreError;
use shadowkey_store_dynamodb::{AdminError, ConnectError, StreamError};
use shadowkey_stream::FailureError;
use shadowkey_worker::WorkerError;

/// Why a command could not answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("`{}` cannot be read", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("`{}` is not JSON from line {line}, column {column} on", path.display())]
    NotJson {
        path: PathBuf,
        line: usize,
        column: usize,
        source: serde_json::Error,
    },
    #[error("`{}`, {what}: {expected}", path.display())]
    Unexpected {
        path: PathBuf,
        what: String,
        expected: &'static str,
        source: Option<serde_json::Error>,
    },
    #[error("`{}`, {what}: the item does not fit the table", path.display())]
    ForeignItem {
        path: PathBuf,
        what: String,
        source: KeyError,
    },
    #[error("there is no view `{view}`; the view file has: {}", known.join(", "))]
    UnknownView { view: String, known: Vec<String> },
    #[error(
        "`{input}` is not an input; write `path=text`, not empty, or `path:=number`, with a path such as `tags[0]`"
    )]
    InputForm { input: String },
    #[error("`{input}` is given twice; give each input once")]
    InputTwice { input: String },
    #[error("view `{view}`: `{input}` is no input of it; it has {}", quoted(inputs))]
    ForeignInput {
        view: String,
        input: String,
        inputs: Vec<String>,
    },
    #[error(
        "view `{view}`, `{part}`: `{value}` is {bytes} bytes long, and DynamoDB takes {limit} there, so that no item has this key; give a \
         shorter input"
    )]
    KeyTooLong {
        view: String,
        part: String,
        value: String,
        bytes: usize,
        limit: usize,
    },
    #[error("`{part}`: `{text}` is no number, and a key attribute of type N is one; write it in decimal digits")]
    NotANumber {
        text: String,
        part: String,
        source: NumberError,
    },
    #[error(
        "view `{view}`: `{missing}` is missing before `{input}`; give it too, since inputs can be left out from the end only"
    )]
    Gap {
        view: String,
        missing: String,
        input: String,
    },
    #[error("view `{view}`: {problem}")]
    Input { view: String, problem: ValueError },
    #[error(
        "view `{view}`: `{input}` is empty behind its ops, and no key has an empty value in it; leave it out, or give it a value"
    )]
    EmptyInput { view: String, input: String },
    #[error("view `{view}`: `{part}` needs {}; give each of them{}", quoted(inputs), instead(*reads, view))]
    MissingInputs {
        view: String,
        part: String,
        inputs: Vec<String>,
        /// How many reads find the same without them, where buckets are all that they decide.
        reads: Option<usize>,
    },
    #[error(
        "view `{view}`: its key has the parts {}, and {given} were given; give one value for each",
        quoted(parts)
    )]
    KeyParts {
        view: String,
        parts: Vec<String>,
        given: usize,
    },
    #[error(
        "view `{view}`: `{part}`: `{value}` is not what `{template}` gives of the inputs in this key; give the key as the item has it"
    )]
    ForeignKey {
        view: String,
        part: String,
        value: String,
        template: String,
    },
    #[error("`{}` is not a batch that was given up", path.display())]
    NotGivenUp { path: PathBuf, source: FailureError },
    #[error(
        "the view file has no `[state]`, so nothing is ever parked: what cannot succeed is delivered again, and Lambda's failure destination gets it; make a table with the partition key `id` (S) and name it with `[state]` and `table = \"{table}-shadowkey\"`"
    )]
    NoState { table: TableName },
    #[error("`{text}` is not a key of table `{table}`; write it in DynamoDB JSON, such as {example}")]
    KeyForm {
        text: String,
        table: TableName,
        example: String,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("the view file has errors:\n{rendered}")]
    BrokenViews { rendered: String },
    #[error("there is no table `{table}`; name the one that there is, or choose the region and profile that it is in")]
    NoTable { table: String },
    #[error(
        "the stream of table `{table}` is of type {view_type}, and both images are needed; make it NEW_AND_OLD_IMAGES"
    )]
    ViewType { table: String, view_type: String },
    #[error("`{}` cannot be written", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    #[error("`{}` is there already; record into a folder without event files", path.display())]
    AlreadyRecorded { path: PathBuf },
    #[error("a record of the stream cannot be read")]
    Record(#[source] serde_json::Error),
    #[error("the embedded engine does not start")]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Admin(#[from] AdminError),
    #[error(transparent)]
    Stream(#[from] StreamError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("`{}`: the worker's own writes cause further writes after {rounds} rounds; this is a fault of shadowkey", path.display())]
    Unsettled { path: PathBuf, rounds: usize },
    #[error("`{}` cannot be handled", path.display())]
    Worker { path: PathBuf, source: WorkerError },
    #[error(transparent)]
    Run(WorkerError),
    #[error("the answer cannot be written")]
    Output(#[from] io::Error),
}

/// Names in backticks.
fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// The other way to read what is in buckets.
fn instead(reads: Option<usize>, view: &str) -> String {
    reads.map_or(String::new(), |reads| {
        format!(", or make {reads} reads, one for each bucket, as `explain {view}` prints them")
    })
}

impl CommandError {
    /// 2 where the command line or a file it names has to change, else 1.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Unreadable { .. } | Self::NotJson { .. } | Self::Unexpected { .. } | Self::ForeignItem { .. } => 2,
            Self::InputTwice { .. } | Self::ForeignInput { .. } | Self::NotANumber { .. } | Self::Gap { .. } => 2,
            Self::UnknownView { .. } | Self::InputForm { .. } | Self::MissingInputs { .. } | Self::KeyParts { .. } => 2,
            Self::EmptyInput { .. } | Self::KeyTooLong { .. } => 2,
            Self::Unwritable { .. } | Self::AlreadyRecorded { .. } => 2,
            Self::NoState { .. } | Self::KeyForm { .. } | Self::NotGivenUp { .. } => 2,
            _ => 1,
        }
    }
}
