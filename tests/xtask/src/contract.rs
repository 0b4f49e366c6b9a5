//! `contract`: the store contract on a second engine, one by other hands than the embedded one.
//!
//! The engine is a Python package and is installed into target/python. What it does otherwise than the service is listed
//! beside the suite with the reason; those tests are expected to fail, so that the list cannot grow stale.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::background::{Running, free_port};

const PACKAGE: &str = "ministack==1.5.33";
/// By the name of each test that fails on the engine, why.
const DIFFERENCES: &str = "shared/store-dynamodb/tests/ministack.toml";

/// Installs the engine, runs the contract on it, and stops it.
pub(crate) fn run(root: &Path) -> Result<()> {
    let differences = fs::read_to_string(root.join(DIFFERENCES)).with_context(|| format!("reading {DIFFERENCES}"))?;
    let differences: BTreeMap<String, String> =
        toml::from_str(&differences).with_context(|| format!("reading {DIFFERENCES}"))?;
    let programs = install(root)?;
    let port = free_port()?;
    let mut running = Running::default();
    let started = running.start(engine(root, &programs, port)?, port);
    started.context("the engine's messages are in target/ministack.log")?;
    let endpoint_url = format!("http://127.0.0.1:{port}");

    eprintln!("the store contract on {PACKAGE}");
    let mut all_others = tests(root, &endpoint_url);
    for test in differences.keys() {
        all_others.args(["--skip", test]);
    }
    let status = all_others.status().context("cargo does not start")?;
    ensure!(status.success(), "the store contract does not hold on {PACKAGE}");
    for (test, reason) in &differences {
        expect_failure(tests(root, &endpoint_url).arg(test), test)?;
        eprintln!("{test} is not kept: {reason}");
    }
    Ok(())
}

/// Makes the folder of Python programs with the engine among them, and says where they are.
fn install(root: &Path) -> Result<PathBuf> {
    let python = root.join("target/python");
    let programs = python.join("bin");
    if !programs.join("pip").exists() {
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv"]).arg(&python);
        done(&mut venv).context(
            "Python is missing, so the contract was not run on a second engine; install Python 3.10 or newer with its venv module",
        )?;
    }
    let mut pip = Command::new(programs.join("pip"));
    done(pip.args(["install", "--quiet", "--disable-pip-version-check", PACKAGE]))?;
    Ok(programs)
}

fn done(command: &mut Command) -> Result<()> {
    let name = command.get_program().display().to_string();
    let status = command.status().with_context(|| format!("`{name}` does not start"))?;
    ensure!(status.success(), "`{name}` failed with {status}");
    Ok(())
}

/// The engine's own messages go to a file, since it logs every request.
fn engine(root: &Path, programs: &Path, port: u16) -> Result<Command> {
    let log = root.join("target/ministack.log");
    let log = File::create(&log).with_context(|| format!("writing {}", log.display()))?;
    let mut engine = Command::new(programs.join("ministack"));
    engine
        .env("BIND_HOST", "127.0.0.1")
        .env("GATEWAY_PORT", port.to_string())
        .stdout(log.try_clone()?)
        .stderr(log);
    Ok(engine)
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
        bail!("`{test}` does not fail on {PACKAGE}; take it out of {DIFFERENCES}");
    }
    Ok(())
}
