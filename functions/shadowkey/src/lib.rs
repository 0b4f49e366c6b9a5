//! The operator's CLI: `check`, `render`, `decode`, `key`, `explain`, `filters`, `replay`,
//! `dev`, `record`, `parked` and `redrive`.
//!
//! [`run`] is the whole program but for the process around it. What a command answers goes to `out`, and what it has to
//! say besides goes to `notices`, so that JSON stands alone on stdout.

mod arguments;
mod check;
mod decode;
mod deployed;
mod dev;
mod error;
mod explain;
mod files;
mod filters;
mod follow;
mod key;
mod outcome;
mod parked;
mod query;
mod record;
mod redrive;
mod render;
mod replay;
mod views;

use std::ffi::OsString;
use std::io::Write;

use clap::Parser;
use shadowkey_store::with_causes;

use crate::arguments::{Arguments, Command};

/// Where a command writes.
pub struct Console<'a> {
    /// Its answer.
    pub out: &'a mut dyn Write,
    /// Everything else.
    pub notices: &'a mut dyn Write,
    /// Whether both are read by a person on a terminal with colours.
    pub color: bool,
}

/// Runs one command line, the program's name first, and gives its exit code: 0 good; 1 an error finding, something parked,
/// or a batch item failure; 2 bad usage.
pub async fn run(arguments: impl IntoIterator<Item = OsString>, console: &mut Console<'_>) -> u8 {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            let text = error.render();
            let text = if console.color {
                text.ansi().to_string()
            } else {
                text.to_string()
            };
            let sink = if error.use_stderr() {
                &mut *console.notices
            } else {
                &mut *console.out
            };
            // Nothing is left to be said to a reader who has gone away.
            let _ = sink.write_all(text.as_bytes());
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    let result = match arguments.command {
        Command::Check(options) => check::check(&options, console).await,
        Command::Render(options) => render::render(&options, console),
        Command::Decode(options) => decode::decode(&options, console),
        Command::Key(options) => key::key(&options, console),
        Command::Explain(options) => explain::explain(&options, console),
        Command::Filters(options) => filters::filters(&options, console),
        Command::Replay(options) => replay::replay(options, console).await,
        Command::Dev(options) => dev::dev(options, console).await,
        Command::Record(options) => record::record(options, console).await,
        Command::Parked(command) => parked::parked(&command, console).await,
        Command::Redrive(options) => redrive::redrive(&options, console).await,
    };
    result.unwrap_or_else(|error| {
        let _ = writeln!(console.notices, "error: {}", with_causes(&error));
        error.exit_code()
    })
}
