//! Programs that come as Python packages, installed into target/python: a second engine, cargo-lambda, and SAM's CLI.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// An emulator of AWS: its DynamoDB, and the services that a deployment needs.
pub(crate) const MINISTACK: &str = "ministack==1.5.33";

/// Builds the functions for Lambda, with a linker that knows its C library.
pub(crate) const CARGO_LAMBDA: &str = "cargo-lambda==1.9.2";

/// What checks and deploys the template. The three belong together: the linter has to know what the translator makes of the
/// template, and later ones of it say nothing about that.
pub(crate) const SAM: [&str; 3] = [
    "aws-sam-cli==1.161.1",
    "aws-sam-translator==1.110.0",
    "cfn-lint==1.51.0",
];

/// Where the programs are.
#[derive(Debug, Clone)]
pub(crate) struct Programs(PathBuf);

impl Programs {
    /// Makes the folder, if it is not there, and installs packages into it.
    pub(crate) fn install(root: &Path, packages: &[&str]) -> Result<Self> {
        let python = root.join("target/python");
        let programs = python.join("bin");
        if !programs.join("pip").exists() {
            let mut venv = Command::new("python3");
            venv.args(["-m", "venv"]).arg(&python);
            done(&mut venv).with_context(|| {
                format!(
                    "Python is missing, and with it {}; install Python 3.10 or newer with its venv module",
                    packages.join(", ")
                )
            })?;
        }
        let mut pip = Command::new(programs.join("pip"));
        done(
            pip.args(["install", "--quiet", "--disable-pip-version-check"])
                .args(packages),
        )?;
        Ok(Self(programs))
    }

    /// A program by its name, which finds the others too.
    pub(crate) fn command(&self, program: &str) -> Result<Command> {
        let mut command = Command::new(self.0.join(program));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(self.0.clone()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(path)?);
        Ok(command)
    }

    /// The emulator, at a port. Its own messages go to target/ministack.log, since it logs every request.
    pub(crate) fn ministack(&self, root: &Path, port: u16) -> Result<Command> {
        let log = root.join("target/ministack.log");
        let log = File::create(&log).with_context(|| format!("writing {}", log.display()))?;
        let mut emulator = self.command("ministack")?;
        emulator
            .env("BIND_HOST", "127.0.0.1")
            .env("GATEWAY_PORT", port.to_string())
            .stdout(log.try_clone()?)
            .stderr(log);
        Ok(emulator)
    }

    /// SAM's command line.
    pub(crate) fn sam(&self) -> Result<Command> {
        let mut sam = self.command("sam")?;
        sam.env("SAM_CLI_TELEMETRY", "0");
        Ok(sam)
    }
}

/// Runs a command to its end, which has to be a good one.
pub(crate) fn done(command: &mut Command) -> Result<()> {
    let name = command.get_program().display().to_string();
    let status = command.status().with_context(|| format!("`{name}` does not start"))?;
    ensure!(status.success(), "`{name}` failed with {status}");
    Ok(())
}
