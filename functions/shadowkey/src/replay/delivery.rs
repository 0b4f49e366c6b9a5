//! Delivering batches as Lambda does, and the worker's own writes after each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lambda_runtime::{Context, LambdaEvent};
use maintain::{handle, response, system_clock};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use shadowkey_item::{Item, Key, SequenceNumber, TableDefinition, TableName, item_to_json};
use shadowkey_store_dynamodb::{Connection, DynamoStore, StreamReader};
use shadowkey_stream::{Record, decode};
use shadowkey_views::Views;
use shadowkey_worker::{Counters, Outcome, Problem, Settings, Worker, WorkerError};

use crate::error::CommandError;
use crate::replay::batches::Batch;
use crate::replay::report::{Delivered, Report, TableContents};
use crate::replay::tables;

/// How many rounds the worker's own writes may take to cause no more: one, and one to see that it was the last.
const ECHO_ROUNDS: usize = 2;

/// A replay under way.
pub(crate) struct Replay {
    worker: Worker<DynamoStore>,
    stream: StreamReader,
    batches: Vec<Delivered>,
    counters: Counters,
    touched: Vec<Item>,
    /// The tables that the view file declares.
    printed: Vec<TableDefinition>,
    undecided: BTreeMap<Key, Vec<Problem>>,
    highest: Option<SequenceNumber>,
    /// The numbers of the files' own records, which the worker's writes must not get.
    taken: BTreeSet<SequenceNumber>,
}

impl Replay {
    /// Makes the tables under their physical names, loads the base items, and stands behind them in the stream.
    pub(crate) async fn start(
        connection: &Connection,
        views: Views,
        physical: BTreeMap<TableName, String>,
        base: Vec<Item>,
        taken: BTreeSet<SequenceNumber>,
    ) -> Result<Self, CommandError> {
        let printed = views.tables();
        let views = views.or_state_table();
        tables::create(connection, &views, &physical).await?;
        let table = views.table().name.clone();
        let stream_of = physical.get(&table).cloned().unwrap_or_default();
        let store = DynamoStore::new(connection, physical);
        for item in base {
            tables::put(&store, &table, item).await?;
        }
        Ok(Self {
            worker: Worker::new(views, store, Settings::default(), system_clock()),
            stream: StreamReader::open(connection, &stream_of).await?,
            batches: Vec::new(),
            counters: Counters::default(),
            touched: Vec::new(),
            printed,
            undecided: BTreeMap::new(),
            highest: None,
            taken,
        })
    }

    /// Does to the base table what the batch says, delivers it as that table's stream would show it, and gives it back so.
    pub(crate) async fn deliver(&mut self, mut batch: Batch) -> Result<Batch, CommandError> {
        for record in self.readable(&batch)? {
            let kept = tables::apply(self.worker.store(), self.worker.views(), &record).await?;
            if let Some(raw) = batch.records.get_mut(record.position).filter(|_| !kept.is_empty()) {
                complete(raw, &kept);
            }
            self.touched.push(record.key.attributes().clone());
            self.highest = self.highest.take().max(record.sequence_number);
        }
        self.deliver_again(&batch).await?;
        Ok(batch)
    }

    /// Delivers a batch, once more from a failure on, and then the worker's own writes until nothing changes.
    pub(crate) async fn deliver_again(&mut self, batch: &Batch) -> Result<(), CommandError> {
        // What the base table's own writes left in the stream is not the worker's.
        self.stream.read_available().await?;
        let mut delivered = self.invoke(batch).await?;
        if let Some(from) = delivered.retry_from(batch) {
            delivered = self.invoke(&batch.clone().suffix(from)).await?;
        }
        self.batches.push(delivered);
        let arn = batch.records.iter().rev().find_map(|record| arn_of(record));
        for round in 0.. {
            let written = self.stream.read_available().await?;
            if written.is_empty() {
                break;
            }
            if round == ECHO_ROUNDS {
                return Err(CommandError::Unsettled {
                    path: batch.file.clone(),
                    rounds: round,
                });
            }
            let echo = self.echo(&batch.file, arn.as_deref(), written);
            for record in self.readable(&echo)? {
                self.touched.push(record.key.attributes().clone());
            }
            let echoed = self.invoke(&echo).await?;
            if echoed.is_failure() {
                self.batches.push(echoed);
            }
        }
        Ok(())
    }

