//! Transactions over the DynamoDB API: actions into the SDK's shape, cancellation reasons out of it.

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{BuildError, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::{TransactWriteItemsError, TransactWriteItemsOutput};
use aws_sdk_dynamodb::types::{
    CancellationReason, ConditionCheck, Delete as SdkDelete, Put as SdkPut, ReturnValuesOnConditionCheckFailure,
    TransactWriteItem, Update as SdkUpdate,
};
use shadowkey_plan::Action;
use shadowkey_store::{Reason, StoreError, Transacted};

use crate::error::Request;
use crate::expression::Placeholders;
use crate::wire::{from_sdk, to_sdk};

const ALL_OLD: ReturnValuesOnConditionCheckFailure = ReturnValuesOnConditionCheckFailure::AllOld;

/// An action in the SDK's shape, on a table of this physical name.
pub(crate) fn to_sdk_action(action: &Action, physical: &str) -> Result<TransactWriteItem, BuildError> {
    let mut placeholders = Placeholders::default();
    let item = TransactWriteItem::builder();
    Ok(match action {
        Action::Put(put) => item.put(
            SdkPut::builder()
                .table_name(physical)
                .set_item(Some(to_sdk(&put.item)))
                .set_condition_expression(placeholders.condition(&put.condition))
                .set_expression_attribute_names(placeholders.names())
                .set_expression_attribute_values(placeholders.into_values())
                .return_values_on_condition_check_failure(ALL_OLD)
                .build()?,
        ),
        Action::Update(update) => item.update(
            SdkUpdate::builder()
                .table_name(physical)
                .set_key(Some(to_sdk(update.key.attributes())))
                .set_update_expression(placeholders.update(update))
                .set_condition_expression(placeholders.condition(&update.condition))
                .set_expression_attribute_names(placeholders.names())
                .set_expression_attribute_values(placeholders.into_values())
                .return_values_on_condition_check_failure(ALL_OLD)
                .build()?,
        ),
        Action::Delete(delete) => item.delete(
            SdkDelete::builder()
                .table_name(physical)
                .set_key(Some(to_sdk(delete.key.attributes())))
                .set_condition_expression(placeholders.condition(&delete.condition))
                .set_expression_attribute_names(placeholders.names())
                .set_expression_attribute_values(placeholders.into_values())
                .return_values_on_condition_check_failure(ALL_OLD)
                .build()?,
        ),
        Action::Check(check) => item.condition_check(
            ConditionCheck::builder()
                .table_name(physical)
                .set_key(Some(to_sdk(check.key.attributes())))
                .set_condition_expression(placeholders.condition(&check.condition))
                .set_expression_attribute_names(placeholders.names())
                .set_expression_attribute_values(placeholders.into_values())
                .return_values_on_condition_check_failure(ALL_OLD)
                .build()?,
        ),
    }
    .build())
}

/// The outcome of a transaction; `requests` are its actions', in their order.
pub(crate) fn transacted(
    requests: &[Request<'_>],
    whole: Request<'_>,
    answer: Result<TransactWriteItemsOutput, SdkError<TransactWriteItemsError, HttpResponse>>,
) -> Result<Transacted, StoreError> {
    let error = match answer {
        Ok(answer) => {
            let units = answer
                .consumed_capacity()
                .iter()
                .filter_map(|capacity| capacity.capacity_units());
            return Ok(Transacted::Done {
                write_units: units.map(|units| units as u64).sum(),
            });
        }
        Err(error) => error,
    };
    match error.as_service_error() {
        Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
            // A service that does not say which action was the reason has not said that any was.
            let reasons = cancelled.cancellation_reasons();
            if reasons.len() != requests.len() {
                return Err(whole.failed(error));
            }
            let reasons = requests
                .iter()
                .zip(reasons)
                .map(|(request, reason)| read(*request, reason));
            Ok(Transacted::Cancelled {
                reasons: reasons.collect::<Result<_, _>>()?,
            })
        }
        _ => Err(whole.failed(error)),
    }
}

fn read(request: Request<'_>, reason: &CancellationReason) -> Result<Reason, StoreError> {
    Ok(match reason.code().unwrap_or("None") {
        "None" => Reason::None,
        "ConditionalCheckFailed" => Reason::Refused {
            found: from_sdk(reason.item.clone()).map_err(|error| request.unreadable(error))?,
        },
        code => Reason::Failed(request.cancelled(code, reason.message().unwrap_or_default())),
    })
}

#[cfg(test)]
mod tests;
