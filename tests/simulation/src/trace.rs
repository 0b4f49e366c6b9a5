//! What happened, line by line.

use std::fmt::Write;

/// The lines of a run, if they are wanted.
#[derive(Debug, Default)]
pub(crate) struct Trace(Option<String>);

impl Trace {
    pub(crate) fn new(wanted: bool) -> Self {
        Self(wanted.then(String::new))
    }

    /// Adds a line, which is made only if it is wanted.
    pub(crate) fn line(&mut self, step: u64, line: impl FnOnce() -> String) {
        if let Some(text) = &mut self.0 {
            let _ = writeln!(text, "{step:>5} {}", line());
        }
    }

    pub(crate) fn into_text(self) -> Option<String> {
        self.0
    }
}
