//! The way back: reading one field from the front of a key.

use shadowkey_item::{AttributeValue, Number};

use super::{Form, Pipeline};
use crate::text::{self, take_desc, take_exact, take_plain};
use crate::time::TimeInput;
use crate::{decimal, digest, ksuid, time};

/// What a form can be read back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The op's input, or what equals it.
    Value(AttributeValue),
    /// Nothing: only its sameness was kept.
    Nothing,
}

impl Pipeline {
    /// Takes the field from the front of a key, plain text up to the delimiter; `None` where the key is not of this form.
    pub(crate) fn take(&self, key: &mut &str, delimiter: Option<char>) -> Option<Taken> {
        let text = |text: String| AttributeValue::S(text);
        let at = |ms: i64| self.time_value(ms);
        Some(match &self.form {
            Form::Text => Taken::Value(text(self.given_by_ops(take_plain(key, delimiter)?)?)),
            Form::Exact => Taken::Value(text(self.given_by_ops(take_exact(key)?)?)),
            Form::TextDesc => Taken::Value(text(self.given_by_ops(take_desc(key)?)?)),
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
            Form::Shard(buckets) => digest::take_shard(key, *buckets).map(|()| Taken::Nothing)?,
            Form::Hash(digits) => digest::take_hash(key, *digits).map(|()| Taken::Nothing)?,
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

    /// The text, unless the ops on text never give it.
    fn given_by_ops(&self, text: String) -> Option<String> {
        text::can_be_given(&self.text, &text).then_some(text)
    }

    /// A time as the input would have it: a number of its unit, or ISO text.
    fn time_value(&self, ms: i64) -> Option<AttributeValue> {
        let input = match &self.form {
            Form::Time { input, .. } | Form::Ksuid(input) | Form::NegatedTime(input) => input,
            _ => return None,
        };
        let ms = time::in_range(ms).filter(|ms| input.can_give(*ms))?;
        if let TimeInput::Epoch { unit } = input {
            return Some(unit.number(ms)?.into());
        }
        let mut text = String::new();
        time::push(&mut text, ms);
        Some(text.into())
    }
}
