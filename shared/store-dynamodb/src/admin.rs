//! Making tables, for the embedded engine and for tests.

use std::time::Duration;

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, IndexStatus, KeySchemaElement, KeyType,
    LocalSecondaryIndex, Projection, ProjectionType, ScalarAttributeType, StreamSpecification, StreamViewType,
    TableDescription, TableStatus,
};
use shadowkey_item::{IndexDefinition, IndexKind, IndexProjection, KeySchema, ScalarType, TableDefinition};
use shadowkey_store::{Cause, Disposition};

use crate::{Connection, Failure};

/// How long to wait between two looks at a table that is coming up.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// How many looks to take: five minutes in all, where the service takes seconds.
const POLLS: u32 = 600;

/// Whether a table has a change stream; one that has carries both images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeStream {
    /// It has none.
    Off,
    /// It has one, of type NEW_AND_OLD_IMAGES.
    On,
}

/// Whether the table was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// It was made.
    New,
    /// A table of this name was there; it was not compared with the definition.
    AlreadyThere,
}

/// Why there is no table to use.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The definition is not one of a table.
    #[error("the definition of table `{table}` cannot be put in a request")]
    Definition {
        /// The physical name.
        table: String,
        /// What the SDK says.
        #[source]
        cause: BuildError,
    },
    /// The service did not do it.
    #[error("{operation} on table `{table}` {failure}")]
    Service {
        /// The API operation.
        operation: &'static str,
        /// The physical name.
        table: String,
        /// The kind of failure.
        failure: Failure,
        /// The SDK's own error.
        #[source]
        cause: Cause,
    },
    /// The table does not come up.
    #[error("table `{table}` is still not active after {} seconds; look at its status in the console", waited.as_secs())]
    NotActive {
        /// The physical name.
        table: String,
        /// How long it was waited for.
        waited: Duration,
    },
}

impl AdminError {
    /// What to do about it.
    pub fn disposition(&self) -> Disposition {
        match self {
            Self::Definition { .. } => Disposition::Halt,
            Self::Service { failure, .. } => failure.disposition(),
            Self::NotActive { .. } => Disposition::Retry,
        }
    }
}

/// Makes a table with its declared indexes, billed on demand, and waits until it and they are active.
///
/// A table that exists already is left as it is.
pub async fn create_table(
    connection: &Connection,
    physical: &str,
    definition: &TableDefinition,
    stream: ChangeStream,
) -> Result<Created, AdminError> {
    let request = describe(connection, physical, definition, stream).map_err(|cause| AdminError::Definition {
        table: physical.to_owned(),
        cause,
    })?;
    let created = match request.send().await {
        Ok(_) => Created::New,
        Err(error)
            if error
                .as_service_error()
                .is_some_and(|e| e.is_resource_in_use_exception()) =>
        {
            Created::AlreadyThere
        }
        Err(error) => return Err(service_error("CreateTable", physical, error)),
    };
    for _ in 0..POLLS {
        if is_active(connection, physical).await? {
            return Ok(created);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    Err(AdminError::NotActive {
        table: physical.to_owned(),
        waited: POLL_INTERVAL.saturating_mul(POLLS),
    })
}

async fn is_active(connection: &Connection, physical: &str) -> Result<bool, AdminError> {
    let answer = connection.dynamodb().describe_table().table_name(physical).send().await;
    match answer {
        Ok(answer) => Ok(answer.table.as_ref().is_some_and(all_active)),
        // A table that was just made may not be known everywhere yet.
        Err(error) if Failure::from(&error) == Failure::NotFound => Ok(false),
        Err(error) => Err(service_error("DescribeTable", physical, error)),
    }
}

fn all_active(table: &TableDescription) -> bool {
    let usable = |status: &TableStatus| matches!(status, TableStatus::Active | TableStatus::Updating);
    table.table_status().is_some_and(usable)
        && table
            .global_secondary_indexes()
            .iter()
            .all(|index| index.index_status() == Some(&IndexStatus::Active))
}

fn describe(
    connection: &Connection,
    physical: &str,
    definition: &TableDefinition,
    stream: ChangeStream,
) -> Result<CreateTableFluentBuilder, BuildError> {
    let mut request = connection
        .dynamodb()
        .create_table()
        .table_name(physical)
        .billing_mode(BillingMode::PayPerRequest)
        .set_key_schema(Some(key_schema(&definition.key)?));
    for attribute in definition.key_attributes() {
        let kind = match attribute.kind {
            ScalarType::S => ScalarAttributeType::S,
            ScalarType::N => ScalarAttributeType::N,
            ScalarType::B => ScalarAttributeType::B,
        };
        let attribute = AttributeDefinition::builder()
            .attribute_name(&attribute.name)
            .attribute_type(kind);
        request = request.attribute_definitions(attribute.build()?);
    }
    for index in &definition.indexes {
        request = with_index(request, index)?;
    }
    Ok(match stream {
        ChangeStream::Off => request,
        ChangeStream::On => request.stream_specification(
            StreamSpecification::builder()
                .stream_enabled(true)
                .stream_view_type(StreamViewType::NewAndOldImages)
                .build()?,
        ),
    })
}

fn with_index(
    request: CreateTableFluentBuilder,
    index: &IndexDefinition,
) -> Result<CreateTableFluentBuilder, BuildError> {
    let key = Some(key_schema(&index.key)?);
    let projection = projection(&index.projection);
    Ok(match index.kind {
        IndexKind::Global => request.global_secondary_indexes(
            GlobalSecondaryIndex::builder()
                .index_name(&index.name)
                .set_key_schema(key)
                .projection(projection)
                .build()?,
        ),
        IndexKind::Local => request.local_secondary_indexes(
            LocalSecondaryIndex::builder()
                .index_name(&index.name)
                .set_key_schema(key)
                .projection(projection)
                .build()?,
        ),
    })
}

fn key_schema(key: &KeySchema) -> Result<Vec<KeySchemaElement>, BuildError> {
    key.attributes()
        .zip([KeyType::Hash, KeyType::Range])
        .map(|(attribute, kind)| {
            KeySchemaElement::builder()
                .attribute_name(&attribute.name)
                .key_type(kind)
                .build()
        })
        .collect()
}

fn projection(projection: &IndexProjection) -> Projection {
    let kind = match projection {
        IndexProjection::Keys => ProjectionType::KeysOnly,
        IndexProjection::All => ProjectionType::All,
        IndexProjection::Include(_) => ProjectionType::Include,
    };
    let attributes = match projection {
        IndexProjection::Include(names) => Some(names.clone()),
        IndexProjection::Keys | IndexProjection::All => None,
    };
    Projection::builder()
        .projection_type(kind)
        .set_non_key_attributes(attributes)
        .build()
}

pub(crate) fn service_error<E>(operation: &'static str, physical: &str, error: SdkError<E, HttpResponse>) -> AdminError
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    AdminError::Service {
        operation,
        table: physical.to_owned(),
        failure: Failure::from(&error),
        cause: Box::new(error),
    }
}
