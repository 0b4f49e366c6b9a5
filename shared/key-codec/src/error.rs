//! What can be wrong with a template, and with a value that goes through one.

use std::ops::Range;

use shadowkey_item::{AttributePath, AttributeValue, Number, PathErrorKind, ScalarType};

use crate::integer::MAX_WIDTH;
use crate::operand::Operand;

/// How much of a value an error message shows, in characters.
const SHOWN_CHARS: usize = 64;

/// A template that cannot be used, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct TemplateError {
    /// The bytes of the template that are wrong.
    pub span: Range<usize>,
    /// What is wrong with them.
    pub problem: TemplateProblem,
}

/// What is wrong with a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateProblem {
    /// It has no text at all.
    #[error("the template is empty")]
    Empty,
    /// A `{` without its `}`.
    #[error("the field has no closing `}}`")]
    UnclosedField,
    /// A `}` outside a field.
    #[error("a `}}` outside a field; a literal brace is written `}}}}`")]
    StrayBrace,
    /// The path of a field.
    #[error("{0}")]
    Path(PathErrorKind),
    /// Something else where an op, its arguments or the end of the field should be.
    #[error("expected {expected}")]
    Expected {
        /// What could stand here.
        expected: &'static str,
    },
    /// There is no op of this name.
    #[error("the op `{name}` is not known")]
    UnknownOp {
        /// The name.
        name: String,
    },
    /// The op's arguments are not those it takes.
    #[error("`{op}` takes {takes}")]
    Arguments {
        /// The op.
        op: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// The op cannot follow what stands before it.
    #[error("`{op}` cannot follow {before}; it takes {takes}")]
    Sequence {
        /// The op.
        op: &'static str,
        /// What stands before it.
        before: &'static str,
        /// What it can follow.
        takes: &'static str,
    },
    /// A `time` format that formats nothing.
    #[error("`{format}` is not a time format: {message}")]
    TimeFormat {
        /// The format.
        format: String,
        /// What the time library says.
        message: String,
    },
    /// The default's own text fails in the ops behind it.
    #[error("the default cannot be rendered: {0}")]
    Default(ValueProblem),
    /// Plain text with nothing to end it before the next field.
    #[error("plain text stands directly before another field, so nothing marks where it ends")]
    Adjacent,
    /// A literal that looks like an escape.
    #[error("a literal after a field cannot start with `%`, which escapes use")]
    PercentLiteral,
    /// A template for a number that is more than one field.
    #[error("a value of type N is one field and nothing else")]
    NotOneNumber,
    /// An op that gives text, in a template for a number.
    #[error("a value of type N is a number: the field's ops may be `default`, `time` and `neg`")]
    TextForNumber,
    /// `neg` in a template for text.
    #[error("`neg` gives a number, and this value is of type S")]
    NumberForText,
    /// Templates give text and numbers only.
    #[error("a template cannot give a value of type {0}")]
    Type(ScalarType),
}

