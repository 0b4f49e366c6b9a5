//! SK034, SK035 and SK036: what is to be said of one part of a key, a shadow's or an index's.

use std::ops::Range;

use shadowkey_item::{KeySchema, MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES};
use shadowkey_key_codec::{LayoutPart, Template};

use super::{Findings, Shadow};
use crate::Code;
use crate::file::ViewFile;
use crate::inputs::Inputs;
use crate::view::Views;

/// What a key part should leave to its fields.
const ROOM_BYTES: usize = 64;

/// A template whose values are one part of a key.
pub(super) struct KeyPart<'a> {
    view: &'a str,
    inputs: Inputs<'a>,
    template: &'a Template,
    is_sort: bool,
    span: Range<usize>,
}

/// The key parts of all shadows, and the attribute views that a declared index has as key parts.
pub(super) fn key_parts<'a>(shadows: &'a [Shadow<'a>], file: &'a ViewFile, views: &'a Views) -> Vec<KeyPart<'a>> {
    let of_shadows = shadows.iter().flat_map(|shadow| {
        shadow.view.key.iter().map(|(name, template)| KeyPart {
            view: &shadow.view.name,
            inputs: shadow.inputs,
            template,
            is_sort: is_sort(&shadow.view.schema, name),
            span: shadow.part_span(name),
        })
    });
    let of_indexes = views.attributes.iter().flat_map(|view| {
        let mut roles: Vec<bool> = views
            .table
            .indexes
            .iter()
            .filter(|index| index.key.contains(&view.attribute))
            .map(|index| is_sort(&index.key, &view.attribute))
            .collect();
        roles.sort_unstable();
        roles.dedup();
        let section = file.attribute.iter().find(|(name, _)| *name.get_ref() == view.name);
        let placed = section.zip(Inputs::new(views, view.source, None));
        roles.into_iter().filter_map(move |is_sort| {
            let ((_, section), inputs) = placed?;
            Some(KeyPart {
                view: &view.name,
                inputs,
                template: &view.template,
                is_sort,
                span: section.value.span(),
            })
        })
    });
    of_shadows.chain(of_indexes).collect()
}

fn is_sort(key: &KeySchema, name: &str) -> bool {
    key.sort.as_ref().is_some_and(|sort| sort.name == name)
}

impl Findings<'_> {
    pub(super) fn parts(&mut self, parts: &[KeyPart<'_>]) {
        for part in parts {
            self.room(part);
            if part.is_sort {
                self.tuple_order(part);
            } else {
                self.one_partition(part);
            }
        }
    }

    /// SK034: the literals leave enough of DynamoDB's limit.
    fn room(&mut self, part: &KeyPart<'_>) {
        let (what, limit) = if part.is_sort {
            ("sort", MAX_SORT_KEY_BYTES)
        } else {
            ("partition", MAX_PARTITION_KEY_BYTES)
        };
        let layout = part.template.layout();
        let literals = layout.iter().map(|part| match part {
            LayoutPart::Literal(text) => text.len(),
            LayoutPart::Field(_) => 0,
        });
        let fixed: usize = literals.sum();
        if fixed + ROOM_BYTES > limit {
            let message = format!(
                "the fixed part takes {fixed} of the {limit} bytes that a {what} key can have, which leaves less than \
                 {ROOM_BYTES}"
            );
            let help = "shorten the text around the fields; a longer key is a failure of the view for its item";
            self.add_for(part.view, Code::Sk034, part.span.clone(), message, help);
        }
    }

    /// SK035: where a field is written in order, the fields before it are in order too.
    ///
    /// Plain text ends at the literal behind it, and bytes lower than that literal sort a longer text first. It matters to
    /// who reads past one value of the text. The finding takes a later field with an ordered op (`time`, `pad`, `num`,
    /// `exact`, and their `desc`) for a sign that the key is read in order; where there is none, it stays silent. It does
    /// also where the source's match lets the text have one value only.
    fn tuple_order(&mut self, part: &KeyPart<'_>) {
        let mut unordered = None;
        for layout in part.template.layout() {
            let LayoutPart::Field(field) = layout else { continue };
            match unordered {
                Some(path) if field.is_ordered => {
                    let message = format!(
                        "keys are not in the order of `{path}` and then `{}`: a longer text can sort before a shorter \
                         one that it begins with",
                        field.path
                    );
                    let help = format!(
                        "write `{{{path} | exact}}`, an op of fixed width, or `{}` first; allow it if each reader asks \
                         for one value of `{path}`",
                        field.path
                    );
                    self.add_for(part.view, Code::Sk035, part.span.clone(), message, help);
                    return;
                }
                None if field.is_plain_text && !part.inputs.is_pinned(field.path) => unordered = Some(field.path),
                _ => {}
            }
        }
    }

    /// SK036: a partition key differs from item to item.
    fn one_partition(&mut self, part: &KeyPart<'_>) {
        let layout = part.template.layout();
        if !layout.iter().any(|part| matches!(part, LayoutPart::Field(_))) {
            self.add_for(
                part.view,
                Code::Sk036,
                part.span.clone(),
                "everything goes into one partition: its key has no field",
                "add a field that readers know, or spread the items with `shard`, as in `ALL#{TicketId | shard(8)}`",
            );
        }
    }
}
