//! The view file as it is written: TOML, with the span of whatever a finding may point at.
//!
//! The documentation of sections and fields is what an editor shows, by way of the JSON Schema; docs/views.md has it in full.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use shadowkey_item::ScalarType;
use toml::Spanned;

use crate::schema;

/// A name that stands as a key in the file.
pub(crate) type Name = Spanned<String>;

/// One table, which of its items are sources, and the views that are derived from them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "View file of shadowkey")]
pub(crate) struct ViewFile {
    /// The version of the view file's language.
    #[schemars(schema_with = "schema::version")]
    pub(crate) version: Spanned<i64>,
    /// The table whose items are sources.
    pub(crate) table: TableSection,
    /// The companion table, with the partition key `id` of type S.
    pub(crate) state: Option<StateSection>,
    /// Which items are sources, by name.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, SourceSection>")]
    pub(crate) source: BTreeMap<Name, SourceSection>,
    /// Views that set an attribute on the source item itself, by name.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, AttributeSection>")]
    pub(crate) attribute: BTreeMap<Name, AttributeSection>,
    /// Views that keep items of their own, by name.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, ShadowSection>")]
    pub(crate) shadow: BTreeMap<Name, ShadowSection>,
    /// Warnings and notes that are not to be shown: for each view, their codes and why.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, BTreeMap<String, String>>")]
    pub(crate) allow: BTreeMap<Name, BTreeMap<Name, String>>,
}

/// A table: its name, its key and its indexes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableSection {
    /// The logical name; `SHADOWKEY_TABLE` gives the physical one.
    #[schemars(with = "String", length(min = 1))]
    pub(crate) name: Spanned<String>,
    /// The table's partition key.
    pub(crate) partition_key: KeySection,
    /// The table's sort key; left out where the table has none.
    pub(crate) sort_key: Option<KeySection>,
    /// The attribute that the table's time to live is set to; it is copied to every shadow, so that both expire.
    #[schemars(with = "Option<String>", length(min = 1), extend("examples" = ["expires_at"]))]
    pub(crate) ttl: Option<Spanned<String>>,
    /// How a change's writes are sent: each by itself, or all in one transaction that also holds the source item to the
    /// image they come from, at twice the price.
    #[serde(default)]
    #[schemars(extend("default" = "single"))]
    pub(crate) writes: WritesSection,
    /// The table's indexes: `replay` creates them, and key lengths and types are checked.
    #[serde(default)]
    pub(crate) index: Vec<IndexSection>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WritesSection {
    #[default]
    Single,
    Transaction,
}

/// A key attribute.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeySection {
    /// The attribute's name.
    #[schemars(with = "String", length(min = 1))]
    pub(crate) name: Spanned<String>,
    /// The attribute's type: text (S), number (N) or bytes (B).
    #[serde(rename = "type")]
    #[schemars(schema_with = "schema::key_type")]
    pub(crate) kind: ScalarType,
}

/// An index of the table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IndexSection {
    /// The index's name, of which the table has no other.
    #[schemars(with = "String")]
    pub(crate) name: Spanned<String>,
    /// A global index has a partition key of its own; a local one has a sort key and the table's partition key.
    pub(crate) kind: IndexKindSection,
    /// The index's partition key; a local index may leave it out.
    pub(crate) partition_key: Option<KeySection>,
    /// The index's sort key; a global index may have none.
    pub(crate) sort_key: Option<KeySection>,
    /// Which attributes the index carries.
    #[serde(default)]
    #[schemars(schema_with = "schema::index_projection", extend("default" = "keys"))]
    pub(crate) projection: ProjectionSection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum IndexKindSection {
    Global,
    Local,
}

/// The companion table.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateSection {
    /// The companion table's name; it holds no items of the views.
    #[schemars(with = "String", length(min = 1))]
    pub(crate) table: Spanned<String>,
}

