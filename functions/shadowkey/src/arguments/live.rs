//! The options of the commands that follow a stream.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use shadowkey_store_dynamodb::Start;

use super::{CommonOptions, ConnectionOptions, Format};

#[derive(Debug, Args)]
pub(crate) struct DevOptions {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    /// Items to put into the table at the start: one a line in DynamoDB JSON, or the output of a Scan.
    #[arg(long, value_name = "FILE")]
    pub(crate) load: Option<PathBuf>,
    /// The port of the embedded engine on 127.0.0.1; 0 is any free one.
    #[arg(long, value_name = "PORT", default_value_t = 8000, conflicts_with = "endpoint_url")]
    pub(crate) port: u16,
    /// Follow the table's stream in the engine at this address instead of starting one.
    #[arg(long, value_name = "URL")]
    pub(crate) endpoint_url: Option<String>,
    /// The region, with an endpoint.
    #[arg(long, value_name = "REGION", requires = "endpoint_url")]
    pub(crate) region: Option<String>,
    /// The profile, with an endpoint.
    #[arg(long, value_name = "PROFILE", requires = "endpoint_url")]
    pub(crate) profile: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RecordOptions {
    /// The table, by the name it has there.
    #[arg(long, value_name = "TABLE")]
    pub(crate) table: String,
    /// The folder for the event files; it is made if it is not there.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Where in the stream to start.
    #[arg(long, value_enum, default_value_t = From::Oldest)]
    pub(crate) from: From,
    /// How long to record, such as `30s` or `5m`; until Ctrl-C or the stream's end if it is left out.
    #[arg(long = "for", value_name = "TIME", value_parser = duration)]
    pub(crate) time: Option<Duration>,
    /// The most records of one file.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batch_size: u32,
    /// Put stand-ins in the place of values, which keep types, lengths, and what is equal.
    #[arg(long)]
    pub(crate) redact: bool,
    /// The view file whose words are kept in a redacted recording, so that its views still derive from it.
    #[arg(long, value_name = "FILE", requires = "redact")]
    pub(crate) views: Option<PathBuf>,
    /// The form of the answer.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) connection: ConnectionOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// At the oldest record that the stream still holds, of up to 24 hours ago.
    Oldest,
    /// Behind the newest.
    Latest,
}

impl From {
    pub(crate) fn start(self) -> Start {
        match self {
            Self::Oldest => Start::Oldest,
            Self::Latest => Start::Latest,
        }
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let time: Option<jiff::SignedDuration> = text.parse().ok();
    let time = time.and_then(|time| Duration::try_from(time).ok());
    time.ok_or_else(|| "write a time such as `30s`, `5m` or `1h30m`".to_owned())
}
