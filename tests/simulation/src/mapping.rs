//! Lambda's event source mapping, by its documented rules.
//!
//! One batch of a shard is under way at a time. A response that names a record moves the checkpoint there and the rest is
//! delivered again. An error or a timeout fails the whole batch, which is then split where the mapping bisects; a split
//! does not count as a retry. What fails more often than the mapping retries goes to the failure destination, and
//! delivery goes on behind it. A shard's children are read once the shard is finished.
//!
//! Source: "Using Lambda with DynamoDB Streams", "Configuring partial batch response" and "Retain discarded records" in
//! the AWS Lambda developer guide.

use std::rc::Rc;

use shadowkey_worker::{Outcome, Worker, WorkerError};

use crate::Event;
use crate::audit;
use crate::desk::{ActorId, Ready, SimStore};
use crate::invocation::{Ended, invoke};
use crate::profile::Mode;
use crate::sim::Sim;
use crate::stream::{Record, event};

/// A consumer of the stream: an event source mapping and its function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Consumer {
    pub(crate) number: usize,
    pub(crate) weight: u32,
}

/// Records that are delivered together, and how often they were.
struct Batch {
    records: Vec<Rc<Record>>,
    failures: u32,
}

/// What became of a delivery.
enum Delivered {
    Done,
    /// From this place in the batch on it is to come again.
    From(usize),
    Failed,
}

/// Reads a shard to its end, and then its children.
pub(crate) async fn consume(sim: Rc<Sim>, consumer: Consumer, shard: usize) {
    let actor = sim.actor(format!("consumer {} shard {shard}", consumer.number), consumer.weight);
    let worker = sim.worker(actor);
    let mut from = 0;
    loop {
        sim.turn(actor, Ready::Records { shard, from }).await;
        if sim.profile.mode == Mode::ConsumerStops && sim.faults.get() && sim.chance(40) {
            sim.cover(Event::ConsumerStopped);
            sim.note(|| format!("{} stops for good", sim.name(actor)));
            return;
        }
        let (records, children) = next_batch(&sim, shard, from);
        if records.is_empty() {
            for child in children {
                let task: std::pin::Pin<Box<dyn Future<Output = ()>>> =
                    Box::pin(consume(Rc::clone(&sim), consumer, child));
                sim.spawn(task);
            }
            return;
        }
        from += records.len();
        deliver_all(&sim, actor, &worker, records).await;
    }
}

fn next_batch(sim: &Sim, shard: usize, from: usize) -> (Vec<Rc<Record>>, Vec<usize>) {
    let size = sim.draw(|rng| rng.usize(1..=sim.profile.rules.batch_size));
    let tables = sim.tables();
    let shard = tables.stream.shards.get(shard).expect("a shard that exists");
    let records = shard.records.iter().skip(from).take(size).cloned().collect();
    (records, shard.children.clone())
}

/// Delivers a batch, and what it is split into, until it is done or given up.
async fn deliver_all(sim: &Rc<Sim>, actor: ActorId, worker: &Worker<SimStore>, records: Vec<Rc<Record>>) {
    let rules = &sim.profile.rules;
    let mut open = vec![Batch { records, failures: 0 }];
    let mut first = true;
    while let Some(mut batch) = open.pop() {
        if !first {
            sim.turn(actor, Ready::Always).await;
        }
        first = false;
        match deliver(sim, actor, worker, &batch.records).await {
            Delivered::Done => {
                sim.cover(Event::BatchDone);
                continue;
            }
            Delivered::From(place) => {
                sim.cover(Event::BatchPartial);
                batch.records.drain(..place);
            }
            Delivered::Failed => {
                sim.cover(Event::BatchFailed);
                if rules.bisect && batch.records.len() > 1 && !is_used_up(rules.retries, batch.failures) {
                    sim.cover(Event::BatchBisected);
                    let second = batch.records.split_off(batch.records.len() / 2);
                    let failures = batch.failures;
                    open.push(Batch {
                        records: second,
                        failures,
                    });
                    open.push(batch);
                    continue;
                }
            }
        }
        if is_used_up(rules.retries, batch.failures) {
            sim.cover(Event::BatchGivenUp);
            sim.note(|| format!("{} gives up on {} records", sim.name(actor), batch.records.len()));
            let sources = batch.records.iter().map(|record| &record.key);
            sim.auditor.borrow_mut().gave_up(sources);
            sim.destination.borrow_mut().add(batch.records);
        } else {
            batch.failures += 1;
            open.push(batch);
        }
    }
}

fn is_used_up(retries: Option<u32>, failures: u32) -> bool {
    retries.is_some_and(|retries| failures >= retries)
}

/// Invokes the function once.
async fn deliver(sim: &Rc<Sim>, actor: ActorId, worker: &Worker<SimStore>, records: &[Rc<Record>]) -> Delivered {
    sim.note(|| {
        let numbers: Vec<&str> = records.iter().map(|record| record.number.as_str()).collect();
        format!("{} invoked with {}", sim.name(actor), numbers.join(" "))
    });
    let event = event(records);
    let timeout = sim.profile.rules.timeout;
    let (ended, running) = invoke(sim, actor, timeout, async |deadline| {
        worker.handle(&event, Some(deadline)).await
    })
    .await;
    match ended {
        Ended::Answered(Ok(outcome)) => {
            let failed = outcome.earliest_failed.as_ref().map(ToString::to_string);
            sim.note(|| {
                format!(
                    "{} answers, failed from {failed:?}: {:?}",
                    sim.name(actor),
                    problems(&outcome)
                )
            });
            audit::outcome(sim, &outcome, records, &running);
            match failed {
                None => Delivered::Done,
                Some(number) => match records.iter().position(|record| record.number == number) {
                    Some(place) => Delivered::From(place),
                    None => {
                        sim.violate(format!("the response names `{number}`, which was not delivered"));
                        Delivered::Failed
                    }
                },
            }
        }
        Ended::Answered(Err(error)) => {
            sim.note(|| format!("{} fails: {error}", sim.name(actor)));
            if !matches!(error, WorkerError::Halted(_) | WorkerError::NoTime { .. }) {
                sim.violate(format!("the whole batch failed: {error}"));
            }
            Delivered::Failed
        }
        Ended::TimedOut => {
            sim.cover(Event::BatchTimeout);
            sim.note(|| format!("{} runs out of time", sim.name(actor)));
            Delivered::Failed
        }
        Ended::Crashed => {
            sim.cover(Event::BatchCrash);
            Delivered::Failed
        }
    }
}

pub(crate) fn problems(outcome: &Outcome) -> Vec<String> {
    let problems = outcome.items.iter().flat_map(|item| &item.problems);
    problems
        .map(|problem| format!("{} {:?} {:?}", problem.code, problem.cause, problem.view))
        .collect()
}
