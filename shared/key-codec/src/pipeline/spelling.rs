//! The canonical spelling of a field's ops.

use std::fmt;

use shadowkey_item::AttributeValue;

use super::{Form, Pipeline};
use crate::integer::Pad;
use crate::time::TimeInput;

/// The ops in their canonical spelling, each with ` | ` before it.
impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.default {
            Some(AttributeValue::S(text)) => write!(f, " | default(\"{}\")", quoted(text))?,
            Some(AttributeValue::N(number)) => write!(f, " | default(\"{number}\")")?,
            _ => {}
        }
        for op in &self.text {
            write!(f, " | {op}")?;
        }
        match &self.form {
            Form::Text => Ok(()),
            Form::Exact => f.write_str(" | exact"),
            Form::TextDesc => f.write_str(" | desc"),
            Form::Negated => f.write_str(" | neg"),
            Form::Pad(Pad { width, from: None }) => write!(f, " | pad({width})"),
            Form::Pad(Pad {
                width,
                from: Some(from),
            }) => write!(f, " | pad({width}) | desc({from})"),
            Form::Num { descending } => f.write_str(if *descending { " | num | desc" } else { " | num" }),
            Form::Time { input, descending } => write!(f, " | {input}{}", if *descending { " | desc" } else { "" }),
            Form::Ksuid(input) => write!(f, " | {input} | ksuid"),
            Form::NegatedTime(input) => write!(f, " | {input} | neg"),
            Form::Shard(buckets) => write!(f, " | shard({buckets})"),
            Form::Hash(digits) => write!(f, " | hash({digits})"),
        }
    }
}

impl fmt::Display for TimeInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iso { assume_utc: false } => f.write_str("time"),
            Self::Iso { assume_utc: true } => f.write_str("time(assume_utc)"),
            Self::Epoch { unit } => write!(f, "time({})", unit.name()),
            Self::Ksuid => f.write_str("time(ksuid)"),
            Self::Ulid => f.write_str("time(ulid)"),
            Self::Format { format, assume_utc } => {
                let utc = if *assume_utc { ", assume_utc" } else { "" };
                write!(f, "time(\"{}\"{utc})", quoted(format))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
