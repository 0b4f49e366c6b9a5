//! Templates that make keys: `{Org}#{UpdatedAt | time | desc}`.
//!
//! A [`Template`] is parsed and checked once, when the view file loads, and then renders an item to one key part or
//! attribute. It answers with a value, with nothing (an input is missing, so the item is not in the view), or with a
//! [`ValueError`]; never with a partial key. The codec knows neither views nor tables.
//!
//! Two promises rest here. Keys are injective: different op outputs never give one key, because a field of plain text
//! that is followed by a literal escapes that literal's first character. And fixed-width forms keep their order: the
//! bytes of the key sort as the values do.
//!
//! # For reader applications
//!
//! A reader takes the template of a key part from the view file. Inputs are named by their paths and given as text;
//! those at the end may be left out.
//!
//! ```
//! use shadowkey_key_codec::{AttributeValue, KeyPrefix, Template};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let sort_key: Template = "UPDATED#{UpdatedAt | time | desc}#{TicketId}".parse()?;
//!
//! // One ticket: `SK = :key`.
//! let one = sort_key.prefix_of(&[("UpdatedAt", "2023-07-10T14:48:00Z"), ("TicketId", "T-1")])?;
//! assert_eq!(one, KeyPrefix::Whole("UPDATED#251713300319999#T-1".into()));
//!
//! // All tickets of one moment: `begins_with(SK, :key)`. The start ends with the literal behind the last input, so that
//! // it finds that value and none that only begins with it.
//! let some = sort_key.prefix_of(&[("UpdatedAt", "2023-07-10T14:48:00Z")])?;
//! assert_eq!(some, KeyPrefix::Start("UPDATED#251713300319999#".to_owned()));
//!
//! // And a key that a query has found, taken apart.
//! let parts = sort_key.decode(&one.into_value()).ok_or("not a key of this view")?;
//! let values: Vec<Option<AttributeValue>> = parts.into_iter().map(|part| part.value).collect();
//! assert_eq!(values, [Some("2023-07-10T14:48:00.000Z".into()), Some("T-1".into())]);
//! # Ok(())
//! # }
//! ```
//!
//! For a range of values, render both ends and ask for `SK BETWEEN :from AND :to`; under `desc` the later end comes first.
//! A key part of type N is read by [`Template::parse`] with [`ScalarType::N`].

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
mod reader;
mod scope;
mod template;
mod text;
mod time;

pub use decode::Decoded;
pub use error::{TemplateError, TemplateProblem, ValueError, ValueProblem, shown_value};
pub use layout::{FieldLayout, LayoutPart};
pub use pipeline::KNOWN_OPS;
pub use reader::InputError;
pub use scope::Scope;
/// The words of templates' inputs and values, so that readers need no other crate.
pub use shadowkey_item::{AttributeValue, Number, ScalarType};
pub use template::{FORMAT_VERSION, KeyPrefix, Template};
