//! The ops of a field: which may follow which, and what they make of a value.
//!
//! The table of sequences is this: `default` comes first; `upper`, `lower` and `trim` follow text; `pad`, `time` and
//! `neg` end the text ops; `desc` ends everything.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use shadowkey_item::{AttributeValue, Number};

use crate::integer::{MAX_WIDTH, Pad};
use crate::text::TextOp;
use crate::time::{EpochUnit, Time, TimeInput, check_format};
use crate::{TemplateError, TemplateProblem, ValueProblem};

/// The ops that a template may use, in the order of the reference.
pub const KNOWN_OPS: [&str; 8] = ["default", "upper", "lower", "trim", "pad", "neg", "time", "desc"];

/// An op as the parser found it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpCall {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) span: Range<usize>,
}

/// An argument of an op.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Argument {
    Integer(u128),
    Text(String),
    Word(String),
}

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
    /// Text as it is.
    Text,
    /// The negated number.
    Negated,
    /// Digits of fixed width.
    Pad(Pad),
    /// An instant.
    Time(Time),
}

impl Pipeline {
    /// Checks the sequence of a field's ops.
    pub(crate) fn new(calls: &[OpCall]) -> Result<Self, TemplateError> {
        let mut pipeline = Self {
            default: None,
            text: Vec::new(),
            form: Form::Text,
        };
        let mut last: Option<&'static str> = None;
        for call in calls {
            let name = pipeline.push(call, last).map_err(|problem| TemplateError {
                span: call.span.clone(),
                problem,
            })?;
            last = Some(name);
        }
        pipeline.settle_default().map_err(|problem| TemplateError {
            span: calls.first().map_or(0..0, |call| call.span.clone()),
            problem,
        })?;
        Ok(pipeline)
    }

    fn push(&mut self, call: &OpCall, last: Option<&'static str>) -> Result<&'static str, TemplateProblem> {
        let Some(op) = KNOWN_OPS.into_iter().find(|op| *op == call.name) else {
            return Err(TemplateProblem::UnknownOp {
                name: call.name.clone(),
            });
        };
        let follows = |allowed: bool, takes| {
            if allowed {
                Ok(())
            } else {
                let before = last.map_or("the input", description);
                Err(TemplateProblem::Sequence { op, before, takes })
            }
        };
        let is_text = self.form == Form::Text;
        let is_input = is_text && self.text.is_empty();
        match op {
            "default" => {
                follows(last.is_none(), "the input: it stands first")?;
                self.default = Some(default_argument(&call.arguments)?);
            }
            "pad" => {
                follows(is_input, "a whole number")?;
                self.form = Form::Pad(pad_arguments(&call.arguments)?);
            }
            "neg" => {
                follows(is_input, "a number")?;
                no_arguments("neg", &call.arguments)?;
                self.form = Form::Negated;
            }
            "time" => {
                let input = time_arguments(&call.arguments)?;
                follows(is_text && (self.text.is_empty() || !input.takes_number()), "a time")?;
                self.form = Form::Time(Time {
                    input,
                    descending: false,
                });
            }
            "desc" => {
                follows(
                    last != Some("desc") && !is_text && self.form != Form::Negated,
                    "`pad` or `time`, and stands last",
                )?;
                self.form.invert(&call.arguments)?;
            }
            _ => {
                let text_op = [TextOp::Upper, TextOp::Lower, TextOp::Trim]
                    .into_iter()
                    .find(|text_op| text_op.name() == op);
                follows(is_text, "text")?;
                no_arguments(op, &call.arguments)?;
                self.text.extend(text_op);
            }
        }
        Ok(op)
    }

    /// Gives the default the type its ops take, and sees that it goes through them.
    fn settle_default(&mut self) -> Result<(), TemplateProblem> {
        let takes_number = match &self.form {
            Form::Pad(_) | Form::Negated => true,
            Form::Time(time) => time.input.takes_number(),
            Form::Text => false,
        };
        if self.default.is_none() {
            return Ok(());
        }
        if takes_number {
            self.make_default_number()?;
        }
        match self.render(&mut String::new(), None, &|out, text| out.push_str(text)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(TemplateProblem::Arguments {
                op: "default",
                takes: "a text that is not empty after the ops behind it",
            }),
            Err(problem) => Err(TemplateProblem::Default(problem)),
        }
    }

    /// Makes the default of a field without ops a number, for a value of type N.
    pub(crate) fn make_default_number(&mut self) -> Result<(), TemplateProblem> {
        let Some(AttributeValue::S(text)) = &self.default else {
            return Ok(());
        };
        let number: Number = text.parse().map_err(|_| DEFAULT_NUMBER)?;
        self.default = Some(number.into());
        Ok(())
    }

    /// The form the field ends in.
    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// Whether the field is a number as it is.
    pub(crate) fn is_plain(&self) -> bool {
        self.text.is_empty() && self.form == Form::Text
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
        push_text: &dyn Fn(&mut String, &str),
    ) -> Result<bool, ValueProblem> {
        let Some(value) = self.input(value) else {
            return Ok(false);
        };
        match &self.form {
            Form::Pad(pad) => pad.push(out, number(value, "`pad`")?)?,
            Form::Time(time) if self.text.is_empty() => time.push(out, value)?,
            Form::Negated => out.push_str(number(value, "`neg`")?.negated().as_str()),
            Form::Text | Form::Time(_) => {
                let text = self.text(value)?;
                if text.is_empty() {
                    return Ok(false);
                }
                match &self.form {
                    Form::Time(time) => time.push(out, &text.into_owned().into())?,
                    _ => push_text(out, &text),
                }
            }
        }
        Ok(true)
    }

    /// The value as text, through the text ops.
    fn text<'a>(&self, value: &'a AttributeValue) -> Result<Cow<'a, str>, ValueProblem> {
        let text = match (value, self.text.first()) {
            (AttributeValue::S(text), _) => text.as_str(),
            (AttributeValue::N(number), None) => number.as_str(),
            (AttributeValue::Bool(true), None) => "true",
            (AttributeValue::Bool(false), None) => "false",
            (other, None) => {
                return Err(ValueProblem::wrong_type(
                    other,
                    "a field",
                    "text, a number or a truth value",
                ));
            }
            (other, Some(_)) => return Err(ValueProblem::wrong_type(other, "an op on text", "text")),
        };
        Ok(self.text.iter().fold(Cow::Borrowed(text), |text, op| op.apply(text)))
    }
}

