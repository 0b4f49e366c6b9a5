//! The process around the CLI.

use std::io::{IsTerminal, stderr, stdout};
use std::process::ExitCode;

use shadowkey::{Console, run};
use tracing_subscriber::EnvFilter;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    // Silent unless RUST_LOG asks: what a person needs to know is in the answer.
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("off"));
    tracing_subscriber::fmt()
        .with_writer(stderr)
        .with_env_filter(filter)
        .init();
    let mut console = Console {
        out: &mut stdout(),
        notices: &mut stderr(),
        color: stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
    };
    ExitCode::from(run(std::env::args_os(), &mut console).await)
}
