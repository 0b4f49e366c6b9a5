//! The chores of this repository: `cargo xtask check`, `cargo xtask record-fixtures`.

mod check;
mod record;

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
    /// Formatting, lints and documentation, with every warning denied.
    Check,
    /// Records the events of fixture worlds from the embedded engine's stream.
    RecordFixtures {
        /// Folders in tests/fixtures; all of them if none is named.
        worlds: Vec<String>,
    },
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    match Arguments::parse().chore {
        Chore::Check => check::run(root()?),
        Chore::RecordFixtures { worlds } => record::run(&root()?.join("tests/fixtures"), worlds).await,
    }
}

/// The folder of the workspace.
fn root() -> Result<&'static Path> {
    let here: &'static Path = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .nth(2)
        .context("tests/xtask is two folders below the workspace")
}
