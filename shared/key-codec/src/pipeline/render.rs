//! The way into a key: one field's value, appended.

use shadowkey_item::{AttributeValue, Number};

use super::{Form, Pipeline};
use crate::error::shown;
use crate::operand::Operand;
use crate::text::{push_desc, push_exact, push_plain};
use crate::time::TimeInput;
use crate::{Scope, ValueProblem, decimal, digest, ksuid, time};

impl Pipeline {
    /// Appends what the value becomes, plain text escaped for the delimiter; gives false where the item leaves the view.
    pub(crate) fn render(
        &self,
        out: &mut String,
        value: Option<&AttributeValue>,
        scope: Scope<'_>,
        delimiter: Option<char>,
    ) -> Result<bool, ValueProblem> {
        let Some(value) = self.operand(value)? else {
            return Ok(false);
        };
        match &self.form {
            Form::Text => push_plain(out, value.plain()?, delimiter),
            Form::Exact => push_exact(out, value.text("`exact`")?),
            Form::TextDesc => push_desc(out, value.text("`desc` of text")?),
            Form::Pad(pad) => pad.push(out, value.number("`pad`")?)?,
            Form::Num { descending } => decimal::push(out, value.number("`num`")?, *descending),
            Form::Time { input, descending } => {
                let ms = input.milliseconds(&value)?;
                let push = if *descending { time::push_desc } else { time::push };
                push(out, ms);
            }
            Form::Ksuid(input) => return push_ksuid(out, input, &value, scope),
            Form::Shard(buckets) => digest::push_shard(out, &value.spelled(), *buckets),
            Form::Hash(digits) => digest::push_hash(out, value.text("`hash`")?, *digits),
            Form::Negated | Form::NegatedTime(_) => {
                // INVARIANT: only a template of type N has these, and it asks for number() (check_text).
            }
        }
        Ok(true)
    }

    /// The number that a value of type N is; `None` leaves the view.
    pub(crate) fn number(&self, value: Option<&AttributeValue>) -> Result<Option<Number>, ValueProblem> {
        let Some(value) = self.operand(value)? else {
            return Ok(None);
        };
        // INVARIANT: the digits of an i64 are a number.
        let whole = |number: i64| number.to_string().parse().ok();
        Ok(match &self.form {
            Form::Time { input, .. } => whole(input.milliseconds(&value)?),
            Form::NegatedTime(input) => whole(-input.milliseconds(&value)?),
            Form::Negated => Some(value.number("`neg`")?.negated()),
            _ => Some(value.number("a value of type N")?.clone()),
        })
    }

    /// What the ops on text leave of the input, or of the default where the input is missing, NULL or empty; `None` where
    /// that is nothing.
    pub(crate) fn operand<'a>(
        &'a self,
        value: Option<&'a AttributeValue>,
    ) -> Result<Option<Operand<'a>>, ValueProblem> {
        let given = value.filter(|value| !is_empty(value));
        let Some(mut operand) = given.or(self.default.as_ref()).map(Operand::from) else {
            return Ok(None);
        };
        if self.text.is_empty() {
            return Ok(Some(operand));
        }
        let Operand::Text(text) = &mut operand else {
            return Err(operand.wrong_type("an op on text", "text"));
        };
        *text = (self.text.iter()).fold(std::mem::take(text), |text, op| op.apply(text));
        let is_left = !text.is_empty();
        Ok(is_left.then_some(operand))
    }
}

/// A KSUID is of one source item; whoever does not know which cannot make it.
fn push_ksuid(
    out: &mut String,
    input: &TimeInput,
    value: &Operand<'_>,
    scope: Scope<'_>,
) -> Result<bool, ValueProblem> {
    let ms = input.milliseconds(value)?;
    let seconds = ksuid::seconds(ms).ok_or_else(|| ValueProblem::KsuidRange {
        value: shown(&value.spelled()),
    })?;
    let source = scope.source();
    Ok(source.map(|source| ksuid::push(out, seconds, source)).is_some())
}

fn is_empty(value: &AttributeValue) -> bool {
    match value {
        AttributeValue::Null => true,
        AttributeValue::S(text) => text.is_empty(),
        AttributeValue::B(bytes) => bytes.is_empty(),
        _ => false,
    }
}
