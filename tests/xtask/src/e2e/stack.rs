//! The deployed stack: made, brought up to date and deleted by the steps that deploy it to AWS.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::aws::Aws;
use super::permissions;
use super::recorder::Call;
use crate::python::done;
use crate::{deploy, package};

pub(super) struct Stack {
    root: PathBuf,
    name: &'static str,
    /// What each deployment says of the stack's parameters.
    parameters: Vec<String>,
    template: PathBuf,
    pub(super) aws: Aws,
}

impl Stack {
    /// One that makes its own tables.
    pub(super) fn new(root: &Path, aws: Aws) -> Self {
        Self {
            root: root.to_owned(),
            name: "rehearsal",
            // What is parked is tried again as often as a schedule can have it.
            parameters: vec!["RetrySchedule=rate(1 minute)".to_owned()],
            template: PathBuf::new(),
            aws,
        }
    }

    /// Another one, from the same package, on the table and the lookup table that this one leaves behind.
    pub(super) fn on_tables_of(other: Self, stream_arn: &str, lookup: &str) -> Self {
        Self {
            name: "rehearsal-on-existing-tables",
            parameters: vec![
                format!("TableStreamArn={stream_arn}"),
                format!("IntoLookupName={lookup}"),
            ],
            ..other
        }
    }

    /// Packages the functions that the next deployment takes.
    ///
    /// When ministack updates a mapping, it takes a number that comes from a parameter for text. So the mapping's are put in.
    pub(super) fn package(&mut self, options: &package::Options) -> Result<()> {
        self.template = package::run(&self.root, options)?;
        let mut template: Value = serde_json::from_str(&fs::read_to_string(&self.template)?)?;
        let parameters = template["Parameters"].clone();
        let mapping = template["Resources"]["Mapping"]["Properties"]
            .as_object_mut()
            .context("no mapping")?;
        for value in mapping.values_mut() {
            let parameter = value["Ref"].as_str().map(|name| &parameters[name]);
            if let Some(number) = parameter.filter(|parameter| parameter["Type"] == "Number") {
                *value = number["Default"].clone();
            }
        }
        fs::write(&self.template, template.to_string()).context("writing the template")
    }

    /// Makes the stack or brings it up to date, with its mapping switched on or off.
    pub(super) fn deploy(&self, mapping: bool) -> Result<()> {
        let mut parameters = self.parameters.clone();
        parameters.push(format!("MappingEnabled={mapping}"));
        let mut sam = deploy::stack(&self.aws.programs, &self.template, self.name, &parameters)?;
        sam.envs(self.aws.environment()).env("SAM_CLI_POLL_DELAY", "1");
        done(sam.args(["--no-progressbar", deploy::BUCKET_OF_SAM]))
    }

    /// Deletes it, and says which tables are left: they and the failure bucket stay.
    pub(super) fn delete(&self) -> Result<Vec<String>> {
        let mut sam = self.aws.programs.sam()?;
        sam.args([
            "delete",
            "--no-prompts",
            "--stack-name",
            self.name,
            "--region",
            super::REGION,
        ]);
        done(sam.envs(self.aws.environment()))?;
        let tables = self.aws.call("dynamodb", "list_tables", &json!({}))?;
        serde_json::from_value(tables["TableNames"].clone()).context("the names of tables")
    }

    /// What the stack says of itself, by name.
    pub(super) fn outputs(&self) -> Result<BTreeMap<String, String>> {
        let stacks = self
            .aws
            .call("cloudformation", "describe_stacks", &json!({ "StackName": self.name }))?;
        let outputs = stacks["Stacks"][0]["Outputs"].as_array().context("no outputs")?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(outputs
            .iter()
            .map(|output| (text(&output["OutputKey"]), text(&output["OutputValue"])))
            .collect())
    }

    /// A function's settings, by its logical name.
    pub(super) fn function(&self, name: &str) -> Result<Value> {
        let function = self.outputs()?.remove(name).context("no such output")?;
        self.aws.call(
            "lambda",
            "get_function_configuration",
            &json!({ "FunctionName": function }),
        )
    }

    /// What is wrong with the deployed policies, by the calls of the functions.
    pub(super) fn problems_of_policies(&self, calls: &[Call]) -> Result<Vec<String>> {
        let mut by_session: BTreeMap<&str, Vec<Call>> = BTreeMap::new();
        for call in calls {
            by_session.entry(&call.session).or_default().push(call.clone());
        }
        // A session is known by what it does: redrive alone knows objects.
        let (redrive, maintain): (Vec<_>, Vec<_>) = by_session
            .into_values()
            .partition(|calls| calls.iter().any(|call| call.action.starts_with("s3:")));
        let mut problems = Vec::new();
        for (name, resource, calls) in [
            ("maintain", "MaintainRole", maintain),
            ("redrive", "RedriveRole", redrive),
        ] {
            let calls = calls.concat();
            let actions: BTreeSet<(&str, &str)> = calls
                .iter()
                .map(|call| {
                    (
                        call.action.as_str(),
                        call.resource.split('/').next().unwrap_or_default(),
                    )
                })
                .collect();
            eprintln!("{name}: {} calls, {} actions", calls.len(), actions.len());
            let policy = self.policy(resource, name)?;
            problems.extend(permissions::problems(name, &policy, &calls)?);
        }
        Ok(problems)
    }

    fn policy(&self, role: &str, name: &str) -> Result<Value> {
        let resource = json!({ "StackName": self.name, "LogicalResourceId": role });
        let resource = self.aws.call("cloudformation", "describe_stack_resource", &resource)?;
        let role = &resource["StackResourceDetail"]["PhysicalResourceId"];
        let policy = self.aws.call(
            "iam",
            "get_role_policy",
            &json!({ "RoleName": role, "PolicyName": name }),
        )?;
        Ok(policy["PolicyDocument"].clone())
    }
}
