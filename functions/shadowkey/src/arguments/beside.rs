//! The options of the commands that work beside the stream.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand};

use super::{CommonOptions, ConnectionOptions};

#[derive(Debug, Subcommand)]
pub(crate) enum ParkedCommand {
    /// Show what is parked and why; exits with 1 if anything is.
    List(ListOptions),
    /// Reconcile every item that has something parked, and clear what that settles.
    Retry(RetryOptions),
    /// Forget entries, which nothing else remembers.
    Drop(DropOptions),
}

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
    /// What is parked of this view.
    #[arg(long, value_name = "VIEW")]
    pub(crate) view: Option<String>,
    /// What is parked for this reason.
    #[arg(long, value_name = "CODE")]
    pub(crate) code: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RetryOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("which").args(["of", "view", "all"]).required(true).multiple(true))]
pub(crate) struct DropOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
    /// The source item's key in DynamoDB JSON, as `parked list` prints it.
    #[arg(long, value_name = "KEY")]
    pub(crate) of: Option<String>,
    /// What is parked of this view; with `--of`, of this view of that item.
    #[arg(long, value_name = "VIEW")]
    pub(crate) view: Option<String>,
    /// Everything.
    #[arg(long, conflicts_with_all = ["of", "view"])]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RedriveOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
    /// Batches that were given up: objects of Lambda's failure destination in S3, events, or messages of one in SQS, whose
    /// records are read from the stream again.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
}
