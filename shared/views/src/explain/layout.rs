//! How the values of a key part or attribute are laid out, piece by piece.
//!
//! The ops are read from the template's canonical spelling, which is all that the codec says of them; FORMAT.md has the
//! bytes of each form.

use shadowkey_item::{AttributePath, KeyAttribute, ScalarType};
use shadowkey_key_codec::{LayoutPart, Template};

use crate::view::{AttributeView, ShadowView};

/// One template and what its values look like.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct KeyPart {
    /// The attribute that holds the value.
    pub name: String,
    /// What the attribute is.
    pub role: Role,
    /// The attribute's type.
    #[serde(rename = "type")]
    pub kind: ScalarType,
    /// The template in its canonical spelling.
    pub template: String,
    /// Its literals and fields, in order.
    pub pieces: Vec<Piece>,
    /// Whether the values sort as their fields do, one field after another.
    pub ordered: bool,
    /// How many bytes of a value are the same in every item, or of a fixed width.
    pub fixed_bytes: usize,
}

/// What an attribute is in the item that carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The partition key of the shadow.
    PartitionKey,
    /// The sort key of the shadow.
    SortKey,
    /// An attribute of the source item.
    Attribute,
}

/// A piece of a value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Piece {
    /// The same in every value.
    Literal {
        /// The text.
        literal: String,
    },
    /// Different from item to item.
    Field(Field),
}

/// An input and what its ops make of it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Field {
    /// The path of the input.
    #[serde(rename = "field")]
    pub path: String,
    /// The ops in their canonical spelling.
    pub ops: Vec<String>,
    /// What the output looks like.
    pub output: Output,
    /// How outputs sort.
    pub order: Order,
    /// Whether different inputs can give the same output.
    pub lossy: bool,
}

/// What the output of a field looks like, and so where it ends.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "form", rename_all = "kebab-case")]
pub enum Output {
    /// Always of the same length.
    Fixed {
        /// The length.
        bytes: usize,
    },
    /// Text of any length; it goes on to the literal behind it, or to the end of the value.
    Text {
        /// The characters that are written as `%XX` inside it.
        escaped: Vec<char>,
    },
    /// Of any length, with an end that nothing inside it can be taken for.
    SelfDelimiting {
        /// What it can end with.
        ends_with: Vec<char>,
    },
    /// A number of type N.
    Number,
}

/// How the outputs of a field sort within a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As the inputs do.
    Ascending,
    /// The other way round.
    Descending,
    /// As the bytes of the text do, so that `10` comes before `2`.
    Text,
    /// As the times do, to the second.
    Second,
    /// In no order that would mean something.
    None,
}

/// The key parts of a shadow.
pub(super) fn of_shadow(view: &ShadowView) -> Vec<KeyPart> {
    let parts = view.key.iter();
    parts
        .map(|(name, template)| {
            let is_partition = *name == view.schema.partition.name;
            let role = if is_partition {
                Role::PartitionKey
            } else {
                Role::SortKey
            };
            of_template(name, role, template)
        })
        .collect()
}

/// The attribute of an attribute view.
pub(super) fn of_attribute(view: &AttributeView) -> KeyPart {
    of_template(&view.attribute, Role::Attribute, &view.template)
}

/// An attribute that no view writes, as a whole.
pub(super) fn of_plain_attribute(attribute: &KeyAttribute) -> KeyPart {
    let path = AttributePath::attribute(&attribute.name).to_string();
    let (output, order) = of_ops(&[], attribute.kind, None);
    KeyPart {
        name: attribute.name.clone(),
        role: Role::Attribute,
        kind: attribute.kind,
        template: format!("{{{path}}}"),
        pieces: vec![Piece::Field(Field {
            path,
            ops: Vec::new(),
            output,
            order,
            lossy: false,
        })],
        ordered: true,
        fixed_bytes: 0,
    }
}

pub(super) fn of_template(name: &str, role: Role, template: &Template) -> KeyPart {
    let pieces = pieces(template);
    let fixed = pieces.iter().map(|piece| match piece {
        Piece::Literal { literal } => literal.len(),
        Piece::Field(field) => field.output.fixed_bytes(),
    });
    let mut fields = pieces.iter().filter_map(Piece::as_field);
    KeyPart {
        name: name.to_owned(),
        role,
        kind: template.kind(),
        template: template.to_string(),
        ordered: fields.all(|field| !matches!(field.order, Order::None | Order::Second)),
        fixed_bytes: fixed.sum(),
        pieces,
    }
}

impl Piece {
    /// The field, if this is one.
    pub fn as_field(&self) -> Option<&Field> {
        match self {
            Self::Field(field) => Some(field),
            Self::Literal { .. } => None,
        }
    }

    /// The piece as a template spells it.
    pub fn spelling(&self) -> String {
        match self {
            Self::Literal { literal } => literal.replace('{', "{{").replace('}', "}}"),
            Self::Field(field) => field.spelling(),
        }
    }
}

