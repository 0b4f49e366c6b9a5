//! What reader applications ask: the key of what they look for, from inputs as text.

use shadowkey_item::{AttributePath, AttributeValue, NumberError, ScalarType};

use crate::error::shown;
use crate::parse::Field;
use crate::{KeyPrefix, Scope, Template, ValueError};

/// Why inputs give no key to query by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// The template has no such input.
    #[error("`{input}` is no input of `{template}`; it has {known}")]
    Unknown {
        /// What was given.
        input: String,
        /// The template in its canonical spelling.
        template: String,
        /// The template's inputs.
        known: String,
    },
    /// One input has two values.
    #[error("`{input}` is given twice; give each input once")]
    Twice {
        /// The input.
        input: String,
    },
    /// An input is left out before one that is given.
    #[error("`{missing}` is missing before `{input}`; give it too, since inputs can be left out from the end only")]
    Gap {
        /// The input that is left out.
        missing: String,
        /// The input behind it.
        input: String,
    },
    /// The ops leave nothing of an input.
    #[error("`{input}` is empty, and no key has an empty value in it; leave the input out, or give it a value")]
    Empty {
        /// The input.
        input: String,
    },
    /// The template reads a number there.
    #[error("`{input}`: `{value}` is no number, and `{template}` reads one there; write it in decimal digits")]
    NotANumber {
        /// The input.
        input: String,
        /// What was given.
        value: String,
        /// The template in its canonical spelling.
        template: String,
        /// Why it is none.
        source: NumberError,
    },
    /// The value has no place in a key.
    #[error(transparent)]
    Value(ValueError),
}

impl Template {
    /// What readers query by, of inputs given as text: the whole value, or as much of it as they decide.
    ///
    /// Each input has the path that the template gives it, and is read as a number where the template's ops take one.
    /// Inputs may be left out from the end, but not between. The text that is empty stands for a missing attribute, which
    /// only an input with `default` can have. A `ksuid` is of one source item, so that what readers query by ends before it.
    pub fn prefix_of(&self, inputs: &[(&str, &str)]) -> Result<KeyPrefix, InputError> {
        let mut given: Vec<(AttributePath, AttributeValue)> = Vec::with_capacity(inputs.len());
        for (name, text) in inputs {
            let path = self.input_path(name)?;
            if given.iter().any(|(other, _)| *other == path) {
                return Err(InputError::Twice {
                    input: path.to_string(),
                });
            }
            let value = self.input_value(&path, text)?;
            given.push((path, value));
        }
        let scope = Scope::inputs(&given);
        self.check_given(scope)?;
        self.prefix(scope).map_err(InputError::Value)
    }

    fn input_path(&self, name: &str) -> Result<AttributePath, InputError> {
        let path = AttributePath::parse(name).ok();
        path.filter(|path| self.paths().any(|known| known == path))
            .ok_or_else(|| {
                let known: Vec<String> = self.paths().map(|path| format!("`{path}`")).collect();
                InputError::Unknown {
                    input: shown(name),
                    template: self.to_string(),
                    known: if known.is_empty() {
                        "none".to_owned()
                    } else {
                        known.join(", ")
                    },
                }
            })
    }

    fn input_value(&self, path: &AttributePath, text: &str) -> Result<AttributeValue, InputError> {
        let mut fields = self.fields().filter(|field| field.path == *path);
        let is_number = fields.any(|field| self.takes_number(field));
        if text.is_empty() || !is_number {
            return Ok(text.into());
        }
        let number = text.parse().map_err(|source| InputError::NotANumber {
            input: path.to_string(),
            value: shown(text),
            template: self.to_string(),
            source,
        })?;
        Ok(AttributeValue::N(number))
    }

    fn takes_number(&self, field: &Field) -> bool {
        let form = field.pipeline.form();
        form.takes_number() || self.kind() == ScalarType::N && form.is_plain_text()
    }

