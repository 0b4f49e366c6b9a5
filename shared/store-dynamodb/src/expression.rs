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

/// A rendered condition; the service refuses parentheses that are redundant, so they come where two are joined.
struct Rendered {
    text: String,
    joined: bool,
}

impl Placeholders {
    /// The ConditionExpression, or none for a condition that always holds.
    pub(crate) fn condition(&mut self, condition: &Condition) -> Option<String> {
        match settled(condition) {
            Some(true) => None,
            Some(false) => Some(self.contradiction()),
            None => Some(self.render(condition).text),
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

    /// Renders a condition that is not settled.
    fn render(&mut self, condition: &Condition) -> Rendered {
        match condition {
            Condition::All(parts) => self.junction(parts, " AND "),
            Condition::Any(parts) => self.junction(parts, " OR "),
            Condition::Present(path) => Rendered::term(format!("attribute_exists({})", self.path(path))),
            Condition::Absent(path) => Rendered::term(format!("attribute_not_exists({})", self.path(path))),
            Condition::Compare(path, comparison, value) => self.comparison(path, *comparison, value),
        }
    }

    /// Joins the parts that are not settled; the others do not matter, or the whole would be settled.
    fn junction(&mut self, parts: &[Condition], operator: &str) -> Rendered {
        let parts = parts.iter().filter(|part| settled(part).is_none());
        let mut parts: Vec<_> = parts.map(|part| self.render(part)).collect();
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let operands: Vec<_> = parts.into_iter().map(Rendered::into_operand).collect();
        Rendered::joined(operands.join(operator))
    }

    fn comparison(&mut self, path: &AttributePath, comparison: Comparison, value: &AttributeValue) -> Rendered {
        let (path, value) = (self.path(path), self.value(value));
        match comparison {
            Comparison::Equal => Rendered::term(format!("{path} = {value}")),
            Comparison::NotEqual => Rendered::joined(format!("attribute_exists({path}) AND {path} <> {value}")),
            Comparison::Less => Rendered::term(format!("{path} < {value}")),
        }
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

impl Rendered {
    fn term(text: String) -> Self {
        Self { text, joined: false }
    }

    fn joined(text: String) -> Self {
        Self { text, joined: true }
    }

    fn into_operand(self) -> String {
        if self.joined {
            format!("({})", self.text)
        } else {
            self.text
        }
    }
}

/// Whether a condition holds for everything or for nothing, where its form alone says so.
///
/// Settled parts are left out, placeholders and all: the service refuses a placeholder that no expression uses.
fn settled(condition: &Condition) -> Option<bool> {
    match condition {
        Condition::All(parts) => settled_junction(parts, true),
        Condition::Any(parts) => settled_junction(parts, false),
        Condition::Compare(_, Comparison::Less, value) if !has_order(value) => Some(false),
        Condition::Present(_) | Condition::Absent(_) | Condition::Compare(..) => None,
    }
}

/// `neutral` is what no part comes to; one part that is settled the other way settles the whole.
fn settled_junction(parts: &[Condition], neutral: bool) -> Option<bool> {
    if parts.iter().any(|part| settled(part) == Some(!neutral)) {
        Some(!neutral)
    } else {
        parts
            .iter()
            .all(|part| settled(part) == Some(neutral))
            .then_some(neutral)
    }
}

fn has_order(value: &AttributeValue) -> bool {
    matches!(
        value,
        AttributeValue::S(_) | AttributeValue::N(_) | AttributeValue::B(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> AttributePath {
        AttributePath::parse(text).expect("path")
    }

    fn equal(at: &str, value: &str) -> Condition {
        Condition::Compare(path(at), Comparison::Equal, value.into())
    }

    fn rendered(condition: &Condition) -> (String, Vec<String>, usize) {
        let mut placeholders = Placeholders::default();
        let text = placeholders.condition(condition).unwrap_or_default();
        (text, placeholders.names, placeholders.values.len())
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_condition_that_always_holds_is_no_expression() {
        let trivial = Condition::Any(vec![Condition::Present(path("a")), Condition::ALWAYS]);
        for always in [Condition::ALWAYS, trivial] {
            let mut placeholders = Placeholders::default();
            assert_eq!(placeholders.condition(&always), None);
            assert_eq!(placeholders.names(), None);
            assert_eq!(placeholders.into_values(), None);
        }
    }

    #[test]
    fn a_name_has_one_placeholder_wherever_it_stands() {
        let condition = Condition::All(vec![
            equal("a.b[2].a", "x"),
            Condition::Absent(path("'a.b'")),
            equal("b", "y"),
        ]);
        let text = "#n0.#n1[2].#n0 = :v0 AND attribute_not_exists(#n2) AND #n1 = :v1";
        assert_eq!(rendered(&condition), (text.to_owned(), names(&["a", "b", "a.b"]), 2));
    }

    #[test]
    fn only_joined_parts_that_are_joined_again_stand_in_parentheses() {
        let either = Condition::Any(vec![
            equal("a", "x"),
            Condition::All(vec![equal("b", "y"), equal("c", "z")]),
        ]);
        let one = Condition::All(vec![Condition::Any(vec![either.clone()])]);
        let text = "#n0 = :v0 OR (#n1 = :v1 AND #n2 = :v2)";
        assert_eq!(rendered(&one), (text.to_owned(), names(&["a", "b", "c"]), 3));
        let both = Condition::All(vec![either, Condition::Present(path("d"))]);
        assert_eq!(rendered(&both).0, format!("({text}) AND attribute_exists(#n3)"));
    }

    #[test]
    fn what_a_settled_part_would_need_has_no_placeholder() {
        let never = Condition::All(vec![equal("a", "x"), Condition::Any(Vec::new())]);
        let condition = Condition::Any(vec![never.clone(), equal("b", "y")]);
        assert_eq!(rendered(&condition), ("#n0 = :v0".to_owned(), names(&["b"]), 1));
        let contradiction = "attribute_exists(#n0) AND attribute_not_exists(#n0)";
        assert_eq!(rendered(&never), (contradiction.to_owned(), names(&["_"]), 0));
    }

    #[test]
    fn a_difference_needs_a_value_to_differ() {
        let condition = Condition::Compare(path("a"), Comparison::NotEqual, "x".into());
        assert_eq!(rendered(&condition).0, "attribute_exists(#n0) AND #n0 <> :v0");
    }
}