impl Field {
    /// The field as a template spells it.
    pub fn spelling(&self) -> String {
        let ops: String = self.ops.iter().map(|op| format!(" | {op}")).collect();
        format!("{{{}{ops}}}", self.path)
    }

    /// Whether the output is made of the source item's key as well.
    pub(super) fn is_of_source(&self) -> bool {
        self.ops.last().is_some_and(|op| op == "ksuid")
    }

    /// The number of buckets, where the output is one.
    pub(super) fn buckets(&self) -> Option<usize> {
        self.ops
            .last()
            .and_then(|op| op.strip_prefix("shard("))
            .and_then(|rest| rest.strip_suffix(')')?.parse().ok())
    }
}

impl Output {
    fn fixed_bytes(&self) -> usize {
        match self {
            Self::Fixed { bytes } => *bytes,
            _ => 0,
        }
    }
}

fn pieces(template: &Template) -> Vec<Piece> {
    let spelled = template.to_string();
    let mut rest = spelled.as_str();
    let mut pieces = Vec::new();
    let layout = template.layout();
    for (position, part) in layout.iter().enumerate() {
        let piece = match part {
            LayoutPart::Literal(literal) => Piece::Literal {
                literal: (*literal).to_owned(),
            },
            LayoutPart::Field(field) => {
                let delimiter = match layout.get(position + 1) {
                    Some(LayoutPart::Literal(literal)) => literal.chars().next(),
                    _ => None,
                };
                // INVARIANT: the canonical spelling is the layout's parts in their order.
                let ops = rest
                    .get(1 + field.path.to_string().len()..)
                    .map(ops)
                    .unwrap_or_default();
                let (output, order) = of_ops(&ops, template.kind(), delimiter);
                Piece::Field(Field {
                    path: field.path.to_string(),
                    lossy: ops.iter().any(|op| is_lossy(op)),
                    ops,
                    output,
                    order,
                })
            }
        };
        rest = rest.get(piece.spelling().len()..).unwrap_or("");
        pieces.push(piece);
    }
    pieces
}

/// The ops that a text begins with, each behind ` | `, up to the brace that closes their field.
fn ops(text: &str) -> Vec<String> {
    let mut ops = Vec::new();
    let mut op = String::new();
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            '}' if !quoted => break,
            '|' if !quoted => ops.push(std::mem::take(&mut op)),
            _ => op.push(c),
        }
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    ops.push(op);
    // Before the first bar stands nothing but a space.
    ops.iter().skip(1).map(|op| op.trim().to_owned()).collect()
}

fn name(op: &str) -> &str {
    op.split('(').next().unwrap_or(op)
}

/// The one number that an op takes.
fn argument(op: &str) -> usize {
    let inside = op.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inside.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn is_lossy(op: &str) -> bool {
    const LOSSY: [&str; 11] = [
        "default", "fold", "hash", "ksuid", "lower", "nfc", "prefix", "shard", "time", "trim", "upper",
    ];
    LOSSY.contains(&name(op))
}

/// What a chain of ops gives in a value of a type, before a delimiter.
fn of_ops(ops: &[String], kind: ScalarType, delimiter: Option<char>) -> (Output, Order) {
    let last = ops.last().map_or("", String::as_str);
    let fixed = |bytes, order| (Output::Fixed { bytes }, order);
    let delimited = |ends: &[char], order| {
        (
            Output::SelfDelimiting {
                ends_with: ends.to_vec(),
            },
            order,
        )
    };
    match (name(last), kind) {
        ("neg", _) => (Output::Number, Order::Descending),
        (_, ScalarType::N) => (Output::Number, Order::Ascending),
        ("pad", _) => fixed(argument(last), Order::Ascending),
        ("num", _) => delimited(&['.', ':'], Order::Ascending),
        ("time", _) => fixed(24, Order::Ascending),
        ("ksuid", _) => fixed(27, Order::Second),
        ("hash", _) => fixed(argument(last), Order::None),
        ("shard", _) => fixed(bucket_width(argument(last)), Order::None),
        ("exact", _) => delimited(&['\u{1}'], Order::Ascending),
        ("desc", _) => match ops.iter().rev().nth(1).map(|op| (name(op), op)) {
            Some(("pad", pad)) => fixed(argument(pad), Order::Descending),
            Some(("time", _)) => fixed(15, Order::Descending),
            Some(("num", _)) => delimited(&['.', ':'], Order::Descending),
            _ => delimited(&['~'], Order::Descending),
        },
        _ => {
            let escaped: Vec<char> = delimiter.map(|delimiter| vec![delimiter, '%']).unwrap_or_default();
            let order = if escaped.is_empty() { Order::Text } else { Order::None };
            (Output::Text { escaped }, order)
        }
    }
}

/// How many digits a bucket has.
pub(super) fn bucket_width(buckets: usize) -> usize {
    buckets.saturating_sub(1).to_string().len().max(2)
}

#[cfg(test)]
mod tests;
