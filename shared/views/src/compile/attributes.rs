//! The `[attribute]` sections: each view by itself, and how they feed each other.

use std::ops::Range;

use shadowkey_item::{AttributePath, ScalarType, TableDefinition};

use super::Findings;
use crate::file::{AttributeSection, Name, ViewFile};
use crate::meet::can_meet;
use crate::view::{AttributeView, Source};
use crate::{Code, MARKER};

/// An attribute view and where its name stands.
struct Placed {
    view: AttributeView,
    span: Range<usize>,
}

impl Findings<'_> {
    /// The attribute views in dependency order.
    pub(super) fn attribute_views(
        &mut self,
        file: &ViewFile,
        table: &TableDefinition,
        sources: &[Source],
    ) -> Vec<AttributeView> {
        let ttl = file.table.ttl.as_ref().map(|ttl| ttl.get_ref().as_str());
        let placed: Vec<Placed> = file
            .attribute
            .iter()
            .filter_map(|(name, section)| self.attribute_view(name, section, table, ttl, sources))
            .collect();
        self.written_once(&placed, sources);
        self.in_dependency_order(placed, sources)
    }

    fn attribute_view(
        &mut self,
        name: &Name,
        section: &AttributeSection,
        table: &TableDefinition,
        ttl: Option<&str>,
        sources: &[Source],
    ) -> Option<Placed> {
        let attribute = section.attribute.as_ref().unwrap_or(name);
        let target = attribute.get_ref();
        let view = name.get_ref();
        let forbidden = if table.key.contains(target) {
            Some("part of the primary key, which never changes")
        } else if target.is_empty() {
            Some("no name of an attribute")
        } else if target == MARKER {
            Some("the marker of shadows")
        } else if ttl == Some(target) {
            Some("the ttl attribute, which is the application's")
        } else {
            None
        };
        if let Some(reason) = forbidden {
            let message = format!("`{target}` is {reason}");
            self.add_for(
                view,
                Code::Sk004,
                attribute.span(),
                message,
                "give the view another attribute, with `attribute = \"..\"`",
            );
        }
        if let Some(key) = table
            .key_attributes()
            .into_iter()
            .find(|key| key.name == *target && key.kind != section.kind)
        {
            let message = format!(
                "`{target}` is of type {} in an index's key, and the view gives {}",
                key.kind, section.kind
            );
            let help = match key.kind {
                ScalarType::B => "only S and N can be derived; leave the attribute to the application".to_owned(),
                kind => format!("say `type = \"{kind}\"`"),
            };
            self.add_for(view, Code::Sk003, attribute.span(), message, help);
        }
        let template = self.template(view, &section.value, section.kind);
        let source = self.source_index(view, &section.source, sources);
        if forbidden.is_some() {
            return None;
        }
        Some(Placed {
            view: AttributeView {
                name: view.clone(),
                source: source?,
                attribute: target.clone(),
                template: template?,
            },
            span: name.span(),
        })
    }

    pub(super) fn source_index(&mut self, view: &str, name: &Name, sources: &[Source]) -> Option<usize> {
        let index = sources.iter().position(|source| source.name == *name.get_ref());
        if index.is_none() {
            let known: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
            self.unknown(view, "source", name, &known);
        }
        index
    }

    /// Two views of one attribute never have to decide about one item.
    fn written_once(&mut self, placed: &[Placed], sources: &[Source]) {
        for (position, Placed { view, span }) in placed.iter().enumerate() {
            let rival = placed
                .iter()
                .take(position)
                .find(|other| other.view.attribute == view.attribute && meet(&other.view, view, sources));
            if let Some(rival) = rival {
                let message = format!(
                    "`{}` is also written by the view `{}`, and an item can match the sources of both",
                    view.attribute, rival.view.name
                );
                self.add_for(
                    &view.name,
                    Code::Sk007,
                    span.clone(),
                    message,
                    "make the sources exclude each other, or use another attribute",
                );
            }
        }
    }

    /// Puts every view behind those it reads; what cannot be placed feeds itself.
    fn in_dependency_order(&mut self, mut open: Vec<Placed>, sources: &[Source]) -> Vec<AttributeView> {
        let mut ordered = Vec::new();
        while !open.is_empty() {
            let reads_open = |placed: &Placed| open.iter().any(|other| reads(&placed.view, &other.view, sources));
            let Some(next) = open.iter().position(|placed| !reads_open(placed)) else {
                break;
            };
            ordered.push(open.remove(next).view);
        }
        for Placed { view, span } in open {
            let message = format!(
                "`{}` feeds itself: it is computed, directly or by way of other views, from `{}`",
                view.name, view.attribute
            );
            self.add_for(
                &view.name,
                Code::Sk005,
                span,
                message,
                "take the attribute out of the template, or out of the source's match",
            );
        }
        ordered
    }
}

fn meet(a: &AttributeView, b: &AttributeView, sources: &[Source]) -> bool {
    match (sources.get(a.source), sources.get(b.source)) {
        (Some(a), Some(b)) => can_meet(&a.pattern, &b.pattern),
        _ => false,
    }
}

/// Whether `view` reads what `other` writes into the same item.
fn reads(view: &AttributeView, other: &AttributeView, sources: &[Source]) -> bool {
    let written = |path: &AttributePath| path.root() == other.attribute;
    let source = sources.get(view.source);
    // What the match reads decides whether the sources meet, so it counts although they seem not to.
    source.is_some_and(|source| source.pattern.paths().any(written))
        || view.template.paths().any(written) && meet(view, other, sources)
}
