//! The `[source]` sections.

use std::collections::BTreeMap;
use std::ops::Range;

use shadowkey_item::{AttributeValue, Number};
use toml::Spanned;

use super::Findings;
use crate::file::{AlternativeSection, LiteralSection, Name, OperatorSection, SourceSection};
use crate::pattern::{Alternative, NumericComparison, Pattern};
use crate::view::Source;
use crate::{Code, MARKER};

impl Findings<'_> {
    /// Every source keeps its place though its pattern may be broken, so that one finding does not cause others.
    pub(super) fn sources(&mut self, sections: &BTreeMap<Name, SourceSection>) -> Vec<Source> {
        sections
            .iter()
            .map(|(name, section)| {
                let name = name.get_ref();
                for path in &section.identity {
                    self.path(name, path);
                }
                Source {
                    name: name.clone(),
                    pattern: self.pattern(name, section),
                }
            })
            .collect()
    }

    fn pattern(&mut self, source: &str, section: &SourceSection) -> Pattern {
        let mut pattern = Pattern::default();
        for (path, alternatives) in &section.patterns {
            if alternatives.is_empty() {
                let message = format!("`{}` has no alternative, so nothing matches", path.get_ref());
                self.add_for(
                    source,
                    Code::Sk001,
                    path.span(),
                    message,
                    "name at least one value or operator",
                );
            }
            let Some(parsed) = self.path(source, path) else {
                continue;
            };
            if parsed.root() == MARKER {
                let message = format!("`{MARKER}` marks shadows, which are never sources");
                self.add_for(
                    source,
                    Code::Sk002,
                    path.span(),
                    message,
                    "match attributes of your own",
                );
            }
            let alternatives = alternatives
                .iter()
                .filter_map(|alternative| self.alternative(source, alternative))
                .collect();
            pattern.0.push((parsed, alternatives));
        }
        pattern
    }

    fn alternative(&mut self, source: &str, section: &Spanned<AlternativeSection>) -> Option<Alternative> {
        match section.get_ref() {
            AlternativeSection::Literal(literal) => {
                self.literal(source, literal, section.span()).map(Alternative::Literal)
            }
            AlternativeSection::Operator(operator) => self.operator(source, operator, section.span()),
        }
    }

    fn operator(&mut self, source: &str, section: &OperatorSection, span: Range<usize>) -> Option<Alternative> {
        let anything_but = section.anything_but.as_ref().map(|literals| {
            let literals = literals.0.iter();
            let values = literals.filter_map(|literal| self.literal(source, literal.get_ref(), literal.span()));
            Alternative::AnythingBut(values.collect())
        });
        let numeric = section
            .numeric
            .as_ref()
            .and_then(|bounds| self.numeric(source, bounds, &span).map(Alternative::Numeric));
        let given: Vec<Alternative> = [
            section.prefix.clone().map(Alternative::Prefix),
            section.suffix.clone().map(Alternative::Suffix),
            section.equals_ignore_case.clone().map(Alternative::EqualsIgnoreCase),
            section.exists.map(Alternative::Exists),
            anything_but,
            numeric,
        ]
        .into_iter()
        .flatten()
        .collect();
        match <[Alternative; 1]>::try_from(given) {
            Ok([only]) => Some(only),
            Err(given) => {
                if !given.is_empty() || section.numeric.is_none() {
                    let message = "an alternative is one operator";
                    self.add_for(
                        source,
                        Code::Sk001,
                        span,
                        message,
                        "write one table for each: `[{ prefix = \"A\" }, { suffix = \"Z\" }]`",
                    );
                }
                None
            }
        }
    }

    fn numeric(
        &mut self,
        source: &str,
        bounds: &[Spanned<LiteralSection>],
        span: &Range<usize>,
    ) -> Option<Vec<(NumericComparison, Number)>> {
        let mut pairs = Vec::new();
        for pair in bounds.chunks(2) {
            let comparison = match pair.first().map(Spanned::get_ref) {
                Some(LiteralSection::Text(symbol)) => NumericComparison::ALL.into_iter().find(|c| c.symbol() == symbol),
                _ => None,
            };
            let number = match pair.get(1) {
                Some(bound) => match self.literal(source, bound.get_ref(), bound.span())? {
                    AttributeValue::N(number) => Some(number),
                    _ => None,
                },
                None => None,
            };
            pairs.push(comparison.zip(number));
        }
        let pairs: Option<Vec<_>> = pairs.into_iter().collect();
        let pairs = pairs.filter(|pairs| !pairs.is_empty());
        if pairs.is_none() {
            let message = "`numeric` is a list of comparisons and numbers in turn";
            self.add_for(
                source,
                Code::Sk001,
                span.clone(),
                message,
                "write it so: `{ numeric = [\">\", 0, \"<=\", 100] }`",
            );
        }
        pairs
    }

    fn literal(&mut self, source: &str, literal: &LiteralSection, span: Range<usize>) -> Option<AttributeValue> {
        let number = match literal {
            LiteralSection::Text(text) => return Some(text.as_str().into()),
            LiteralSection::Integer(number) => number.parse(),
            // The digits as they stand in the file: a float would have rounded them.
            LiteralSection::Float => self.text.get(span.clone()).unwrap_or("").replace('_', "").parse(),
        };
        match number {
            Ok(number) => Some(AttributeValue::N(number)),
            Err(error) => {
                self.add_for(
                    source,
                    Code::Sk001,
                    span,
                    error.to_string(),
                    "write a number that DynamoDB can hold",
                );
                None
            }
        }
    }
}
