//! The ops of a field: which may follow which, and what they make of a value.
//!
//! A field goes through at most one `default`, then ops on text, then one op that gives its form. [`Form`] is the closed
//! list of forms; FORMAT.md describes the bytes of each.

mod arguments;
mod check;

use std::borrow::Cow;
use std::fmt;

use shadowkey_item::{AttributeValue, Number};

use crate::error::{plain, shown};
use crate::integer::Pad;
use crate::text::{TextOp, push_desc, push_exact, take_desc, take_exact};
use crate::time::TimeInput;
use crate::{Scope, ValueProblem, decimal, digest, ksuid, time};

pub use check::KNOWN_OPS;
pub(crate) use check::{Argument, OpCall};

/// The checked ops of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pipeline {
    default: Option<AttributeValue>,
    text: Vec<TextOp>,
    form: Form,
}

/// What a field's value becomes in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// Text as it is; in a value of type N, the number as it is.
    Text,
    /// Text whose order survives inside a tuple.
    Exact,
    /// Text in inverted order.
    TextDesc,
    /// Digits of fixed width.
    Pad(Pad),
    /// A number of any size, ascending or descending.
    Num { descending: bool },
    /// An instant, ascending or descending.
    Time { input: TimeInput, descending: bool },
    /// An instant as an identifier.
    Ksuid(TimeInput),
    /// A bucket.
    Shard(u64),
    /// Digits of a hash.
    Hash(usize),
    /// A number with its sign turned, in a value of type N.
    Negated,
    /// An instant as a number with its sign turned, in a value of type N.
    NegatedTime(TimeInput),
}

/// What a form can be read back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The op's input, or what equals it.
    Value(AttributeValue),
    /// Nothing: only its sameness was kept.
    Nothing,
}

impl Form {
    /// Whether nothing but a literal behind it marks where it ends.
    pub(crate) fn is_plain_text(&self) -> bool {
        *self == Self::Text
    }

    /// Whether it is a number, which only a value of type N can be.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Negated | Self::NegatedTime(_))
    }

    /// Whether the order of the keys is the order of the values, whatever follows.
    pub(crate) fn is_ordered(&self) -> bool {
        matches!(
            self,
            Self::Exact | Self::TextDesc | Self::Pad(_) | Self::Num { .. } | Self::Time { .. }
        )
    }

    /// Whether it takes a number.
    fn takes_number(&self) -> bool {
        match self {
            Self::Pad(_) | Self::Num { .. } | Self::Negated => true,
            Self::Time { input, .. } | Self::Ksuid(input) | Self::NegatedTime(input) => input.takes_number(),
            Self::Text | Self::Exact | Self::TextDesc | Self::Shard(_) | Self::Hash(_) => false,
        }
    }
}

