//! The ops of a field: which may follow which, and what they make of a value.
//!
//! A field goes through at most one `default`, then ops on text, then one op that gives its form. [`Form`] is the closed
//! list of forms; FORMAT.md describes the bytes of each.

mod arguments;
mod check;
mod render;
mod spelling;
mod take;

use shadowkey_item::AttributeValue;

use crate::integer::Pad;
use crate::text::TextOp;
use crate::time::TimeInput;
use crate::{digest, ksuid, time};

pub use check::KNOWN_OPS;
pub(crate) use check::{Argument, OpCall};
pub(crate) use take::Taken;

/// What text is expected to take in a key, and a number; longer ones make the key grow.
const ROOM_OF_TEXT: usize = 32;

/// The checked ops of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pipeline {
    default: Option<AttributeValue>,
    text: Vec<TextOp>,
    form: Form,
}

/// What a field's value becomes in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// Text as it is; in a value of type N, the number as it is.
    Text,
    /// Text whose order survives inside a tuple.
    Exact,
    /// Text in inverted order.
    TextDesc,
    /// Digits of fixed width.
    Pad(Pad),
    /// A number of any size, ascending or descending.
    Num { descending: bool },
    /// An instant, ascending or descending.
    Time { input: TimeInput, descending: bool },
    /// An instant as an identifier.
    Ksuid(TimeInput),
    /// A bucket.
    Shard(u64),
    /// Digits of a hash.
    Hash(usize),
    /// A number with its sign turned, in a value of type N.
    Negated,
    /// An instant as a number with its sign turned, in a value of type N.
    NegatedTime(TimeInput),
}

impl Form {
    /// Whether nothing but a literal behind it marks where it ends.
    pub(crate) fn is_plain_text(&self) -> bool {
        *self == Self::Text
    }

    /// Whether it is a number, which only a value of type N can be.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Self::Negated | Self::NegatedTime(_))
    }

    /// Whether the order of the keys is the order of the values, whatever follows.
    pub(crate) fn is_ordered(&self) -> bool {
        matches!(
            self,
            Self::Exact | Self::TextDesc | Self::Pad(_) | Self::Num { .. } | Self::Time { .. }
        )
    }

    /// How many bytes it takes in a key: exact where it is of fixed width, and an expectation where it is not.
    pub(crate) fn room(&self) -> usize {
        match self {
            Self::Pad(pad) => pad.width,
            Self::Time { descending: false, .. } => time::WIDTH,
            Self::Time { descending: true, .. } => time::DESC_WIDTH,
            Self::Ksuid(_) => ksuid::WIDTH,
            Self::Shard(buckets) => digest::shard_width(*buckets),
            Self::Hash(_) => digest::MAX_HASH_DIGITS,
            Self::TextDesc => 2 * ROOM_OF_TEXT,
            Self::Text | Self::Exact | Self::Num { .. } | Self::Negated | Self::NegatedTime(_) => ROOM_OF_TEXT,
        }
    }

    /// Whether it takes a number.
    pub(crate) fn takes_number(&self) -> bool {
        match self {
            Self::Pad(_) | Self::Num { .. } | Self::Negated => true,
            Self::Time { input, .. } | Self::Ksuid(input) | Self::NegatedTime(input) => input.takes_number(),
            Self::Text | Self::Exact | Self::TextDesc | Self::Shard(_) | Self::Hash(_) => false,
        }
    }
}

impl Pipeline {
    /// The form the field ends in.
    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// Whether a value's own type is all that matters: no op on text.
    pub(crate) fn has_no_text_op(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether different inputs can give one output.
    pub(crate) fn is_lossy(&self) -> bool {
        let lossy_form = matches!(
            self.form,
            Form::Time { .. } | Form::Ksuid(_) | Form::Shard(_) | Form::Hash(_) | Form::NegatedTime(_)
        );
        self.default.is_some() || !self.text.is_empty() || lossy_form
    }

    /// Whether keys of different items are bound to meet: only a part, a hash or a bucket of the value is kept.
    pub(crate) fn collides(&self) -> bool {
        let kept_in_part = self.text.iter().any(|op| matches!(op, TextOp::Prefix(_)));
        kept_in_part || matches!(self.form, Form::Shard(_) | Form::Hash(_))
    }
}
