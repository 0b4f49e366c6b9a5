//! Why a command could not answer.

use std::io;
use std::path::PathBuf;

use shadowkey_item::KeyError;
use shadowkey_local::EngineError;
use shadowkey_store::StoreError;
use shadowkey_store_dynamodb::{AdminError, ConnectError, StreamError};
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
    #[error("the answer cannot be written")]
    Output(#[from] io::Error),
}

impl CommandError {
    /// 2 where the command line or a file it names has to change, else 1.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Unreadable { .. } | Self::NotJson { .. } | Self::Unexpected { .. } | Self::ForeignItem { .. } => 2,
            _ => 1,
        }
    }
}
