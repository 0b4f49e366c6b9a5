//! The queries that read a view: from all of a partition down to one key.
//!
//! A value in a condition is spelled as a template: a field in it stands for what the field's ops make of the reader's own
//! value. What is never known to a reader is the bucket of a `shard` whose input is not given: there is one request for
//! each, and the reader merges their answers by the sort key. A `ksuid` is made of the source item's key besides its time, so
//! that the attributes of that key are inputs of it.

use shadowkey_item::{AttributePath, IndexDefinition, KeyAttribute};

use super::collection::{Lodger, Resident, in_index, in_table};
use super::layout::{Field, KeyPart, Piece, Role, of_plain_attribute, of_template};
use super::requests::{Buckets, Condition, requests};
use crate::meet::can_meet;
use crate::view::{AttributeView, ShadowView, Views};

/// What a reader asks by one query, or by one for each bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// How much it gives.
    pub reads: Reads,
    /// The index it goes to; `None` for the table.
    pub index: Option<String>,
    /// The inputs that the reader gives, in order.
    pub given: Vec<String>,
    /// The `shard`s whose buckets the requests go through.
    pub buckets: Vec<Buckets>,
    /// The key conditions of each request.
    pub requests: Vec<Vec<Condition>>,
    /// Whose items the answer can hold besides.
    pub also_reads: Vec<Resident>,
}

/// How much a read gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reads {
    /// All that the view has in one partition.
    Partition,
    /// What has the given inputs in the sort key.
    Beginning,
    /// One key.
    Key,
}

/// The reads of a shadow view's table.
pub(super) fn of_shadow(views: &Views, view: &ShadowView, key: &[KeyPart]) -> Vec<Read> {
    let own = Resident::View(view.name.clone());
    let lodgers = in_table(views, &view.table, &view.schema);
    let mut reads = of_key(key, &source_key(views));
    for read in &mut reads {
        // One key of a table is one item.
        if read.reads != Reads::Key {
            read.also_reads = strangers(&lodgers, &own, key);
        }
    }
    reads
}

/// The reads of an index whose key the attribute is part of.
pub(super) fn of_index(views: &Views, view: &AttributeView, index: &IndexDefinition) -> Vec<Read> {
    let own = Resident::Source(views.source_name(view.source));
    let key: Vec<KeyPart> = index
        .key
        .attributes()
        .map(|attribute| part_of_index(views, view, attribute))
        .collect();
    let mut reads = of_key(&key, &source_key(views));
    for read in &mut reads {
        read.index = Some(index.name.clone());
        read.also_reads = strangers(&in_index(views, index), &own, &key);
    }
    reads
}

/// The key attributes of source items as inputs.
fn source_key(views: &Views) -> Vec<String> {
    let attributes = views.table.key.attributes();
    attributes
        .map(|attribute| AttributePath::attribute(&attribute.name).to_string())
        .collect()
}

/// The template that gives the items of the view's source a key attribute; the attribute as it is where no single view does.
fn part_of_index(views: &Views, view: &AttributeView, attribute: &KeyAttribute) -> KeyPart {
    let writers: Vec<&AttributeView> = views
        .attributes
        .iter()
        .filter(|other| other.attribute == attribute.name && share_items(views, view, other))
        .collect();
    let own = writers.iter().find(|other| other.source == view.source);
    match (own, writers.as_slice()) {
        (Some(writer), _) | (None, [writer]) => of_template(&attribute.name, Role::Attribute, &writer.template),
        _ => of_plain_attribute(attribute),
    }
}

fn share_items(views: &Views, a: &AttributeView, b: &AttributeView) -> bool {
    let sources = views.sources.get(a.source).zip(views.sources.get(b.source));
    sources.is_some_and(|(a, b)| can_meet(&a.pattern, &b.pattern))
}

/// Who else can have items in one partition with the beginning that all the view's sort keys have.
fn strangers(lodgers: &[Lodger], own: &Resident, key: &[KeyPart]) -> Vec<Resident> {
    let beginning = match key.get(1).and_then(|sort| sort.pieces.first()) {
        Some(Piece::Literal { literal }) => literal.as_str(),
        _ => "",
    };
    let Some(host) = lodgers.iter().find(|lodger| lodger.resident == *own) else {
        return Vec::new();
    };
    let others = lodgers.iter().filter(|lodger| lodger.resident != *own);
    others
        .filter(|lodger| lodger.can_share_with(host) && lodger.can_begin_with(beginning))
        .map(|lodger| lodger.resident.clone())
        .collect()
}

