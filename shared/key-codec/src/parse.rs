//! The grammar of templates: literals, and fields of a path and ops between braces.

use std::ops::Range;

use shadowkey_item::AttributePath;

use crate::pipeline::{Argument, OpCall, Pipeline};
use crate::{TemplateError, TemplateProblem};

/// A part of a template as it is written, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) part: Part,
    pub(crate) span: Range<usize>,
}

/// A literal or a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Literal(String),
    Field(Field),
}

/// A path and the ops its value goes through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) path: AttributePath,
    pub(crate) pipeline: Pipeline,
}

/// Reads a template into its parts; literals never stand next to each other.
pub(crate) fn parts(text: &str) -> Result<Vec<Parsed>, TemplateError> {
    let mut cursor = Cursor { text, at: 0 };
    let mut parts = Vec::new();
    while !cursor.rest().is_empty() {
        let start = cursor.at;
        let literal = cursor.literal()?;
        let part = if literal.is_empty() {
            Part::Field(cursor.field()?)
        } else {
            Part::Literal(literal)
        };
        parts.push(Parsed {
            part,
            span: start..cursor.at,
        });
    }
    Ok(parts)
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Takes a token if it comes next, and says whether it did.
    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn error<T>(&self, from: usize, problem: TemplateProblem) -> Result<T, TemplateError> {
        let next = self.rest().chars().next().map_or(0, char::len_utf8);
        Err(TemplateError {
            span: from..(self.at + next).max(from),
            problem,
        })
    }

    /// Text up to the next field, with doubled braces made single.
    fn literal(&mut self) -> Result<String, TemplateError> {
        let mut literal = String::new();
        while let Some(c) = self.rest().chars().next() {
            if self.take("{{") {
                literal.push('{');
            } else if self.take("}}") {
                literal.push('}');
            } else if c == '}' {
                return self.error(self.at, TemplateProblem::StrayBrace);
            } else if c == '{' {
                break;
            } else {
                literal.push(c);
                self.at += c.len_utf8();
            }
        }
        Ok(literal)
    }

    fn field(&mut self) -> Result<Field, TemplateError> {
        let start = self.at;
        self.at += 1;
        self.skip_space();
        let (path, length) = AttributePath::parse_prefix(self.rest()).map_err(|error| TemplateError {
            span: self.at + error.offset..self.at + error.offset + 1,
            problem: TemplateProblem::Path(error.kind),
        })?;
        self.at += length;
        let mut calls = Vec::new();
        loop {
            self.skip_space();
            if self.take("}") {
                break;
            }
            if self.rest().is_empty() {
                return self.error(start, TemplateProblem::UnclosedField);
            }
            if !self.take("|") {
                let expected = "`|` and an op, or the `}` that ends the field (quote a name with other characters: `{'due date'}`)";
                return self.error(self.at, TemplateProblem::Expected { expected });
            }
            self.skip_space();
            calls.push(self.op(start)?);
        }
        Ok(Field {
            path,
            pipeline: Pipeline::new(&calls)?,
        })
    }

    fn op(&mut self, field_start: usize) -> Result<OpCall, TemplateError> {
        let start = self.at;
        let name = self.word();
        if name.is_empty() {
            return self.error(self.at, TemplateProblem::Expected { expected: "an op" });
        }
        let mut arguments = Vec::new();
        if self.take("(") {
            loop {
                self.skip_space();
                if self.take(")") {
                    break;
                }
                if self.rest().is_empty() {
                    return self.error(field_start, TemplateProblem::UnclosedField);
                }
                if !arguments.is_empty() && !self.take(",") {
                    let expected = "`,` or the `)` that ends the arguments";
                    return self.error(self.at, TemplateProblem::Expected { expected });
                }
                self.skip_space();
                arguments.push(self.argument()?);
            }
        }
        Ok(OpCall {
            name: name.to_owned(),
            arguments,
            span: start..self.at,
        })
    }

    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    fn argument(&mut self) -> Result<Argument, TemplateError> {
        let start = self.at;
        if self.take("\"") {
            return self.quoted(start);
        }
        let word = self.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return match word.parse() {
                Ok(integer) => Ok(Argument::Integer(integer)),
                Err(_) => self.error(
                    start,
                    TemplateProblem::Expected {
                        expected: "a whole number",
                    },
                ),
            };
        }
        if word.is_empty() {
            let expected = "a whole number, a word, or a text in double quotes";
            return self.error(start, TemplateProblem::Expected { expected });
        }
        Ok(Argument::Word(word.to_owned()))
    }

    /// A text behind its opening quote; `\"` and `\\` stand for themselves.
    fn quoted(&mut self, start: usize) -> Result<Argument, TemplateError> {
        let mut text = String::new();
        loop {
            if self.take("\"") {
                return Ok(Argument::Text(text));
            }
            let escaped = self.take("\\");
            match self.rest().chars().next() {
                Some(c) if !escaped || c == '"' || c == '\\' => {
                    text.push(c);
                    self.at += c.len_utf8();
                }
                Some(_) => {
                    let expected = "`\\\"` or `\\\\` after a backslash";
                    return self.error(self.at, TemplateProblem::Expected { expected });
                }
                None => {
                    let expected = "the `\"` that ends the text";
                    return self.error(start, TemplateProblem::Expected { expected });
                }
            }
        }
    }
}
