//! Programs that run beside a chore and end with it.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

/// How long a program may take until its port is open: it may have to build first.
const PATIENCE: Duration = Duration::from_secs(600);
/// How often to look whether it is.
const POLL: Duration = Duration::from_millis(500);

/// The programs; they are stopped, with what they started, when this is dropped.
#[derive(Default)]
pub(crate) struct Running(Vec<Child>);

impl Running {
    /// Starts a program and waits until it accepts connections on its port.
    pub(crate) fn start(&mut self, mut command: Command, port: u16) -> Result<()> {
        let name = command.get_program().display().to_string();
        ensure!(
            !is_open(port),
            "port {port} is in use already, so that `{name}` cannot open it"
        );
        let child = command.process_group(0).spawn();
        self.0.push(child.with_context(|| format!("`{name}` does not start"))?);
        let child = self.0.last_mut().context("it was just added")?;
        let mut waited = Duration::ZERO;
        while !is_open(port) {
            if let Some(status) = child.try_wait()? {
                bail!("`{name}` ended with {status} before port {port} was open");
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
            // The whole process group: a program's own children would outlive it.
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-TERM", "--", &group]).status();
            let _ = child.wait();
        }
    }
}

/// A port of this machine on which nothing listens now.
pub(crate) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free")?;
    Ok(listener.local_addr()?.port())
}

fn is_open(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_ends_is_noticed() {
        let mut command = Command::new("false");
        command.current_dir("/");
        assert!(Running::default().start(command, 1).is_err());
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let error = Running::default().start(Command::new("no-such-program"), 1);
        assert!(error.is_err_and(|error| error.to_string().contains("no-such-program")));
    }
}
