//! What a reader asks: one Query request, never a second page.

use anyhow::{Result, ensure};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::query::builders::QueryFluentBuilder;
use aws_sdk_dynamodb::types::AttributeValue as SdkValue;
use shadowkey_item::{AttributeValue, Item, image_from_wire};

/// A query of one partition, forwards unless it says otherwise.
pub struct Query {
    request: QueryFluentBuilder,
    condition: String,
}

impl Query {
    /// Asks for the partition of `table` in which the attribute `name` is `value`.
    pub fn new(client: &Client, table: &str, name: &str, value: &str) -> Self {
        let request = client
            .query()
            .table_name(table)
            .expression_attribute_names("#partition", name);
        Self {
            request: request.expression_attribute_values(":partition", SdkValue::S(value.to_owned())),
            condition: "#partition = :partition".to_owned(),
        }
    }

    /// Asks an index instead of the table.
    #[must_use]
    pub fn index(mut self, index: &str) -> Self {
        self.request = self.request.index_name(index);
        self
    }

    /// Only sort keys with this beginning.
    #[must_use]
    pub fn begins_with(self, name: &str, prefix: &str) -> Self {
        self.sort_key(name, "begins_with(#sort, :sort)", prefix)
    }

    /// Only sort keys up to this one, itself included.
    #[must_use]
    pub fn at_most(self, name: &str, value: &str) -> Self {
        self.sort_key(name, "#sort <= :sort", value)
    }

    /// Only sort keys from this one on, itself included.
    #[must_use]
    pub fn at_least(self, name: &str, value: &str) -> Self {
        self.sort_key(name, "#sort >= :sort", value)
    }

    /// Only sort keys from one to another, both included.
    #[must_use]
    pub fn between(mut self, name: &str, first: &str, last: &str) -> Self {
        self.request = self
            .request
            .expression_attribute_values(":last", SdkValue::S(last.to_owned()));
        self.sort_key(name, "#sort BETWEEN :sort AND :last", first)
    }

    fn sort_key(mut self, name: &str, condition: &str, value: &str) -> Self {
        self.request = self
            .request
            .expression_attribute_names("#sort", name)
            .expression_attribute_values(":sort", SdkValue::S(value.to_owned()));
        self.condition = format!("{} AND {condition}", self.condition);
        self
    }

    /// Reads from the end.
    #[must_use]
    pub fn backwards(mut self) -> Self {
        self.request = self.request.scan_index_forward(false);
        self
    }

    /// Reads so many items and no more.
    #[must_use]
    pub fn limit(mut self, items: i32) -> Self {
        self.request = self.request.limit(items);
        self
    }

    /// Sends the request and gives its items in their order.
    pub async fn items(self) -> Result<Vec<Item>> {
        let limited = self.request.get_limit().is_some();
        let answer = self.request.key_condition_expression(self.condition).send().await?;
        ensure!(
            limited || answer.last_evaluated_key().is_none(),
            "the answer has a second page"
        );
        let items = answer.items.unwrap_or_default();
        items
            .into_iter()
            .map(|item| Ok(image_from_wire(item.into())?.unwrap_or_default()))
            .collect()
    }
}

/// One attribute of each item, a text or a number as it is spelled; `-` where the item lacks it.
pub fn texts<'a>(items: &'a [Item], name: &str) -> Vec<&'a str> {
    let text = |value: &'a AttributeValue| value.as_s().or_else(|| Some(value.as_n()?.as_str()));
    items
        .iter()
        .map(|item| item.get(name).and_then(text).unwrap_or("-"))
        .collect()
}
