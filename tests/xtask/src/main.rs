//! The chores of this repository; `cargo xtask help` lists them.

mod background;
mod check;
mod contract;
mod deploy;
mod e2e;
mod lint;
mod mutants;
mod package;
mod python;
mod readme;
mod record;
mod schema;
mod sim;

use std::path::Path;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// The chores of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Formatting, lints of code and template, documentation, the store contract on a second engine, and the simulation.
    Check,
    /// Runs the store contract on a second engine, which it installs into target/python.
    Contract,
    /// Lints the template in infra/, by programs that it installs into target/python.
    Lint,
    /// Runs the commands of README.md, in their order.
    Readme,
    /// Runs the simulation: `--seed N [--trace]`, or `--seeds A..B`.
    Sim {
        /// What the simulation is told; `--help` lists it.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Breaks the worker on purpose, and expects the simulation to notice.
    Mutants {
        /// Breakages in tests/simulation/mutations.toml; all of them if none is named.
        names: Vec<String>,
    },
    /// Builds the functions for Lambda into target/package, with a view file and the template that deploys them.
    Package(package::Options),
    /// Packages the functions and deploys their stack.
    Deploy(deploy::Options),
    /// Rehearses the deployment on an emulator of AWS.
    E2e(e2e::Options),
    /// Records the events of fixture worlds from the embedded engine's stream.
    RecordFixtures {
        /// Folders in tests/fixtures; all of them if none is named.
        worlds: Vec<String>,
    },
    /// Writes the JSON Schema of the view file to docs/view-file.schema.json.
    Schema,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    match Arguments::parse().chore {
        Chore::Check => check::run(root()?),
        Chore::Contract => contract::run(root()?),
        Chore::Lint => lint::run(root()?),
        Chore::Readme => readme::run(root()?),
        Chore::Sim { arguments } => sim::run(root()?, &arguments),
        Chore::Mutants { names } => mutants::run(root()?, &names),
        Chore::Package(options) => package::run(root()?, &options).map(drop),
        Chore::Deploy(options) => deploy::run(root()?, &options).await,
        Chore::E2e(options) => e2e::run(root()?, &options).await,
        Chore::RecordFixtures { worlds } => record::run(&root()?.join("tests/fixtures"), worlds).await,
        Chore::Schema => schema::run(root()?),
    }
}

/// The folder of the workspace.
fn root() -> Result<&'static Path> {
    let here: &'static Path = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .nth(2)
        .context("tests/xtask is two folders below the workspace")
}
