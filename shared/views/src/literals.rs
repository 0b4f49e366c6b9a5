//! The words that a view file gives a meaning.

use std::collections::BTreeSet;

use shadowkey_item::AttributeValue;
use shadowkey_key_codec::{LayoutPart, Template};

use crate::pattern::Alternative;
use crate::view::Views;

impl Views {
    /// The texts that matches look for and that templates put between fields, with the numbers that matches look for.
    ///
    /// Whoever replaces values by others and wants the same views to derive from them keeps these.
    pub fn literals(&self) -> BTreeSet<String> {
        let matched = self.sources.iter().flat_map(|source| &source.pattern.0);
        let matched = matched.flat_map(|(_, alternatives)| alternatives.iter().flat_map(of_alternative));
        let keys = self
            .shadows
            .iter()
            .flat_map(|view| view.key.iter().map(|(_, template)| template));
        let templates = keys.chain(self.attributes.iter().map(|view| &view.template));
        matched.chain(templates.flat_map(of_template)).collect()
    }
}

fn of_alternative(alternative: &Alternative) -> Vec<String> {
    let of_value = |value: &AttributeValue| match value {
        AttributeValue::N(number) => Some(number.to_string()),
        other => other.as_s().map(str::to_owned),
    };
    match alternative {
        Alternative::Literal(value) => of_value(value).into_iter().collect(),
        Alternative::AnythingBut(values) => values.iter().filter_map(of_value).collect(),
        Alternative::Prefix(text) | Alternative::Suffix(text) | Alternative::EqualsIgnoreCase(text) => {
            vec![text.clone()]
        }
        Alternative::Exists(_) | Alternative::Numeric(_) => Vec::new(),
    }
}

fn of_template(template: &Template) -> Vec<String> {
    let layout = template.layout().into_iter();
    let literals = layout.filter_map(|part| match part {
        LayoutPart::Literal(text) => Some(text.to_owned()),
        LayoutPart::Field(_) => None,
    });
    literals.collect()
}

#[cfg(test)]
mod tests {
    use crate::load;

    #[test]
    fn literals_are_those_of_matches_and_of_templates() {
        let file = r#"
            version = 1
            [table]
            name = "app"
            partition_key = { name = "PK", type = "S" }
            [source.a]
            match = { PK = [{ prefix = "ORG#" }, { suffix = "end" }], x = ["open", 5, { anything-but = ["shut"] }], y = [{ numeric = [">", 7] }] }
            [attribute.z]
            source = "a"
            value = "{x}-at-{y}"
            [shadow.b]
            source = "a"
            key = { PK = "X{PK}" }
        "#;
        let literals = load(file).views.expect("views").literals();
        let literals: Vec<&str> = literals.iter().map(String::as_str).collect();
        assert_eq!(literals, ["-at-", "5", "ORG#", "X", "end", "open", "shut"]);
    }
}
