//! `readme`: the commands of README.md, run in their order, so that the page stays true.
//!
//! Every block that is marked `sh` runs to its end and has to succeed. One marked `sh background=PORT` goes on running while
//! the rest of the page does; the next block starts once the port accepts connections.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

/// How long a background block may take until its port is open: it may have to build first.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often to look whether it is.
const POLL: Duration = Duration::from_millis(500);

/// A block of commands.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    commands: String,
    background: Option<u16>,
}

/// Runs the blocks of the README in the workspace's folder.
pub(crate) fn run(root: &Path) -> Result<()> {
    let page = fs::read_to_string(root.join("README.md")).context("reading README.md")?;
    let blocks = blocks(&page)?;
    ensure!(!blocks.is_empty(), "README.md has no block marked `sh`");
    let mut running = Running(Vec::new());
    for block in &blocks {
        eprintln!("\n{}", block.commands.trim_end());
        let mut command = Command::new("bash");
        command
            .args(["-euo", "pipefail", "-c", &block.commands])
            .current_dir(root);
        match block.background {
            Some(port) => running.start(command, port)?,
            None => {
                let status = command.status().context("bash does not start")?;
                ensure!(status.success(), "a block of README.md failed with {status}");
            }
        }
    }
    Ok(())
}

fn blocks(page: &str) -> Result<Vec<Block>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(marks) = line.strip_prefix("```") else {
            continue;
        };
        let commands: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
        let mut marks = marks.split_whitespace();
        if marks.next() != Some("sh") {
            continue;
        }
        let background = match marks.next().map(|mark| mark.strip_prefix("background=")) {
            None => None,
            Some(Some(port)) => Some(port.parse().with_context(|| format!("`{port}` is not a port"))?),
            Some(None) => bail!("a block is marked `{line}`; `sh` and `sh background=PORT` are known"),
        };
        blocks.push(Block {
            commands: commands.join("\n") + "\n",
            background,
        });
    }
    Ok(blocks)
}

/// The background blocks; they are stopped, with what they started, when the page is through.
struct Running(Vec<Child>);

impl Running {
    fn start(&mut self, mut command: Command, port: u16) -> Result<()> {
        ensure!(
            !is_open(port),
            "port {port} is in use already, so the block that opens it cannot be run"
        );
        let child = command.process_group(0).spawn().context("bash does not start")?;
        self.0.push(child);
        let child = self.0.last_mut().context("it was just added")?;
        let mut waited = Duration::ZERO;
        while !is_open(port) {
            if let Some(status) = child.try_wait()? {
                bail!("a background block of README.md ended with {status}");
            }
            ensure!(
                waited < PATIENCE,
                "port {port} is not open after {} s",
                waited.as_secs()
            );
            sleep(POLL);
            waited += POLL;
        }
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // The whole process group: a block's own children would outlive it.
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
            let _ = child.wait();
        }
    }
}

fn is_open(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_commands_are_found_and_others_are_not() {
        let page = "a\n```sh\none\ntwo\n```\n```toml\nx = 1\n```\n```sh background=80\nthree\n```\n";
        let block = |commands: &str, background| Block {
            commands: commands.to_owned(),
            background,
        };
        assert_eq!(
            blocks(page).expect("blocks"),
            [block("one\ntwo\n", None), block("three\n", Some(80))]
        );
        assert!(blocks("```sh later\nx\n```\n").is_err());
        assert!(blocks("```sh background=x\nx\n```\n").is_err());
    }

    #[test]
    fn a_background_block_that_ends_is_noticed() {
        let mut running = Running(Vec::new());
        let mut command = Command::new("false");
        command.current_dir("/");
        assert!(running.start(command, 1).is_err());
    }
}
