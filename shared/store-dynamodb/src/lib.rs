//! The tables in DynamoDB: the one crate that names the AWS SDK.
//!
//! [`Connection`] is made once and shared. [`DynamoStore`] is the [`Store`](shadowkey_store::Store) over it, [`create_table`]
//! makes tables for the embedded engine and for tests. [`StreamReader`] reads a table's change stream in the shape that Lambda
//! delivers, [`Follower`] stays with it as it grows, and [`read_range`] reads a part of it again. Nothing here tries a request again; every error says by its `disposition()` what to do.

mod admin;
mod connection;
mod describe;
mod error;
mod expression;
mod follow;
#[cfg(feature = "objects")]
mod objects;
mod range;
#[cfg(test)]
mod script;
mod shard;
mod store;
mod stream;
mod stream_record;
mod transaction;
mod wire;

pub use admin::{AdminError, ChangeStream, Created, create_table};
pub use connection::{ATTEMPT_TIMEOUT, CONNECT_TIMEOUT, ConnectError, ConnectOptions, Connection};
pub use describe::{IndexAsIs, KeyAsIs, TableAsIs, describe_table};
pub use error::Failure;
pub use follow::{Follower, Start};
#[cfg(feature = "objects")]
pub use objects::{ObjectError, ObjectId, ObjectStore, Tags};
pub use range::read_range;
pub use store::DynamoStore;
pub use stream::{StreamError, StreamReader};
