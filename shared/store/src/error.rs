//! Why a store did not answer, and what follows from it.

use shadowkey_item::TableName;

/// The engine's own error, kept for the log.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// What to do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// It may succeed later: try again.
    Retry,
    /// It cannot succeed: set the change aside with its reason.
    Park,
    /// Nothing can succeed: stop loudly.
    Halt,
}

/// Why an operation on a table failed; a refused condition is not among the reasons.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The table's or the account's capacity is used up for the moment.
    #[error("{operation} on table `{table}` was throttled; raise its capacity or its limits if this lasts")]
    Throttled {
        /// The API operation.
        operation: &'static str,
        /// The table.
        table: TableName,
        /// The engine's own error.
        #[source]
        cause: Cause,
    },
    /// A transaction holds the item.
    #[error("{operation} on table `{table}` met a transaction on the same item")]
    Conflict {
        /// The API operation.
        operation: &'static str,
        /// The table.
        table: TableName,
        /// The engine's own error.
        #[source]
        cause: Cause,
    },
    /// No answer, or an internal error: the effect is unknown.
    #[error("{operation} on table `{table}` got no answer")]
    Unavailable {
        /// The API operation.
        operation: &'static str,
        /// The table.
        table: TableName,
        /// The engine's own error.
        #[source]
        cause: Cause,
    },
    /// The service refuses the request for good.
    #[error("{operation} on table `{table}` was rejected: {message}")]
    Rejected {
        /// The API operation.
        operation: &'static str,
        /// The table.
        table: TableName,
        /// What the service says.
        message: String,
        /// The engine's own error.
        #[source]
        cause: Cause,
    },
    /// There is no such table.
    #[error("{operation}: there is no table `{table}` (physical name `{physical}`); check its name and region")]
    NoTable {
        /// The API operation.
        operation: &'static str,
        /// The table.
        table: TableName,
        /// The name asked for.
        physical: String,
        /// The engine's own error.
        #[source]
        cause: Cause,
    },
    /// The credentials do not allow the operation, or there are none.
    #[error("{operation} on table `{table}` is not permitted; check the credentials and the policy")]
    NotPermitted {
        /// The API operation.
        operation: &'static str,
        /// The table.
        table: TableName,
        /// The engine's own error.
        #[source]
        cause: Cause,
    },
}

impl StoreError {
    /// What to do about it.
    pub fn disposition(&self) -> Disposition {
        match self {
            Self::Throttled { .. } | Self::Conflict { .. } | Self::Unavailable { .. } => Disposition::Retry,
            Self::Rejected { .. } => Disposition::Park,
            Self::NoTable { .. } | Self::NotPermitted { .. } => Disposition::Halt,
        }
    }
}

/// An error's message with those of its causes, each said once.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        cause = error.source();
    }
    text
}
