//! The options of the commands that follow a stream.

use std::path::PathBuf;

use clap::Args;

use super::CommonOptions;

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
