//! `record`: a live stream into event files that `replay` takes.

mod redact;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use shadowkey_store_dynamodb::Follower;

use crate::arguments::{Format, RecordOptions};
use crate::error::CommandError;
use crate::follow::{Consumer, Stop, check_stream, follow};
use crate::record::redact::Redactor;
use crate::{Console, deployed, files};

/// The pause between two looks at a stream that has nothing new. The service answers five a second at each shard, and Lambda
/// takes four of them.
const PACE: Duration = Duration::from_secs(1);

pub(crate) async fn record(options: RecordOptions, console: &mut Console<'_>) -> Result<u8, CommandError> {
    let redactor = match (&options.views, options.redact) {
        (_, false) => None,
        (None, true) => Some(Redactor::new(&[].into(), fastrand::u64(..))),
        (Some(path), true) => {
            let views = files::views(path, console.color)?;
            Some(Redactor::new(&views.literals(), fastrand::u64(..)))
        }
    };
    let connection = deployed::connect(&options.connection).await?;
    check_stream(&connection, &options.table).await?;
    let mut follower = Follower::open(&connection, &options.table, options.from.start(), PACE).await?;
    prepare(&options.out)?;
    let mut recorder = Recorder {
        folder: options.out,
        batch_size: usize::try_from(options.batch_size).unwrap_or(usize::MAX),
        redactor,
        files: Vec::new(),
        records: 0,
    };
    let stop = Stop::at_interrupt_or_after(options.time).await;
    writeln!(console.notices, "recording {}; stop with Ctrl-C", follower.stream_arn())?;
    follow(&mut follower, stop, &mut recorder, console).await?;
    let Recorder {
        folder, files, records, ..
    } = recorder;
    match options.format {
        Format::Json => writeln!(console.out, "{}", json!({ "files": files, "records": records }))?,
        Format::Text => writeln!(
            console.out,
            "{records} records in {} files of {}",
            files.len(),
            folder.display()
        )?,
    }
    Ok(0)
}

/// Makes the folder, which has no event files yet: a replay takes them all for one recording.
fn prepare(folder: &Path) -> Result<(), CommandError> {
    let unwritable = |source| CommandError::Unwritable {
        path: folder.to_owned(),
        source,
    };
    fs::create_dir_all(folder).map_err(unwritable)?;
    for entry in fs::read_dir(folder).map_err(unwritable)? {
        let path = entry.map_err(unwritable)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            return Err(CommandError::AlreadyRecorded { path });
        }
    }
    Ok(())
}

/// Writes records into files, each a Lambda event.
struct Recorder {
    folder: PathBuf,
    batch_size: usize,
    redactor: Option<Redactor>,
    files: Vec<PathBuf>,
    records: usize,
}

impl Consumer for Recorder {
    async fn take(&mut self, mut records: Vec<Value>, console: &mut Console<'_>) -> Result<(), CommandError> {
        if let Some(redactor) = &mut self.redactor {
            for record in &mut records {
                redactor.record(record)?;
            }
        }
        for batch in records.chunks(self.batch_size) {
            let path = self.folder.join(format!("{:06}.json", self.files.len() + 1));
            let written = fs::write(&path, event(batch));
            written.map_err(|source| CommandError::Unwritable {
                path: path.clone(),
                source,
            })?;
            writeln!(console.notices, "{}: {} records", path.display(), batch.len())?;
            self.records += batch.len();
            self.files.push(path);
        }
        Ok(())
    }
}

/// A Lambda event with a record on each line.
fn event(records: &[Value]) -> String {
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    format!("{{\"Records\": [\n{}\n]}}\n", lines.join(",\n"))
}
