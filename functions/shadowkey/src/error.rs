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
    #[error("`{input}` is given twice")]
    InputTwice { input: String },
    #[error("`{input}` is no input of view `{view}`; it has {}", inputs.join(", "))]
    ForeignInput {
        view: String,
        input: String,
        inputs: Vec<String>,
    },
    #[error("`{text}` is not a number, and the key part `{part}` is one")]
    NotANumber {
        text: String,
        part: String,
        source: NumberError,
    },
    #[error("view `{view}`: `{missing}` is missing before `{input}`; inputs can be left out from the end only")]
    Gap {
        view: String,
        missing: String,
        input: String,
    },
    #[error("view `{view}`: an input has no place in the key")]
    Input { view: String, source: ValueError },
    #[error("view `{view}`: `{part}` cannot be made; it needs the inputs {}", inputs.join(", "))]
    MissingInputs {
        view: String,
        part: String,
        inputs: Vec<String>,
    },
    #[error("the key of view `{view}` has the parts {}, and {given} were given", parts.join(" and "))]
    KeyParts {
        view: String,
        parts: Vec<String>,
        given: usize,
    },
    #[error("`{value}` is no `{part}` of view `{view}`, whose template is `{template}`")]
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

impl CommandError {
    /// 2 where the command line or a file it names has to change, else 1.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Unreadable { .. } | Self::NotJson { .. } | Self::Unexpected { .. } | Self::ForeignItem { .. } => 2,
            Self::InputTwice { .. } | Self::ForeignInput { .. } | Self::NotANumber { .. } | Self::Gap { .. } => 2,
            Self::UnknownView { .. } | Self::InputForm { .. } | Self::MissingInputs { .. } | Self::KeyParts { .. } => 2,
            Self::NoState { .. } | Self::KeyForm { .. } | Self::NotGivenUp { .. } => 2,
            _ => 1,
        }
    }
}
