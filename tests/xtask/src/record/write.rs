//! The writes an application does, in the parameters of the API.

use std::collections::HashMap;

use anyhow::Result;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::Deserialize;
use shadowkey_item::{Item, item_from_json, item_into_wire};

/// One request, named as the API names it. The table is the world's own.
#[derive(Deserialize)]
#[expect(clippy::enum_variant_names, reason = "the names are those of the API")]
pub(crate) enum Write {
    PutItem(PutItem),
    UpdateItem(UpdateItem),
    DeleteItem(DeleteItem),
}

/// Parameters of PutItem.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub(crate) struct PutItem {
    item: Item,
}

/// Parameters of UpdateItem.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub(crate) struct UpdateItem {
    key: Item,
    update_expression: String,
    expression_attribute_names: Option<HashMap<String, String>>,
    expression_attribute_values: Option<Item>,
}

/// Parameters of DeleteItem.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", deny_unknown_fields)]
pub(crate) struct DeleteItem {
    key: Item,
}

impl Write {
    /// Sends the request.
    pub(crate) async fn perform(&self, client: &Client, table: &str) -> Result<()> {
        match self {
            Self::PutItem(put) => put.perform(client, table).await,
            Self::UpdateItem(update) => update.perform(client, table).await,
            Self::DeleteItem(delete) => delete.perform(client, table).await,
        }
    }
}

impl PutItem {
    /// The write of one item in DynamoDB JSON.
    pub(crate) fn from_json(item: &str) -> Result<Self> {
        Ok(Self {
            item: item_from_json(item)?,
        })
    }

    pub(crate) async fn perform(&self, client: &Client, table: &str) -> Result<()> {
        let request = client.put_item().table_name(table).set_item(Some(to_sdk(&self.item)));
        request.send().await?;
        Ok(())
    }
}

impl UpdateItem {
    async fn perform(&self, client: &Client, table: &str) -> Result<()> {
        let request = client.update_item().table_name(table).set_key(Some(to_sdk(&self.key)));
        request
            .update_expression(&self.update_expression)
            .set_expression_attribute_names(self.expression_attribute_names.clone())
            .set_expression_attribute_values(self.expression_attribute_values.as_ref().map(to_sdk))
            .send()
            .await?;
        Ok(())
    }
}

impl DeleteItem {
    async fn perform(&self, client: &Client, table: &str) -> Result<()> {
        let request = client.delete_item().table_name(table).set_key(Some(to_sdk(&self.key)));
        request.send().await?;
        Ok(())
    }
}

fn to_sdk(item: &Item) -> HashMap<String, AttributeValue> {
    item_into_wire(item.clone()).into()
}
