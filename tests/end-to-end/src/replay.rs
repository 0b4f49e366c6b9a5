//! `shadowkey replay`, called as a function.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;
use shadowkey::Console;

/// What a replay answered.
#[derive(Debug)]
pub struct Replay {
    /// The exit code.
    pub exit: u8,
    /// The JSON on stdout.
    pub output: Value,
}

impl Replay {
    /// Replays events on the engine at `endpoint_url`, with the view file and the base items of `folder`.
    pub(crate) async fn run(folder: &Path, events: Vec<PathBuf>, endpoint_url: &str, options: &[&str]) -> Result<Self> {
        let mut arguments: Vec<OsString> = vec!["shadowkey".into(), "replay".into()];
        arguments.extend(["--views".into(), folder.join("views.toml").into()]);
        arguments.extend(["--base".into(), folder.join("base.jsonl").into()]);
        arguments.extend(["--endpoint-url", endpoint_url, "--format", "json"].map(OsString::from));
        arguments.extend(options.iter().map(OsString::from));
        arguments.extend(events.into_iter().map(OsString::from));
        let (mut out, mut notices) = (Vec::new(), Vec::new());
        let mut console = Console {
            out: &mut out,
            notices: &mut notices,
            color: false,
        };
        let exit = shadowkey::run(arguments, &mut console).await;
        let notices = String::from_utf8_lossy(&notices);
        Ok(Self {
            exit,
            output: serde_json::from_slice(&out).with_context(|| format!("exit code {exit}: {notices}"))?,
        })
    }
}
