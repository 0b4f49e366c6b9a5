//! What an error of the SDK means.

use std::fmt;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use shadowkey_item::TableName;
use shadowkey_store::{Cause, Disposition, StoreError};

/// Why the service did not do what it was asked.
///
/// Source: "Error handling with DynamoDB" in the developer guide, and the lists of errors in the API references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Capacity or a rate limit is used up for the moment.
    Throttled,
    /// Another request holds the item.
    Conflict,
    /// No answer, or an internal error.
    Unavailable,
    /// The service refuses the request for good.
    Rejected,
    /// What the request names does not exist.
    NotFound,
    /// The credentials do not allow it, or there are none.
    NotPermitted,
}

impl Failure {
    /// What to do about it.
    pub fn disposition(self) -> Disposition {
        match self {
            Self::Throttled | Self::Conflict | Self::Unavailable => Disposition::Retry,
            Self::Rejected => Disposition::Park,
            Self::NotFound | Self::NotPermitted => Disposition::Halt,
        }
    }

    /// What an error response means, by its code and HTTP status.
    fn of_response(code: Option<&str>, status: u16) -> Self {
        match code.unwrap_or_default() {
            "ProvisionedThroughputExceededException"
            | "ThrottlingException"
            | "Throttling"
            | "ThrottlingError"
            | "ProvisionedThroughputExceeded"
            | "RequestLimitExceeded"
            | "LimitExceededException" => Self::Throttled,
            "TransactionConflictException"
            | "TransactionConflict"
            | "TransactionInProgressException"
            | "TransactionCanceledException"
            | "ReplicatedWriteConflictException" => Self::Conflict,
            "ResourceInUseException" | "RequestTimeout" | "RequestTimeoutException" => Self::Unavailable,
            "ResourceNotFoundException" | "TableNotFoundException" => Self::NotFound,
            "AccessDeniedException"
            | "AccessDenied"
            | "UnrecognizedClientException"
            | "InvalidClientTokenId"
            | "InvalidSignatureException"
            | "IncompleteSignatureException"
            | "MissingAuthenticationTokenException"
            | "MissingAuthenticationToken"
            | "ExpiredTokenException"
            | "ExpiredToken"
            | "NotAuthorized"
            | "OptInRequired" => Self::NotPermitted,
            _ => Self::of_status(status),
        }
    }

    fn of_status(status: u16) -> Self {
        match status {
            401 | 403 => Self::NotPermitted,
            408 => Self::Unavailable,
            429 => Self::Throttled,
            400..=499 => Self::Rejected,
            _ => Self::Unavailable,
        }
    }
}

impl<E: ProvideErrorMetadata> From<&SdkError<E, HttpResponse>> for Failure {
    fn from(error: &SdkError<E, HttpResponse>) -> Self {
        match error {
            SdkError::ServiceError(context) => Self::of_response(context.err().code(), context.raw().status().as_u16()),
            SdkError::ResponseError(context) => match Self::of_status(context.raw().status().as_u16()) {
                // A body that cannot be read says nothing about the request.
                Self::Rejected => Self::Unavailable,
                other => other,
            },
            // The request could not be built from what was given.
            SdkError::ConstructionFailure(_) => Self::Rejected,
            // Neither a timeout nor a broken connection: nothing was sent, since it could not be signed.
            SdkError::DispatchFailure(failure) if failure.is_other() => Self::NotPermitted,
            _ => Self::Unavailable,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Throttled => "was throttled",
            Self::Conflict => "met another request on the same item",
            Self::Unavailable => "got no answer",
            Self::Rejected => "was rejected",
            Self::NotFound => "names something that does not exist; check the name and the region",
            Self::NotPermitted => "is not permitted; check the credentials and the policy",
        })
    }
}

/// One request to a table, for its errors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) operation: &'static str,
    pub(crate) table: &'a TableName,
    pub(crate) physical: &'a str,
}

impl Request<'_> {
    /// The store's error for an error of the SDK.
    pub(crate) fn failed<E>(self, error: SdkError<E, HttpResponse>) -> StoreError
    where
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        let message = error.message().unwrap_or("the request could not be built").to_owned();
        self.error(Failure::from(&error), message, Box::new(error))
    }

    /// The store's error for an item that is not one by DynamoDB's own rules.
    pub(crate) fn unreadable(self, error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
        self.error(Failure::Rejected, error.to_string(), Box::new(error))
    }

    /// The store's error for one action of a transaction, by the code of its cancellation reason.
    ///
    /// Source: `TransactWriteItems` in the API reference. What a code that is not known there means, nobody can say, so the
    /// effect is unknown.
    pub(crate) fn cancelled(self, code: &str, message: &str) -> StoreError {
        let failure = match code {
            "ItemCollectionSizeLimitExceeded" | "ValidationError" | "DuplicateItem" => Failure::Rejected,
            code => Failure::of_response(Some(code), 500),
        };
        self.error(failure, message.to_owned(), format!("{code}: {message}").into())
    }

    fn error(self, failure: Failure, message: String, cause: Cause) -> StoreError {
        let Self {
            operation, physical, ..
        } = self;
        let table = self.table.clone();
        match failure {
            Failure::Throttled => StoreError::Throttled {
                operation,
                table,
                cause,
            },
            Failure::Conflict => StoreError::Conflict {
                operation,
                table,
                cause,
            },
            Failure::Unavailable => StoreError::Unavailable {
                operation,
                table,
                cause,
            },
            Failure::Rejected => StoreError::Rejected {
                operation,
                table,
                message,
                cause,
            },
            Failure::NotFound => StoreError::NoTable {
                operation,
                table,
                physical: physical.to_owned(),
                cause,
            },
            Failure::NotPermitted => StoreError::NotPermitted {
                operation,
                table,
                cause,
            },
        }
    }
}

#[cfg(test)]
mod tests;
