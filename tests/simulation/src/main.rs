//! `simulation --seed N [--trace]` or `simulation --seeds A..B`: runs the simulation, and says how to see a failure again.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use shadowkey_simulation::{Coverage, Options, Report, run, shrink};

/// Runs seeded simulations of the worker.
#[derive(Parser)]
struct Arguments {
    /// One seed, reported at length.
    #[arg(long, conflicts_with = "seeds")]
    seed: Option<u64>,
    /// Seeds from A to before B, given as A..B.
    #[arg(long, default_value = "0..200", value_parser = seeds)]
    seeds: std::ops::Range<u64>,
    /// Prints every step of the one seed.
    #[arg(long, requires = "seed")]
    trace: bool,
    /// The most operations the writers do.
    #[arg(long)]
    steps: Option<usize>,
    /// How many threads the seeds are split among; each runs seeds of its own.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Stops at the first seed that fails.
    #[arg(long)]
    first: bool,
    /// Fails if a fault or a branch was never met.
    #[arg(long)]
    covered: bool,
}

fn seeds(text: &str) -> Result<std::ops::Range<u64>> {
    let (from, to) = text.split_once("..").context("seeds are given as A..B")?;
    let range = from.parse()?..to.parse()?;
    ensure!(!range.is_empty(), "the range is empty");
    Ok(range)
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let passed = match arguments.seed {
        Some(seed) => one(seed, &arguments),
        None => many(&arguments),
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(seed: u64, arguments: &Arguments) -> bool {
    let options = Options {
        steps: arguments.steps,
        trace: arguments.trace,
    };
    let report = run(seed, options);
    if let Some(trace) = &report.trace {
        print!("{trace}");
    }
    println!("seed {seed}: {}", report.size);
    match &report.violation {
        Some(violation) => println!("FAILED {violation}"),
        None => println!("passed"),
    }
    report.violation.is_none()
}

fn many(arguments: &Arguments) -> bool {
    let started = Instant::now();
    let next = AtomicU64::new(arguments.seeds.start);
    let total: Mutex<(Coverage, Vec<Report>, u64)> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..arguments.threads.max(1) {
            scope.spawn(|| {
                let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < arguments.seeds.end);
                while let Some(seed) = take() {
                    let options = Options {
                        steps: arguments.steps,
                        trace: false,
                    };
                    let report = run(seed, options);
                    let mut total = total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    total.0 += &report.coverage;
                    total.2 += report.steps;
                    if report.violation.is_some() {
                        total.1.push(report);
                        if arguments.first {
                            next.store(arguments.seeds.end, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    let (coverage, mut failed, steps) = total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    failed.sort_by_key(|report| report.seed);
    if arguments.first
        && let Some(report) = failed.first()
    {
        println!(
            "seed {} ({}): {}",
            report.seed,
            report.size,
            report.violation.as_deref().unwrap_or_default()
        );
        return false;
    }
    print!("{coverage}");
    let count = arguments.seeds.end - arguments.seeds.start;
    println!(
        "seeds {:?}: {count} runs, {steps} steps, {:.1} s, {} failed",
        arguments.seeds,
        started.elapsed().as_secs_f64(),
        failed.len()
    );
    let missing = coverage.missing();
    for event in &missing {
        println!("never met: {}", event.name());
    }
    report_failures(failed) && (missing.is_empty() || !arguments.covered)
}

/// Prints each failure's seed, and the first one cut down; whether there was none.
fn report_failures(failed: Vec<Report>) -> bool {
    for report in &failed {
        let violation = report.violation.as_deref().unwrap_or_default();
        println!("seed {} ({}): {violation}", report.seed, report.size);
    }
    let Some(first) = failed.into_iter().next() else {
        return true;
    };
    let shortest = shrink(first);
    println!(
        "shortest: {}: {}\nsee it again with: cargo xtask sim --seed {} --steps {} --trace",
        shortest.size,
        shortest.violation.as_deref().unwrap_or_default(),
        shortest.seed,
        shortest.operations
    );
    false
}
