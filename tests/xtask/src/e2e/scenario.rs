//! What happens in a rehearsal: each thing that a function needs a permission for, once at least.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use shadowkey_item::{TableName, item_from_json, item_into_wire};
use shadowkey_store_dynamodb::{Connection, StreamReader};
use shadowkey_views::Views;
use tokio::time::sleep;

use super::audit::differences;
use super::stack::Stack;

/// How long anything may take to come true: the schedule comes once a minute.
const PATIENCE: Duration = Duration::from_secs(100);
/// The run that waits for the schedule.
const SCHEDULED: &str = "single";
const POLL: Duration = Duration::from_millis(500);

pub(super) struct Scenario<'a> {
    stack: &'a mut Stack,
    /// Tells the items of one run from those of another.
    mode: &'a str,
    views: Views,
    connection: Connection,
    physical: BTreeMap<TableName, String>,
    outputs: BTreeMap<String, String>,
}

impl<'a> Scenario<'a> {
    /// Deploys the stack, with its mapping switched on.
    pub(super) fn new(stack: &'a mut Stack, mode: &'a str, views: &Path) -> Result<Self> {
        stack.deploy(true)?;
        let views = maintain::read_views(views)?;
        let environment = stack.function("Maintain")?;
        let variable = |table: &TableName| {
            let name = environment["Environment"]["Variables"][views.physical_name_variable(table)].as_str();
            name.map(str::to_owned)
                .with_context(|| format!("no variable names `{table}`"))
        };
        let tables = views.tables().into_iter().map(|table| table.name);
        let physical = tables
            .map(|table| Ok((table.clone(), variable(&table)?)))
            .collect::<Result<_>>()?;
        Ok(Self {
            connection: Connection::local(&stack.aws.endpoint_url),
            outputs: stack.outputs()?,
            mode,
            physical,
            views,
            stack,
        })
    }

    pub(super) async fn run(&self) -> Result<()> {
        self.derived().await?;
        self.in_doubt().await?;
        self.parked().await?;
        self.stack.deploy(false)?;
        self.redriven().await?;
        self.gone()?;
        self.tried_again().await
    }

    /// Items are written, moved and deleted.
    pub(super) async fn derived(&self) -> Result<()> {
        self.put(self.user("ana", "Porto", 981, "Ana@example.com")).await?;
        self.put(self.user("rui", "Lisboa", 100, "rui@example.com")).await?;
        self.settled("what was written is derived").await?;
        self.put(self.user("ana", "Braga", 42, "ana@example.org")).await?;
        self.delete("rui").await?;
        self.settled("what was changed has moved").await
    }

    /// A record comes once more, long after it was dealt with.
    async fn in_doubt(&self) -> Result<()> {
        let mut record = self.records().await?.pop().context("no records")?;
        let image = self.user("ana", "Braga", 42, "ana@example.org");
        record["eventName"] = "INSERT".into();
        record["dynamodb"] = json!({
            "Keys": { "PK": image["PK"], "SK": image["SK"] }, "NewImage": image, "SequenceNumber": "100",
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        });
        let answer = self
            .stack
            .aws
            .invoke(&self.outputs["Maintain"], &json!({ "Records": [record] }))?;
        ensure!(
            answer == json!({ "batchItemFailures": [] }),
            "an old record is no failure: {answer}"
        );
        self.settled("an old record changes nothing").await
    }

    /// What cannot be derived is parked, and cleared by a change that can.
    async fn parked(&self) -> Result<()> {
        self.put(self.user("eva", "Porto", 98100, "eva@example.com")).await?;
        self.settled("what cannot be derived is parked").await?;
        ensure!(self.entries().await? == 1, "nothing is parked");
        self.put(self.user("eva", "Porto", 981, "eva@example.com")).await?;
        self.settled("what was parked is cleared").await
    }

    /// Lambda gives up a batch: its object makes true what the mapping does not. The mapping is off meanwhile.
    async fn redriven(&self) -> Result<()> {
        let before = self.records().await?.len();
        self.put(self.user("ana", "Faro", 7, "ana@example.net")).await?;
        self.put(self.user("lea", "Faro", 8, "lea@example.com")).await?;
        // Its place is taken by an item of the application's own.
        let lea = self.key("lea");
        self.put(json!({ "PK": { "S": "SCORES#Faro" }, "SK": { "S": format!("991#{lea}") } }))
            .await?;
        sleep(2 * POLL).await;
        ensure!(!self.differences().await?.is_empty(), "the mapping is on");
        let records = self.records().await?.split_off(before);
        ensure!(records.len() >= 3, "the stream has {} records", records.len());
        let bucket = &self.outputs["FailureBucket"];
        let key = format!(
            "aws/lambda/{}/shardId-00000001767600000000-1a2b3c4d/given-up.json",
            self.mode
        );
        let given_up = json!({
            "requestContext": { "condition": "RetryAttemptsExhausted" }, "DDBStreamBatchInfo": { "batchSize": records.len() },
            "payload": json!({ "Records": records }).to_string(),
        });
        let object = json!({ "Bucket": bucket, "Key": key, "Body": given_up.to_string() });
        self.stack.aws.call("s3", "put_object", &object)?;
        self.settled("what was given up is redriven").await?;
        ensure!(self.entries().await? == 1, "the place is not taken");
        let tags = self
            .stack
            .aws
            .call("s3", "get_object_tagging", &json!({ "Bucket": bucket, "Key": key }))?;
        ensure!(
            tags["TagSet"] == json!([{ "Key": "shadowkey", "Value": "redriven" }]),
            "the object has {tags}"
        );
        Ok(())
    }

