//! Conditions and updates as DynamoDB's expressions.
//!
//! Every attribute name and every value is a placeholder, so that reserved words, dots, spaces and `#` in names need no
//! care. A rendered condition means exactly what [`Condition::holds`] says; where DynamoDB's own operators mean something
//! else, the rendering makes up for it:
//!
//! - `<>` is true of a missing attribute in DynamoDB, so a presence check stands beside it.
//! - `<` is refused with a validation error for other operands than texts, numbers and bytes, where `holds` says no.
//! - There are no constants, so that what never holds is written as a contradiction.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue as SdkValue;
use shadowkey_item::{AttributePath, AttributeValue, Segment};
use shadowkey_plan::{Comparison, Condition, Update};

use crate::wire::value_to_sdk;

/// A request's placeholders: `#n0`, `#n1` and so on for names, `:v0`, `:v1` and so on for values.
#[derive(Debug, Default)]
pub(crate) struct Placeholders {
    names: Vec<String>,
    values: Vec<SdkValue>,
}

/// What a part of a condition comes to.
#[derive(Debug, PartialEq, Eq)]
enum Rendered {
    Always,
    Never,
    When(String),
}

impl Placeholders {
    /// The ConditionExpression, or none for a condition that always holds.
    pub(crate) fn condition(&mut self, condition: &Condition) -> Option<String> {
        match self.render(condition) {
            Rendered::Always => None,
            Rendered::Never => Some(self.contradiction()),
            Rendered::When(text) => Some(text),
        }
    }

    /// The UpdateExpression, or none where there is nothing to set or to remove.
    pub(crate) fn update(&mut self, update: &Update) -> Option<String> {
        let set: Vec<_> = update
            .set
            .iter()
            .map(|(name, value)| format!("{} = {}", self.name(name), self.value(value)))
            .collect();
        let remove: Vec<_> = update.remove.iter().map(|name| self.name(name)).collect();
        let clauses: Vec<_> = [("SET", set), ("REMOVE", remove)]
            .into_iter()
            .filter(|(_, parts)| !parts.is_empty())
            .map(|(keyword, parts)| format!("{keyword} {}", parts.join(", ")))
            .collect();
        (!clauses.is_empty()).then(|| clauses.join(" "))
    }

    /// The ExpressionAttributeNames; none where no name is used, since the service refuses an empty map.
    pub(crate) fn names(&self) -> Option<HashMap<String, String>> {
        let named = |(index, name): (usize, &String)| (format!("#n{index}"), name.clone());
        (!self.names.is_empty()).then(|| self.names.iter().enumerate().map(named).collect())
    }

    /// The ExpressionAttributeValues; none where no value is used, since the service refuses an empty map.
    pub(crate) fn into_values(self) -> Option<HashMap<String, SdkValue>> {
        let named = |(index, value)| (format!(":v{index}"), value);
        (!self.values.is_empty()).then(|| self.values.into_iter().enumerate().map(named).collect())
    }

    fn render(&mut self, condition: &Condition) -> Rendered {
        match condition {
            Condition::All(parts) => self.junction(parts, " AND ", Rendered::Always, Rendered::Never),
            Condition::Any(parts) => self.junction(parts, " OR ", Rendered::Never, Rendered::Always),
            Condition::Present(path) => Rendered::When(format!("attribute_exists({})", self.path(path))),
            Condition::Absent(path) => Rendered::When(format!("attribute_not_exists({})", self.path(path))),
            Condition::Compare(path, comparison, value) => self.comparison(path, *comparison, value),
        }
    }

    /// Joins parts; `neutral` is what no part comes to, `decisive` the part that settles the whole.
    fn junction(&mut self, parts: &[Condition], operator: &str, neutral: Rendered, decisive: Rendered) -> Rendered {
        let mut texts = Vec::new();
        for part in parts {
            match self.render(part) {
                rendered if rendered == decisive => return decisive,
                Rendered::When(text) => texts.push(text),
                Rendered::Always | Rendered::Never => {}
            }
        }
        match texts.pop() {
            None => neutral,
            Some(only) if texts.is_empty() => Rendered::When(only),
            Some(last) => {
                texts.push(last);
                Rendered::When(format!("({})", texts.join(operator)))
            }
        }
    }

    fn comparison(&mut self, path: &AttributePath, comparison: Comparison, value: &AttributeValue) -> Rendered {
        let ordered = matches!(
            value,
            AttributeValue::S(_) | AttributeValue::N(_) | AttributeValue::B(_)
        );
        if comparison == Comparison::Less && !ordered {
            return Rendered::Never;
        }
        let (path, value) = (self.path(path), self.value(value));
        Rendered::When(match comparison {
            Comparison::Equal => format!("{path} = {value}"),
            Comparison::NotEqual => format!("(attribute_exists({path}) AND {path} <> {value})"),
            Comparison::Less => format!("{path} < {value}"),
        })
    }

    fn contradiction(&mut self) -> String {
        let name = self.name("_");
        format!("attribute_exists({name}) AND attribute_not_exists({name})")
    }

    fn path(&mut self, path: &AttributePath) -> String {
        let mut text = self.name(path.root());
        for segment in path.rest() {
            match segment {
                Segment::Name(name) => text = format!("{text}.{}", self.name(name)),
                Segment::Index(index) => text = format!("{text}[{index}]"),
            }
        }
        text
    }

    fn name(&mut self, name: &str) -> String {
        let index = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        format!("#n{index}")
    }

    fn value(&mut self, value: &AttributeValue) -> String {
        self.values.push(value_to_sdk(value));
        format!(":v{}", self.values.len() - 1)
    }
}
