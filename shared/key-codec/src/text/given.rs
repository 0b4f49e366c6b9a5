//! Whether ops can give a text: where they change it, a text is looked for that they give it of.
//!
//! Nearly every text that ops give is given again when they are applied to it, and that is the quick answer. The others
//! come of characters that an op makes several of, such as `ŉ` in upper case, or of ends that an op has opened again which
//! an earlier one had closed. Those are put together from what single characters become.
//!
//! INVARIANT: no text that is given is refused; FORMAT.md says which texts are taken for given that never are.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizer};

use super::TextOp;

/// Whether ops can give a text.
pub(crate) fn can_be_given(ops: &[TextOp], text: &str) -> bool {
    let gives = |origin: &str| applied(ops, origin.into()) == text;
    if gives(text) {
        return true;
    }
    let is_bound = |op: &&TextOp| op.only_shortens();
    if !ops.iter().any(|op| matches!(op, TextOp::Prefix(_))) {
        let whole = Stage {
            bound: ops.first().filter(is_bound),
            rest: ops,
        };
        let origin = |reading| whole.origin(text, reading);
        return [Reading::Exact, Reading::Sigmas]
            .into_iter()
            .filter_map(origin)
            .any(|origin| gives(&origin));
    }
    let mut stages = (0..=ops.len()).map(|at| Stage {
        bound: at.checked_sub(1).and_then(|before| ops.get(before)).filter(is_bound),
        rest: ops.get(at..).unwrap_or(&[]),
    });
    // A digit behind the text is a character that `prefix` has cut off and that no other op changes.
    gives(&format!("{text}0")) || is_kept(ops, text) && stages.all(|stage| stage.can_reach(text))
}

/// The text behind the ops.
pub(crate) fn applied<'a>(ops: &[TextOp], text: Cow<'a, str>) -> Cow<'a, str> {
    ops.iter().fold(text, |text, op| op.apply(text))
}

/// Whether the text is as each op leaves it whose work no later one undoes.
fn is_kept(ops: &[TextOp], text: &str) -> bool {
    let outlasts = |op: &TextOp, later: &TextOp| match (op, later) {
        (TextOp::Trim, _) => false,
        (_, TextOp::Trim | TextOp::Prefix(_)) => true,
        (TextOp::Upper | TextOp::Lower | TextOp::Fold, TextOp::Nfc) | (TextOp::Nfc, TextOp::Fold) => true,
        _ => false,
    };
    ops.iter().enumerate().all(|(position, op)| {
        let mut later = ops.iter().skip(position + 1);
        matches!(op, TextOp::Prefix(_)) || !later.all(|later| outlasts(op, later)) || op.of(text) == text
    })
}

/// How what characters become is compared with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Reading {
    Exact,
    /// With every sigma alike, since its form in lower case hangs on what stands around it.
    Sigmas,
    /// That, and decomposed, since marks may have been composed with what another character became.
    Decomposed,
}

impl Reading {
    fn of(self, text: &str) -> String {
        match self {
            Self::Exact => text.to_owned(),
            Self::Sigmas => text.replace('ς', "σ"),
            Self::Decomposed => DecomposingNormalizer::new_nfd().normalize(text).replace('ς', "σ"),
        }
    }
}

/// The ops from some place on, and what the op before them leaves.
struct Stage<'a> {
    bound: Option<&'a TextOp>,
    rest: &'a [TextOp],
}

/// The fewest characters that become the text from some place on.
#[derive(Clone, Copy)]
struct Best {
    count: usize,
    of: char,
    next: usize,
}

