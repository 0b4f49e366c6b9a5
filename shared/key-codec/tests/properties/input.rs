//! Inputs: what an item can have for a field.

use std::str::FromStr as _;

use bigdecimal::BigDecimal;
use proptest::prelude::*;
use serde_json::json;
use shadowkey_item::AttributeValue;

use crate::calendar::Time;

/// What an item has for a field.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    Missing,
    Null,
    Text(String),
    Number(String),
    Truth(bool),
    /// A list of texts.
    List(Vec<String>),
    Time(Time),
}

impl Input {
    pub(crate) fn value(&self) -> Option<AttributeValue> {
        let number = |number: &str| AttributeValue::N(number.parse().expect(number));
        Some(match self {
            Self::Missing => return None,
            Self::Null => AttributeValue::Null,
            Self::Text(text) => text.as_str().into(),
            Self::Number(text) => number(text),
            Self::Truth(truth) => AttributeValue::Bool(*truth),
            Self::List(texts) => AttributeValue::L(texts.iter().map(|text| text.as_str().into()).collect()),
            Self::Time(time) if time.is_number => number(&time.written),
            Self::Time(time) => time.written.as_str().into(),
        })
    }

    /// The text that a template can give as `default` instead.
    pub(crate) fn written(&self) -> &str {
        match self {
            Self::Text(text) | Self::Number(text) => text,
            Self::Time(time) => &time.written,
            _ => "",
        }
    }

    /// The value as plain text.
    pub(crate) fn plain(&self) -> String {
        match self {
            Self::Number(number) => decimal(number).normalized().to_plain_string(),
            Self::Truth(truth) => truth.to_string(),
            Self::List(texts) => {
                let texts: Vec<_> = texts.iter().map(|text| json!({ "S": text })).collect();
                json!({ "L": texts }).to_string()
            }
            other => other.written().to_owned(),
        }
    }

    /// Another input that is hard to tell from this one: longer by a little, or with a character as escapes have it.
    pub(crate) fn twisted(&self, twist: &Twist) -> Option<Self> {
        match (self, twist) {
            (Self::Text(text), Twist::Longer(more)) => Some(Self::Text(format!("{text}{more}"))),
            (Self::Text(text), Twist::Escaped(at)) => {
                let (at, c) = text.char_indices().nth(*at)?;
                let (before, rest) = text.split_at(at);
                let mut utf8 = [0; 4];
                let escaped: String = (c.encode_utf8(&mut utf8).bytes())
                    .map(|byte| format!("%{byte:02X}"))
                    .collect();
                Some(Self::Text(format!("{before}{escaped}{}", &rest[c.len_utf8()..])))
            }
            _ => None,
        }
    }
}

/// How an input differs from one beside it.
#[derive(Debug, Clone)]
pub(crate) enum Twist {
    None,
    Longer(&'static str),
    Escaped(usize),
    /// The literal behind it stands in it, and what stood behind that literal.
    Shifted,
}

pub(crate) fn twist() -> impl Strategy<Value = Twist> {
    prop_oneof![
        3 => Just(Twist::None),
        1 => atom().prop_map(Twist::Longer),
        1 => (0usize..4).prop_map(Twist::Escaped),
        2 => Just(Twist::Shifted),
    ]
}

pub(crate) fn decimal(text: &str) -> BigDecimal {
    BigDecimal::from_str(text).expect(text)
}

/// Pieces of text that hurt: prefixes of one another, delimiters, escapes, what sorts below `#`, ends of other forms,
/// blanks, and characters whose order differs between UTF-8 and UTF-16, or whose case, width or composition ops change.
pub(crate) fn atom() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "A",
        "#",
        "%",
        "%2",
        "%23",
        "_",
        " ",
        "!",
        "~",
        "\u{0}",
        "\u{1}",
        "\u{2}",
        "0",
        "1",
        ".",
        ":",
        "é",
        "e\u{301}",
        "ﬀ",
        "\u{10000}",
        "\u{10ffff}",
        "{",
        "}",
    ])
}

/// Text of atoms only, which the oracle can fold and compose.
pub(crate) fn atoms() -> impl Strategy<Value = String> {
    prop::collection::vec(atom(), 1..5).prop_map(|parts| parts.concat())
}

pub(crate) fn text() -> impl Strategy<Value = String> {
    let any_text = any::<String>().prop_filter("not empty", |text| !text.is_empty());
    prop_oneof![4 => atoms(), 1 => any_text]
}

pub(crate) fn number() -> impl Strategy<Value = String> {
    let digits = "[1-9][0-9]{0,37}";
    let any_number = (any::<bool>(), digits, -92i32..=88)
        .prop_map(|(negative, digits, shift)| format!("{}{digits}E{shift}", if negative { "-" } else { "" }));
    let hurting = prop::sample::select(vec![
        "0",
        "-0",
        "1",
        "1.0",
        "1E2",
        "100",
        "1E-130",
        "-1E-130",
        "9.99E125",
        "-9.99E125",
        "0.1",
        "0.11",
        "-0.1",
        "-0.11",
        "12345678901234567890123456789012345678",
        "12345678901234567890123456789012345679",
    ]);
    prop_oneof![
        any_number,
        hurting.prop_map(str::to_owned),
        (-12i32..12).prop_map(|number| number.to_string())
    ]
}

/// A whole number up to a limit, often one of the outermost, and not always in its shortest spelling.
pub(crate) fn whole(limit: u128) -> impl Strategy<Value = String> {
    let number = prop_oneof![Just(0), Just(limit), 0..=limit.min(12), 0..=limit];
    (number, any::<bool>()).prop_map(|(number, longer)| {
        let has_room = longer && number < 10u128.pow(37);
        format!("{number}{}", if has_room { ".0" } else { "" })
    })
}
