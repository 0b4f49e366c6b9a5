//! `redrive`: every item of batches that Lambda gave up, reconciled.

use std::path::Path;

use serde_json::{Value, json};
use shadowkey_store::with_causes;
use shadowkey_store_dynamodb::{Connection, DynamoStore, read_range};
use shadowkey_stream::{GivenUp, given_up};
use shadowkey_worker::{Counters, Outcome, Worker};

use crate::arguments::{Format, RedriveOptions};
use crate::error::CommandError;
use crate::outcome::{failed_items, item_json, item_lines};
use crate::{Console, deployed, files};

pub(crate) async fn redrive(options: &RedriveOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let views = files::views(&options.common.views, console.color)?;
    // Every file is looked at before anything is done for one of them.
    let batches: Vec<_> = options.files.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let connection = deployed::connect(&options.connection).await?;
    let worker = deployed::worker(&connection, views);
    let mut report = Report::default();
    for (path, batch) in batches {
        match handle(&connection, &worker, batch).await {
            Ok(outcome) => report.add(path, outcome),
            Err(error) => report.fail(path, with_causes(&error)),
        }
    }
    match options.common.format {
        Format::Json => writeln!(console.out, "{}", report.to_json())?,
        Format::Text => write!(console.out, "{}", report.to_text())?,
    }
    Ok(u8::from(report.is_bad()))
}

fn read(path: &Path) -> Result<(&Path, GivenUp), CommandError> {
    match given_up(&files::text(path)?) {
        Ok(batch) => Ok((path, batch)),
        Err(source) => Err(CommandError::NotGivenUp {
            path: path.to_owned(),
            source,
        }),
    }
}

async fn handle(
    connection: &Connection,
    worker: &Worker<DynamoStore>,
    batch: GivenUp,
) -> Result<Outcome, CommandError> {
    let event = match batch {
        GivenUp::Event(event) => event,
        GivenUp::Range(range) => {
            let records = read_range(connection, &range.stream_arn, &range.shard, &range.numbers).await?;
            json!({ "Records": records }).to_string()
        }
    };
    let redriven = worker.redrive(&event, &deployed::run_id("redrive"), None).await;
    redriven.map_err(CommandError::Run)
}

/// What became of the files, each with its items.
#[derive(Default)]
struct Report<'a> {
    redriven: Vec<(&'a Path, Outcome)>,
    failed: Vec<(&'a Path, String)>,
    counters: Counters,
}

impl<'a> Report<'a> {
    fn add(&mut self, path: &'a Path, outcome: Outcome) {
        self.counters += outcome.counters;
        if let (Some(number), None) = (&outcome.earliest_failed, failed_items(&outcome).next()) {
            let message = format!(
                "a record at {number}, or the one behind it, cannot be read, and not even its item's key: `verify --repair` finds \
                 what it leaves open"
            );
            self.fail(path, message);
        }
        self.redriven.push((path, outcome));
    }

    fn fail(&mut self, path: &'a Path, message: String) {
        self.failed.push((path, message));
    }

    /// Whether something is not done, or parked.
    fn is_bad(&self) -> bool {
        let mut items = self.redriven.iter().flat_map(|(_, outcome)| &outcome.items);
        !self.failed.is_empty() || items.any(|item| !item.problems.is_empty())
    }

    fn to_json(&self) -> Value {
        let items = self.redriven.iter().flat_map(|(path, outcome)| {
            outcome.items.iter().map(move |item| {
                let mut json = item_json(item);
                if let Some(fields) = json.as_object_mut() {
                    fields.insert("file".to_owned(), path.to_string_lossy().into());
                }
                json
            })
        });
        let failed = self
            .failed
            .iter()
            .map(|(path, message)| json!({ "file": path, "message": message }));
        json!({
            "items": items.collect::<Vec<_>>(),
            "failed": failed.collect::<Vec<_>>(),
            "counters": self.counters,
        })
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        for (path, outcome) in &self.redriven {
            let done = outcome.items.iter().filter(|item| item.problems.is_empty()).count();
            text += &format!("{}: {done} of {} items done\n", path.display(), outcome.items.len());
            text.extend(outcome.items.iter().map(item_lines));
        }
        for (path, message) in &self.failed {
            text += &format!("failed {}: {message}\n", path.display());
        }
        text
    }
}
