//! Cases: a template, and two tuples of inputs that often share a beginning.

use bigdecimal::BigDecimal;
use proptest::prelude::*;
use shadowkey_item::{AttributeValue, Item, Key, KeyAttribute, KeySchema, Number, ScalarType};
use shadowkey_key_codec::{Scope, Template};

use crate::calendar::{ALL_YEARS, Kind, read_iso, time};
use crate::field::{Field, Form, Output};
use crate::input::{Input, Twist, decimal, number, twist};

#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) spelling: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) a: Vec<Input>,
    pub(crate) b: Vec<Input>,
}

pub(crate) fn case(field: impl Strategy<Value = Field> + Clone + 'static) -> impl Strategy<Value = Case> {
    let literal = prop::sample::select(vec!["", "", "#", "_", "A#", "!", "0", "2", "~", ":", ".", "é", "\u{1}"]);
    let fields = prop::collection::vec((field, literal), 1..5);
    fields.prop_flat_map(|mut parts| {
        close(&mut parts);
        let spelling = spelling(&parts);
        let inputs: Vec<BoxedStrategy<Input>> = parts.iter().map(|(field, _)| field.inputs()).collect();
        let shared = 0..parts.len();
        (inputs.clone(), inputs, shared, twist()).prop_map(move |(a, b, shared, twist)| {
            let mut case = Case {
                spelling: spelling.clone(),
                fields: parts.iter().map(|(field, _)| field.clone()).collect(),
                a,
                b,
            };
            case.b.splice(..shared, case.a.iter().take(shared).cloned());
            case.twist(shared, parts[shared].1, &twist);
            case
        })
    })
}

/// Puts a literal behind plain text that has none before the next field.
fn close(parts: &mut [(Field, &str)]) {
    let last = parts.len() - 1;
    for (field, literal) in parts.iter_mut().take(last) {
        if field.form == Form::Plain && literal.is_empty() {
            *literal = "#";
        }
    }
}

fn spelling(parts: &[(Field, &str)]) -> String {
    let fields = parts.iter().enumerate();
    let fields = fields.map(|(position, (field, literal))| format!("{{f{position}{}}}{literal}", field.spelling()));
    format!("K#{}", fields.collect::<String>())
}

impl Case {
    /// Makes the tuples hard to tell apart from a field on.
    fn twist(&mut self, from: usize, literal: &str, twist: &Twist) {
        if let (Twist::Shifted, [Input::Text(a), Input::Text(next), ..], [Input::Text(b), ..]) =
            (twist, &self.a[from..], &self.b[from..])
        {
            // One text with the literal in it, cut at either place.
            let (a, b) = (
                [a.clone(), format!("{b}{literal}{next}")],
                [format!("{a}{literal}{b}"), next.clone()],
            );
            self.b[from..].clone_from_slice(&self.a[from..]);
            let places = from..from + 2;
            if self.fields[places.clone()]
                .iter()
                .all(|field| field.form.is_text() && field.ops.is_empty())
            {
                self.a.splice(places.clone(), a.map(Input::Text));
                self.b.splice(places, b.map(Input::Text));
            }
        } else if let Some(twisted) = self.a[from].twisted(twist)
            && self.fields[from].form.is_text()
        {
            self.b[from] = twisted;
        }
    }

    pub(crate) fn template(&self) -> Template {
        Template::parse(&self.spelling, ScalarType::S).unwrap_or_else(|error| panic!("{}: {error}", self.spelling))
    }

    pub(crate) fn key(&self, inputs: &[Input]) -> Option<AttributeValue> {
        let item = item(inputs);
        let source = source();
        let scope = Scope::item(&item).of_source(Some(&source));
        let rendered = self.template().render(scope);
        rendered.unwrap_or_else(|error| panic!("{}: {error}", self.spelling))
    }

    /// What the fields give; `None` where one of them leaves the view.
    pub(crate) fn outputs(&self, inputs: &[Input]) -> Option<Vec<Output>> {
        self.fields
            .iter()
            .zip(inputs)
            .map(|(field, input)| field.output(input))
            .collect()
    }
}

