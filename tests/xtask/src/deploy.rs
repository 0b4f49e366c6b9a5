//! `deploy`: packages the functions and deploys the stack, in one command.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use aws_sdk_dynamodb::types::StreamViewType;
use clap::Args;
use shadowkey_store_dynamodb::{ConnectOptions, Connection};

use crate::package;
use crate::python::{Programs, SAM, done};

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    package: package::Options,
    /// The stack's name.
    #[arg(long)]
    stack: String,
    /// The table with the source items, which has a stream. The stack makes one where none is named, or goes on with the one it
    /// has.
    #[arg(long)]
    table: Option<String>,
    /// The region; the environment's or the profile's if it is left out.
    #[arg(long)]
    region: Option<String>,
    /// The profile in the shared config files.
    #[arg(long)]
    profile: Option<String>,
    /// A parameter of the template, such as `AlarmEmail=ops@example.com`. One that is left out stays as it is.
    #[arg(long = "parameter", value_name = "NAME=VALUE")]
    parameters: Vec<String>,
    /// More arguments for `sam deploy`, after `--`: such as `--guided` or `--no-execute-changeset`.
    #[arg(last = true)]
    sam: Vec<String>,
}

/// Packages and deploys.
pub(crate) async fn run(root: &Path, options: &Options) -> Result<()> {
    let mut parameters = options.parameters.clone();
    if let Some(table) = &options.table {
        parameters.push(format!("TableStreamArn={}", stream_arn(table, options).await?));
    }
    let template = package::run(root, &options.package)?;
    let programs = Programs::install(root, &SAM)?;
    let mut sam = stack(&programs, &template, &options.stack, &parameters)?;
    for (flag, value) in [("--region", &options.region), ("--profile", &options.profile)] {
        sam.args(value.iter().flat_map(|value| [flag, value.as_str()]));
    }
    if !options.sam.iter().any(|argument| argument.starts_with("--s3-bucket")) {
        sam.arg(BUCKET_OF_SAM);
    }
    done(sam.args(&options.sam))
}

/// Has SAM make a bucket for the archives, or take the one that it has made.
pub(crate) const BUCKET_OF_SAM: &str = "--resolve-s3";

/// The command that makes a stack, or brings it up to date; it lacks the bucket for the archives.
pub(crate) fn stack(programs: &Programs, template: &Path, name: &str, parameters: &[String]) -> Result<Command> {
    let mut sam = programs.sam()?;
    sam.args(["deploy", "--stack-name", name, "--template-file"])
        .arg(template);
    // Its roles have no names of their own.
    sam.args(["--capabilities", "CAPABILITY_IAM", "--no-fail-on-empty-changeset"]);
    if !parameters.is_empty() {
        sam.arg("--parameter-overrides")
            .args(parameters.iter().map(|parameter| quoted(parameter)));
    }
    Ok(sam)
}

/// Without the quotes SAM ends a value at its first blank.
fn quoted(parameter: &str) -> String {
    match parameter.split_once('=') {
        Some((name, value)) => format!("{name}=\"{}\"", value.replace('"', "\\\"")),
        None => parameter.to_owned(),
    }
}

/// The stream of an existing table, which has to carry both images.
async fn stream_arn(table: &str, options: &Options) -> Result<String> {
    let connection = Connection::from_environment(ConnectOptions {
        endpoint_url: None,
        region: options.region.clone(),
        profile: options.profile.clone(),
    });
    let request = connection
        .await?
        .dynamodb()
        .describe_table()
        .table_name(table)
        .send()
        .await;
    let described = request.with_context(|| format!("looking at table `{table}`"))?;
    let described = described.table.context("the answer has no table")?;
    let stream = described
        .stream_specification()
        .filter(|stream| stream.stream_enabled());
    match (
        stream.and_then(|stream| stream.stream_view_type()),
        described.latest_stream_arn(),
    ) {
        (Some(StreamViewType::NewAndOldImages), Some(arn)) => Ok(arn.to_owned()),
        _ => bail!(
            "table `{table}` has no stream with both images; switch it on: aws dynamodb update-table --table-name {table} --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_with_blanks_stays_one_value() {
        assert_eq!(quoted("RetrySchedule=rate(1 hour)"), "RetrySchedule=\"rate(1 hour)\"");
        assert_eq!(quoted("AlarmEmail="), "AlarmEmail=\"\"");
    }
}
