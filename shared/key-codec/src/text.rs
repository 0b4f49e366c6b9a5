//! Text: the ops on it, the escape that keeps keys apart, and the two forms that keep order inside a tuple.
//!
//! Case and normalization come from ICU's tables with the root locale, so that neither the machine's locale nor the
//! compiler's release changes a key.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;
use icu_normalizer::{ComposingNormalizer, DecomposingNormalizer};

use crate::digits::push_hex;

/// An op from text to text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextOp {
    Upper,
    Lower,
    Fold,
    Nfc,
    Trim,
    Prefix(usize),
}

impl TextOp {
    /// The text behind the op, which is a part of the text before it or the same where it can be.
    pub(crate) fn apply(self, text: Cow<'_, str>) -> Cow<'_, str> {
        match text {
            Cow::Borrowed(text) => self.of(text),
            Cow::Owned(text) => {
                let changed = match self.of(&text) {
                    Cow::Borrowed(same) if same.len() == text.len() => None,
                    other => Some(other.into_owned()),
                };
                Cow::Owned(changed.unwrap_or(text))
            }
        }
    }

    fn of(self, text: &str) -> Cow<'_, str> {
        let case = CaseMapper::new();
        let root = LanguageIdentifier::UNKNOWN;
        match self {
            Self::Trim => text.trim().into(),
            Self::Upper => case.uppercase_to_string(text, &root),
            Self::Lower => case.lowercase_to_string(text, &root),
            Self::Nfc => ComposingNormalizer::new_nfc().normalize(text),
            Self::Fold => fold(text),
            Self::Prefix(chars) => {
                let end = text.char_indices().nth(chars).map(|(end, _)| end);
                end.and_then(|end| text.get(..end)).unwrap_or(text).into()
            }
        }
    }

    /// Whether the later op leaves a text that this one changes nothing of as such a text.
    fn outlasts(self, later: Self) -> bool {
        matches!(
            (self, later),
            (_, Self::Trim | Self::Prefix(_))
                | (Self::Trim, Self::Upper | Self::Lower | Self::Nfc)
                | (Self::Upper | Self::Lower | Self::Fold, Self::Nfc)
                | (Self::Nfc, Self::Fold)
        )
    }

    /// How many characters there can be behind the op, where there are so many before it at most.
    fn most_chars(self, most: usize) -> usize {
        match self {
            Self::Prefix(chars) => most.min(chars),
            Self::Trim => most,
            Self::Upper | Self::Lower | Self::Nfc => most.saturating_mul(3),
            Self::Fold => most.saturating_mul(18),
        }
    }
}

/// Whether ops can give a text; where one op undoes what another does, some are taken for given that never are.
///
/// An op changes nothing of what it has given itself.
pub(crate) fn can_be_given(ops: &[TextOp], text: &str) -> bool {
    let most = ops.iter().fold(usize::MAX, |most, op| op.most_chars(most));
    let is_kept = |(position, op): (usize, &TextOp)| {
        let later = ops.get(position + 1..).unwrap_or_default();
        let is_cut = later.iter().any(|later| matches!(later, TextOp::Prefix(_)));
        match op {
            _ if !later.iter().all(|later| op.outlasts(*later)) => true,
            // A blank inside may have come to stand at the end.
            TextOp::Trim if is_cut => text.trim_start() == text,
            op => op.of(text) == text,
        }
    };
    text.chars().nth(most).is_none() && ops.iter().enumerate().all(is_kept)
}

/// NFKC case folding: what differs in case, width, ligatures or composition only becomes one text.
///
/// It is Unicode's compatibility caseless matching (D146), composed in the end.
fn fold(text: &str) -> Cow<'_, str> {
    let case = CaseMapper::new();
    let decomposed = DecomposingNormalizer::new_nfd().normalize(text);
    let canonical = case.fold_string(&decomposed);
    let decomposed = DecomposingNormalizer::new_nfkd().normalize(&canonical);
    let compatible = case.fold_string(&decomposed);
    let folded = ComposingNormalizer::new_nfkc().normalize(&compatible);
    if folded == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(folded.into_owned())
    }
}

impl fmt::Display for TextOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upper => f.write_str("upper"),
            Self::Lower => f.write_str("lower"),
            Self::Fold => f.write_str("fold"),
            Self::Nfc => f.write_str("nfc"),
            Self::Trim => f.write_str("trim"),
            Self::Prefix(chars) => write!(f, "prefix({chars})"),
        }
    }
}

