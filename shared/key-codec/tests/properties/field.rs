//! Fields: the ops of one, as a template spells them, and what the oracle says that they give.

use std::cmp::Ordering;

use bigdecimal::BigDecimal;
use sha2::{Digest as _, Sha256};

use crate::calendar::Kind;
use crate::input::{Input, decimal};

/// An op from text to text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextOp {
    Upper,
    Lower,
    Fold,
    Nfc,
    Trim,
    Prefix(usize),
}

/// What a field ends in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    Exact,
    TextDesc,
    ExactDesc,
    Hash(usize),
    Shard(u64),
    /// With the constant that it counts back from, where it descends.
    Pad(u32, Option<u128>),
    Num {
        descending: bool,
    },
    Time {
        kind: Kind,
        descending: bool,
    },
    Ksuid(Kind),
}

/// A field of a template.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) default: Option<Input>,
    pub(crate) ops: Vec<TextOp>,
    pub(crate) form: Form,
}

/// What a field's ops give, which is what keys compare by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Output {
    Text(String),
    Number(BigDecimal),
    /// Milliseconds since 1970.
    At(i64),
}

impl Output {
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.chars().cmp(b.chars()),
            (Self::Number(a), Self::Number(b)) => a.cmp(b),
            (Self::At(a), Self::At(b)) => a.cmp(b),
            _ => panic!("a field has outputs of one type"),
        }
    }
}

impl TextOp {
    fn spelling(self) -> String {
        match self {
            Self::Prefix(chars) => format!("prefix({chars})"),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    fn apply(self, text: &str) -> String {
        let composed = |text: &str| text.replace("e\u{301}", "é").replace("E\u{301}", "É");
        match self {
            Self::Upper => text.to_uppercase(),
            Self::Lower => text.to_lowercase(),
            Self::Nfc => composed(text),
            Self::Fold => composed(&text.to_lowercase()).replace('ﬀ', "ff"),
            Self::Trim => text.trim_matches(char::is_whitespace).to_owned(),
            Self::Prefix(chars) => text.chars().take(chars).collect(),
        }
    }
}

impl Form {
    fn spelling(self) -> String {
        let desc = |descending| if descending { " | desc" } else { "" };
        match self {
            Self::Plain => String::new(),
            Self::Exact => " | exact".to_owned(),
            Self::TextDesc => " | desc".to_owned(),
            Self::ExactDesc => " | exact | desc".to_owned(),
            Self::Hash(digits) => format!(" | hash({digits})"),
            Self::Shard(buckets) => format!(" | shard({buckets})"),
            Self::Pad(width, None) => format!(" | pad({width})"),
            Self::Pad(width, Some(from)) if from == nines(width) => format!(" | pad({width}) | desc"),
            Self::Pad(width, Some(from)) => format!(" | pad({width}) | desc({from})"),
            Self::Num { descending } => format!(" | num{}", desc(descending)),
            Self::Time { kind, descending } => format!(" | {}{}", kind.spelling(), desc(descending)),
            Self::Ksuid(kind) => format!(" | {} | ksuid", kind.spelling()),
        }
    }

    pub(crate) fn descends(self) -> bool {
        match self {
            Self::TextDesc | Self::ExactDesc | Self::Pad(_, Some(_)) => true,
            Self::Num { descending } | Self::Time { descending, .. } => descending,
            _ => false,
        }
    }

    /// What of the input survives in keys of the form alone.
    pub(crate) fn is_lossy(self) -> bool {
        let is_hashed = matches!(self, Self::Hash(_) | Self::Shard(_));
        is_hashed || matches!(self, Self::Time { .. } | Self::Ksuid(_))
    }

    /// Whether it takes text.
    pub(crate) fn is_text(self) -> bool {
        let keeps_text = matches!(self, Self::Plain | Self::Exact | Self::TextDesc | Self::ExactDesc);
        keeps_text || matches!(self, Self::Hash(_) | Self::Shard(_))
    }
}

impl Field {
    /// The ops as they stand behind the path.
    pub(crate) fn spelling(&self) -> String {
        let default = self.default.iter().map(|default| {
            let quoted = default.written().replace('\\', "\\\\").replace('"', "\\\"");
            format!(" | default(\"{quoted}\")")
        });
        let ops = self.ops.iter().map(|op| format!(" | {}", op.spelling()));
        default.chain(ops).chain([self.form.spelling()]).collect()
    }

    pub(crate) fn is_lossy(&self) -> bool {
        self.default.is_some() || !self.ops.is_empty() || self.form.is_lossy()
    }

    /// What the ops give; `None` where the item leaves the view.
    pub(crate) fn output(&self, input: &Input) -> Option<Output> {
        let is_there = match input {
            Input::Missing | Input::Null => false,
            Input::Text(text) => !text.is_empty(),
            _ => true,
        };
        let input = if is_there { input } else { self.default.as_ref()? };
        let text = || (self.ops.iter()).fold(input.plain(), |text, op| op.apply(&text));
        Some(match (self.form, input) {
            (Form::Pad(..) | Form::Num { .. }, input) => Output::Number(decimal(input.written())),
            (Form::Ksuid(_), Input::Time(time)) => Output::At(time.ms.div_euclid(1000) * 1000),
            (Form::Time { .. }, Input::Time(time)) => Output::At(time.ms),
            _ if text().is_empty() => return None,
            (Form::Hash(digits), _) => Output::Text(sha256(&text()).get(..digits)?.to_owned()),
            (Form::Shard(buckets), _) => Output::Text(bucket(&text(), buckets)),
            _ => Output::Text(text()),
        })
    }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bucket(text: &str, buckets: u64) -> String {
    let hash = sha256(text);
    let first = u64::from_str_radix(&hash[..16], 16).expect("hexadecimal");
    let width = (buckets - 1).to_string().len().max(2);
    format!("{:0>width$}", first % buckets)
}

/// The largest number of so many digits.
pub(crate) fn nines(width: u32) -> u128 {
    10u128.pow(width) - 1
}
