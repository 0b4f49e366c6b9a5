//! The way back: from a rendered value to the inputs it was made of.

use shadowkey_item::{AttributePath, AttributeValue};

use crate::Template;
use crate::parse::Part;
use crate::pipeline::Taken;

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

impl Template {
    /// Takes a value apart that the template has rendered; `None` where it never renders this one.
    ///
    /// Numbers come back as numbers, times as ISO text or as a number of the unit that the template reads, and everything
    /// else as text, so that a number that a field without ops has taken comes back as its digits.
    pub fn decode(&self, value: &AttributeValue) -> Option<Vec<Decoded>> {
        match value {
            AttributeValue::N(number) if self.kind() == shadowkey_item::ScalarType::N => {
                let [Part::Field(field)] = self.parts() else {
                    return None;
                };
                Some(vec![Decoded {
                    path: field.path.clone(),
                    value: Some(field.pipeline.take_number(number)?),
                    lossy: field.pipeline.is_lossy(),
                }])
            }
            AttributeValue::S(text) if self.kind() == shadowkey_item::ScalarType::S => self.decode_text(text),
            _ => None,
        }
    }

    fn decode_text(&self, text: &str) -> Option<Vec<Decoded>> {
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
            let taken = field.pipeline.take(&mut rest, self.delimiter(position))?;
            let value = match taken {
                Taken::Value(value) if value.as_s() == Some("") => return None,
                Taken::Value(value) => Some(value),
                Taken::Nothing => None,
            };
            decoded.push(Decoded {
                path: field.path.clone(),
                value,
                lossy: field.pipeline.is_lossy(),
            });
        }
        rest.is_empty().then_some(decoded)
    }
}