    /// An object of which S3 tells late is none any more.
    fn gone(&self) -> Result<()> {
        let mut notice: Value = serde_json::from_str(include_str!("../../../fixtures/redrive-notice.json"))?;
        notice["Records"][0]["s3"]["bucket"]["name"] = self.outputs["FailureBucket"].as_str().into();
        self.stack.aws.invoke(&self.outputs["Redrive"], &notice).map(drop)
    }

    /// The place is free, and the schedule has it taken; one turn of it is waited for, and others are given notice of.
    async fn tried_again(&self) -> Result<()> {
        let table = &self.physical[&self.views.table().name];
        let free = item_from_json(
            &json!({ "PK": { "S": "SCORES#Faro" }, "SK": { "S": format!("991#{}", self.key("lea")) } }).to_string(),
        )?;
        let request = self.connection.dynamodb().delete_item().table_name(table);
        request.set_key(Some(item_into_wire(free).into())).send().await?;
        if self.mode != SCHEDULED {
            let notice = serde_json::from_str(include_str!("../../../fixtures/redrive-schedule.json"))?;
            self.stack.aws.invoke(&self.outputs["Redrive"], &notice)?;
        }
        let started = Instant::now();
        while self.entries().await? > 0 {
            ensure!(started.elapsed() < PATIENCE, "what is parked is never tried again");
            sleep(POLL).await;
        }
        self.settled("what was parked is at its place").await
    }

    fn key(&self, name: &str) -> String {
        format!("USER#{}-{name}", self.mode)
    }

    fn user(&self, name: &str, city: &str, score: u32, email: &str) -> Value {
        json!({
            "PK": { "S": self.key(name) }, "SK": { "S": "PROFILE" }, "name": { "S": name }, "city": { "S": city },
            "score": { "N": score.to_string() }, "seen": { "S": "2026-01-05T10:20:30Z" },
            "email": { "S": format!("{}-{email}", self.mode) },
        })
    }

    async fn put(&self, item: Value) -> Result<()> {
        let table = &self.physical[&self.views.table().name];
        let item = item_into_wire(item_from_json(&item.to_string())?).into();
        let put = self
            .connection
            .dynamodb()
            .put_item()
            .table_name(table)
            .set_item(Some(item));
        put.send().await.context("writing an item").map(drop)
    }

    async fn delete(&self, name: &str) -> Result<()> {
        let table = &self.physical[&self.views.table().name];
        let key = json!({ "PK": { "S": self.key(name) }, "SK": { "S": "PROFILE" } });
        let key = item_into_wire(item_from_json(&key.to_string())?).into();
        let delete = self
            .connection
            .dynamodb()
            .delete_item()
            .table_name(table)
            .set_key(Some(key));
        delete.send().await.context("deleting an item").map(drop)
    }

    /// Every record of the stream, as Lambda delivers it.
    async fn records(&self) -> Result<Vec<Value>> {
        let table = &self.physical[&self.views.table().name];
        Ok(StreamReader::open(&self.connection, table)
            .await?
            .read_available()
            .await?)
    }

    async fn differences(&self) -> Result<Vec<String>> {
        differences(&self.views, &self.physical, &self.connection).await
    }

    /// How many items the state table has.
    async fn entries(&self) -> Result<usize> {
        let state = self.views.state_table().context("no state table")?;
        let request = self
            .connection
            .dynamodb()
            .scan()
            .table_name(&self.physical[&state.name]);
        Ok(request.send().await?.items().len())
    }

    /// Waits until the tables are what their source items derive.
    async fn settled(&self, what: &str) -> Result<()> {
        let started = Instant::now();
        loop {
            let differences = self.differences().await?;
            if differences.is_empty() {
                eprintln!("{what}, {} ms", started.elapsed().as_millis());
                return Ok(());
            }
            if started.elapsed() > PATIENCE {
                bail!("not so: {what}\n{}", differences.join("\n"));
            }
            sleep(POLL).await;
        }
    }
}
