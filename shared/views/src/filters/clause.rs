//! One alternative of a filter: conditions on leaves of a record, all of which hold.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use shadowkey_item::{AttributePath, AttributeValue, KeyAttribute, ScalarType, Segment};

use crate::filters::Reason;
use crate::pattern::Alternative;

/// Rules by the path of the leaf they look at; of the rules of one leaf, any may hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Clause(BTreeMap<Vec<String>, Vec<Value>>);

/// An image of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Image {
    New,
    Old,
}

impl Image {
    const fn field(self) -> &'static str {
        match self {
            Self::New => "NewImage",
            Self::Old => "OldImage",
        }
    }

    /// The one event whose records do not have it.
    const fn absent_from(self) -> &'static str {
        match self {
            Self::New => "REMOVE",
            Self::Old => "INSERT",
        }
    }
}

const DYNAMODB: &str = "dynamodb";
const KEYS: &str = "Keys";

impl Clause {
    /// Adds rules for the leaf below a path of an item; those of a key attribute stand under `Keys`, and those of others are
    /// put [within](Self::within) an image later.
    pub(super) fn add(&mut self, path: &AttributePath, leaf: Leaf, rules: Vec<Value>) {
        let mut fields = match leaf {
            Leaf::OfKey(_) => vec![DYNAMODB.to_owned(), KEYS.to_owned()],
            Leaf::OfAttribute(_) => Vec::new(),
        };
        fields.push(path.root().to_owned());
        for segment in path.rest() {
            if let Segment::Name(name) = segment {
                fields.extend(["M".to_owned(), name.clone()]);
            }
        }
        let (Leaf::OfKey(descriptor) | Leaf::OfAttribute(descriptor)) = leaf;
        fields.push(descriptor.to_owned());
        self.0.insert(fields, rules);
    }

    /// Whether every record satisfies it.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same conditions on attributes of an image.
    pub(super) fn within(self, image: Image) -> Self {
        let place = [DYNAMODB, image.field()].map(str::to_owned);
        let conditions = self.0.into_iter();
        Self(
            conditions
                .map(|(path, rules)| (place.iter().cloned().chain(path).collect(), rules))
                .collect(),
        )
    }

    pub(super) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// A record that lacks an image, though its event has one. Every image has the item's key in it.
    pub(super) fn missing(image: Image, partition: &KeyAttribute) -> Self {
        let key = [partition.name.as_str(), partition.kind.name()];
        let fields = [DYNAMODB, image.field()].into_iter().chain(key);
        Self(BTreeMap::from([
            (
                vec!["eventName".to_owned()],
                vec![json!({ "anything-but": [image.absent_from()] })],
            ),
            (fields.map(str::to_owned).collect(), vec![json!({ "exists": false })]),
        ]))
    }

    /// Whether whatever satisfies this satisfies the other.
    pub(super) fn implies(&self, other: &Self) -> bool {
        other.0.iter().all(|(path, rules)| self.0.get(path) == Some(rules))
    }

    pub(super) fn looks_at_images(&self) -> bool {
        self.0.keys().any(|path| path.get(1).is_some_and(|field| field != KEYS))
    }

    /// The attributes that conditions are on, of a clause that is in no image yet.
    pub(super) fn attributes(&self) -> impl Iterator<Item = &str> {
        let roots: BTreeSet<&str> = self
            .0
            .keys()
            .filter_map(|path| path.first())
            .map(String::as_str)
            .collect();
        roots.into_iter()
    }

    pub(super) fn to_json(&self) -> Value {
        let mut json = Value::Object(Map::new());
        for (path, rules) in &self.0 {
            let mut place = &mut json;
            for field in path {
                // A leaf and a node below it never have one path: a type's descriptor ends the one and not the other.
                place = &mut place[field.as_str()];
            }
            *place = Value::Array(rules.clone());
        }
        json
    }
}

/// The leaf that rules look at, by its type's descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    OfKey(&'static str),
    OfAttribute(&'static str),
}

/// What a filter can say of one path of a match.
pub(super) enum Part {
    /// Nothing; every item satisfies it.
    Always,
    /// Nothing, for this reason.
    Widened(Reason),
    /// These rules on a leaf, which let more through for this reason, if there is one.
    Rules(Leaf, Vec<Rule>, Option<Reason>),
}

/// What one alternative comes to.
pub(super) enum Rule {
    Is(Value),
    /// Any value of the leaf's type.
    Any,
    /// The same, since the language cannot say it.
    Wider(Reason),
}

impl Part {
    /// What holds for a key attribute, whose type is known; `None` where no key matches.
    pub(super) fn of_key(key: &KeyAttribute, alternatives: &[Alternative]) -> Option<Self> {
        let rules: Vec<Rule> = match key.kind {
            ScalarType::S => alternatives.iter().filter_map(text_rule).collect(),
            ScalarType::N => alternatives.iter().filter_map(number_rule).collect(),
            ScalarType::B => alternatives.iter().filter_map(bytes_rule).collect(),
        };
        match rules.iter().any(|rule| matches!(rule, Rule::Any)) {
            true => Some(Self::Always),
            false if rules.is_empty() => None,
            false => Some(Self::rules(Leaf::OfKey(key.kind.name()), rules)),
        }
    }

