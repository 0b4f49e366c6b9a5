//! Cutting event files into the batches that are delivered.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

use serde_json::Value;
use serde_json::value::RawValue;
use shadowkey_item::SequenceNumber;

use crate::arguments::ReplayOptions;
use crate::error::CommandError;
use crate::files;

/// Records of one file that are delivered together.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    pub(crate) file: PathBuf,
    pub(crate) records: Vec<Box<RawValue>>,
}

impl Batch {
    /// The batch from one of its records on.
    pub(crate) fn suffix(mut self, from: usize) -> Self {
        self.records.drain(..from.min(self.records.len()));
        self
    }

    /// The Lambda event.
    pub(crate) fn event(&self) -> String {
        let records: Vec<&str> = self.records.iter().map(|record| record.get()).collect();
        format!("{{\"Records\":[{}]}}", records.join(","))
    }
}

/// The batches of all files, in their order.
pub(crate) struct Batches {
    files: VecDeque<Batch>,
    size: usize,
    random: Option<fastrand::Rng>,
}

impl Batches {
    pub(crate) fn read(options: &ReplayOptions) -> Result<Self, CommandError> {
        let files = options.events.iter().map(|file| {
            let records = files::records(file)?;
            Ok(Batch {
                file: file.clone(),
                records,
            })
        });
        Ok(Self {
            files: files.collect::<Result<_, CommandError>>()?,
            size: options
                .batch_size
                .map_or(usize::MAX, |size| usize::try_from(size).unwrap_or(usize::MAX)),
            random: options.seed.map(fastrand::Rng::with_seed),
        })
    }

    /// The sequence numbers of all records.
    pub(crate) fn numbers(&self) -> BTreeSet<SequenceNumber> {
        let records = self.files.iter().flat_map(|file| &file.records);
        records.filter_map(|record| sequence_number(record)).collect()
    }

    /// How many records are still to be delivered.
    pub(crate) fn records(&self) -> u64 {
        let records: usize = self.files.iter().map(|file| file.records.len()).sum();
        u64::try_from(records).unwrap_or(u64::MAX)
    }

    /// The next batch: what is left of a file, up to the batch size, or up to a random size.
    pub(crate) fn next(&mut self) -> Option<Batch> {
        let front = self.files.front_mut()?;
        let left = front.records.len().min(self.size);
        let size = match &mut self.random {
            Some(random) if left > 0 => random.usize(1..=left),
            _ => left,
        };
        if size == front.records.len() {
            return self.files.pop_front();
        }
        let rest = front.records.split_off(size);
        Some(Batch {
            file: front.file.clone(),
            records: std::mem::replace(&mut front.records, rest),
        })
    }

    /// What is delivered again of a batch: all of it, or the part from a random record on.
    pub(crate) fn duplicate_of(&mut self, batch: Batch) -> Batch {
        let from = match &mut self.random {
            Some(random) if !batch.records.is_empty() => random.usize(0..batch.records.len()),
            _ => 0,
        };
        batch.suffix(from)
    }
}

/// The sequence number of a record, if it has one.
pub(crate) fn sequence_number(record: &RawValue) -> Option<SequenceNumber> {
    number_of(&serde_json::from_str(record.get()).ok()?)
}

/// The sequence number of a record, if it has one.
pub(crate) fn number_of(record: &Value) -> Option<SequenceNumber> {
    let number = record.pointer("/dynamodb/SequenceNumber")?;
    SequenceNumber::parse(number.as_str()?).ok()
}