impl Pipeline {
    /// The form the field ends in.
    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// Whether a value's own type is all that matters: no op on text.
    pub(crate) fn has_no_text_op(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether different inputs can give one output.
    pub(crate) fn is_lossy(&self) -> bool {
        let lossy_form = matches!(
            self.form,
            Form::Time { .. } | Form::Ksuid(_) | Form::Shard(_) | Form::Hash(_) | Form::NegatedTime(_)
        );
        self.default.is_some() || !self.text.is_empty() || lossy_form
    }

    /// Whether keys of different items are bound to meet: only a part, a hash or a bucket of the value is kept.
    pub(crate) fn collides(&self) -> bool {
        let kept_in_part = self.text.iter().any(|op| matches!(op, TextOp::Prefix(_)));
        kept_in_part || matches!(self.form, Form::Shard(_) | Form::Hash(_))
    }

    /// The input, or the default where the input is missing, NULL or empty; `None` leaves the view.
    pub(crate) fn input<'a>(&'a self, value: Option<&'a AttributeValue>) -> Option<&'a AttributeValue> {
        value.filter(|value| !is_empty(value)).or(self.default.as_ref())
    }

    /// Appends what the value becomes, plain text by way of `push_text`; gives false where the item leaves the view.
    pub(crate) fn render(
        &self,
        out: &mut String,
        value: Option<&AttributeValue>,
        scope: Scope<'_>,
        push_text: &dyn Fn(&mut String, &str),
    ) -> Result<bool, ValueProblem> {
        let Some(value) = self.input(value) else {
            return Ok(false);
        };
        match &self.form {
            Form::Pad(pad) => pad.push(out, number(value, "`pad`")?)?,
            Form::Num { descending: false } => decimal::push(out, number(value, "`num`")?),
            Form::Num { descending: true } => decimal::push(out, &number(value, "`num`")?.negated()),
            Form::Negated => out.push_str(number(value, "`neg`")?.negated().as_str()),
            // A KSUID is of one source item; whoever does not know which cannot make it.
            Form::Ksuid(_) if scope.source().is_none() => return Ok(false),
            form => {
                let Some(value) = self.through_text_ops(value)? else {
                    return Ok(false);
                };
                render_text(form, out, &value, scope, push_text)?;
            }
        }
        Ok(true)
    }

    /// The value of a number that a value of type N is; `None` leaves the view.
    pub(crate) fn number(&self, value: Option<&AttributeValue>) -> Result<Option<Number>, ValueProblem> {
        let Some(value) = self.input(value) else {
            return Ok(None);
        };
        let milliseconds = |input: &TimeInput| {
            let value = self.through_text_ops(value)?;
            let ms = value.map(|value| input.milliseconds(&value)).transpose()?;
            Ok(ms.and_then(|ms| ms.to_string().parse::<Number>().ok()))
        };
        match &self.form {
            Form::Time { input, .. } => milliseconds(input),
            Form::NegatedTime(input) => Ok(milliseconds(input)?.map(|number| number.negated())),
            Form::Negated => Ok(Some(number(value, "`neg`")?.negated())),
            _ => Ok(Some(number(value, "a value of type N")?.clone())),
        }
    }

    /// The value behind the ops on text; `None` where they leave nothing of it.
    fn through_text_ops<'a>(&self, value: &'a AttributeValue) -> Result<Option<Cow<'a, AttributeValue>>, ValueProblem> {
        if self.text.is_empty() {
            return Ok(Some(Cow::Borrowed(value)));
        }
        let AttributeValue::S(text) = value else {
            return Err(ValueProblem::wrong_type(value, "an op on text", "text"));
        };
        let text = self
            .text
            .iter()
            .fold(Cow::Borrowed(text.as_str()), |text, op| op.apply(text));
        Ok((!text.is_empty()).then(|| Cow::Owned(text.into_owned().into())))
    }

    /// Takes the field from the front of a key, plain text by way of `take_text`; `None` where the key is not of this form.
    pub(crate) fn take(&self, key: &mut &str, take_text: &dyn Fn(&mut &str) -> Option<String>) -> Option<Taken> {
        let text = |text: String| AttributeValue::S(text);
        let at = |ms: i64| self.time_value(ms);
        Some(match &self.form {
            Form::Text => Taken::Value(text(take_text(key)?)),
            Form::Exact => Taken::Value(text(take_exact(key)?)),
            Form::TextDesc => Taken::Value(text(take_desc(key)?)),
            Form::Pad(pad) => Taken::Value(pad.take(key)?.into()),
            Form::Num { descending: false } => Taken::Value(decimal::take(key)?.into()),
            Form::Num { descending: true } => Taken::Value(decimal::take(key)?.negated().into()),
            Form::Time { descending: false, .. } => Taken::Value(at(time::take(key)?)?),
            Form::Time { descending: true, .. } => Taken::Value(at(time::take_desc(key)?)?),
            Form::Ksuid(_) => {
                let (ksuid, rest) = key.split_at_checked(ksuid::WIDTH)?;
                *key = rest;
                Taken::Value(at(ksuid::milliseconds(ksuid)?)?)
            }
            Form::Shard(buckets) => skip(key, digest::shard_width(*buckets))?,
            Form::Hash(digits) => skip(key, *digits)?,
            Form::Negated | Form::NegatedTime(_) => return None,
        })
    }

    /// A number of type N as the input it was derived from.
    pub(crate) fn take_number(&self, number: &Number) -> Option<AttributeValue> {
        match &self.form {
            Form::Negated => Some(number.negated().into()),
            Form::Time { .. } => self.time_value(number.as_str().parse().ok()?),
            Form::NegatedTime(_) => self.time_value(number.negated().as_str().parse().ok()?),
            _ => Some(number.clone().into()),
        }
    }

    /// A time as the input would have it: a number of its unit, or ISO text.
    fn time_value(&self, ms: i64) -> Option<AttributeValue> {
        let input = match &self.form {
            Form::Time { input, .. } | Form::Ksuid(input) | Form::NegatedTime(input) => input,
            _ => return None,
        };
        let ms = time::in_range(ms)?;
        if let TimeInput::Epoch { unit } = input {
            return Some(unit.number(ms)?.into());
        }
        let mut text = String::new();
        time::push(&mut text, ms);
        Some(text.into())
    }
}

/// Appends a value in one of the forms that take text, a time, or anything.
fn render_text(
    form: &Form,
    out: &mut String,
    value: &AttributeValue,
    scope: Scope<'_>,
    push_text: &dyn Fn(&mut String, &str),
) -> Result<(), ValueProblem> {
    match form {
        Form::Exact => push_exact(out, text(value, "`exact`")?),
        Form::TextDesc => push_desc(out, text(value, "`desc` of text")?),
        Form::Hash(digits) => digest::push_hash(out, text(value, "`hash`")?, *digits),
        Form::Shard(buckets) => digest::push_shard(out, &plain(value), *buckets),
        Form::Time {
            input,
            descending: false,
        } => time::push(out, input.milliseconds(value)?),
        Form::Time {
            input,
            descending: true,
        } => time::push_desc(out, input.milliseconds(value)?),
        Form::Ksuid(input) => ksuid::push(out, input.milliseconds(value)?, scope.source(), &shown(&plain(value)))?,
        _ => match value {
            AttributeValue::S(text) => push_text(out, text),
            AttributeValue::N(number) => push_text(out, number.as_str()),
            AttributeValue::Bool(truth) => push_text(out, if *truth { "true" } else { "false" }),
            other => {
                return Err(ValueProblem::wrong_type(
                    other,
                    "a field",
                    "text, a number or a truth value",
                ));
            }
        },
    }
    Ok(())
}

fn skip(key: &mut &str, width: usize) -> Option<Taken> {
    let (skipped, rest) = key.split_at_checked(width)?;
    *key = rest;
    skipped.bytes().all(|b| b.is_ascii_hexdigit()).then_some(Taken::Nothing)
}

fn is_empty(value: &AttributeValue) -> bool {
    match value {
        AttributeValue::Null => true,
        AttributeValue::S(text) => text.is_empty(),
        AttributeValue::B(bytes) => bytes.is_empty(),
        _ => false,
    }
}

fn number<'a>(value: &'a AttributeValue, op: &'static str) -> Result<&'a Number, ValueProblem> {
    value
        .as_n()
        .ok_or_else(|| ValueProblem::wrong_type(value, op, "a number"))
}

fn text<'a>(value: &'a AttributeValue, op: &'static str) -> Result<&'a str, ValueProblem> {
    value.as_s().ok_or_else(|| ValueProblem::wrong_type(value, op, "text"))
}

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
