//! The command line.

mod beside;
mod live;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use beside::{DropOptions, ListOptions, ParkedCommand, RedriveOptions, RetryOptions};
pub(crate) use live::{DevOptions, RecordOptions};

/// Keeps derived items, composite attributes and inverted-order keys of a DynamoDB table true from its stream.
#[derive(Debug, Parser)]
#[command(name = "shadowkey", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a view file and say what is wrong with it, where, and what to do.
    Check(CheckOptions),
    /// Show what one item derives: attributes, shadows, and views that fail.
    Render(RenderOptions),
    /// Take a derived key, or the value of a derived attribute, back to the inputs it was made of.
    Decode(DecodeOptions),
    /// Make the key that a view's items are read by, whole or as far as the given inputs decide it.
    Key(KeyOptions),
    /// Say what a view's keys look like, what lies beside them, which queries read them, and what changes cost.
    Explain(ExplainOptions),
    /// Print the filters that keep records of no source away from the function, for its event source mapping.
    Filters(FiltersOptions),
    /// Run recorded stream events through the worker on an embedded engine, and show the tables they lead to.
    Replay(ReplayOptions),
    /// Play with a view file: the embedded engine on a local port, with the worker on its stream.
    Dev(DevOptions),
    /// Record a table's stream into event files that `replay` takes.
    Record(RecordOptions),
    /// Show what could not be derived or written, try it again, or drop it.
    #[command(subcommand)]
    Parked(ParkedCommand),
    /// Reconcile every item of batches that Lambda gave up.
    Redrive(RedriveOptions),
}

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct CommonOptions {
    /// The view file.
    #[arg(long, value_name = "FILE", env = "SHADOWKEY_VIEWS", default_value = maintain::DEFAULT_VIEWS)]
    pub(crate) views: PathBuf,
    /// The form of the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a person.
    Text,
    /// For a program, with items in DynamoDB JSON.
    Json,
}

/// Which tables a command works on; what is left out comes from the environment, as in the AWS CLI.
#[derive(Debug, Args)]
pub(crate) struct ConnectionOptions {
    /// Use the service at this address instead of the region's own.
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint_url: Option<String>,
    /// The region.
    #[arg(long, value_name = "REGION")]
    pub(crate) region: Option<String>,
    /// The profile in the shared config files.
    #[arg(long, value_name = "PROFILE")]
    pub(crate) profile: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    /// Compare the file with the tables as they are, by DescribeTable and DescribeTimeToLive.
    #[arg(long)]
    pub(crate) against_table: bool,
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
}

#[derive(Debug, Args)]
pub(crate) struct RenderOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    /// The item in DynamoDB JSON, as `aws dynamodb get-item` prints it; `-` reads it from standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) item: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct DecodeOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    /// The view.
    #[arg(long, value_name = "VIEW")]
    pub(crate) view: String,
    /// The key's parts: partition key, then sort key.
    #[arg(value_name = "KEY", required = true, allow_hyphen_values = true)]
    pub(crate) key: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct KeyOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    /// The view.
    #[arg(long, value_name = "VIEW")]
    pub(crate) view: String,
    /// The inputs, `path=text` or `path:=number`; those at the end may be left out.
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    /// The view; every view if it is left out.
    #[arg(value_name = "VIEW")]
    pub(crate) view: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct FiltersOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    /// Recorded events: Lambda event JSON, or one record a line. Each file is one batch.
    #[arg(value_name = "EVENT_FILE", required = true)]
    pub(crate) events: Vec<PathBuf>,
    /// Items to load first: one a line in DynamoDB JSON, or the output of a Scan.
    #[arg(long, value_name = "FILE")]
    pub(crate) base: Option<PathBuf>,
    /// Cut each file into batches of this many records.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch_size: Option<u32>,
    /// Deliver every batch twice; with a seed, a part from a random record on.
    #[arg(long)]
    pub(crate) duplicate: bool,
    /// Cut the files into batches of random sizes, up to the batch size; the same seed does the same.
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// Use the engine at this address instead of the embedded one.
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint_url: Option<String>,
    /// The region, with an endpoint.
    #[arg(long, value_name = "REGION", requires = "endpoint_url")]
    pub(crate) region: Option<String>,
    /// The profile, with an endpoint.
    #[arg(long, value_name = "PROFILE", requires = "endpoint_url")]
    pub(crate) profile: Option<String>,
}
