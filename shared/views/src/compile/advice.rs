//! Warnings and notes: what works and may surprise, and what could be had for less.
//!
//! They are judged only in a file without errors, from what its templates and matches say; no item is seen here. Each
//! rule says in which direction it errs where the file alone does not decide. docs/findings.md has an example of each.

mod indexes;
mod meeting;
mod naming;
mod parts;

use std::ops::Range;

use super::Findings;
use crate::Severity;
use crate::file::{Name, ShadowSection, ViewFile};
use crate::inputs::Inputs;
use crate::view::{ShadowView, Views};

/// A shadow view with its section in the file.
struct Shadow<'a> {
    name: &'a Name,
    section: &'a ShadowSection,
    view: &'a ShadowView,
    inputs: Inputs<'a>,
}

impl Findings<'_> {
    /// Adds warnings and notes, but for those that `[allow]` silences.
    pub(super) fn advice(&mut self, file: &ViewFile, views: &Views) {
        if self.found.iter().any(|finding| finding.severity == Severity::Error) {
            return;
        }
        let mut shadows: Vec<Shadow<'_>> = file
            .shadow
            .iter()
            .filter_map(|(name, section)| Shadow::new(name, section, views))
            .collect();
        shadows.sort_by_key(|shadow| shadow.name.span().start);
        for shadow in &shadows {
            self.naming(shadow, file, views);
            self.leaks(shadow, views);
        }
        self.meetings(&shadows, views);
        self.parts(&parts::key_parts(&shadows, file, views));
        self.native_keys(file, views);
        self.found.retain(|finding| !is_allowed(file, finding));
    }
}

impl<'a> Shadow<'a> {
    fn new(name: &'a Name, section: &'a ShadowSection, views: &'a Views) -> Option<Self> {
        let view = views.shadows.iter().find(|view| view.name == *name.get_ref())?;
        let element = view.for_each.as_ref().map(|(element, _)| element.as_str());
        Some(Self {
            name,
            section,
            view,
            inputs: Inputs::new(views, view.source, element)?,
        })
    }

    /// Where the template of a key part stands.
    fn part_span(&self, part: &str) -> Range<usize> {
        let key = &self.section.key;
        let template = key.get_ref().iter().find(|(name, _)| name.get_ref() == part);
        template.map_or_else(|| key.span(), |(_, template)| template.span())
    }
}

/// Whether `[allow]` has the finding's view and code.
fn is_allowed(file: &ViewFile, finding: &crate::Finding) -> bool {
    let code = finding.code.to_string();
    let mut allowed = file
        .allow
        .iter()
        .filter(|(view, _)| finding.view.as_ref() == Some(view.get_ref()));
    finding.severity != Severity::Error
        && allowed.any(|(_, codes)| codes.keys().any(|allowed| *allowed.get_ref() == code))
}

#[cfg(test)]
mod tests;
