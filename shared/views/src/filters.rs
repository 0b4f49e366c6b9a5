//! Filters for the event source mapping: which records of the stream may concern a source, in Lambda's pattern language.
//!
//! A record that the filter lets through for nothing costs an invocation; one that it drops is lost. So a condition stands in
//! it only if every item of the source satisfies it, and the worker judges the rest.
//!
//! - The table's key is in every record and the same in both images. Conditions on it look at `Keys`.
//! - Any other attribute is looked at in both images, each by itself. A record that lacks an image it should have passes.
//! - A filter cannot compare two fields, so it cannot tell a shadow, whose marker names another item, from an item into which
//!   an application wrote back what it had read. Shadows are dropped by what the match says of their keys and attributes.
//!
//! Sources: "Control which events Lambda sends to your function" and "Using event filtering with a DynamoDB event source" in
//! the Lambda developer guide. `exists` and all other operators look at leaves only, and a number is text there.

mod clause;
mod widening;

use serde_json::{Value, json};
use shadowkey_item::KeySchema;

use crate::filters::clause::{Clause, Image, Part};
use crate::inputs::Inputs;
use crate::shape::{shapes, shapes_of_match};
use crate::view::{ShadowView, Source, Views};

pub use widening::{Reason, Widening};

/// How many filters an event source mapping has, unless the account's quota is raised.
const MAX_FILTERS: usize = 5;
/// How long a pattern may be. The service counts characters; bytes are never fewer.
const MAX_PATTERN_BYTES: usize = 4096;

/// The filters of an event source mapping; with no pattern, every record passes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// A record passes if one of them matches; each is JSON.
    pub patterns: Vec<String>,
    /// Where more passes than the view file's matches say.
    pub widened: Vec<Widening>,
}

impl Filters {
    /// The `FilterCriteria` of `CreateEventSourceMapping`.
    pub fn to_criteria(&self) -> Value {
        let filters = self.patterns.iter().map(|pattern| json!({ "Pattern": pattern }));
        json!({ "Filters": filters.collect::<Vec<_>>() })
    }
}

/// What can be said of a source's items.
struct Said<'a> {
    source: &'a Source,
    /// What holds for the key.
    keys: Clause,
    /// What holds for an image besides.
    image: Clause,
}

impl Views {
    /// The narrowest filters that drop no record of a source item, within the service's limits.
    pub fn filters(&self) -> Filters {
        let mut widened = Vec::new();
        let used: Vec<usize> = (0..self.sources.len()).filter(|source| self.is_used(*source)).collect();
        let said: Vec<Said<'_>> = used
            .iter()
            .filter_map(|source| self.said(self.sources.get(*source)?, &mut widened))
            .collect();
        let clauses = self.clauses(&said);
        let patterns = packed(&clauses).unwrap_or_else(|| {
            let keys: Vec<Clause> = said.iter().map(|said| said.keys.clone()).collect();
            let patterns = packed(&without_implied(keys));
            widened.push(Widening::TooLong {
                keys_are_left: patterns.as_ref().is_some_and(|patterns| !patterns.is_empty()),
            });
            patterns.unwrap_or_default()
        });
        for said in said.iter().filter(|said| said.keys.is_empty() && said.image.is_empty()) {
            widened.push(Widening::Everything {
                source: said.source.name.clone(),
            });
        }
        if !patterns.is_empty() {
            widened.extend(said.iter().flat_map(|said| self.shadows_among(said)));
        }
        Filters { patterns, widened }
    }

    fn is_used(&self, source: usize) -> bool {
        let by_attributes = self.attributes.iter().any(|view| view.source == source);
        by_attributes || self.shadows.iter().any(|view| view.source == source)
    }

