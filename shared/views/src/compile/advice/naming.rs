//! SK031 and SK034: whether a shadow's key names the item it is derived from.
//!
//! It does if every attribute of the source table's key is a field of it, or every attribute of the source's `identity`.
//! An attribute that the source's match holds to one value needs no field. Fields of an element of `for_each` do not
//! count. Two shadows of one item with one key are no conflict, so that this is all it takes.
//!
//! Where a key holds its name through ops only that make different inputs alike (`prefix`, `hash` and `shard`, or `lower`,
//! `trim` and `time`), SK034 says so. A `ksuid` holds a hash of the source's whole key, so that a key with one is told apart
//! whatever else folds spellings together. A `unique` key has no name to hold; there SK034 is of whatever `prefix`, `hash` and
//! `shard` keep too little of, and ops that fold spellings together are what such a key is for.

use shadowkey_item::AttributePath;
use shadowkey_key_codec::{FieldLayout, LayoutPart, Template};

use super::{Findings, Shadow};
use crate::Code;
use crate::file::ViewFile;
use crate::view::Views;

impl Findings<'_> {
    pub(super) fn naming(&mut self, shadow: &Shadow<'_>, file: &ViewFile, views: &Views) {
        // A hash of the source's whole key tells items apart, whatever else is in the key.
        if part_fields(shadow).any(|(_, field)| field.is_of_source) {
            return;
        }
        let names = Names::new(shadow, file, views);
        let view = shadow.view;
        if !view.unique && !names.hold(shadow, |_| true) {
            self.add_for(
                &view.name,
                Code::Sk031,
                shadow.section.key.span(),
                "two items can have the same key here: it names neither the source's key nor its `identity`",
                format!(
                    "put {} into the key, declare the source's `identity`, or say `unique = true`",
                    names.wanted()
                ),
            );
        } else if !names.hold(shadow, |field| !field.collides) {
            self.collision(shadow, &names);
        } else if !view.unique {
            self.likeness(shadow, &names);
        }
    }

    /// An attribute that should name the item, and of which the key has only what folds its spellings together.
    fn likeness(&mut self, shadow: &Shadow<'_>, names: &Names) {
        let Some((part, path)) = names.folded(shadow) else {
            return;
        };
        let message = format!(
            "items that differ in the spelling of `{path}` only can have the same key: `upper`, `lower`, `fold`, `nfc`, `trim`, \
             `time` and `default` make different inputs alike"
        );
        let help =
            "name the source's key or its `identity` in the key as well, without these ops, or say `unique = true`";
        self.add_for(&shadow.view.name, Code::Sk034, shadow.part_span(part), message, help);
    }

    /// A field of which only a part, a hash or a bucket is kept anywhere in the key, rather one that should name the item.
    fn collision(&mut self, shadow: &Shadow<'_>, names: &Names) {
        let fields: Vec<(&str, FieldLayout<'_>)> = part_fields(shadow).collect();
        let is_kept = |path| fields.iter().any(|(_, field)| field.path == path && !field.collides);
        let mut lost = fields
            .iter()
            .filter(|(_, field)| field.collides && !is_kept(field.path));
        let first = lost.clone().next();
        if let Some((part, field)) = lost.find(|(_, field)| names.include(field.path)).or(first) {
            let message = format!(
                "items that differ in `{}` only can have the same key: `prefix`, `hash` and `shard` keep too little of it",
                field.path
            );
            let help = "name the source's key or its `identity` in the key as well, without these ops";
            self.add_for(&shadow.view.name, Code::Sk034, shadow.part_span(part), message, help);
        }
    }
}

/// What names the items of a source.
struct Names {
    key: Vec<AttributePath>,
    identity: Vec<AttributePath>,
}

impl Names {
    fn new(shadow: &Shadow<'_>, file: &ViewFile, views: &Views) -> Self {
        let mut sections = file.source.iter();
        let section = sections.find(|(name, _)| *name.get_ref() == shadow.inputs.source.name);
        let identity = section.into_iter().flat_map(|(_, section)| &section.identity);
        let key = views.table.key.attributes();
        Self {
            key: key.map(|attribute| AttributePath::attribute(&attribute.name)).collect(),
            identity: identity
                .filter_map(|path| AttributePath::parse(path.get_ref()).ok())
                .collect(),
        }
    }

    /// Whether the fields of a key that count hold the name.
    fn hold(&self, shadow: &Shadow<'_>, counts: impl Fn(&FieldLayout<'_>) -> bool) -> bool {
        let held = Held::new(shadow, counts);
        self.each().any(|name| held.all(name))
    }

    /// The first part and attribute of a name that only lossy ops keep from being held; `None` where it is held without.
    fn folded<'a>(&self, shadow: &Shadow<'a>) -> Option<(&'a str, &'a AttributePath)> {
        let (held, kept) = (
            Held::new(shadow, |field| !field.collides),
            Held::new(shadow, |field| !field.is_lossy),
        );
        if self.each().any(|name| kept.all(name)) {
            return None;
        }
        let name = self.each().find(|name| held.all(name))?;
        part_fields(shadow)
            .filter(|(_, field)| !field.collides && shadow.inputs.is_of_item(field.path))
            .map(|(part, field)| (part, field.path))
            .find(|(_, path)| name.contains(path) && !kept.has(path))
    }

    /// The sets of attributes each of which is a name.
    fn each(&self) -> impl Iterator<Item = &[AttributePath]> {
        let identity = Some(self.identity.as_slice()).filter(|identity| !identity.is_empty());
        [self.key.as_slice()].into_iter().chain(identity)
    }

    fn include(&self, path: &AttributePath) -> bool {
        self.key.contains(path) || self.identity.contains(path)
    }

    /// The attributes to put into a key, as a person reads them.
    fn wanted(&self) -> String {
        let paths = if self.identity.is_empty() {
            &self.key
        } else {
            &self.identity
        };
        let fields: Vec<String> = paths.iter().map(|path| format!("`{{{path}}}`")).collect();
        fields.join(" and ")
    }
}

/// What a key says of the item it is derived from.
struct Held<'s, 'a> {
    shadow: &'s Shadow<'a>,
    paths: Vec<&'a AttributePath>,
}

impl<'s, 'a> Held<'s, 'a> {
    /// What the fields that count say.
    fn new(shadow: &'s Shadow<'a>, counts: impl Fn(&FieldLayout<'_>) -> bool) -> Self {
        let fields = part_fields(shadow).map(|(_, field)| field);
        let counted = fields.filter(|field| counts(field) && shadow.inputs.is_of_item(field.path));
        Self {
            shadow,
            paths: counted.map(|field| field.path).collect(),
        }
    }

    fn has(&self, path: &AttributePath) -> bool {
        self.shadow.inputs.is_pinned(path) || self.paths.contains(&path)
    }

    fn all(&self, name: &[AttributePath]) -> bool {
        name.iter().all(|path| self.has(path))
    }
}

/// The fields of a shadow's key, each with the name of its part.
fn part_fields<'a>(shadow: &Shadow<'a>) -> impl Iterator<Item = (&'a str, FieldLayout<'a>)> + use<'a> {
    let parts = shadow.view.key.iter();
    parts.flat_map(|(part, template)| fields(template).map(|field| (part.as_str(), field)))
}

fn fields(template: &Template) -> impl Iterator<Item = FieldLayout<'_>> {
    template.layout().into_iter().filter_map(|part| match part {
        LayoutPart::Field(field) => Some(field),
        LayoutPart::Literal(_) => None,
    })
}
