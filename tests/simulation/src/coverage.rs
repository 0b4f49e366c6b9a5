//! How often what happened: every fault, every branch of the worker that shows at the port, every kind of run.

use std::fmt;
use std::ops::AddAssign;

macro_rules! events {
    ($($event:ident = $name:literal),* $(,)?) => {
        /// Something that a run may meet, and some run has to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each event's words are in its name")]
        pub enum Event { $($event),* }

        impl Event {
            /// Every event.
            pub const ALL: &'static [Self] = &[$(Self::$event),*];

            /// The event in words.
            pub fn name(self) -> &'static str {
                match self { $(Self::$event => $name),* }
            }
        }
    };
}

events! {
    RunCalm = "run: calm, one change at a time",
    RunStorm = "run: within the assumptions",
    RunBroken = "run: an assumption broken, then repaired",
    RunWithState = "run: with a state table",
    RunWithoutState = "run: without a state table",
    RunInTransactions = "run: in transactions",
    WriterPut = "writer: put",
    WriterUpdate = "writer: update",
    WriterDelete = "writer: delete",
    WriterCreate = "writer: create",
    WriterAba = "writer: A, B, A",
    WriterUnchanged = "writer: a write that changes nothing",
    WriterSwap = "writer: hand over from one item to another",
    WriterWriteBack = "writer: write back a shadow as an item",
    WriterIntrude = "writer: an item of others at a shadow's place",
    WriterRetreat = "writer: that item removed",
    StreamSplit = "stream: shard split",
    StreamLonger = "stream: numbers of two lengths",
    BatchDone = "lambda: batch done",
    BatchPartial = "lambda: retried from the reported record",
    BatchFailed = "lambda: whole batch retried",
    BatchBisected = "lambda: bisected",
    BatchTimeout = "lambda: function timed out",
    BatchCrash = "lambda: function crashed",
    BatchGivenUp = "lambda: records to the failure destination",
    ConsumerSecond = "lambda: a second consumer",
    ConsumerStopped = "lambda: a consumer stopped for good",
    FaultThrottled = "fault: throttled",
    FaultConflict = "fault: conflict",
    FaultUnavailable = "fault: no answer, no effect",
    FaultLostAnswer = "fault: no answer, but effect",
    FaultRead = "fault: read failed",
    FaultHalt = "fault: not permitted or no table",
    FaultRejected = "fault: refused for good",
    FaultCrashBefore = "fault: crash before a call",
    FaultCrashAfter = "fault: crash after a call",
    FaultAbandoned = "fault: a call of a dead invocation without effect",
    FaultAbandonedDone = "fault: a call of a dead invocation with effect",
    FaultLate = "fault: a call takes effect late",
    PutCreates = "apply: put creates",
    PutReplaces = "apply: put replaces its older self",
    PutTakesOver = "apply: put takes another source's place over",
    PutFollows = "apply: put takes another view's place",
    PutRefusedSame = "apply: put refused, same version",
    PutRefusedHigher = "apply: put refused, higher version",
    PutRefusedLower = "apply: put refused, lower version",
    PutRefusedClaimed = "apply: put refused, another source's shadow",
    PutRefusedForeign = "apply: put refused, another deployment's shadow",
    PutRefusedApplication = "apply: put refused, the application's item",
    DeleteDone = "apply: delete removes",
    DeleteRefusedAbsent = "apply: delete refused, absent",
    DeleteRefusedOther = "apply: delete refused, not its own",
    DeleteRefusedNewer = "apply: delete refused, same or higher version",
    UpdateDone = "apply: update",
    UpdateRefusedChanged = "apply: update refused, item changed",
    UpdateRefusedGone = "apply: update refused, item gone",
    TransactionDone = "transaction: committed",
    TransactionCancelled = "transaction: cancelled",
    TransactionMoved = "transaction: cancelled, the source item moved on",
    ReadSource = "reconcile: source read",
    ReadShadow = "reconcile: shadow read",
    StateRead = "state: read",
    StateWritten = "state: written",
    StateRefused = "state: refused",
    RedriveDone = "redrive: object done",
    RedriveFailed = "redrive: object kept",
    RedriveCrash = "redrive: crash",
    BackfillDone = "backfill: page done",
    BackfillFailed = "backfill: page failed",
    BackfillCrash = "backfill: crash",
    RetryDone = "parked retry: done",
    RetryFailed = "parked retry: failed",
    RetryCrash = "parked retry: crash",
    ParkedAtEnd = "end: parked entries",
    ReconciledItem = "outcome: item reconciled",
    ParkedView = "outcome: view parked",
    UnchangedChange = "outcome: change without request",
    Echo = "outcome: own records without request",
}

/// Counts of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coverage([u64; Event::ALL.len()]);

impl Default for Coverage {
    fn default() -> Self {
        Self([0; Event::ALL.len()])
    }
}

impl Coverage {
    /// Counts an event so many times.
    pub fn add(&mut self, event: Event, times: u64) {
        if let Some(count) = self.0.get_mut(event as usize) {
            *count += times;
        }
    }

    /// How often the event happened.
    pub fn count(&self, event: Event) -> u64 {
        self.0.get(event as usize).copied().unwrap_or(0)
    }

    /// What never happened.
    pub fn missing(&self) -> Vec<Event> {
        let all = Event::ALL.iter().copied();
        all.filter(|event| self.count(*event) == 0).collect()
    }
}

impl AddAssign<&Coverage> for Coverage {
    fn add_assign(&mut self, other: &Self) {
        for (count, more) in self.0.iter_mut().zip(&other.0) {
            *count += more;
        }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Event::ALL
            .iter()
            .try_for_each(|event| writeln!(f, "{:>10}  {}", self.count(*event), event.name()))
    }
}