    /// What a filter can say of a source; `None` where no item can match it.
    fn said<'a>(&self, source: &'a Source, widened: &mut Vec<Widening>) -> Option<Said<'a>> {
        let mut said = Said {
            source,
            keys: Clause::default(),
            image: Clause::default(),
        };
        for (path, alternatives) in &source.pattern.0 {
            let key = self.table.key.attributes().find(|key| key.name == path.root());
            let part = match key {
                Some(_) if !path.rest().is_empty() => continue,
                Some(key) => Part::of_key(key, alternatives)?,
                None if self.owns_attribute(path.root()) => Part::Widened(Reason::Derived),
                None => Part::of_attribute(path, alternatives),
            };
            let (part, reason) = part.settled(path);
            widened.extend(reason.map(|reason| Widening::Path {
                source: source.name.clone(),
                path: path.to_string(),
                reason,
            }));
            if let Some((leaf, rules)) = part {
                let conditions = if key.is_some() { &mut said.keys } else { &mut said.image };
                conditions.add(path, leaf, rules);
            }
        }
        Some(said)
    }

    fn clauses(&self, said: &[Said<'_>]) -> Vec<Clause> {
        let partition = &self.table.key.partition;
        let mut clauses = Vec::new();
        for Said { keys, image, .. } in said {
            if image.is_empty() || !clause::can_be_named(&partition.name) {
                clauses.push(keys.clone());
            } else {
                clauses.extend([Image::New, Image::Old].map(|of| keys.clone().and(image.clone().within(of))));
            }
        }
        let mut clauses = without_implied(clauses);
        if clauses.iter().any(Clause::looks_at_images) {
            clauses.extend([Image::New, Image::Old].map(|image| Clause::missing(image, partition)));
        }
        clauses
    }

    /// The views of the sources' own table whose shadows a source's conditions do not keep out.
    fn shadows_among(&self, said: &Said<'_>) -> impl Iterator<Item = Widening> {
        let can_match = |view: &&ShadowView| {
            let in_place = view.table == self.table.name && self.can_have_key_of(view, said.source, &self.table.key);
            in_place && said.image.attributes().all(|name| self.can_carry(view, name))
        };
        self.shadows.iter().filter(can_match).map(|view| Widening::Shadows {
            source: said.source.name.clone(),
            view: view.name.clone(),
        })
    }

    /// Whether the key of a view's shadow can be one that a source's match lets through.
    fn can_have_key_of(&self, view: &ShadowView, source: &Source, schema: &KeySchema) -> bool {
        let element = view.for_each.as_ref().map(|(name, _)| name.as_str());
        let Some(inputs) = Inputs::new(self, view.source, element) else {
            return true;
        };
        schema.attributes().all(|key| {
            let template = view.key.iter().find(|(name, _)| *name == key.name);
            let of_view = template
                .map(|(_, template)| shapes(template, inputs))
                .unwrap_or_default();
            let of_match = shapes_of_match(&source.pattern, &key.name);
            of_view
                .iter()
                .any(|shape| of_match.iter().any(|other| shape.can_meet(other)))
        })
    }
}

/// Takes out what another clause lets through as well.
fn without_implied(clauses: Vec<Clause>) -> Vec<Clause> {
    let mut kept: Vec<Clause> = Vec::new();
    for clause in clauses {
        if !kept.iter().any(|wider| clause.implies(wider)) {
            kept.retain(|narrower| !narrower.implies(&clause));
            kept.push(clause);
        }
    }
    kept
}

/// Clauses as patterns: one each while there are filters left, and then several in one; none where one clause lets
/// everything through, `None` where they do not fit.
fn packed(clauses: &[Clause]) -> Option<Vec<String>> {
    if clauses.iter().any(Clause::is_empty) {
        return Some(Vec::new());
    }
    let mut filters: Vec<Vec<Value>> = Vec::new();
    for clause in clauses.iter().map(Clause::to_json) {
        if filters.len() < MAX_FILTERS {
            filters.push(vec![clause]);
            continue;
        }
        let has_room = |filter: &&mut Vec<Value>| {
            let with = filter.iter().chain([&clause]).cloned().collect::<Vec<_>>();
            pattern(&with).len() <= MAX_PATTERN_BYTES
        };
        filters.iter_mut().find(has_room)?.push(clause);
    }
    let patterns: Vec<String> = filters.iter().map(|filter| pattern(filter)).collect();
    let fit = patterns.iter().all(|pattern| pattern.len() <= MAX_PATTERN_BYTES);
    fit.then_some(patterns)
}

fn pattern(clauses: &[Value]) -> String {
    match clauses {
        [only] => only.to_string(),
        several => json!({ "$or": several }).to_string(),
    }
}

#[cfg(test)]
mod tests;
