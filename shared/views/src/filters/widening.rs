//! Where a filter lets more through than a match says, and why.

use std::fmt;

/// One way in which a filter lets records through that concern no source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Widening {
    /// A path of a source's match is not in the filter, or only by its type.
    Path {
        /// The source.
        source: String,
        /// The path.
        path: String,
        /// Why.
        reason: Reason,
    },
    /// Nothing of a source's match can be said, so that there is no filter at all.
    Everything {
        /// The source.
        source: String,
    },
    /// The shadows of a view can satisfy a source's conditions.
    Shadows {
        /// The source.
        source: String,
        /// The view.
        view: String,
    },
    /// All that could be said does not fit into the service's limits.
    TooLong {
        /// Whether the conditions on keys do.
        keys_are_left: bool,
    },
}

/// Why a filter does not say what a match says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A number is text in a record.
    Number,
    /// `exists` looks at a leaf, which has another place for each type.
    Exists,
    /// `anything-but` looks at a leaf too.
    AnythingBut,
    /// Texts and numbers are leaves of different names.
    SeveralTypes,
    /// Which letters are one letter in two cases is not the same everywhere.
    Case,
    /// A view writes the attribute after the record.
    Derived,
    /// The name would be read as something else.
    Name,
    /// The language does not count list elements.
    Position,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "a number is text in a record, so that only its type can be looked at",
            Self::Exists => "`exists` looks at one type only in a record, and the attribute may be of any",
            Self::AnythingBut => "`anything-but` looks at one type only in a record, and the attribute may be of any",
            Self::SeveralTypes => "texts and numbers stand in different places of a record",
            Self::Case => "which letters differ in case only, a filter may see otherwise than Unicode does",
            Self::Derived => "a view writes the attribute, so that a record may not have it yet",
            Self::Name => "a filter cannot name a field with a `.`, or a `$` at its beginning",
            Self::Position => "a filter cannot look at one position of a list",
        })
    }
}

impl fmt::Display for Widening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path { source, path, reason } => write!(f, "source `{source}`: `{path}` is left to the worker: {reason}"),
            Self::Everything { source } => write!(
                f,
                "source `{source}`: a filter can say nothing of its match, so there is none, and every record invokes the \
                 function; match the table's key by a literal or a prefix"
            ),
            Self::Shadows { source, view } => write!(
                f,
                "shadows of view `{view}` can look like items of source `{source}`, so that their records invoke the function too; \
                 match the source by what its own keys begin with"
            ),
            Self::TooLong { keys_are_left: true } => {
                f.write_str("five patterns of 4096 characters do not hold every match, so that only keys are looked at")
            }
            Self::TooLong { keys_are_left: false } => f.write_str(
                "five patterns of 4096 characters do not hold every match, so there is no filter, and every record invokes the \
                 function; match fewer literals",
            ),
        }
    }
}