fn item(inputs: &[Input]) -> Item {
    let fields = inputs.iter().enumerate();
    fields
        .filter_map(|(position, input)| Some((format!("f{position}"), input.value()?)))
        .collect()
}

fn source() -> Key {
    let partition = KeyAttribute {
        name: "id".to_owned(),
        kind: ScalarType::S,
    };
    let schema = KeySchema { partition, sort: None };
    schema
        .key_of(&Item::from([("id".to_owned(), "7".into())]))
        .expect("key")
}

impl Field {
    /// A decoded value, read by the oracle.
    pub(crate) fn read(&self, value: &AttributeValue) -> Output {
        let number = || decimal(value.as_n().expect("a number").as_str());
        match self.form {
            Form::Pad(..) | Form::Num { .. } => Output::Number(number()),
            Form::Time {
                kind: Kind::Epoch(power),
                ..
            }
            | Form::Ksuid(Kind::Epoch(power)) => {
                let ms = (number() * decimal(&format!("1E{power}")))
                    .normalized()
                    .to_plain_string();
                Output::At(ms.parse().expect("whole milliseconds"))
            }
            Form::Time { .. } | Form::Ksuid(_) => {
                Output::At(value.as_s().and_then(read_iso).unwrap_or_else(|| panic!("{value:?}")))
            }
            _ => Output::Text(value.as_s().expect("text").to_owned()),
        }
    }

    /// What decoding can give back of an output.
    pub(crate) fn kept(&self, output: &Output) -> Option<Output> {
        let is_hashed = matches!(self.form, Form::Hash(_) | Form::Shard(_));
        (!is_hashed).then(|| output.clone())
    }
}

impl Input {
    /// Whether a number or a truth value comes back as text, since a field without ops has taken it.
    pub(crate) fn becomes_text(&self, form: Form) -> bool {
        form == Form::Plain && !matches!(self, Self::Text(_))
    }
}

/// A template of type N, and two inputs.
#[derive(Debug, Clone)]
pub(crate) struct NumberCase {
    kind: Option<Kind>,
    is_negated: bool,
    pub(crate) a: Input,
    pub(crate) b: Input,
}

pub(crate) fn number_case() -> impl Strategy<Value = NumberCase> {
    let kind = prop::option::of(prop::sample::select(Kind::ALL.to_vec()));
    (kind, any::<bool>()).prop_flat_map(|(kind, is_negated)| {
        let input = match kind {
            Some(kind) => time(kind, ALL_YEARS).prop_map(Input::Time).boxed(),
            None => number().prop_map(Input::Number).boxed(),
        };
        (input.clone(), input).prop_map(move |(a, b)| NumberCase { kind, is_negated, a, b })
    })
}

impl NumberCase {
    fn spelling(&self, kind: Option<Kind>) -> String {
        let time = kind.map_or(String::new(), |kind| format!(" | {}", kind.spelling()));
        format!("{{f0{time}{}}}", if self.is_negated { " | neg" } else { "" })
    }

    /// The template that reads what decoding gives: times come back as ISO text, or in their unit.
    pub(crate) fn again(&self) -> String {
        self.spelling(self.kind.map(|kind| match kind {
            Kind::Epoch(_) => kind,
            _ => Kind::Iso,
        }))
    }

    pub(crate) fn template(&self) -> Template {
        let spelling = self.spelling(self.kind);
        Template::parse(&spelling, ScalarType::N).unwrap_or_else(|error| panic!("{spelling}: {error}"))
    }

    pub(crate) fn rendered(&self, input: &Input) -> Number {
        let item = item(std::slice::from_ref(input));
        let value = self
            .template()
            .render(Scope::item(&item))
            .expect("rendered")
            .expect("complete");
        value.as_n().expect("a number").clone()
    }

    /// The number by the oracle.
    pub(crate) fn number(&self, input: &Input) -> BigDecimal {
        let number = match input {
            Input::Time(time) => time.ms.into(),
            other => decimal(other.written()),
        };
        if self.is_negated { -number } else { number }
    }
}
