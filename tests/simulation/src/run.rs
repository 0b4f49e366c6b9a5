//! One run from its seed to its report.

use std::rc::Rc;

use tokio::runtime::Builder;
use tokio::task::LocalSet;

use crate::backfill::{backfill, retry_parked};
use crate::driver::until_quiet;
use crate::mapping::{Consumer, consume};
use crate::profile::{Mode, Profile};
use crate::redrive::redrive;
use crate::settle::{repair, settle};
use crate::sim::Sim;
use crate::trace::Trace;
use crate::writer::write;
use crate::{Coverage, Event, audit};

/// What is wanted of a run besides its verdict.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The most operations the writers do; a run of the same seed with fewer is the same at first.
    pub steps: Option<usize>,
    /// Whether the report has a trace.
    pub trace: bool,
}

/// What came of a run.
#[derive(Debug)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// World, kind and sizes, in words.
    pub size: String,
    /// How many operations the writers did.
    pub operations: usize,
    /// How many steps the driver took.
    pub steps: u64,
    /// The first promise that was broken.
    pub violation: Option<String>,
    /// What happened how often.
    pub coverage: Coverage,
    /// Every step, if wanted.
    pub trace: Option<String>,
}

/// Runs a seed to its end, on a runtime of its own.
pub fn run(seed: u64, options: Options) -> Report {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut profile = Profile::draw(&mut rng);
    if let Some(most) = options.steps {
        profile.operations = profile.operations.min(most);
    }
    let sim = Rc::new(Sim::new(profile, rng, Trace::new(options.trace)));
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let tasks = LocalSet::new();
    tasks.block_on(&runtime.expect("a runtime without I/O"), play(&sim));
    drop(tasks);
    let tables = sim.tables();
    let records: usize = tables.stream.shards.iter().map(|shard| shard.records.len()).sum();
    Report {
        seed,
        size: size(&sim.profile, records, sim.step.get()),
        operations: sim.profile.operations,
        steps: sim.step.get(),
        violation: sim.violation(),
        coverage: sim.coverage.borrow().clone(),
        trace: sim.trace.take().into_text(),
    }
}

/// The shortest run of a failing seed that still fails, found by halving the writers' operations.
pub fn shrink(failed: Report) -> Report {
    let mut shortest = failed;
    loop {
        let steps = shortest.operations / 2;
        let options = Options {
            steps: Some(steps),
            trace: false,
        };
        let shorter = run(shortest.seed, options);
        if steps == 0 || shorter.violation.is_none() {
            return shortest;
        }
        shortest = shorter;
    }
}

fn size(profile: &Profile, records: usize, steps: u64) -> String {
    format!(
        "{} {:?}{}{}{}, {} operations, {records} records, {steps} steps",
        profile.world.name,
        profile.mode,
        if profile.crowd { " in a crowd" } else { "" },
        if profile.state { "" } else { " without state table" },
        if profile.transactional { " in transactions" } else { "" },
        profile.operations,
    )
}

async fn play(sim: &Rc<Sim>) {
    count_kind(sim);
    sim.note(|| size(&sim.profile, 0, 0));
    start(sim);
    until_quiet(sim).await;
    if !sim.is_over() {
        settle(sim).await;
    }
    // A transaction that comes late does not land.
    let is_harmless = sim.profile.transactional && sim.profile.mode == Mode::LateRequests;
    if sim.profile.mode.is_broken() && !is_harmless && !sim.is_over() {
        repair(sim).await;
    }
    fail_with_panics(sim).await;
    if !sim.is_over() {
        audit::at_rest(sim);
    }
    // What still waits is not needed any more; dropping it wakes nobody.
    for task in sim.tasks.take() {
        task.abort();
    }
}

fn start(sim: &Rc<Sim>) {
    sim.spawn(write(Rc::clone(sim)));
    let second = sim.profile.second_consumer.then(|| sim.draw(|rng| rng.u32(1..10)));
    let first = if sim.profile.crowd { 3 } else { 10 };
    let consumers = std::iter::once(first).chain(second).enumerate();
    for (number, weight) in consumers {
        for shard in 0..usize::try_from(sim.profile.shards).unwrap_or(1) {
            sim.spawn(consume(Rc::clone(sim), Consumer { number, weight }, shard));
        }
    }
    sim.spawn(redrive(Rc::clone(sim)));
    for number in 0..sim.profile.backfills {
        sim.spawn(backfill(Rc::clone(sim), number));
    }
    if sim.profile.parked_retries > 0 {
        sim.spawn(retry_parked(Rc::clone(sim)));
    }
}

/// A task that panicked has not said so yet.
async fn fail_with_panics(sim: &Rc<Sim>) {
    for task in sim.tasks.take() {
        if !task.is_finished() {
            task.abort();
        } else if let Err(error) = task.await
            && error.is_panic()
        {
            sim.violate(format!("panic: {error}"));
        }
    }
}

fn count_kind(sim: &Sim) {
    let profile = &sim.profile;
    sim.cover(match profile.mode {
        Mode::Calm => Event::RunCalm,
        Mode::Storm => Event::RunStorm,
        Mode::ConsumerStops | Mode::LateRequests => Event::RunBroken,
    });
    sim.cover(if profile.state {
        Event::RunWithState
    } else {
        Event::RunWithoutState
    });
    if profile.transactional {
        sim.cover(Event::RunInTransactions);
    }
    if profile.second_consumer {
        sim.cover(Event::ConsumerSecond);
    }
}