/// A value that has no place in a key, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}`: {problem}")]
pub struct ValueError {
    /// The input's path.
    pub path: AttributePath,
    /// What is wrong with the value.
    pub problem: Box<ValueProblem>,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueProblem {
    /// The op takes another type.
    #[error("`{value}` is of type {found}, and {op} takes {takes}; {}", way_out(found, op))]
    WrongType {
        /// The value.
        value: String,
        /// Its type.
        found: &'static str,
        /// The op, or the field itself.
        op: &'static str,
        /// The types it takes.
        takes: &'static str,
    },
    /// An integer was needed.
    #[error(
        "`{}` is not a whole number of zero or more, which `pad` needs; write such a number, or use `num`, which orders every \
         number, in a view of a new name",
        shown(value.as_str())
    )]
    NotUnsigned {
        /// The value.
        value: Number,
    },
    /// More digits than the width.
    #[error(
        "`{}` does not fit `pad({width})`; {}, which needs a new view name, since keys already written keep their width",
        shown(value.as_str()),
        if value.as_str().len() > MAX_WIDTH { "use `num` instead" } else { "widen it" }
    )]
    TooWide {
        /// The value.
        value: Number,
        /// The width in digits.
        width: usize,
    },
    /// More than the constant it is subtracted from.
    #[error(
        "`{}` is more than the {from} of `desc({from})`; raise it, which needs a new view name, since keys already written \
         were made with it",
        shown(value.as_str())
    )]
    AboveDesc {
        /// The value.
        value: Number,
        /// The constant.
        from: u128,
    },
    /// Text that is not a time of the form.
    #[error(
        "`{value}` is not {form}; write the attribute so, or have `time` read the format it has, in a view of a new name"
    )]
    NotATime {
        /// The text.
        value: String,
        /// What was expected, with its article.
        form: String,
    },
    /// Text that is not an identifier with a time in it.
    #[error("`{value}` is not {form}; write the attribute so, or read the time from another attribute with `time`")]
    NotAnIdentifier {
        /// The text.
        value: String,
        /// What was expected, with its article.
        form: &'static str,
    },
    /// A time of day somewhere in the world.
    #[error(
        "`{value}` is a time of day without zone; write it with {zone}, or say `{assume_utc}` in a view of a new name if it is in UTC"
    )]
    NoZone {
        /// The text.
        value: String,
        /// How the template reads a zone.
        zone: &'static str,
        /// The op that takes it for UTC.
        assume_utc: String,
    },
    /// A time that KSUIDs cannot hold.
    #[error(
        "`{value}` is outside 2014-05-13T16:53:20Z to 2150-06-19T23:21:35Z, which a KSUID can hold; correct the attribute, or use \
         `time` without `ksuid` in a view of a new name"
    )]
    KsuidRange {
        /// The text or number.
        value: String,
    },
    /// A time before year 1 or after year 9999.
    #[error(
        "`{value}` is outside the years 0001 to 9999, which `time` orders; correct the attribute{}",
        other_unit(unit)
    )]
    TimeRange {
        /// The text or number.
        value: String,
        /// The unit that a number is read in.
        unit: Option<&'static str>,
    },
}

/// What to do about a type that an op does not take.
fn way_out(found: &str, op: &str) -> &'static str {
    match (found, op) {
        ("L", _) => "name one of its elements, as in `{tags[0]}`, or go over all of them with `for_each`",
        ("M", _) => "name a value inside it, as in `{address.city}`",
        ("SS" | "NS" | "BS", _) => "go over its elements with `for_each`",
        ("N", "`time`") => {
            "write the attribute as text, or say its unit, as in `time(epoch_s)`, in a view of a new name"
        }
        ("N", "`exact`") => "write the attribute as text, or use `num`, which orders numbers, in a view of a new name",
        ("N", "`desc` of text") => "write the attribute as text, or use `num | desc` in a view of a new name",
        ("N", "`hash`") => "write the attribute as text, or use `shard`, which takes any type, in a view of a new name",
        ("N" | "BOOL", "an op on text") => "write the attribute as text, or leave the op out in a view of a new name",
        ("S", "`time` of an epoch") => {
            "write the attribute as a number, or read its text with `time` in a view of a new name"
        }
        ("S", "`pad`" | "`num`") => {
            "write the attribute as a number, or use `exact`, which orders text, in a view of a new name"
        }
        (_, "`pad`" | "`num`" | "`neg`" | "`time` of an epoch" | "a value of type N") => {
            "write the attribute as a number"
        }
        ("B", _) => "write the attribute as text, such as its base64",
        _ => "write the attribute as text",
    }
}

fn other_unit(unit: &Option<&str>) -> String {
    unit.map_or(String::new(), |unit| {
        format!(
            ", or its unit, which `time({unit})` says: there are `epoch_s`, `epoch_ms` and `epoch_us`; another one needs a \
             new view name"
        )
    })
}

impl ValueProblem {
    /// A short name for the kind of problem, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::WrongType { .. } => "wrong-type",
            Self::NotUnsigned { .. } | Self::TooWide { .. } | Self::AboveDesc { .. } => "does-not-fit",
            Self::NotATime { .. } | Self::NotAnIdentifier { .. } => "not-a-time",
            Self::NoZone { .. } | Self::TimeRange { .. } => "not-a-time",
            Self::KsuidRange { .. } => "does-not-fit",
        }
    }
}

/// A value of any type as messages show it: cut at 64 characters, and on one line.
pub fn shown_value(value: &AttributeValue) -> String {
    shown(&Operand::from(value).spelled())
}

/// Text as a message shows it: cut, and on one line.
pub(crate) fn shown(value: &str) -> String {
    let mut chars = value.chars();
    let mut text = String::new();
    for c in chars.by_ref().take(SHOWN_CHARS) {
        if c.is_control() {
            text.extend(c.escape_debug());
        } else {
            text.push(c);
        }
    }
    if chars.next().is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests;
