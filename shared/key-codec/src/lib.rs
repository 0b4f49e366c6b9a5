//! Templates that make keys: `{Org}#{UpdatedAt | time | desc}`.
//!
//! A [`Template`] is parsed and checked once, when the view file loads, and then renders an item to one key part or
//! attribute. It answers with a value, with nothing (an input is missing, so the item is not in the view), or with a
//! [`ValueError`]; never with a partial key. The codec knows neither views nor tables.
//!
//! Two promises rest here. Keys are injective: different op outputs never give one key, because a field of plain text
//! that is followed by a literal escapes that literal's first character. And fixed-width forms keep their order: the
//! bytes of the key sort as the values do.

mod decimal;
mod decode;
mod digest;
mod digits;
mod error;
mod integer;
mod ksuid;
mod layout;
mod operand;
mod parse;
mod pipeline;
mod scope;
mod template;
mod text;
mod time;

pub use decode::Decoded;
pub use error::{TemplateError, TemplateProblem, ValueError, ValueProblem};
pub use layout::{FieldLayout, LayoutPart};
pub use pipeline::KNOWN_OPS;
pub use scope::Scope;
pub use template::{FORMAT_VERSION, KeyPrefix, Template};
