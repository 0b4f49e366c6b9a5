//! The store over the DynamoDB API.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue as SdkValue, ConsumedCapacity, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
};
use shadowkey_item::{Item, Key, TableName};
use shadowkey_plan::{Action, Delete, Put, Update};
use shadowkey_store::{Page, Store, StoreError, Transacted, Written};

use crate::Connection;
use crate::error::Request;
use crate::expression::Placeholders;
use crate::transaction::{to_sdk_action, transacted};
use crate::wire::{from_sdk, to_sdk};

/// The tables of one deployment in DynamoDB.
#[derive(Debug, Clone)]
pub struct DynamoStore {
    client: Client,
    physical: BTreeMap<TableName, String>,
}

/// The deployment gives no physical name for the table.
#[derive(Debug, thiserror::Error)]
#[error("the configuration gives no physical name for this table")]
struct NoPhysicalName;

impl DynamoStore {
    /// A store with these tables, each by the name it has in DynamoDB.
    pub fn new(connection: &Connection, physical: BTreeMap<TableName, String>) -> Self {
        Self {
            client: connection.dynamodb().clone(),
            physical,
        }
    }

    fn request<'a>(&'a self, operation: &'static str, table: &'a TableName) -> Result<Request<'a>, StoreError> {
        match self.physical.get(table) {
            Some(physical) => Ok(Request {
                operation,
                table,
                physical,
            }),
            None => Err(StoreError::NoTable {
                operation,
                table: table.clone(),
                physical: table.to_string(),
                cause: Box::new(NoPhysicalName),
            }),
        }
    }
}

impl Store for DynamoStore {
    async fn get(&self, table: &TableName, key: &Key) -> Result<Option<Item>, StoreError> {
        let request = self.request("GetItem", table)?;
        let answer = self
            .client
            .get_item()
            .table_name(request.physical)
            .set_key(Some(to_sdk(key.attributes())))
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| request.failed(error))?;
        from_sdk(answer.item).map_err(|error| request.unreadable(error))
    }

    async fn put(&self, put: &Put) -> Result<Written, StoreError> {
        let request = self.request("PutItem", &put.table)?;
        let mut placeholders = Placeholders::default();
        let answer = self
            .client
            .put_item()
            .table_name(request.physical)
            .set_item(Some(to_sdk(&put.item)))
            .set_condition_expression(placeholders.condition(&put.condition))
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.into_values())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await;
        written(request, answer, |answer| answer.consumed_capacity())
    }

    async fn update(&self, update: &Update) -> Result<Written, StoreError> {
        let request = self.request("UpdateItem", &update.table)?;
        let mut placeholders = Placeholders::default();
        let answer = self
            .client
            .update_item()
            .table_name(request.physical)
            .set_key(Some(to_sdk(update.key.attributes())))
            .set_update_expression(placeholders.update(update))
            .set_condition_expression(placeholders.condition(&update.condition))
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.into_values())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await;
        written(request, answer, |answer| answer.consumed_capacity())
    }

    async fn delete(&self, delete: &Delete) -> Result<Written, StoreError> {
        let request = self.request("DeleteItem", &delete.table)?;
        let mut placeholders = Placeholders::default();
        let answer = self
            .client
            .delete_item()
            .table_name(request.physical)
            .set_key(Some(to_sdk(delete.key.attributes())))
            .set_condition_expression(placeholders.condition(&delete.condition))
            .set_expression_attribute_names(placeholders.names())
            .set_expression_attribute_values(placeholders.into_values())
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await;
        written(request, answer, |answer| answer.consumed_capacity())
    }

    async fn transact(&self, actions: &[Action]) -> Result<Transacted, StoreError> {
        let requests = actions
            .iter()
            .map(|action| self.request(action.operation(), action.table()));
        let requests: Vec<Request<'_>> = requests.collect::<Result<_, _>>()?;
        let Some(first) = requests.first() else {
            return Ok(Transacted::Done { write_units: 0 });
        };
        let whole = Request {
            operation: "TransactWriteItems",
            ..*first
        };
        let items = actions.iter().zip(&requests);
        let items = items.map(|(action, request)| to_sdk_action(action, request.physical));
        let items = items
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| whole.unreadable(error))?;
        let answer = self
            .client
            .transact_write_items()
            .set_transact_items(Some(items))
            .return_consumed_capacity(ReturnConsumedCapacity::Total)
            .send()
            .await;
        transacted(&requests, whole, answer)
    }

    async fn scan(&self, table: &TableName, start: Option<&Item>) -> Result<Page, StoreError> {
        let request = self.request("Scan", table)?;
        let answer = self
            .client
            .scan()
            .table_name(request.physical)
            .set_exclusive_start_key(start.map(to_sdk))
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| request.failed(error))?;
        let items = answer.items.unwrap_or_default();
        let items: Result<Vec<_>, _> = items.into_iter().map(|item| from_sdk(Some(item))).collect();
        Ok(Page {
            items: items
                .map_err(|error| request.unreadable(error))?
                .into_iter()
                .flatten()
                .collect(),
            next: from_sdk(answer.last_evaluated_key).map_err(|error| request.unreadable(error))?,
        })
    }
}

/// An error that may be a refused condition.
trait MaybeRefused: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static {
    /// What stands in the place if the condition did not hold.
    fn refused(&self) -> Option<Option<HashMap<String, SdkValue>>>;
}

macro_rules! maybe_refused {
    ($($error:ident),+) => {$(
        impl MaybeRefused for $error {
            fn refused(&self) -> Option<Option<HashMap<String, SdkValue>>> {
                match self {
                    Self::ConditionalCheckFailedException(refused) => Some(refused.item.clone()),
                    _ => None,
                }
            }
        }
    )+};
}

maybe_refused!(PutItemError, UpdateItemError, DeleteItemError);

/// The outcome of a conditional write.
fn written<T, E: MaybeRefused>(
    request: Request<'_>,
    answer: Result<T, SdkError<E, HttpResponse>>,
    capacity: impl FnOnce(&T) -> Option<&ConsumedCapacity>,
) -> Result<Written, StoreError> {
    match answer {
        Ok(answer) => Ok(Written::Done {
            write_units: write_units(capacity(&answer)),
        }),
        Err(error) => match error.as_service_error().and_then(MaybeRefused::refused) {
            Some(found) => Ok(Written::Refused {
                found: from_sdk(found).map_err(|error| request.unreadable(error))?,
            }),
            None => Err(request.failed(error)),
        },
    }
}

/// The write units of a single write, which are always whole.
fn write_units(capacity: Option<&ConsumedCapacity>) -> u64 {
    capacity.and_then(ConsumedCapacity::capacity_units).unwrap_or_default() as u64
}
