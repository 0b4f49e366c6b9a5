//! Checking a field's ops when the view file loads.

use std::ops::Range;

use shadowkey_item::{AttributeValue, Number};

use super::arguments::{self, none};
use super::{Form, Pipeline};
use crate::text::TextOp;
use crate::{Scope, TemplateError, TemplateProblem};

/// The ops that a template may use, in the order of the reference.
pub const KNOWN_OPS: [&str; 16] = [
    "default", "upper", "lower", "fold", "nfc", "trim", "prefix", "exact", "pad", "num", "neg", "time", "ksuid",
    "shard", "hash", "desc",
];

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

/// A failed check of one op; without a problem of its own it stands in the wrong place.
enum Refused {
    Problem(TemplateProblem),
    Sequence { takes: &'static str },
}

impl From<TemplateProblem> for Refused {
    fn from(problem: TemplateProblem) -> Self {
        Self::Problem(problem)
    }
}

impl Pipeline {
    /// Checks the sequence of a field's ops.
    pub(crate) fn new(calls: &[OpCall]) -> Result<Self, TemplateError> {
        let mut pipeline = Self {
            default: None,
            text: Vec::new(),
            form: Form::Text,
        };
        let mut last = "the input";
        for (position, call) in calls.iter().enumerate() {
            let error = |problem| TemplateError {
                span: call.span.clone(),
                problem,
            };
            let Some(op) = KNOWN_OPS.into_iter().find(|op| *op == call.name) else {
                let name = call.name.clone();
                return Err(error(TemplateProblem::UnknownOp { name }));
            };
            if last == "desc" {
                let takes = "a place before `desc`, which stands last";
                return Err(error(TemplateProblem::Sequence {
                    op,
                    before: last,
                    takes,
                }));
            }
            match pipeline.push(op, &call.arguments, position == 0) {
                Ok(()) => last = op,
                Err(Refused::Problem(problem)) => return Err(error(problem)),
                Err(Refused::Sequence { takes }) => {
                    return Err(error(TemplateProblem::Sequence {
                        op,
                        before: last,
                        takes,
                    }));
                }
            }
        }
        pipeline.settle_default().map_err(|problem| TemplateError {
            span: calls.first().map_or(0..0, |call| call.span.clone()),
            problem,
        })?;
        Ok(pipeline)
    }

    /// Adds an op. The table of sequences: `default` first; ops on text behind text; then one form, from the input (`pad`,
    /// `num`, `neg`), from text (`exact`, `hash`) or from both (`time`, `shard`); `ksuid` and `neg` behind `time`; `desc`
    /// behind text, `exact`, `pad`, `num` and `time`.
    fn push(&mut self, op: &'static str, arguments: &[Argument], is_first: bool) -> Result<(), Refused> {
        let is_text = self.form == Form::Text;
        let is_input = is_text && self.text.is_empty();
        let follows = |allowed: bool, takes| {
            if allowed {
                Ok(())
            } else {
                Err(Refused::Sequence { takes })
            }
        };
        match op {
            "default" => {
                follows(is_first, "the input: it stands first")?;
                self.default = Some(arguments::default(arguments)?);
            }
            "pad" => {
                follows(is_input, "a whole number")?;
                self.form = Form::Pad(arguments::pad(arguments)?);
            }
            "num" => {
                follows(is_input, "a number")?;
                none("num", arguments)?;
                self.form = Form::Num { descending: false };
            }
            "neg" => {
                none("neg", arguments)?;
                self.form = match &self.form {
                    Form::Time {
                        input,
                        descending: false,
                    } => Form::NegatedTime(input.clone()),
                    _ => {
                        follows(is_input, "a number or a time")?;
                        Form::Negated
                    }
                };
            }
            "time" => {
                let input = arguments::time(arguments)?;
                follows(is_text && (self.text.is_empty() || !input.takes_number()), "a time")?;
                self.form = Form::Time {
                    input,
                    descending: false,
                };
            }
            "ksuid" => {
                none("ksuid", arguments)?;
                let Form::Time {
                    input,
                    descending: false,
                } = &self.form
                else {
                    return Err(Refused::Sequence { takes: "a time" });
                };
                self.form = Form::Ksuid(input.clone());
            }
            "exact" => {
                follows(is_text, "text")?;
                none("exact", arguments)?;
                self.form = Form::Exact;
            }
            "shard" => {
                follows(is_text, "any input, or text")?;
                self.form = Form::Shard(arguments::shard(arguments)?);
            }
            "hash" => {
                follows(is_text, "text")?;
                self.form = Form::Hash(arguments::hash(arguments)?);
            }
            "desc" => self.invert(arguments)?,
            _ => {
                follows(is_text, "text")?;
                self.text.push(text_op(op, arguments)?);
            }
        }
        Ok(())
    }

    fn invert(&mut self, arguments: &[Argument]) -> Result<(), Refused> {
        if let Form::Pad(pad) = &mut self.form
            && pad.from.is_none()
        {
            pad.from = Some(arguments::desc_of_pad(arguments, *pad)?);
            return Ok(());
        }
        none("desc", arguments)?;
        self.form = match &self.form {
            Form::Text | Form::Exact => Form::TextDesc,
            Form::Num { descending: false } => Form::Num { descending: true },
            Form::Time {
                input,
                descending: false,
            } => Form::Time {
                input: input.clone(),
                descending: true,
            },
            _ => {
                let takes = "text, `exact`, `pad`, `num` or `time`";
                return Err(Refused::Sequence { takes });
            }
        };
        Ok(())
    }

    /// Makes the default of a field without ops a number, for a value of type N.
    pub(crate) fn make_default_number(&mut self) -> Result<(), TemplateProblem> {
        let Some(AttributeValue::S(text)) = &self.default else {
            return Ok(());
        };
        let number: Number = text.parse().map_err(|_| TemplateProblem::Arguments {
            op: "default",
            takes: "a number in quotes here, since a number is needed",
        })?;
        self.default = Some(number.into());
        Ok(())
    }

    /// Gives the default the type its ops take, and sees that it goes through them.
    fn settle_default(&mut self) -> Result<(), TemplateProblem> {
        if self.default.is_none() {
            return Ok(());
        }
        if self.form.takes_number() {
            self.make_default_number()?;
        }
        let rendered = match self.operand(None) {
            Ok(None) => {
                return Err(TemplateProblem::Arguments {
                    op: "default",
                    takes: "a text that is not empty after the ops behind it",
                });
            }
            Ok(Some(_)) if self.form.is_number() => self.number(None).map(drop),
            Ok(Some(_)) => {
                let rendered = self.render(&mut String::new(), None, Scope::inputs(&[]), None);
                rendered.map(drop)
            }
            Err(problem) => Err(problem),
        };
        rendered.map_err(TemplateProblem::Default)
    }
}

fn text_op(op: &'static str, given: &[Argument]) -> Result<TextOp, TemplateProblem> {
    let op_without_arguments = match op {
        "prefix" => return arguments::prefix(given).map(TextOp::Prefix),
        "upper" => TextOp::Upper,
        "lower" => TextOp::Lower,
        "fold" => TextOp::Fold,
        "nfc" => TextOp::Nfc,
        _ => TextOp::Trim,
    };
    none(op, given)?;
    Ok(op_without_arguments)
}