impl Stage<'_> {
    /// Whether there is an origin, as far as that can be said without the other stages.
    fn can_reach(&self, text: &str) -> bool {
        let composes = self.rest.iter().any(|op| matches!(op, TextOp::Fold | TextOp::Nfc));
        let reading = if composes { Reading::Decomposed } else { Reading::Sigmas };
        self.origin(text, reading).is_some()
    }

    /// The fewest characters that become the text, such as the op before can have left.
    fn origin(&self, text: &str, reading: Reading) -> Option<String> {
        let (given, text) = (text, reading.of(text));
        let (is_cut, reaches_beyond) = (self.is_cut(&text), self.cuts_what_it_makes());
        let changes: Vec<TextOp> = self.rest.iter().copied().filter(|op| !op.only_shortens()).collect();
        let made = Made::by(&changes, reading);
        // Marks that reading has taken off a character may have come for themselves.
        let own: BTreeSet<char> = given.chars().chain(text.chars().filter(|c| is_mark(*c))).collect();
        let of = |of: char| (of, reading.of(&applied(&changes, String::from(of).into())));
        let same: Vec<_> = own.into_iter().map(of).collect();
        let mut best: Vec<Option<Best>> = vec![None; text.len() + 1];
        for (at, first) in text.char_indices().rev() {
            let rest = text.get(at..)?;
            let changed = made.0.get(&first).map_or(&[][..], Vec::as_slice);
            for (of, made) in changed.iter().chain(&same) {
                let Some(bytes) = covered(made, rest, reaches_beyond) else {
                    continue;
                };
                let next = at + bytes;
                let behind = match best.get(next).copied().flatten() {
                    Some(behind) => behind.count,
                    None if next == text.len() => 0,
                    None => continue,
                };
                let is_end = at == 0 || next == text.len() && !is_cut;
                let is_blank = is_end && of.is_whitespace() && self.bound == Some(&TextOp::Trim);
                let is_fewer = best
                    .get(at)
                    .copied()
                    .flatten()
                    .is_none_or(|known| behind + 1 < known.count);
                if is_fewer && !is_blank && (reading == Reading::Decomposed || leaves_marks(&changes, *of, rest, bytes))
                {
                    let count = behind + 1;
                    *best.get_mut(at)? = Some(Best { count, of: *of, next });
                }
            }
        }
        let first = best.first().copied().flatten();
        let steps = std::iter::successors(first, |step| best.get(step.next).copied().flatten());
        match (self.bound, first?.count) {
            (Some(TextOp::Prefix(most)), count) if count > *most => None,
            _ => Some(steps.map(|step| step.of).collect()),
        }
    }

    /// Whether a later `prefix` may have cut something off.
    fn is_cut(&self, text: &str) -> bool {
        self.rest.iter().enumerate().any(|(position, op)| match op {
            TextOp::Prefix(most) => {
                let mut later = self.rest.iter().skip(position + 1);
                text.chars().nth(most - 1).is_some() || later.any(|op| !matches!(op, TextOp::Prefix(_)))
            }
            _ => false,
        })
    }

    /// Whether a `prefix` may cut what an op before it has made of one character.
    fn cuts_what_it_makes(&self) -> bool {
        let made = self.rest.iter().skip_while(|op| op.only_shortens());
        made.skip(1).any(|op| matches!(op, TextOp::Prefix(_)))
    }
}

/// How many bytes of a text's start are what a character becomes.
fn covered(made: &str, rest: &str, reaches_beyond: bool) -> Option<usize> {
    let bytes = if rest.starts_with(made) {
        made.len()
    } else if reaches_beyond && made.starts_with(rest) {
        rest.len()
    } else {
        return None;
    };
    (bytes > 0).then_some(bytes)
}

/// Whether a character becomes the start of a text still where the marks behind it follow, which it may compose with.
fn leaves_marks(changes: &[TextOp], of: char, rest: &str, bytes: usize) -> bool {
    let (made, behind) = rest.split_at_checked(bytes).unwrap_or((rest, ""));
    let marks: String = behind.chars().take_while(|c| is_mark(*c)).collect();
    marks.is_empty() || applied(changes, format!("{of}{marks}").into()).starts_with(made)
}

/// Whether a character may be composed with one before it, in whatever order such marks stand.
fn is_mark(c: char) -> bool {
    CanonicalCombiningClassMapBorrowed::new().get_u8(c) != 0
}

/// By its first character, what ops make of each character that some op changes.
struct Made(HashMap<char, Vec<(char, String)>>);

type Known = HashMap<(Vec<TextOp>, Reading), Arc<Made>>;

impl Made {
    /// Made once for each sequence of ops, of which a view file has few.
    fn by(changes: &[TextOp], reading: Reading) -> Arc<Self> {
        static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let made = known
            .entry((changes.to_vec(), reading))
            .or_insert_with(|| Arc::new(Self::of(changes, reading)));
        Arc::clone(made)
    }

    fn of(changes: &[TextOp], reading: Reading) -> Self {
        let mut by_first: HashMap<char, Vec<(char, String)>> = HashMap::new();
        // Read exactly, a sigma is of a sigma: what `lower` makes of a capital one hangs on its place.
        let is_read = |of: &&char| !changes.is_empty() && (reading != Reading::Exact || **of != 'Σ');
        for of in CHANGED.iter().filter(is_read) {
            let made = reading.of(&applied(changes, String::from(*of).into()));
            if let Some(first) = made.chars().next() {
                by_first.entry(first).or_default().push((*of, made));
            }
        }
        Self(by_first)
    }
}

/// Every character that some op changes; planes above the third have none.
static CHANGED: LazyLock<Vec<char>> = LazyLock::new(|| {
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    let is_changed = |c: &char| {
        let mut utf8 = [0; 4];
        let text: &str = c.encode_utf8(&mut utf8);
        let cases = [TextOp::Upper, TextOp::Lower];
        !nfkc.is_normalized(text) || cases.iter().any(|op| op.of(text) != text)
    };
    ('\0'..='\u{3ffff}').filter(is_changed).collect()
});

#[cfg(test)]
mod tests;
