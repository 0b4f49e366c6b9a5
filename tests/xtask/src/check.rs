//! The checks that need no test: formatting, lints, documentation.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// One check: a cargo subcommand and what it is called with.
struct Step {
    /// The subcommand; `cargo <tool> --version` tells whether it is installed.
    tool: &'static str,
    arguments: &'static [&'static str],
    environment: Option<(&'static str, &'static str)>,
    /// How to get the tool where it is missing.
    install: &'static str,
}

const STEPS: [Step; 3] = [
    Step {
        tool: "fmt",
        arguments: &["--all", "--check"],
        environment: None,
        install: "rustup component add rustfmt",
    },
    Step {
        tool: "clippy",
        arguments: &["--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"],
        environment: None,
        install: "rustup component add clippy",
    },
    Step {
        tool: "doc",
        arguments: &["--workspace", "--no-deps", "--locked", "--document-private-items"],
        environment: Some(("RUSTDOCFLAGS", "--deny warnings")),
        install: "rustup toolchain install (rustdoc is part of every profile)",
    },
];

/// Runs every check, also after one that failed, and fails if any did or could not run.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut failed = Vec::new();
    for step in &STEPS {
        eprintln!("cargo {} {}", step.tool, step.arguments.join(" "));
        if !is_installed(step.tool)? {
            eprintln!(
                "`cargo {}` is missing, so this was not checked; install it: {}",
                step.tool, step.install
            );
            failed.push(step.tool);
        } else if !passes(step, root)? {
            failed.push(step.tool);
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    bail!("not passed: {}", failed.join(", "))
}

fn is_installed(tool: &str) -> Result<bool> {
    let mut probe = cargo(tool);
    probe.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    Ok(probe.status().context("cargo does not start")?.success())
}

fn passes(step: &Step, root: &Path) -> Result<bool> {
    let mut command = cargo(step.tool);
    command.args(step.arguments).envs(step.environment).current_dir(root);
    Ok(command.status().context("cargo does not start")?.success())
}

/// The cargo that started this program.
fn cargo(tool: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.arg(tool);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_not_there_is_noticed() {
        assert!(is_installed("fmt").expect("cargo"));
        assert!(!is_installed("no-such-tool").expect("cargo"));
    }
}
