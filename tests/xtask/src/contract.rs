//! `contract`: the store contract on a second engine, one by other hands than the embedded one.
//!
//! The engine is a Python package and is installed into target/python. What it does otherwise than the service is listed
//! beside the suite with the reason; those tests are expected to fail, so that the list cannot grow stale.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::background::{Running, free_port};
use crate::python::{MINISTACK, Programs};

/// By the name of each test that fails on the engine, why.
const DIFFERENCES: &str = "shared/store-dynamodb/tests/ministack.toml";

/// Installs the engine, runs the contract on it, and stops it.
pub(crate) fn run(root: &Path) -> Result<()> {
    let differences = fs::read_to_string(root.join(DIFFERENCES)).with_context(|| format!("reading {DIFFERENCES}"))?;
    let differences: BTreeMap<String, String> =
        toml::from_str(&differences).with_context(|| format!("reading {DIFFERENCES}"))?;
    let programs = Programs::install(root, &[MINISTACK])?;
    let port = free_port()?;
    let mut running = Running::default();
    let started = running.start(programs.ministack(root, port)?, port);
    started.context("the engine's messages are in target/ministack.log")?;
    let endpoint_url = format!("http://127.0.0.1:{port}");

    eprintln!("the store contract on {MINISTACK}");
    let mut all_others = tests(root, &endpoint_url);
    for test in differences.keys() {
        all_others.args(["--skip", test]);
    }
    let status = all_others.status().context("cargo does not start")?;
    ensure!(status.success(), "the store contract does not hold on {MINISTACK}");
    for (test, reason) in &differences {
        expect_failure(tests(root, &endpoint_url).arg(test), test)?;
        eprintln!("{test} is not kept: {reason}");
    }
    Ok(())
}

/// The contract's tests on an engine; what is added names tests exactly.
fn tests(root: &Path, endpoint_url: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["test", "--quiet", "--locked", "--package", "shadowkey-store-dynamodb"])
        .args(["--features", "another-engine", "--test", "contract_endpoint"])
        .args(["--", "--exact"])
        .env("SHADOWKEY_TEST_ENDPOINT", endpoint_url)
        .current_dir(root);
    command
}

/// A test that passes, or is no longer there, has no business in the list.
fn expect_failure(command: &mut Command, test: &str) -> Result<()> {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    if status.context("cargo does not start")?.success() {
        bail!("`{test}` does not fail on {MINISTACK}; take it out of {DIFFERENCES}");
    }
    Ok(())
}