    /// Whether something is left of each input, and none is left out before another.
    fn check_given(&self, scope: Scope<'_>) -> Result<(), InputError> {
        let mut missing: Option<&AttributePath> = None;
        for field in self.fields() {
            let input = || field.path.to_string();
            match (missing, scope.lookup(&field.path)) {
                (None, None) => missing = Some(&field.path),
                (Some(missing), Some(_)) if self.first_place(&field.path) > self.first_place(missing) => {
                    return Err(InputError::Gap {
                        missing: missing.to_string(),
                        input: input(),
                    });
                }
                (_, value @ Some(_)) => match field.pipeline.operand(value) {
                    Ok(None) => return Err(InputError::Empty { input: input() }),
                    Ok(Some(_)) => {}
                    Err(problem) => return Err(InputError::Value(field.error(problem))),
                },
                (Some(_), None) => {}
            }
        }
        Ok(())
    }

    fn first_place(&self, path: &AttributePath) -> Option<usize> {
        self.paths().position(|known| known == path)
    }
}

/// A template for a value of type S.
impl std::str::FromStr for Template {
    type Err = crate::TemplateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text, ScalarType::S)
    }
}

impl KeyPrefix {
    /// The value to compare with: by `=` where it [is whole](KeyPrefix::is_whole), by `begins_with` where not.
    pub fn into_value(self) -> AttributeValue {
        match self {
            Self::Whole(value) => value,
            Self::Start(start) => start.into(),
        }
    }

    /// Whether it is the whole value.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Whole(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prefix_of(template: &str, inputs: &[(&str, &str)]) -> Result<KeyPrefix, InputError> {
        template.parse::<Template>().expect(template).prefix_of(inputs)
    }

    fn start(text: &str) -> Result<KeyPrefix, InputError> {
        Ok(KeyPrefix::Start(text.to_owned()))
    }

    fn whole(text: &str) -> Result<KeyPrefix, InputError> {
        Ok(KeyPrefix::Whole(text.into()))
    }

    #[test]
    fn inputs_are_text_and_read_as_the_template_reads_them() {
        let rating = "{org.name}#{Rating | pad(3) | desc}#{Id}";
        assert_eq!(prefix_of(rating, &[]), start(""));
        assert_eq!(prefix_of(rating, &[("org.name", "a#")]), start("a%23#"));
        assert_eq!(
            prefix_of(rating, &[("Rating", "87"), ("org.name", "a")]),
            start("a#912#")
        );
        let all = [("org.name", "a"), ("Rating", "8.7E1"), ("Id", "7")];
        assert_eq!(prefix_of(rating, &all), whole("a#912#7"));
        assert_eq!(prefix_of("{n | pad(3)}#{n}", &[("n", "7.0")]), whole("007#7"));
        assert_eq!(prefix_of("{a | default(\"none\")}#{b}", &[("a", "")]), start("none#"));
        assert_eq!(prefix_of("A#{t | time | ksuid}", &[("t", "2023-07-10")]), start("A#"));
        assert_eq!(prefix_of("only text", &[]), whole("only text"));
        let number = Template::parse("{n | neg}", ScalarType::N).expect("template");
        let value = number.prefix_of(&[("n", "5")]).map(KeyPrefix::into_value);
        assert_eq!(value, Ok(AttributeValue::N("-5".parse().expect("number"))));
    }

    #[test]
    fn inputs_that_would_ask_for_something_else_are_refused() {
        let refused =
            |template: &str, inputs: &[(&str, &str)]| prefix_of(template, inputs).expect_err(template).to_string();
        insta::assert_snapshot!(
            [
                refused("{a}#{'due date'}", &[("due date", "x")]),
                refused("text", &[("a", "x")]),
                refused("{a}", &[("a", "x"), ("a", "y")]),
                refused("{a}#{b}", &[("b", "x")]),
                refused("{a | trim}#{b}", &[("a", " ")]),
                refused("{a | pad(3)}", &[("a", "many")]),
                refused("{a | pad(3)}", &[("a", "1000")]),
            ]
            .join("\n"),
            @"
        `due date` is no input of `{a}#{'due date'}`; it has `a`, `'due date'`
        `a` is no input of `text`; it has none
        `a` is given twice; give each input once
        `a` is missing before `b`; give it too, since inputs can be left out from the end only
        `a` is empty, and no key has an empty value in it; leave the input out, or give it a value
        `a`: `many` is no number, and `{a | pad(3)}` reads one there; write it in decimal digits
        `a`: `1000` does not fit `pad(3)`; widen it, which needs a new view name, since keys already written keep their width
        "
        );
    }
}
