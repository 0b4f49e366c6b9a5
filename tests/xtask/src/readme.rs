//! `readme`: the commands of README.md, run in their order, so that the page stays true.
//!
//! Every block that is marked `sh` runs to its end and has to succeed. One marked `sh background=PORT` goes on running while
//! the rest of the page does; the next block starts once the port accepts connections.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::background::Running;

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
    let mut running = Running::default();
    for block in &blocks {
        eprintln!("\n{}", block.commands.trim_end());
        let mut command = Command::new("bash");
        command
            .args(["-euo", "pipefail", "-c", &block.commands])
            // As a release the functions would take minutes longer.
            .env("SHADOWKEY_BUILD_PROFILE", "rehearsal")
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
}
