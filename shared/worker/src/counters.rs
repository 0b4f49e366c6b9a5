//! What an invocation did, in numbers.

use std::ops::AddAssign;

/// Counts of one invocation, or of several added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counters {
    /// Records received, shadows' own included.
    pub records: u64,
    /// Changes of source items that the records make.
    pub changes: u64,
    /// Changes that needed no request.
    pub unchanged: u64,
    /// Puts that took effect.
    pub puts: u64,
    /// Deletes that took effect.
    pub deletes: u64,
    /// Updates that took effect.
    pub updates: u64,
    /// Writes whose condition did not hold.
    pub refused: u64,
    /// Items reconciled.
    pub reconciled: u64,
    /// Views of items that cannot be derived or written for good.
    pub parked: u64,
    /// Requests sent again after a transient error.
    pub retried: u64,
    /// Requests sent.
    pub requests: u64,
    /// Write capacity consumed by the writes that took effect, in write units.
    pub write_units: u64,
    /// Source items that carry a shadow's marker, because an application wrote back what it had read.
    pub written_back: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.records += other.records;
        self.changes += other.changes;
        self.unchanged += other.unchanged;
        self.puts += other.puts;
        self.deletes += other.deletes;
        self.updates += other.updates;
        self.refused += other.refused;
        self.reconciled += other.reconciled;
        self.parked += other.parked;
        self.retried += other.retried;
        self.requests += other.requests;
        self.write_units += other.write_units;
        self.written_back += other.written_back;
    }
}