    /// What holds for another attribute, which may be of any type and may be missing.
    pub(super) fn of_attribute(path: &AttributePath, alternatives: &[Alternative]) -> Self {
        use Alternative as A;
        if path.rest().iter().any(|segment| matches!(segment, Segment::Index(_))) {
            return Self::Widened(Reason::Position);
        }
        let any = |is: fn(&A) -> bool| alternatives.iter().any(is);
        if any(|alternative| matches!(alternative, A::Exists(_))) {
            return Self::Widened(Reason::Exists);
        }
        if any(|alternative| matches!(alternative, A::AnythingBut(_))) {
            return Self::Widened(Reason::AnythingBut);
        }
        let numbers: Vec<Rule> = alternatives.iter().filter_map(number_rule).collect();
        let texts: Vec<Rule> = alternatives.iter().filter_map(text_rule).collect();
        match (texts.is_empty(), numbers.is_empty()) {
            (false, true) => Self::rules(Leaf::OfAttribute("S"), texts),
            (true, false) => Self::rules(Leaf::OfAttribute("N"), numbers),
            _ => Self::Widened(Reason::SeveralTypes),
        }
    }

    fn rules(leaf: Leaf, rules: Vec<Rule>) -> Self {
        let reason = rules.iter().find_map(|rule| match rule {
            Rule::Wider(reason) => Some(*reason),
            _ => None,
        });
        Self::Rules(leaf, rules, reason)
    }

    /// The rules to write down, and why they are wider than the match, if they are.
    pub(super) fn settled(self, path: &AttributePath) -> (Option<(Leaf, Vec<Value>)>, Option<Reason>) {
        let names = path.rest().iter().filter_map(|segment| match segment {
            Segment::Name(name) => Some(name.as_str()),
            Segment::Index(_) => None,
        });
        let can_be_named = std::iter::once(path.root()).chain(names).all(can_be_named);
        match self {
            Self::Always => (None, None),
            Self::Widened(reason) => (None, Some(reason)),
            Self::Rules(..) if !can_be_named => (None, Some(Reason::Name)),
            Self::Rules(leaf, rules, reason) => {
                let values: Option<Vec<Value>> = rules
                    .into_iter()
                    .map(|rule| match rule {
                        Rule::Is(value) => Some(value),
                        Rule::Any | Rule::Wider(_) => None,
                    })
                    .collect();
                let values = values.unwrap_or_else(|| vec![json!({ "exists": true })]);
                // A key is always there and always of its type.
                let says_nothing = matches!(leaf, Leaf::OfKey(_)) && reason.is_some();
                ((!says_nothing).then_some((leaf, values)), reason)
            }
        }
    }
}

/// Whether a field of this name is what it seems: the language separates nested fields by dots, and `$` begins its own words.
pub(super) fn can_be_named(name: &str) -> bool {
    !name.contains('.') && !name.starts_with('$')
}

/// What an alternative says of text; `None` where no text matches it.
fn text_rule(alternative: &Alternative) -> Option<Rule> {
    match alternative {
        Alternative::Literal(value) => value.as_s().map(|text| Rule::Is(json!(text))),
        Alternative::Prefix(text) | Alternative::Suffix(text) if text.is_empty() => Some(Rule::Any),
        Alternative::Prefix(text) => Some(Rule::Is(json!({ "prefix": text }))),
        Alternative::Suffix(text) => Some(Rule::Is(json!({ "suffix": text }))),
        // Case is Unicode's in a match and may be ASCII's in a filter; the Kelvin sign is a `k` in the one only.
        Alternative::EqualsIgnoreCase(text) if !text.is_ascii() || text.contains(['k', 'K']) => {
            Some(Rule::Wider(Reason::Case))
        }
        Alternative::EqualsIgnoreCase(text) => Some(Rule::Is(json!({ "equals-ignore-case": text }))),
        Alternative::AnythingBut(values) => {
            let texts: Vec<&str> = values.iter().filter_map(AttributeValue::as_s).collect();
            Some(match texts.is_empty() {
                true => Rule::Any,
                false => Rule::Is(json!({ "anything-but": texts })),
            })
        }
        Alternative::Exists(exists) => exists.then_some(Rule::Any),
        Alternative::Numeric(_) => None,
    }
}

/// What an alternative says of a number, which is text in a record, and whose spelling is the service's.
fn number_rule(alternative: &Alternative) -> Option<Rule> {
    match alternative {
        Alternative::Literal(AttributeValue::N(_)) | Alternative::Numeric(_) => Some(Rule::Wider(Reason::Number)),
        Alternative::AnythingBut(values) if values.iter().any(|value| value.as_n().is_some()) => {
            Some(Rule::Wider(Reason::Number))
        }
        Alternative::AnythingBut(_) | Alternative::Exists(true) => Some(Rule::Any),
        _ => None,
    }
}

/// What an alternative says of bytes, of which a view file has no literals.
fn bytes_rule(alternative: &Alternative) -> Option<Rule> {
    matches!(alternative, Alternative::AnythingBut(_) | Alternative::Exists(true)).then_some(Rule::Any)
}