/// The reads that a key allows: its whole partition, and then with each further input of the sort key.
fn of_key(key: &[KeyPart], source: &[String]) -> Vec<Read> {
    let Some((partition, rest)) = key.split_first() else {
        return Vec::new();
    };
    let sort = rest.first();
    let pieces = sort.map_or(&[][..], |sort| &sort.pieces);
    let levels = levels(&partition.pieces, pieces, source);
    let reads = levels.into_iter().enumerate().map(|(number, level)| {
        let taken = pieces.get(..level.cut).unwrap_or(pieces);
        let buckets = open_buckets(partition.pieces.iter().chain(taken), &level.given);
        Read {
            reads: match level.cut == pieces.len() {
                true => Reads::Key,
                false if number == 0 => Reads::Partition,
                false => Reads::Beginning,
            },
            index: None,
            given: level.given.into_iter().map(str::to_owned).collect(),
            requests: requests(partition, sort.map(|sort| (sort, taken)), &buckets),
            buckets,
            also_reads: Vec::new(),
        }
    });
    reads.collect()
}

/// How many pieces of the sort key a read fixes, and the inputs it takes for that.
struct Level<'a> {
    cut: usize,
    given: Vec<&'a str>,
}

/// The first level is what every item of the view has; each further one takes the next field that is not decided yet.
///
/// Where a `ksuid` of the partition key makes the first one take all that the whole key does, there is the whole key only.
fn levels<'a>(partition: &'a [Piece], sort: &'a [Piece], source: &'a [String]) -> Vec<Level<'a>> {
    let mut given = Vec::new();
    let fields = || partition.iter().filter_map(Piece::as_field);
    fields().for_each(|field| give(&mut given, field, source));
    let first = sort.iter().position(|piece| piece.as_field().is_some());
    let mut cut = first.unwrap_or(sort.len());
    if fields().any(Field::is_of_source) && open_field(sort, cut, &given, source) == sort.len() {
        cut = sort.len();
    }
    let mut levels = Vec::new();
    loop {
        levels.push(Level {
            cut,
            given: given.clone(),
        });
        if cut == sort.len() {
            return levels;
        }
        let field = open_field(sort, cut, &given, source);
        if let Some(field) = sort.get(field).and_then(Piece::as_field) {
            give(&mut given, field, source);
        }
        cut = open_field(sort, field + 1, &given, source);
    }
}

/// The position of the first field, from one on, that no given input decides; the end where there is none.
fn open_field(sort: &[Piece], from: usize, given: &[&str], source: &[String]) -> usize {
    let is_open = |piece: &Piece| {
        let field = piece.as_field();
        field.is_some_and(|field| inputs(field, source).any(|input| !given.contains(&input)))
    };
    let found = sort.iter().skip(from).position(is_open);
    found.map_or(sort.len(), |found| from + found)
}

/// Notes the inputs of a field as given, unless only its bucket is asked for.
fn give<'a>(given: &mut Vec<&'a str>, field: &'a Field, source: &'a [String]) {
    if field.buckets().is_some() {
        return;
    }
    for input in inputs(field, source) {
        if !given.contains(&input) {
            given.push(input);
        }
    }
}

/// What a field is made of: its input, and the source's key where it is a `ksuid`.
fn inputs<'a>(field: &'a Field, source: &'a [String]) -> impl Iterator<Item = &'a str> {
    let source = if field.is_of_source() { source } else { &[] };
    std::iter::once(field.path.as_str()).chain(source.iter().map(String::as_str))
}

/// The buckets that no given input decides, each once.
fn open_buckets<'a>(pieces: impl Iterator<Item = &'a Piece>, given: &[&str]) -> Vec<Buckets> {
    let mut open = Vec::new();
    for field in pieces.filter_map(Piece::as_field) {
        let Some(buckets) = field.buckets() else { continue };
        let found = Buckets {
            path: field.path.clone(),
            buckets,
        };
        if !given.contains(&field.path.as_str()) && !open.contains(&found) {
            open.push(found);
        }
    }
    open
}

#[cfg(test)]
mod tests;
