//! An event source mapping, by Lambda's rules.
//!
//! "How Lambda processes records from stream and queue-based event sources" and "Configuring partial batch response with
//! DynamoDB" in the Lambda developer guide: a batch is delivered until it succeeds, at least once; the response names
//! records that failed, and the batch is delivered again from the lowest of them; an error, an item identifier that is none
//! or a process that dies fails the whole batch. With a parallelization factor, the records of one item keep their order
//! and those of others do not wait for them.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use fastrand::Rng;
use serde_json::{Value, json};
use shadowkey_store_dynamodb::{ATTEMPT_TIMEOUT, StreamReader};
use tokio::time::sleep;

use crate::function::{Answer, Function};
use crate::point::Point;
use crate::world::{Tally, World};

/// The parallelization factor.
pub(crate) const LANES: usize = 2;
/// The batch size.
const BATCH: usize = 40;
/// The function's timeout.
const TIMEOUT: Duration = Duration::from_secs(30);
/// What the function keeps free before its deadline.
const MARGIN: Duration = Duration::from_secs(ATTEMPT_TIMEOUT.as_secs() + 2);

/// The records that were read from the stream and not dealt with yet, by lane.
pub(crate) struct Stream {
    reader: tokio::sync::Mutex<StreamReader>,
    lanes: [RefCell<VecDeque<Value>>; LANES],
    unread: Cell<usize>,
}

impl Stream {
    pub(crate) async fn open(world: &World) -> Self {
        let name = &world.physical_names()[&world.views.physical_name_variable(&world.views.table().name)];
        let reader = StreamReader::open(&world.connection, name).await.expect("stream");
        Self {
            reader: tokio::sync::Mutex::new(reader),
            lanes: Default::default(),
            unread: Cell::new(0),
        }
    }

    /// Notes that the application has changed an item.
    pub(crate) fn changed(&self) {
        self.unread.set(self.unread.get() + 1);
    }

    /// How many records wait. Whoever writes on without end also keeps a reader from ever coming to the stream's end.
    pub(crate) fn backlog(&self) -> usize {
        let read: usize = self.lanes.iter().map(|lane| lane.borrow().len()).sum();
        read + self.unread.get()
    }

    /// Reads what has come in.
    async fn poll(&self) {
        // One lane's records are never overtaken by what another has read later.
        let mut reader = self.reader.lock().await;
        for record in reader.read_available().await.expect("records") {
            self.lanes[lane_of(&record)].borrow_mut().push_back(record);
        }
        self.unread.set(0);
    }
}

fn lane_of(record: &Value) -> usize {
    let mut hasher = DefaultHasher::new();
    record["dynamodb"]["Keys"].to_string().hash(&mut hasher);
    usize::from(hasher.finish() % 2 == 1)
}

/// One of the mapping's lanes, with a process of the function at a time.
pub(crate) struct Lane<'a> {
    world: &'a World,
    stream: &'a Stream,
    records: &'a RefCell<VecDeque<Value>>,
    rng: Rng,
}

impl<'a> Lane<'a> {
    pub(crate) fn new(world: &'a World, stream: &'a Stream, number: usize, rng: Rng) -> Self {
        let records = &stream.lanes[number];
        Self {
            world,
            stream,
            records,
            rng,
        }
    }

    /// Delivers to one process after the other, each killed at a point of its own, until enough were.
    pub(crate) async fn run(&mut self) {
        while !self.world.is_over() {
            let point = Point::random(&mut self.rng);
            let mut function = Function::start(self.world, point).await;
            while !self.world.is_over() && !function.is_dead() {
                if self.records.borrow().len() < BATCH {
                    self.stream.poll().await;
                }
                self.step(&mut function).await;
            }
            if function.is_dead() {
                self.world.tally.kill(point.kind());
            }
            function.bury().await;
        }
    }

    /// Delivers all that is left to one process, and says whether there was anything.
    pub(crate) async fn drain(&mut self) -> bool {
        self.stream.poll().await;
        if self.records.borrow().is_empty() {
            return false;
        }
        let mut function = Function::start(self.world, Point::Never).await;
        while !self.records.borrow().is_empty() {
            self.step(&mut function).await;
            self.stream.poll().await;
        }
        function.bury().await;
        true
    }

    /// Delivers a batch, if there is one.
    async fn step(&mut self, function: &mut Function) {
        // A poller that takes over from another cuts its batches elsewhere.
        let size = self.rng.usize(1..=BATCH);
        let batch: Vec<Value> = self.records.borrow().iter().take(size).cloned().collect();
        if batch.is_empty() {
            return sleep(Duration::from_millis(2)).await;
        }
        let within = self.time();
        let answer = function.invoke(&json!({"Records": batch}), within).await;
        let mut done = delivered(&answer, &batch, &self.world.tally);
        // And it begins where the last checkpoint was, of which it may not have heard.
        if done > 0 && self.rng.u32(0..10) == 0 {
            self.world.tally.count("checkpoint lost");
            done = self.rng.usize(0..done);
        }
        self.records.borrow_mut().drain(..done);
    }

    /// The time that is left to an invocation: often no more than some of a batch takes.
    fn time(&mut self) -> Duration {
        match self.rng.u32(0..3) {
            0 => MARGIN + Duration::from_millis(self.rng.u64(0..40)),
            _ => TIMEOUT,
        }
    }
}

/// How many records of a batch need not be delivered again.
fn delivered(answer: &Answer, batch: &[Value], tally: &Tally) -> usize {
    let response = match answer {
        Answer::Response(response) => response,
        Answer::Error(error) => {
            let message = error["errorMessage"].as_str().unwrap_or_default();
            assert!(message.starts_with("the function's time ends in"), "{error}");
            tally.count("batch failed");
            return 0;
        }
        Answer::Death => {
            tally.count("batch interrupted");
            return 0;
        }
    };
    let failures = response["batchItemFailures"].as_array().cloned().unwrap_or_default();
    if failures.is_empty() {
        tally.count("batch done");
        return batch.len();
    }
    tally.count("batch failed in part");
    let position = |failure: &Value| {
        let number = &failure["itemIdentifier"];
        batch
            .iter()
            .position(|record| record["dynamodb"]["SequenceNumber"] == *number)
    };
    let positions: Option<Vec<usize>> = failures.iter().map(position).collect();
    positions.into_iter().flatten().min().unwrap_or(0)
}