impl Form {
    fn invert(&mut self, arguments: &[Argument]) -> Result<(), TemplateProblem> {
        match (self, arguments) {
            (Self::Pad(pad), []) => pad.from = Some(pad.all_nines()),
            (Self::Pad(pad), [Argument::Integer(from)]) if *from <= pad.all_nines() => pad.from = Some(*from),
            (Self::Time(time), []) => time.descending = true,
            (Self::Time(_), _) => {
                return Err(TemplateProblem::Arguments {
                    op: "desc",
                    takes: "no argument after `time`",
                });
            }
            _ => {
                return Err(TemplateProblem::Arguments {
                    op: "desc",
                    takes: "nothing, or a whole number that fits the width of the `pad` before it: `desc(100)`",
                });
            }
        }
        Ok(())
    }
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

fn description(op: &'static str) -> &'static str {
    match op {
        "default" => "`default`",
        "pad" => "`pad`",
        "neg" => "`neg`",
        "time" => "`time`",
        "desc" => "`desc`",
        _ => "an op on text",
    }
}

fn no_arguments(op: &'static str, arguments: &[Argument]) -> Result<(), TemplateProblem> {
    if arguments.is_empty() {
        Ok(())
    } else {
        Err(TemplateProblem::Arguments {
            op,
            takes: "no argument",
        })
    }
}

fn default_argument(arguments: &[Argument]) -> Result<AttributeValue, TemplateProblem> {
    match arguments {
        [Argument::Text(text)] if !text.is_empty() => Ok(text.as_str().into()),
        _ => Err(TemplateProblem::Arguments {
            op: "default",
            takes: "one text in quotes that is not empty: `default(\"none\")`",
        }),
    }
}

fn pad_arguments(arguments: &[Argument]) -> Result<Pad, TemplateProblem> {
    let width = match arguments {
        [Argument::Integer(width)] => usize::try_from(*width)
            .ok()
            .filter(|width| (1..=MAX_WIDTH).contains(width)),
        _ => None,
    };
    width
        .map(|width| Pad { width, from: None })
        .ok_or(TemplateProblem::Arguments {
            op: "pad",
            takes: "a width from 1 to 38: `pad(3)`",
        })
}

fn time_arguments(arguments: &[Argument]) -> Result<TimeInput, TemplateProblem> {
    let (format, words) = match arguments {
        [Argument::Text(format), words @ ..] => (Some(format), words),
        words => (None, words),
    };
    let assume_utc = match words {
        [] => false,
        [Argument::Word(word)] if word == "assume_utc" => true,
        [Argument::Word(word)] if format.is_none() => {
            return EpochUnit::ALL
                .into_iter()
                .find(|unit| unit.name() == word)
                .map(|unit| TimeInput::Epoch { unit })
                .ok_or(TIME_ARGUMENTS);
        }
        _ => return Err(TIME_ARGUMENTS),
    };
    let Some(format) = format else {
        return Ok(TimeInput::Iso { assume_utc });
    };
    check_format(format).map_err(|message| TemplateProblem::TimeFormat {
        format: format.clone(),
        message,
    })?;
    Ok(TimeInput::Format {
        format: format.clone(),
        assume_utc,
    })
}

const DEFAULT_NUMBER: TemplateProblem = TemplateProblem::Arguments {
    op: "default",
    takes: "a number in quotes here, since a number is needed",
};

const TIME_ARGUMENTS: TemplateProblem = TemplateProblem::Arguments {
    op: "time",
    takes: "nothing, a strptime format in quotes, `assume_utc` alone or after a format, or one of `epoch_s`, `epoch_ms`, `epoch_us`",
};

/// The ops in their canonical spelling, each with ` | ` before it.
impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        match &self.default {
            Some(AttributeValue::S(text)) => write!(f, " | default(\"{}\")", quoted(text))?,
            Some(AttributeValue::N(number)) => write!(f, " | default(\"{number}\")")?,
            _ => {}
        }
        for op in &self.text {
            write!(f, " | {}", op.name())?;
        }
        match &self.form {
            Form::Text => Ok(()),
            Form::Negated => f.write_str(" | neg"),
            Form::Pad(Pad { width, from: None }) => write!(f, " | pad({width})"),
            Form::Pad(Pad {
                width,
                from: Some(from),
            }) => write!(f, " | pad({width}) | desc({from})"),
            Form::Time(Time { input, descending }) => {
                match input {
                    TimeInput::Iso { assume_utc: false } => f.write_str(" | time"),
                    TimeInput::Iso { assume_utc: true } => f.write_str(" | time(assume_utc)"),
                    TimeInput::Epoch { unit } => write!(f, " | time({})", unit.name()),
                    TimeInput::Format { format, assume_utc } => {
                        let utc = if *assume_utc { ", assume_utc" } else { "" };
                        write!(f, " | time(\"{}\"{utc})", quoted(format))
                    }
                }?;
                f.write_str(if *descending { " | desc" } else { "" })
            }
        }
    }
}
