//! Requests to the emulator's other services, by the SDK that SAM's CLI brings: for a handful of them, a crate for each
//! service would be long to build.

use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::python::Programs;

/// Calls one operation and prints its answer.
const CALL: &str = r#"
import boto3, json, sys
service, operation, arguments = sys.argv[1:]
answer = getattr(boto3.client(service), operation)(**json.loads(arguments))
print(json.dumps(answer, default=lambda value: value.read().decode() if hasattr(value, "read") else str(value)))
"#;

/// Who asks the emulator.
#[derive(Debug, Clone)]
pub(super) struct Aws {
    pub(super) programs: Programs,
    pub(super) endpoint_url: String,
}

impl Aws {
    /// What every program that asks the emulator is told: where it is, and that no file of this machine's user counts.
    pub(super) fn environment(&self) -> [(&'static str, String); 6] {
        [
            ("AWS_ENDPOINT_URL", self.endpoint_url.clone()),
            ("AWS_DEFAULT_REGION", super::REGION.to_owned()),
            ("AWS_ACCESS_KEY_ID", "test".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "test".to_owned()),
            ("AWS_CONFIG_FILE", "/dev/null".to_owned()),
            ("AWS_SHARED_CREDENTIALS_FILE", "/dev/null".to_owned()),
        ]
    }

    /// The answer of an operation, such as `get_role_policy` of `iam`.
    pub(super) fn call(&self, service: &str, operation: &str, arguments: &Value) -> Result<Value> {
        let mut python = self.programs.command("python")?;
        python.args(["-c", CALL, service, operation, &arguments.to_string()]);
        let output = python.envs(self.environment()).stderr(Stdio::piped()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{operation} of {service} failed: {said}");
        serde_json::from_slice(&output.stdout).with_context(|| format!("the answer to {operation}"))
    }

    /// A function's answer to an event; its error is one.
    pub(super) fn invoke(&self, function: &str, event: &Value) -> Result<Value> {
        let arguments = json!({ "FunctionName": function, "Payload": event.to_string() });
        let answer = self.call("lambda", "invoke", &arguments)?;
        let payload = answer["Payload"].as_str().unwrap_or("null");
        ensure!(answer.get("FunctionError").is_none(), "`{function}` failed: {payload}");
        serde_json::from_str(payload).with_context(|| format!("the answer of `{function}`: {payload}"))
    }
}
