//! What one change derived, for a program and for a person.

use std::fmt;

use serde_json::{Value, json};
use shadowkey_item::{AttributeValue, Item, Key, item_to_json};
use shadowkey_plan::{Change, Plan, plan};
use shadowkey_views::Views;
use shadowkey_worker::{ItemOutcome, Problem};

/// A change with what it calls for and what went wrong.
pub(super) struct Report<'a> {
    change: &'a Change,
    plan: Plan,
    problems: &'a [Problem],
    is_echo: bool,
}

impl<'a> Report<'a> {
    pub(super) fn new(views: &Views, change: &'a Change, outcome: Option<&'a ItemOutcome>) -> Self {
        let plan = plan(views, change);
        let problems = outcome.map(|item| item.problems.as_slice()).unwrap_or_default();
        let own = |image: &Option<Item>| {
            let attributes = image.iter().flatten().filter(|(name, _)| !views.owns_attribute(name));
            attributes
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect::<Item>()
        };
        let mut images = change.chain.iter();
        let first = images.next().map(own);
        let is_same = images.all(|image| Some(own(image)) == first);
        Self {
            is_echo: plan.is_empty() && problems.is_empty() && is_same,
            change,
            plan,
            problems,
        }
    }

    /// Whether only attributes that views write have changed, and are right: the worker's own write.
    pub(super) fn is_echo(&self) -> bool {
        self.is_echo
    }

    fn event(&self) -> &'static str {
        match (self.change.chain.first(), self.change.chain.last()) {
            (_, Some(None)) => "REMOVE",
            (Some(None), _) => "INSERT",
            _ => "MODIFY",
        }
    }

    /// The attributes that the worker sets, or removes.
    fn attributes(&self) -> impl Iterator<Item = (&str, Option<&AttributeValue>)> {
        let update = self.plan.update.iter();
        update.flat_map(|update| {
            let set = update.set.iter().map(|(name, value)| (name.as_str(), Some(value)));
            set.chain(update.remove.iter().map(|name| (name.as_str(), None)))
        })
    }

    pub(super) fn to_json(&self) -> Value {
        let attributes: serde_json::Map<String, Value> = self
            .attributes()
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect();
        let puts = self.plan.puts.iter();
        let puts =
            puts.map(|put| json!({ "view": put.view, "table": put.put.table, "item": item_to_json(&put.put.item) }));
        let deletes = self.plan.deletes.iter().map(|planned| {
            let delete = &planned.delete;
            json!({ "view": planned.view, "table": delete.table, "key": item_to_json(delete.key.attributes()) })
        });
        let problems = self.problems.iter();
        let problems =
            problems.map(|problem| json!({ "view": problem.view, "code": problem.code, "message": problem.message }));
        json!({
            "event": self.event(),
            "key": item_to_json(self.change.key.attributes()),
            "attributes": attributes,
            "puts": puts.collect::<Vec<_>>(),
            "deletes": deletes.collect::<Vec<_>>(),
            "problems": problems.collect::<Vec<_>>(),
        })
    }
}

/// One line: the change, then `name = value` for attributes, `+` and `-` for shadows, `!` for what went wrong.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}:", self.event(), shown(&self.change.key))?;
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.attributes().map(|(name, value)| match value {
            Some(value) => format!("{name} = {}", shown_value(value)),
            None => format!("{name} removed"),
        }));
        let puts = self.plan.puts.iter();
        parts.extend(puts.map(|put| format!("+{} {}", put.view, shown(&put.place().key))));
        let deletes = self.plan.deletes.iter();
        parts.extend(deletes.map(|delete| format!("-{} {}", delete.view, shown(&delete.delete.key))));
        parts.extend(self.problems.iter().map(|problem| {
            let view = problem.view.as_deref().unwrap_or("item");
            format!("!{view} [{}] {}", problem.code, problem.message)
        }));
        if parts.is_empty() {
            parts.push("nothing to derive".to_owned());
        }
        write!(f, " {}", parts.join("; "))
    }
}

fn shown(key: &Key) -> String {
    let values: Vec<String> = key.attributes().values().map(shown_value).collect();
    values.join(" ")
}

fn shown_value(value: &AttributeValue) -> String {
    match value {
        AttributeValue::S(text) => text.clone(),
        AttributeValue::N(number) => number.to_string(),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}
