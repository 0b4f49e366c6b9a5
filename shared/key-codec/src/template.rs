//! A checked template, and how it renders.

use std::fmt;

use shadowkey_item::{AttributePath, AttributeValue, ScalarType};

use crate::parse::{Field, Parsed, Part, parts};
use crate::pipeline::Form;
use crate::{Scope, TemplateError, TemplateProblem, ValueError};

/// The version of the key format; it goes into every shadow's fingerprint.
pub const FORMAT_VERSION: u32 = 1;

/// A template for one key part or attribute, checked when the view file loads.
///
/// Its [`Display`](fmt::Display) is the canonical spelling: equal templates print alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    kind: ScalarType,
    parts: Vec<Part>,
    /// How long its values are expected to be, in bytes.
    room: usize,
}

/// What a reader can query by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPrefix {
    /// The whole value.
    Whole(AttributeValue),
    /// What all values that agree in the given inputs begin with.
    Start(String),
}

impl Template {
    /// Reads a template that gives a value of a type: text (S), or a number (N), which is one field.
    pub fn parse(text: &str, kind: ScalarType) -> Result<Self, TemplateError> {
        let whole = |problem| TemplateError {
            span: 0..text.len(),
            problem,
        };
        if text.is_empty() {
            return Err(whole(TemplateProblem::Empty));
        }
        let mut parsed = parts(text)?;
        match kind {
            ScalarType::B => return Err(whole(TemplateProblem::Type(kind))),
            ScalarType::N => check_number(&mut parsed).map_err(whole)?,
            ScalarType::S => check_text(&parsed)?,
        }
        let parts: Vec<Part> = parsed.into_iter().map(|parsed| parsed.part).collect();
        let room = parts.iter().map(Part::room).sum();
        Ok(Self { kind, parts, room })
    }

    /// The paths of its fields, in order.
    pub fn paths(&self) -> impl Iterator<Item = &AttributePath> {
        self.fields().map(|field| &field.path)
    }

    /// Renders an item: a value of the template's type, or `None` where an input without default is missing, NULL or
    /// empty and the item is not in the view.
    pub fn render(&self, scope: Scope<'_>) -> Result<Option<AttributeValue>, ValueError> {
        match self.kind {
            ScalarType::N => self.number(scope),
            _ => self.text(scope).map(|text| text.map(AttributeValue::S)),
        }
    }

    fn text(&self, scope: Scope<'_>) -> Result<Option<String>, ValueError> {
        let mut out = String::with_capacity(self.room);
        // A failure is reported even where another field is missing: what is missing may come, the failure stays.
        let mut complete = true;
        for (position, part) in self.parts.iter().enumerate() {
            match part {
                Part::Literal(literal) => out.push_str(literal),
                Part::Field(field) => {
                    complete &= field.render(&mut out, scope, self.delimiter(position))?;
                }
            }
        }
        Ok(complete.then_some(out))
    }

    fn number(&self, scope: Scope<'_>) -> Result<Option<AttributeValue>, ValueError> {
        // INVARIANT: a template of type N is one field (check_number).
        let Some(field) = self.fields().next() else {
            return Ok(None);
        };
        let number = field.pipeline.number(scope.lookup(&field.path));
        let number = number.map_err(|problem| field.error(problem))?;
        Ok(number.map(AttributeValue::N))
    }

    /// What readers query by: the whole value, or as much of it as the given inputs decide.
    ///
    /// Inputs may be left out from the end; a `default` stands for none of them, since what is not asked for may be
    /// anything. What is given ends at a part's boundary, so that it finds no longer value (`Ord#` does not find `Order#`).
    pub fn prefix(&self, scope: Scope<'_>) -> Result<KeyPrefix, ValueError> {
        let is_given = |field: &Field| scope.lookup(&field.path).is_some();
        if self.fields().all(is_given)
            && let Some(value) = self.render(scope)?
        {
            return Ok(KeyPrefix::Whole(value));
        }
        let mut out = String::with_capacity(self.room);
        for (position, part) in self.parts.iter().enumerate() {
            match part {
                Part::Literal(literal) => out.push_str(literal),
                Part::Field(field) => {
                    if !is_given(field) || !field.render(&mut out, scope, self.delimiter(position))? {
                        break;
                    }
                }
            }
        }
        Ok(KeyPrefix::Start(out))
    }

    /// An input that is given, and of which the ops leave nothing, so that no key has it.
    pub fn empty_input(&self, scope: Scope<'_>) -> Option<&AttributePath> {
        let is_empty = |field: &&Field| {
            let value = scope.lookup(&field.path);
            value.is_some() && field.pipeline.operand(value) == Ok(None)
        };
        self.fields().find(is_empty).map(|field| &field.path)
    }

    /// The first character of the literal that follows a part.
    pub(crate) fn delimiter(&self, position: usize) -> Option<char> {
        match self.parts.get(position + 1) {
            Some(Part::Literal(literal)) => literal.chars().next(),
            _ => None,
        }
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The type of the values it gives.
    pub fn kind(&self) -> ScalarType {
        self.kind
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = &Field> {
        self.parts.iter().filter_map(|part| match part {
            Part::Field(field) => Some(field),
            Part::Literal(_) => None,
        })
    }
}

impl Part {
    fn room(&self) -> usize {
        match self {
            Self::Literal(literal) => literal.len(),
            Self::Field(field) => field.pipeline.form().room(),
        }
    }
}

impl Field {
    pub(crate) fn render(
        &self,
        out: &mut String,
        scope: Scope<'_>,
        delimiter: Option<char>,
    ) -> Result<bool, ValueError> {
        self.pipeline
            .render(out, scope.lookup(&self.path), scope, delimiter)
            .map_err(|problem| self.error(problem))
    }

    pub(crate) fn error(&self, problem: crate::ValueProblem) -> ValueError {
        ValueError {
            path: self.path.clone(),
            problem: Box::new(problem),
        }
    }
}

/// A number is one field without ops, a time, or one of these with `neg`.
fn check_number(parsed: &mut [Parsed]) -> Result<(), TemplateProblem> {
    let [
        Parsed {
            part: Part::Field(field),
            ..
        },
    ] = parsed
    else {
        return Err(TemplateProblem::NotOneNumber);
    };
    match field.pipeline.form() {
        Form::Negated | Form::NegatedTime(_) | Form::Time { descending: false, .. } => Ok(()),
        Form::Text if field.pipeline.has_no_text_op() => field.pipeline.make_default_number(),
        _ => Err(TemplateProblem::TextForNumber),
    }
}

/// Text has no numbers of type N in it, and every plain field ends where its reader can see it.
fn check_text(parsed: &[Parsed]) -> Result<(), TemplateError> {
    let error = |parsed: &Parsed, problem| {
        Err(TemplateError {
            span: parsed.span.clone(),
            problem,
        })
    };
    for (position, here) in parsed.iter().enumerate() {
        let Part::Field(field) = &here.part else { continue };
        if field.pipeline.form().is_number() {
            return error(here, TemplateProblem::NumberForText);
        }
        let Some(next) = parsed.get(position + 1) else { continue };
        match &next.part {
            Part::Literal(literal) if literal.starts_with('%') => return error(next, TemplateProblem::PercentLiteral),
            Part::Field(_) if field.pipeline.form().is_plain_text() => return error(here, TemplateProblem::Adjacent),
            _ => {}
        }
    }
    Ok(())
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part {
                Part::Literal(literal) => f.write_str(&literal.replace('{', "{{").replace('}', "}}"))?,
                Part::Field(field) => write!(f, "{{{}{}}}", field.path, field.pipeline)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
