//! The way back: from a rendered value to the inputs it was made of.

use std::collections::BTreeMap;

use shadowkey_item::{AttributePath, AttributeValue};

use crate::parse::{Field, Part};
use crate::pipeline::{Form, Taken};
use crate::{Scope, Template};

/// One field of a rendered value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The input's path.
    pub path: AttributePath,
    /// The input, or what its ops made of it; `None` where only its sameness was kept (`hash`, `shard`).
    pub value: Option<AttributeValue>,
    /// Whether other inputs give the same.
    pub lossy: bool,
}

impl Decoded {
    /// The inputs that stand wholly somewhere among what has been decoded, each once.
    ///
    /// A field without ops writes a number as its digits, so that a number that stands elsewhere as one is it.
    pub fn whole<'a>(decoded: impl IntoIterator<Item = &'a Self>) -> Vec<(AttributePath, AttributeValue)> {
        let mut whole: BTreeMap<&AttributePath, &AttributeValue> = BTreeMap::new();
        for field in decoded.into_iter().filter(|field| !field.lossy) {
            let Some(value) = &field.value else { continue };
            let known = whole.entry(&field.path).or_insert(value);
            if known.as_s().is_some() {
                *known = value;
            }
        }
        let owned = |(path, value): (&AttributePath, &AttributeValue)| (path.clone(), value.clone());
        whole.into_iter().map(owned).collect()
    }
}

impl Template {
    /// Takes a value apart that the template has rendered; `None` where it never renders this one.
    ///
    /// Numbers come back as numbers, times as ISO text or as a number of the unit that the template reads, and everything
    /// else as text, so that a number that a field without ops has taken comes back as its digits. An input that stands in
    /// it more than once is one input.
    pub fn decode(&self, value: &AttributeValue) -> Option<Vec<Decoded>> {
        let whole = Decoded::whole(&self.decode_of(value, &[])?);
        self.decode_of(value, &whole)
    }

    /// The same where inputs are known, such as from another key part: `None` also where one of them gives something else.
    pub fn decode_of(&self, value: &AttributeValue, known: &[(AttributePath, AttributeValue)]) -> Option<Vec<Decoded>> {
        match value {
            AttributeValue::N(number) if self.kind() == shadowkey_item::ScalarType::N => {
                let [Part::Field(field)] = self.parts() else {
                    return None;
                };
                let taken = field.pipeline.take_number(number)?;
                let given = known.iter().find(|(path, _)| *path == field.path);
                let gives = |(_, input): &(_, AttributeValue)| field.pipeline.number(Some(input)).ok().flatten();
                let is_given = given.is_none_or(|input| gives(input).as_ref() == Some(number));
                is_given.then(|| vec![field.decoded(Some(taken))])
            }
            AttributeValue::S(text) if self.kind() == shadowkey_item::ScalarType::S => self.decode_text(text, known),
            _ => None,
        }
    }

    fn decode_text(&self, text: &str, known: &[(AttributePath, AttributeValue)]) -> Option<Vec<Decoded>> {
        let mut rest = text;
        let mut decoded = Vec::new();
        for (position, part) in self.parts().iter().enumerate() {
            let field = match part {
                Part::Literal(literal) => {
                    rest = rest.strip_prefix(literal.as_str())?;
                    continue;
                }
                Part::Field(field) => field,
            };
            let (from, delimiter) = (rest, self.delimiter(position));
            let taken = field.pipeline.take(&mut rest, delimiter)?;
            let value = match taken {
                Taken::Value(value) if value.as_s() == Some("") => return None,
                Taken::Value(value) => Some(value),
                Taken::Nothing => None,
            };
            if !field.gives(from.strip_suffix(rest)?, known, delimiter) {
                return None;
            }
            decoded.push(field.decoded(value));
        }
        rest.is_empty().then_some(decoded)
    }
}

impl Field {
    fn decoded(&self, value: Option<AttributeValue>) -> Decoded {
        Decoded {
            path: self.path.clone(),
            value,
            lossy: self.pipeline.is_lossy(),
        }
    }

    /// Whether its input, where it is known, gives these bytes; a `ksuid` is of a source item that is not known here.
    fn gives(&self, bytes: &str, known: &[(AttributePath, AttributeValue)], delimiter: Option<char>) -> bool {
        let scope = Scope::inputs(known);
        if matches!(self.pipeline.form(), Form::Ksuid(_)) || scope.lookup(&self.path).is_none() {
            return true;
        }
        let mut rendered = String::new();
        self.render(&mut rendered, scope, delimiter) == Ok(true) && rendered == bytes
    }
}
