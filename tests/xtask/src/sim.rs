//! `sim`: the simulation, with what it is told passed on.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Runs the simulation with these arguments.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<()> {
    // The cargo that started this program.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["run", "--quiet", "--package", "shadowkey-simulation", "--"])
        .args(arguments)
        .current_dir(root);
    let status = command.status().context("cargo does not start")?;
    ensure!(status.success(), "the simulation found a broken promise");
    Ok(())
}