    /// Hands a batch to the function's handler.
    async fn invoke(&mut self, batch: &Batch) -> Result<Delivered, CommandError> {
        let result = handle(&self.worker, lambda_event(&batch.event(), &batch.file)?).await;
        match result {
            Ok(outcome) => {
                self.take(&outcome);
                let response = serde_json::to_value(response(&outcome)).unwrap_or_default();
                Ok(Delivered::new(&batch.file, response, outcome))
            }
            // The whole batch failed by itself; it is delivered again and then given up like any other.
            Err(error @ WorkerError::Unreportable { .. }) => {
                let response = json!({ "errorMessage": error.to_string() });
                Ok(Delivered::whole_batch(&batch.file, response))
            }
            Err(source) => Err(CommandError::Worker {
                path: batch.file.clone(),
                source,
            }),
        }
    }

    fn take(&mut self, outcome: &Outcome) {
        self.counters += outcome.counters;
        for item in &outcome.items {
            let undecided = if item.is_done() {
                Vec::new()
            } else {
                item.problems.clone()
            };
            self.undecided.insert(item.key.clone(), undecided);
        }
    }

    /// The worker's writes as records that follow those of the file, in the same stream.
    fn echo(&mut self, file: &Path, arn: Option<&str>, written: Vec<Value>) -> Batch {
        let records = written.into_iter().map(|mut record| {
            let mut later = std::iter::successors(self.highest.clone(), SequenceNumber::successor).skip(1);
            let next = later.find(|number| !self.taken.contains(number));
            replace(&mut record, "/eventSourceARN", arn);
            replace(
                &mut record,
                "/dynamodb/SequenceNumber",
                next.as_ref().map(SequenceNumber::as_str),
            );
            self.highest = next.or(self.highest.take());
            to_raw_value(&record)
        });
        Batch {
            file: file.to_owned(),
            records: records.flatten().collect(),
        }
    }

    /// The records of a batch that can be read.
    fn readable(&self, batch: &Batch) -> Result<Vec<Record>, CommandError> {
        let decoded =
            decode(&batch.event(), &self.worker.views().table().key, None).map_err(|source| CommandError::Worker {
                path: batch.file.clone(),
                source: source.into(),
            })?;
        Ok(decoded.into_iter().flatten().collect())
    }

    /// Reads all tables, and says what happened.
    pub(crate) async fn report(self) -> Result<Report, CommandError> {
        let views = self.worker.views();
        let parked = self.worker.parked().await.map_err(CommandError::Run)?;
        let mut tables = Vec::new();
        for definition in self.printed {
            let items = tables::scan(self.worker.store(), &definition).await?;
            tables.push(TableContents { definition, items });
        }
        Ok(Report {
            source: views.table().name.clone(),
            attributes: views
                .attribute_views()
                .iter()
                .map(|view| view.attribute().to_owned())
                .collect(),
            tables,
            batches: self.batches,
            parked,
            counters: self.counters,
            touched: self.touched,
            undecided: self.undecided.into_values().flatten().collect(),
        })
    }
}

/// Puts a text in the place of another, where there is one to put.
fn replace(record: &mut Value, pointer: &str, text: Option<&str>) {
    if let (Some(place), Some(text)) = (record.pointer_mut(pointer), text) {
        *place = text.into();
    }
}

fn arn_of(record: &RawValue) -> Option<String> {
    let record: Value = serde_json::from_str(record.get()).ok()?;
    record.get("eventSourceARN")?.as_str().map(str::to_owned)
}

/// The event as Lambda hands it over, with a day's time.
fn lambda_event(event: &str, file: &Path) -> Result<LambdaEvent<Box<RawValue>>, CommandError> {
    let payload = RawValue::from_string(event.to_owned()).map_err(|source| CommandError::NotJson {
        path: file.to_owned(),
        line: source.line(),
        column: source.column(),
        source,
    })?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut context = Context::default();
    context.deadline = u64::try_from((now + Duration::from_hours(24)).as_millis()).unwrap_or(u64::MAX);
    Ok(LambdaEvent::new(payload, context))
}

/// Adds the attributes that the table kept to a record's images.
fn complete(raw: &mut Box<RawValue>, kept: &Item) {
    let Ok(mut record) = serde_json::from_str::<Value>(raw.get()) else {
        return;
    };
    for pointer in ["/dynamodb/OldImage", "/dynamodb/NewImage"] {
        if let Some(image) = record.pointer_mut(pointer).and_then(Value::as_object_mut) {
            let kept = item_to_json(kept);
            image.extend(kept.as_object().cloned().unwrap_or_default());
        }
    }
    if let Ok(completed) = to_raw_value(&record) {
        *raw = completed;
    }
}
