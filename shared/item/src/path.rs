//! Paths into an item: `address.city`, `tags[0]`, `'a.b'.c`.

use std::fmt;

use crate::{AttributeValue, Item};

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// Into a map, by name.
    Name(String),
    /// Into a list, by position from 0.
    Index(usize),
}

/// A path from an item's attribute to a value inside it; the first step is the attribute's name.
///
/// A name of letters, digits, `_` and `-` is written as it is; any other is quoted with `'`, and a `'` inside is doubled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttributePath {
    root: String,
    rest: Vec<Segment>,
}

/// Why a text is not a path, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct PathError {
    /// Byte offset in the text.
    pub offset: usize,
    /// What is wrong there.
    pub kind: PathErrorKind,
}

/// What is wrong with a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathErrorKind {
    /// A name was expected.
    #[error(
        "expected an attribute name; quote a name with other characters than letters, digits, `_` and `-`: `'due date'`"
    )]
    Name,
    /// A quoted name has no end.
    #[error("the quoted name has no closing `'`")]
    Quote,
    /// A list position is not a number in brackets.
    #[error("expected a list position such as `[0]`")]
    Index,
    /// Something stands behind the path.
    #[error("expected `.`, `[` or the end of the path")]
    Trailing,
}

impl AttributePath {
    /// The path of a whole attribute.
    pub fn attribute(name: impl Into<String>) -> Self {
        Self {
            root: name.into(),
            rest: Vec::new(),
        }
    }

    /// The path of a value in the map at this path.
    #[must_use]
    pub fn child(mut self, name: impl Into<String>) -> Self {
        self.rest.push(Segment::Name(name.into()));
        self
    }

    /// Reads a whole text as a path.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let (path, end) = Self::parse_prefix(text)?;
        if end == text.len() {
            Ok(path)
        } else {
            Err(PathError {
                offset: end,
                kind: PathErrorKind::Trailing,
            })
        }
    }

    /// Reads the longest path a text starts with, and says at which byte it ends.
    pub fn parse_prefix(text: &str) -> Result<(Self, usize), PathError> {
        let (root, mut at) = name(text, 0)?;
        let mut rest = Vec::new();
        loop {
            let tail = text.get(at..).unwrap_or("");
            if tail.starts_with('.') {
                let (step, end) = name(text, at + 1)?;
                rest.push(Segment::Name(step));
                at = end;
            } else if let Some(inside) = tail.strip_prefix('[') {
                let index = inside
                    .split_once(']')
                    .filter(|(digits, _)| digits.bytes().all(|b| b.is_ascii_digit()))
                    .and_then(|(digits, _)| Some((digits.parse().ok()?, digits.len())));
                let Some((position, length)) = index else {
                    return Err(PathError {
                        offset: at,
                        kind: PathErrorKind::Index,
                    });
                };
                rest.push(Segment::Index(position));
                at += length + 2;
            } else {
                return Ok((Self { root, rest }, at));
            }
        }
    }

    /// The attribute the path starts in.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The steps below the attribute.
    pub fn rest(&self) -> &[Segment] {
        &self.rest
    }

    /// The value at the path, if the item has one there.
    pub fn lookup<'a>(&self, item: &'a Item) -> Option<&'a AttributeValue> {
        self.descend(item.get(&self.root)?)
    }

    /// The value at the steps below the attribute, starting from the attribute's value.
    pub fn descend<'a>(&self, attribute: &'a AttributeValue) -> Option<&'a AttributeValue> {
        self.rest.iter().try_fold(attribute, |value, step| match (value, step) {
            (AttributeValue::M(map), Segment::Name(name)) => map.get(name),
            (AttributeValue::L(list), Segment::Index(index)) => list.get(*index),
            _ => None,
        })
    }
}

/// Reads a plain or quoted name at `at`; gives it and the byte behind it.
fn name(text: &str, at: usize) -> Result<(String, usize), PathError> {
    let tail = text.get(at..).unwrap_or("");
    if let Some(quoted) = tail.strip_prefix('\'') {
        return quoted_name(quoted, at);
    }
    let end = tail.find(|c| !is_plain(c)).unwrap_or(tail.len());
    match tail.get(..end) {
        Some(plain) if !plain.is_empty() => Ok((plain.to_owned(), at + end)),
        _ => Err(PathError {
            offset: at,
            kind: PathErrorKind::Name,
        }),
    }
}

fn quoted_name(quoted: &str, at: usize) -> Result<(String, usize), PathError> {
    let mut name = String::new();
    let mut chars = quoted.char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        if c != '\'' {
            name.push(c);
        } else if chars.next_if(|(_, next)| *next == '\'').is_some() {
            name.push('\'');
        } else if name.is_empty() {
            break;
        } else {
            return Ok((name, at + offset + 2));
        }
    }
    Err(PathError {
        offset: at,
        kind: if name.is_empty() {
            PathErrorKind::Name
        } else {
            PathErrorKind::Quote
        },
    })
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_name(f, &self.root)?;
        for step in &self.rest {
            match step {
                Segment::Name(name) => {
                    f.write_str(".")?;
                    write_name(f, name)?;
                }
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if name.chars().all(is_plain) {
        f.write_str(name)
    } else {
        write!(f, "'{}'", name.replace('\'', "''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item_from_json;

    #[test]
    fn a_path_prints_as_it_is_written() {
        for text in [
            "a",
            "a-b.c_d",
            "tags[0]",
            "m.'a.b'[12].x",
            "'due date'",
            "'it''s'",
            "größe",
        ] {
            assert_eq!(AttributePath::parse(text).map(|p| p.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn a_malformed_path_names_the_place() {
        for (text, offset, kind) in [
            ("", 0, PathErrorKind::Name),
            ("a.", 2, PathErrorKind::Name),
            ("a b", 1, PathErrorKind::Trailing),
            ("a[x]", 1, PathErrorKind::Index),
            ("a[", 1, PathErrorKind::Index),
            ("a[]", 1, PathErrorKind::Index),
            ("'a", 0, PathErrorKind::Quote),
            ("''", 0, PathErrorKind::Name),
        ] {
            assert_eq!(AttributePath::parse(text), Err(PathError { offset, kind }), "{text}");
        }
    }

    #[test]
    fn a_path_reaches_into_maps_and_lists() {
        let item = item_from_json(r#"{"a": {"M": {"b.c": {"L": [{"S": "x"}]}}}, "b": {"S": "y"}}"#).expect("item");
        let at = |text: &str| AttributePath::parse(text).expect(text).lookup(&item).cloned();
        assert_eq!(at("a.'b.c'[0]"), Some("x".into()));
        assert_eq!(at("a.'b.c'[1]"), None);
        assert_eq!(at("b.c"), None);
        assert_eq!(at("c"), None);
    }
}