/// Which items a view derives from.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourceSection {
    /// A list of alternatives for each attribute path: an item is of the source if every path has one that matches.
    #[serde(rename = "match")]
    #[schemars(
        with = "BTreeMap<String, Vec<AlternativeSection>>",
        extend("examples" = [{ "PK": [{ "prefix": "ORG#" }], "Status": ["open", "waiting"] }])
    )]
    pub(crate) patterns: BTreeMap<Name, Vec<Spanned<AlternativeSection>>>,
    /// Attributes that name the item as its key does.
    #[serde(default)]
    #[schemars(with = "Vec<String>", extend("examples" = [["TicketId"]]))]
    pub(crate) identity: Vec<Spanned<String>>,
}

/// A view that sets one attribute on the source item itself.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttributeSection {
    /// The name of the source.
    #[schemars(with = "String")]
    pub(crate) source: Spanned<String>,
    /// The template of the value; where one of its inputs is missing, the attribute is removed.
    #[schemars(with = "String", length(min = 1), extend("examples" = ["{Status}#{UpdatedAt | time}"]))]
    pub(crate) value: Spanned<String>,
    /// The attribute's type: text (S) or number (N).
    #[serde(rename = "type", default = "text")]
    #[schemars(schema_with = "schema::derived_type")]
    pub(crate) kind: ScalarType,
    /// The attribute, if the view's name is not the attribute's.
    #[schemars(with = "Option<String>", length(min = 1))]
    pub(crate) attribute: Option<Spanned<String>>,
}

fn text() -> ScalarType {
    ScalarType::S
}

/// A view that keeps items of its own, each with its key, what it projects and the marker `_shadow`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShadowSection {
    /// The name of the source.
    #[schemars(with = "String")]
    pub(crate) source: Spanned<String>,
    /// A template for each key attribute of the table that the shadows go into.
    #[schemars(
        with = "BTreeMap<String, String>",
        extend(
            "minProperties" = 1,
            "maxProperties" = 2,
            "examples" = [{ "PK": "{PK}", "SK": "UPDATED#{UpdatedAt | time | desc}#{TicketId}" }]
        )
    )]
    pub(crate) key: Spanned<BTreeMap<Name, Spanned<String>>>,
    /// Which attributes the shadow carries beside its key.
    #[serde(default)]
    #[schemars(extend("default" = "keys"))]
    pub(crate) project: ProjectionSection,
    /// One shadow for each element of a list or set: the element's name in templates, and the path of the list or set.
    #[schemars(
        with = "Option<BTreeMap<String, String>>",
        extend("minProperties" = 1, "maxProperties" = 1, "examples" = [{ "tag": "tags" }])
    )]
    pub(crate) for_each: Option<Spanned<BTreeMap<Name, Spanned<String>>>>,
    /// The table that the shadows go into, if it is not the sources' own.
    pub(crate) into: Option<IntoSection>,
    /// Whether the key does not name its source, so that two sources may claim it.
    #[serde(default)]
    pub(crate) unique: bool,
}

/// A table that shadows go into.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IntoSection {
    /// The logical name; for `lookup`, `SHADOWKEY_TABLE_LOOKUP` gives the physical one.
    #[schemars(with = "String", length(min = 1))]
    pub(crate) table: Spanned<String>,
    /// The table's partition key.
    pub(crate) partition_key: KeySection,
    /// The table's sort key; left out where the table has none.
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

/// All attributes but some.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExceptSection {
    /// The attributes to leave out.
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
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(description = "A table of one operator.", extend("minProperties" = 1, "maxProperties" = 1))]
pub(crate) struct OperatorSection {
    /// Text that begins so.
    #[schemars(extend("examples" = ["ORG#"]))]
    pub(crate) prefix: Option<String>,
    /// Text that ends so.
    #[schemars(extend("examples" = ["#v1"]))]
    pub(crate) suffix: Option<String>,
    /// An attribute that is there and is none of these.
    pub(crate) anything_but: Option<OneOrMany>,
    /// Text that differs in case only.
    pub(crate) equals_ignore_case: Option<String>,
    /// Whether the attribute is to be there, whatever its value, or to be missing.
    pub(crate) exists: Option<bool>,
    /// A number within all bounds: comparisons and numbers in turn.
    #[schemars(with = "Option<schema::Bounds>", extend("examples" = [[">", 0, "<=", 100]]))]
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
