//! What can be wrong with a template, and with a value that goes through one.

use std::ops::Range;

use shadowkey_item::{AttributePath, Number, PathErrorKind, ScalarType};

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
    #[error("`{value}` is of type {found}, and {op} takes {takes}; write the attribute as that type or use another op")]
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
    #[error("`{value}` is not a whole number of zero or more, which `pad` needs; use an op that orders every number")]
    NotUnsigned {
        /// The value.
        value: Number,
    },
    /// More digits than the width.
    #[error(
        "`{value}` does not fit `pad({width})`; widen it, which needs a new view name, since keys already written keep their width"
    )]
    TooWide {
        /// The value.
        value: Number,
        /// The width in digits.
        width: usize,
    },
    /// More than the constant it is subtracted from.
    #[error(
        "`{value}` is more than the {from} of `desc({from})`; raise it, which needs a new view name, since keys already written were made with it"
    )]
    AboveDesc {
        /// The value.
        value: Number,
        /// The constant.
        from: u128,
    },
    /// Text that is not a time of the form.
    #[error("`{value}` is not {form}; write the attribute so, or have `time` read another form")]
    NotATime {
        /// The text.
        value: String,
        /// What was expected, with its article.
        form: String,
    },
    /// A time of day somewhere in the world.
    #[error("`{value}` is a time of day without zone; write it with `Z` or an offset, or say `time(assume_utc)`")]
    NoZone {
        /// The text.
        value: String,
    },
    /// A time that KSUIDs cannot hold.
    #[error("`{value}` is outside 2014-05-13T16:53:20Z to 2150-06-19T23:21:35Z, which a KSUID can hold; use `time`")]
    KsuidRange {
        /// The text or number.
        value: String,
    },
    /// A time before year 1 or after year 9999.
    #[error("`{value}` is outside the years 0001 to 9999")]
    TimeRange {
        /// The text or number.
        value: String,
    },
}

impl ValueProblem {
    /// A short name for the kind of problem, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::WrongType { .. } => "wrong-type",
            Self::NotUnsigned { .. } | Self::TooWide { .. } | Self::AboveDesc { .. } => "does-not-fit",
            Self::NotATime { .. } | Self::NoZone { .. } | Self::TimeRange { .. } => "not-a-time",
            Self::KsuidRange { .. } => "does-not-fit",
        }
    }
}

/// A value as a message shows it: cut, and on one line.
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