/// Appends plain text, escaped where a literal follows whose first character is `delimiter`.
pub(crate) fn push_plain(out: &mut String, text: &str, delimiter: Option<char>) {
    out.reserve(text.len());
    match delimiter {
        Some(delimiter) => push_escaped(out, text, delimiter),
        None => out.push_str(text),
    }
}

/// Appends text in which neither `delimiter` nor `%` stands: each becomes the `%XX` of its UTF-8 bytes.
///
/// So the first `delimiter` behind the field is the literal that follows it, and two texts never give the same bytes.
fn push_escaped(out: &mut String, text: &str, delimiter: char) {
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

/// Takes plain text from the front of a key: all of it, where no literal follows.
pub(crate) fn take_plain(key: &mut &str, delimiter: Option<char>) -> Option<String> {
    match delimiter {
        Some(delimiter) => take_escaped(key, delimiter),
        None => Some(std::mem::take(key).to_owned()),
    }
}

/// Takes the text up to `delimiter` from the front of a key; `None` where it was never escaped so.
///
/// A delimiter may be a hexadecimal digit itself, so one inside an escape ends nothing.
fn take_escaped(key: &mut &str, delimiter: char) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = *key;
    while let Some(c) = rest.chars().next().filter(|c| *c != delimiter) {
        if c == '%' {
            let digits = rest.get(1..3)?;
            let is_upper_hex = |digit: u8| digit.is_ascii_digit() || (b'A'..=b'F').contains(&digit);
            bytes.push(u8::from_str_radix(digits.bytes().all(is_upper_hex).then_some(digits)?, 16).ok()?);
            rest = rest.get(3..)?;
        } else {
            let mut utf8 = [0; 4];
            bytes.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
            rest = rest.get(c.len_utf8()..)?;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    // Only what push_escaped() writes is a key.
    let mut again = String::new();
    push_escaped(&mut again, &text, delimiter);
    let read = key.strip_suffix(rest)?;
    *key = rest;
    (again == read).then_some(text)
}

/// What ends `exact` text: below everything that text can go on with.
const EXACT_END: char = '\u{1}';
/// What stands before the one of U+0000, U+0001 and U+0002 that the digit behind it means.
const EXACT_ESCAPE: char = '\u{2}';

/// Appends text whose order survives whatever follows: U+0000 to U+0002 escaped, and an end below everything else.
pub(crate) fn push_exact(out: &mut String, text: &str) {
    out.reserve(text.len() + 1);
    for c in text.chars() {
        match c {
            '\u{0}'..='\u{2}' => {
                out.push(EXACT_ESCAPE);
                out.extend(char::from_digit(u32::from(c), 10));
            }
            c => out.push(c),
        }
    }
    out.push(EXACT_END);
}

/// Takes `exact` text from the front of a key.
pub(crate) fn take_exact(key: &mut &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = key.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            EXACT_END => {
                *key = key.get(at + 1..)?;
                return Some(text);
            }
            EXACT_ESCAPE => {
                let (_, digit) = chars.next()?;
                let meant = digit.to_digit(3)?;
                text.push(char::from_u32(meant)?);
            }
            '\u{0}' => return None,
            c => text.push(c),
        }
    }
    None
}

/// What ends inverted text: above every hexadecimal digit.
const DESC_END: char = '~';

/// Appends text in inverted order: each byte's complement as two hexadecimal digits, and an end above all of them.
pub(crate) fn push_desc(out: &mut String, text: &str) {
    out.reserve(2 * text.len() + 1);
    for byte in text.bytes() {
        push_hex(out, !byte);
    }
    out.push(DESC_END);
}

/// Takes inverted text from the front of a key.
pub(crate) fn take_desc(key: &mut &str) -> Option<String> {
    let (digits, rest) = key.split_once(DESC_END)?;
    let is_lower_hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    if digits.len() % 2 != 0 || !digits.bytes().all(is_lower_hex) {
        return None;
    }
    let pairs = (0..digits.len()).step_by(2).map(|at| digits.get(at..at + 2));
    let bytes = pairs.map(|pair| Some(!u8::from_str_radix(pair?, 16).ok()?));
    let text = String::from_utf8(bytes.collect::<Option<_>>()?).ok()?;
    *key = rest;
    Some(text)
}
