//! The checks beside the tests: formatting, lints of code and template, documentation, the store contract on a second engine,
//! and the simulation.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::{contract, lint, sim};

/// The seeds that every check simulates, which meet every fault and every branch.
const FIXED_SEEDS: &str = "0..1800";
/// How many more seeds a check simulates, which no check before it has.
const FRESH_SEEDS: u64 = 200;

/// One check: a subcommand of cargo and what it is called with.
struct Step {
    subcommand: &'static str,
    /// The program behind the subcommand; it prints its version if it is installed.
    program: &'static str,
    arguments: &'static [&'static str],
    environment: Option<(&'static str, &'static str)>,
    /// How to get the tool where it is missing.
    install: &'static str,
}

const STEPS: [Step; 3] = [
    Step {
        subcommand: "fmt",
        program: "rustfmt",
        arguments: &["--all", "--check"],
        environment: None,
        install: "rustup component add rustfmt",
    },
    Step {
        subcommand: "clippy",
        program: "cargo-clippy",
        arguments: &["--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"],
        environment: None,
        install: "rustup component add clippy",
    },
    Step {
        subcommand: "doc",
        program: "rustdoc",
        arguments: &["--workspace", "--no-deps", "--locked", "--document-private-items"],
        environment: Some(("RUSTDOCFLAGS", "--deny warnings")),
        install: "rustup toolchain install (rustdoc is part of every profile)",
    },
];

/// A check that is no subcommand of cargo.
type Chore = fn(&Path) -> Result<()>;

/// Runs every check, also after one that failed, and fails if any did or could not run.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut failed = Vec::new();
    for step in &STEPS {
        eprintln!("cargo {} {}", step.subcommand, step.arguments.join(" "));
        if !is_installed(step.program) {
            eprintln!(
                "`{}` is missing, so this was not checked; install it: {}",
                step.program, step.install
            );
            failed.push(step.subcommand);
        } else if !passes(step, root)? {
            failed.push(step.subcommand);
        }
    }
    let others: [(&str, Chore); 3] = [
        ("lint", lint::run),
        ("contract", contract::run),
        ("simulation", simulate),
    ];
    for (name, chore) in others {
        if let Err(error) = chore(root) {
            eprintln!("{error:#}");
            failed.push(name);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!("not passed: {}", failed.join(", "))
}

fn simulate(root: &Path) -> Result<()> {
    let run = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        sim::run(root, &arguments)
    };
    run(&["--seeds", FIXED_SEEDS, "--covered"])?;
    let first = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() * FRESH_SEEDS;
    run(&["--seeds", &format!("{first}..{}", first + FRESH_SEEDS)])
}

fn is_installed(program: &str) -> bool {
    let mut probe = Command::new(program);
    probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    // Where a component is missing, rustup's stand-in for it starts and fails.
    probe.status().is_ok_and(|status| status.success())
}

fn passes(step: &Step, root: &Path) -> Result<bool> {
    // The cargo that started this program.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.arg(step.subcommand).args(step.arguments);
    command.envs(step.environment).current_dir(root);
    Ok(command.status().context("cargo does not start")?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_not_there_is_noticed() {
        assert!(STEPS.iter().all(|step| is_installed(step.program)));
        assert!(!is_installed("no-such-tool"));
    }
}
