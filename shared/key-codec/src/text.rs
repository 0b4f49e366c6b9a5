//! Plain text: the ops on it, and the escape that keeps keys apart.
//!
//! Case comes from ICU's tables with the root locale, so that neither the machine's locale nor the compiler's release
//! changes a key.

use std::borrow::Cow;
use std::fmt::Write as _;

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;

/// An op from text to text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextOp {
    Upper,
    Lower,
    Trim,
}

impl TextOp {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Upper => "upper",
            Self::Lower => "lower",
            Self::Trim => "trim",
        }
    }

    pub(crate) fn apply<'a>(self, text: Cow<'a, str>) -> Cow<'a, str> {
        match (self, text) {
            (Self::Trim, Cow::Borrowed(text)) => Cow::Borrowed(text.trim()),
            (Self::Trim, Cow::Owned(text)) => Cow::Owned(text.trim().to_owned()),
            (Self::Upper, text) => Cow::Owned(
                CaseMapper::new()
                    .uppercase_to_string(&text, &LanguageIdentifier::UNKNOWN)
                    .into_owned(),
            ),
            (Self::Lower, text) => Cow::Owned(
                CaseMapper::new()
                    .lowercase_to_string(&text, &LanguageIdentifier::UNKNOWN)
                    .into_owned(),
            ),
        }
    }
}

/// Appends text in which neither `delimiter` nor `%` stands: each becomes the `%XX` of its UTF-8 bytes.
///
/// So the first `delimiter` behind the field is the literal that follows it, and two texts never give the same bytes.
pub(crate) fn push_escaped(out: &mut String, text: &str, delimiter: char) {
    for c in text.chars() {
        if c == delimiter || c == '%' {
            let mut utf8 = [0; 4];
            for byte in c.encode_utf8(&mut utf8).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(c);
        }
    }
}
