//! The policies against the calls: every call is allowed, and nothing is allowed that no call needs.

use anyhow::{Context, Result};
use serde_json::Value;

use super::recorder::Call;

/// What Lambda does in the role's name, and which actions its documentation asks for. No function calls these.
///
/// Source: "Using AWS Lambda with Amazon DynamoDB", "Retaining discarded batches" and "Working with Lambda execution
/// roles" in the Lambda developer guide.
const BY_LAMBDA: [(&str, &str, &[&str]); 6] = [
    (
        "maintain",
        "ReadTheStream",
        &[
            "dynamodb:DescribeStream",
            "dynamodb:GetRecords",
            "dynamodb:GetShardIterator",
        ],
    ),
    ("maintain", "FindTheStream", &["dynamodb:ListStreams"]),
    ("maintain", "KeepWhatFailed", &["s3:PutObject"]),
    ("maintain", "FindTheBucket", &["s3:ListBucket"]),
    ("maintain", "Log", &["logs:CreateLogStream", "logs:PutLogEvents"]),
    ("redrive", "Log", &["logs:CreateLogStream", "logs:PutLogEvents"]),
];

struct Statement {
    sid: String,
    actions: Vec<String>,
    resources: Vec<String>,
}

/// What a function's policy lacks, and what it has too much.
pub(super) fn problems(function: &str, policy: &Value, calls: &[Call]) -> Result<Vec<String>> {
    let statements = policy["Statement"].as_array().context("a policy has no statements")?;
    let statements = statements.iter().map(statement).collect::<Result<Vec<_>>>()?;
    let mut problems = Vec::new();
    for call in calls {
        let allowed = statements.iter().any(|statement| {
            statement.actions.contains(&call.action)
                && statement
                    .resources
                    .iter()
                    .any(|resource| is_at(resource, &call.resource))
        });
        if !allowed {
            problems.push(format!(
                "{function} calls {} on {}, which no statement allows",
                call.action, call.resource
            ));
        }
    }
    for statement in &statements {
        problems.extend(superfluous(function, statement, calls));
    }
    for (of, sid, _) in BY_LAMBDA.iter().filter(|(of, ..)| *of == function) {
        if !statements.iter().any(|statement| statement.sid == *sid) {
            problems.push(format!("{of} has no statement `{sid}`, which Lambda needs"));
        }
    }
    problems.sort();
    problems.dedup();
    Ok(problems)
}

fn superfluous(function: &str, statement: &Statement, calls: &[Call]) -> Vec<String> {
    let Statement {
        sid,
        actions,
        resources,
    } = statement;
    let by_lambda = BY_LAMBDA.iter().find(|(of, known, _)| *of == function && known == sid);
    if let Some((.., documented)) = by_lambda {
        let is_as_documented = actions == documented;
        return (!is_as_documented)
            .then(|| format!("{function}'s `{sid}` is not {documented:?}"))
            .into_iter()
            .collect();
    }
    let pairs = actions
        .iter()
        .flat_map(|action| resources.iter().map(move |resource| (action, resource)));
    let uncalled = pairs.filter(|(action, resource)| {
        !calls
            .iter()
            .any(|call| call.action == **action && is_at(resource, &call.resource))
    });
    uncalled
        .map(|(action, resource)| format!("{function}'s `{sid}` allows {action} on {resource}, which it never calls"))
        .collect()
}

fn statement(statement: &Value) -> Result<Statement> {
    let texts = |value: &Value| match value {
        Value::String(one) => vec![one.clone()],
        several => several
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    };
    Ok(Statement {
        sid: statement["Sid"].as_str().context("a statement has no Sid")?.to_owned(),
        actions: texts(&statement["Action"]),
        resources: texts(&statement["Resource"]),
    })
}

/// Whether a resource of a policy, which may end in `*`, is what a call was on.
fn is_at(arn: &str, resource: &str) -> bool {
    let allowed = arn.splitn(6, ':').last().unwrap_or_default();
    match allowed.strip_suffix('*') {
        Some(beginning) => resource.starts_with(beginning),
        None => resource == allowed,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TABLE: &str = "arn:aws:dynamodb:eu-central-1:123456789012:table/app";

    fn policy(actions: &[&str]) -> Value {
        json!({ "Statement": [
            { "Sid": "Write", "Effect": "Allow", "Action": actions, "Resource": TABLE },
            { "Sid": "Log", "Effect": "Allow", "Resource": "arn:aws:logs:eu-central-1:123456789012:log-group:x:*",
              "Action": ["logs:CreateLogStream", "logs:PutLogEvents"] },
        ] })
    }

    fn call(action: &str, resource: &str) -> Call {
        Call {
            session: String::new(),
            action: action.to_owned(),
            resource: resource.to_owned(),
        }
    }

    #[test]
    fn a_policy_allows_what_is_called_and_nothing_else() {
        let calls = [
            call("dynamodb:GetItem", "table/app"),
            call("dynamodb:PutItem", "table/app"),
        ];
        let problems = |actions: &[&str]| problems("redrive", &policy(actions), &calls).expect("problems");
        assert_eq!(
            problems(&["dynamodb:GetItem", "dynamodb:PutItem"]),
            Vec::<String>::new()
        );
        assert_eq!(
            problems(&["dynamodb:GetItem"]),
            ["redrive calls dynamodb:PutItem on table/app, which no statement allows"]
        );
        let uncalled = format!("redrive's `Write` allows dynamodb:Scan on {TABLE}, which it never calls");
        assert_eq!(
            problems(&["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Scan"]),
            [uncalled]
        );
    }

    #[test]
    fn a_resource_is_a_name_or_a_beginning() {
        assert!(is_at(TABLE, "table/app"));
        assert!(!is_at(TABLE, "table/apps"));
        assert!(is_at(
            "arn:aws:s3:::failures/aws/lambda/*",
            "failures/aws/lambda/a/b.json"
        ));
        assert!(!is_at("arn:aws:s3:::failures/aws/lambda/*", "failures/other"));
    }
}
