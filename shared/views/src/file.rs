//! The view file as it is written: TOML, with the span of whatever a finding may point at.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use shadowkey_item::ScalarType;
use toml::Spanned;

/// A name that stands as a key in the file.
pub(crate) type Name = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ViewFile {
    pub(crate) version: Spanned<i64>,
    pub(crate) table: TableSection,
    pub(crate) state: Option<StateSection>,
    #[serde(default)]
    pub(crate) source: BTreeMap<Name, SourceSection>,
    #[serde(default)]
    pub(crate) attribute: BTreeMap<Name, AttributeSection>,
    #[serde(default)]
    pub(crate) shadow: BTreeMap<Name, ShadowSection>,
    #[serde(default)]
    pub(crate) allow: BTreeMap<Name, BTreeMap<Name, String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableSection {
    pub(crate) name: Spanned<String>,
    pub(crate) partition_key: KeySection,
    pub(crate) sort_key: Option<KeySection>,
    pub(crate) ttl: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) index: Vec<IndexSection>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeySection {
    pub(crate) name: Spanned<String>,
    #[serde(rename = "type")]
    pub(crate) kind: ScalarType,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexSection {
    pub(crate) name: Spanned<String>,
    pub(crate) kind: IndexKindSection,
    pub(crate) partition_key: Option<KeySection>,
    pub(crate) sort_key: Option<KeySection>,
    #[serde(default)]
    pub(crate) projection: ProjectionSection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum IndexKindSection {
    Global,
    Local,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateSection {
    pub(crate) table: Spanned<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceSection {
    #[serde(rename = "match")]
    pub(crate) patterns: BTreeMap<Name, Vec<Spanned<AlternativeSection>>>,
    #[serde(default)]
    pub(crate) identity: Vec<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttributeSection {
    pub(crate) source: Spanned<String>,
    pub(crate) value: Spanned<String>,
    #[serde(rename = "type", default = "text")]
    pub(crate) kind: ScalarType,
    pub(crate) attribute: Option<Spanned<String>>,
}

fn text() -> ScalarType {
    ScalarType::S
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShadowSection {
    pub(crate) source: Spanned<String>,
    pub(crate) key: Spanned<BTreeMap<Name, Spanned<String>>>,
    #[serde(default)]
    pub(crate) project: ProjectionSection,
    pub(crate) for_each: Option<Spanned<BTreeMap<Name, Spanned<String>>>>,
    pub(crate) into: Option<IntoSection>,
    #[serde(default)]
    pub(crate) unique: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntoSection {
    pub(crate) table: Spanned<String>,
    pub(crate) partition_key: KeySection,
    pub(crate) sort_key: Option<KeySection>,
}

/// `"keys"`, `"all"`, a list of names, or `{ except = [names] }`.
#[derive(Debug, Default)]
pub(crate) enum ProjectionSection {
    #[default]
    Keys,
    All,
    Names(Vec<String>),
    Except(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExceptSection {
    except: Vec<String>,
}

impl<'de> Deserialize<'de> for ProjectionSection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ProjectionVisitor;
        impl<'de> Visitor<'de> for ProjectionVisitor {
            type Value = ProjectionSection;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`\"keys\"`, `\"all\"`, a list of attribute names or `{ except = [names] }`")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<ProjectionSection, E> {
                match word {
                    "keys" => Ok(ProjectionSection::Keys),
                    "all" => Ok(ProjectionSection::All),
                    other => Err(E::unknown_variant(other, &["keys", "all"])),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<ProjectionSection, A::Error> {
                let mut all = Vec::new();
                while let Some(name) = names.next_element()? {
                    all.push(name);
                }
                Ok(ProjectionSection::Names(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ProjectionSection, A::Error> {
                let section = ExceptSection::deserialize(MapAccessDeserializer::new(map))?;
                Ok(ProjectionSection::Except(section.except))
            }
        }
        deserializer.deserialize_any(ProjectionVisitor)
    }
}

/// One alternative of a match: a literal, or a table of one operator.
#[derive(Debug)]
pub(crate) enum AlternativeSection {
    Literal(LiteralSection),
    Operator(OperatorSection),
}

/// The operators; exactly one is to be set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OperatorSection {
    pub(crate) prefix: Option<String>,
    pub(crate) suffix: Option<String>,
    pub(crate) anything_but: Option<OneOrMany>,
    pub(crate) equals_ignore_case: Option<String>,
    pub(crate) exists: Option<bool>,
    pub(crate) numeric: Option<Vec<Spanned<LiteralSection>>>,
}

/// A text or a number; a number with a fraction is taken from the file's text, since a float would round it.
#[derive(Debug)]
pub(crate) enum LiteralSection {
    Text(String),
    Integer(String),
    Float,
}

/// One literal, or a list of them.
#[derive(Debug)]
pub(crate) struct OneOrMany(pub(crate) Vec<Spanned<LiteralSection>>);

impl<'de> Deserialize<'de> for AlternativeSection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AlternativeVisitor;
        impl<'de> Visitor<'de> for AlternativeVisitor {
            type Value = AlternativeSection;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a number, or a table of one operator such as `{ prefix = \"ORG#\" }`")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<AlternativeSection, E> {
                LiteralVisitor.visit_str(text).map(AlternativeSection::Literal)
            }

            fn visit_i64<E: serde::de::Error>(self, integer: i64) -> Result<AlternativeSection, E> {
                LiteralVisitor.visit_i64(integer).map(AlternativeSection::Literal)
            }

            fn visit_f64<E: serde::de::Error>(self, float: f64) -> Result<AlternativeSection, E> {
                LiteralVisitor.visit_f64(float).map(AlternativeSection::Literal)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AlternativeSection, A::Error> {
                OperatorSection::deserialize(MapAccessDeserializer::new(map)).map(AlternativeSection::Operator)
            }
        }
        deserializer.deserialize_any(AlternativeVisitor)
    }
}

impl<'de> Deserialize<'de> for LiteralSection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LiteralVisitor)
    }
}

struct LiteralVisitor;

impl Visitor<'_> for LiteralVisitor {
    type Value = LiteralSection;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a number")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<LiteralSection, E> {
        Ok(LiteralSection::Text(text.to_owned()))
    }

    fn visit_i64<E: serde::de::Error>(self, integer: i64) -> Result<LiteralSection, E> {
        Ok(LiteralSection::Integer(integer.to_string()))
    }

    fn visit_f64<E: serde::de::Error>(self, _: f64) -> Result<LiteralSection, E> {
        Ok(LiteralSection::Float)
    }
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A lone literal has the span of the whole value, which is its own.
        let value = Spanned::<OneOrManySection>::deserialize(deserializer)?;
        let span = value.span();
        match value.into_inner() {
            OneOrManySection::One(literal) => Ok(Self(vec![Spanned::new(span, literal)])),
            OneOrManySection::Many(literals) if literals.is_empty() => {
                Err(D::Error::custom("`anything-but` needs at least one value"))
            }
            OneOrManySection::Many(literals) => Ok(Self(literals)),
        }
    }
}

enum OneOrManySection {
    One(LiteralSection),
    Many(Vec<Spanned<LiteralSection>>),
}

impl<'de> Deserialize<'de> for OneOrManySection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrManyVisitor;
        impl<'de> Visitor<'de> for OneOrManyVisitor {
            type Value = OneOrManySection;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a number, or a list of them")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<OneOrManySection, E> {
                LiteralVisitor.visit_str(text).map(OneOrManySection::One)
            }

            fn visit_i64<E: serde::de::Error>(self, integer: i64) -> Result<OneOrManySection, E> {
                LiteralVisitor.visit_i64(integer).map(OneOrManySection::One)
            }

            fn visit_f64<E: serde::de::Error>(self, float: f64) -> Result<OneOrManySection, E> {
                LiteralVisitor.visit_f64(float).map(OneOrManySection::One)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut literals: A) -> Result<OneOrManySection, A::Error> {
                let mut all = Vec::new();
                while let Some(literal) = literals.next_element()? {
                    all.push(literal);
                }
                Ok(OneOrManySection::Many(all))
            }
        }
        deserializer.deserialize_any(OneOrManyVisitor)
    }
}
