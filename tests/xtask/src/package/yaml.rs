//! CloudFormation's YAML as JSON: its tags are the short forms of functions.
//!
//! Source: "Intrinsic function reference" in the CloudFormation user guide.

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use serde_norway::Value as Yaml;

/// A template in JSON.
pub(super) fn to_json(text: &str) -> Result<Value> {
    json_of(serde_norway::from_str(text)?)
}

fn json_of(yaml: Yaml) -> Result<Value> {
    Ok(match yaml {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => value.into(),
        Yaml::Number(number) => serde_json::to_value(number)?,
        Yaml::String(text) => text.into(),
        Yaml::Sequence(values) => values.into_iter().map(json_of).collect::<Result<_>>()?,
        Yaml::Mapping(pairs) => {
            let pair = |(key, value): (Yaml, Yaml)| {
                let key = key.as_str().context("a key is no text")?.to_owned();
                Ok((key, json_of(value)?))
            };
            Value::Object(pairs.into_iter().map(pair).collect::<Result<Map<_, _>>>()?)
        }
        Yaml::Tagged(tagged) => {
            let tag = tagged.tag.to_string();
            let value = json_of(tagged.value)?;
            match (tag.trim_start_matches('!'), value) {
                (name @ ("Ref" | "Condition"), value) => json!({ name: value }),
                ("GetAtt", Value::String(path)) => {
                    let Some((resource, attribute)) = path.split_once('.') else {
                        bail!("`{path}` names no attribute");
                    };
                    json!({ "Fn::GetAtt": [resource, attribute] })
                }
                (name, value) => json!({ format!("Fn::{name}"): value }),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_become_functions() {
        let yaml = "a: !Ref B\nc: [!GetAtt D.E.F, !If [G, !Sub '${H}', !Ref AWS::NoValue]]\n'2': true\n";
        assert_eq!(
            to_json(yaml).expect("JSON"),
            json!({
                "a": { "Ref": "B" },
                "c": [
                    { "Fn::GetAtt": ["D", "E.F"] },
                    { "Fn::If": ["G", { "Fn::Sub": "${H}" }, { "Ref": "AWS::NoValue" }] },
                ],
                "2": true,
            })
        );
        assert!(to_json("a: !GetAtt B").is_err());
    }
}
