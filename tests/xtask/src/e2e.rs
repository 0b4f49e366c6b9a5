//! `e2e`: the whole deployment, rehearsed on an emulator of AWS.
//!
//! The functions are packaged and deployed by the steps of `deploy`, on ministack, which runs their binaries and lets their
//! roles do what the policies say and nothing else. An application writes through the SDK, and what its items derive comes
//! true through the event source mapping, redrive's notifications and its schedule, first with single writes and then, when
//! the stack is brought up to date, with transactions. Every API call of the functions is held against their policies.
//!
//! Where ministack 1.5.33 is not like AWS: its mapping takes ReportBatchItemFailures for success, never halves a batch and
//! tries again without end, and its failure destination for a stream is never S3, so that the rehearsal puts the object there
//! itself. The event source mapping of the test that kills `maintain` stands in for these. Alarms do not go off.

#![expect(
    clippy::indexing_slicing,
    reason = "JSON has null where nothing is, and what was deployed is known here"
)]

mod audit;
mod aws;
mod permissions;
mod recorder;
mod scenario;
mod stack;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use self::aws::Aws;
use self::recorder::Recorder;
use self::scenario::Scenario;
use self::stack::Stack;
use crate::background::{Running, free_port};
use crate::package::{self, Architecture};
use crate::python::{MINISTACK, Programs, SAM};

/// The region of an engine that does not care about regions, as the adapter has it.
const REGION: &str = "us-east-1";
/// The view file, by which a change's writes are sent one by one.
const VIEWS: &str = "tests/xtask/rehearsal/views.toml";

#[derive(Args)]
pub(crate) struct Options {
    /// How the functions are built.
    #[arg(long, env = "SHADOWKEY_BUILD_PROFILE", default_value = "rehearsal")]
    build_profile: String,
    /// What `shadowkey filters` has printed, where it is not to be asked.
    #[arg(long)]
    filters: Option<PathBuf>,
}

/// Rehearses.
pub(crate) async fn run(root: &Path, options: &Options) -> Result<()> {
    let packages: Vec<&str> = SAM.into_iter().chain([MINISTACK]).collect();
    let programs = Programs::install(root, &packages)?;
    let (emulator, between) = (free_port()?, free_port()?);
    let mut running = Running::default();
    let mut ministack = programs.ministack(root, emulator)?;
    let aws = Aws {
        programs,
        endpoint_url: format!("http://127.0.0.1:{emulator}"),
    };
    // The functions inherit its environment, and their requests go by the recorder.
    ministack
        .envs(aws.environment())
        .env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{between}"))
        .env("AUTH", "true");
    let started = running.start(ministack, emulator);
    started.context("the emulator's messages are in target/ministack.log")?;
    let recorder = Recorder::start(between, emulator)?;

    let mut stack = Stack::new(root, aws);
    for (mode, views) in [("single", views(root, false)?), ("transaction", views(root, true)?)] {
        eprintln!("rehearsing writes = \"{mode}\"");
        let options = package::Options {
            views,
            architecture: Architecture::of_this_machine(),
            build_profile: options.build_profile.clone(),
            filters: options.filters.clone(),
        };
        stack.package(&options)?;
        let scenario = Scenario::new(&mut stack, mode, &options.views)?;
        scenario
            .run()
            .await
            .with_context(|| format!("with writes = \"{mode}\""))?;
        let problems = stack.problems_of_policies(&recorder.take())?;
        ensure!(
            problems.is_empty(),
            "with writes = \"{mode}\":\n{}",
            problems.join("\n")
        );
    }
    on_existing_tables(root, stack).await
}

/// Who deletes the stack keeps the tables, and may deploy anew on them: the mapping begins with their oldest record.
async fn on_existing_tables(root: &Path, stack: Stack) -> Result<()> {
    let views = root.join(VIEWS);
    let table = stack.outputs()?.remove("Table").context("no output names the table")?;
    let tables = stack.delete()?;
    ensure!(
        tables.len() == 3 && tables.contains(&table),
        "of the three tables there are {tables:?}"
    );
    let described = stack
        .aws
        .call("dynamodb", "describe_table", &json!({ "TableName": table }))?;
    let stream_arn = described["Table"]["LatestStreamArn"].as_str().context("no stream")?;
    let lookup = tables
        .iter()
        .find(|name| name.contains("IntoLookup"))
        .context("no lookup table")?;
    eprintln!("rehearsing a deployment on existing tables");
    let mut stack = Stack::on_tables_of(stack, stream_arn, lookup);
    Scenario::new(&mut stack, "existing", &views)?.derived().await?;
    let tables = stack.delete()?;
    ensure!(
        tables.len() == 4,
        "it made other tables than one for its state: {tables:?}"
    );
    Ok(())
}

/// The view file, or a copy of it that wants transactions.
fn views(root: &Path, in_transactions: bool) -> Result<PathBuf> {
    let path = root.join(VIEWS);
    if !in_transactions {
        return Ok(path);
    }
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let copy = root.join("target/rehearsal-views.toml");
    fs::write(
        &copy,
        text.replacen("[table]\n", "[table]\nwrites = \"transaction\"\n", 1),
    )?;
    Ok(copy)
}
