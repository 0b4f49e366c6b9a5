//! `hash` and `shard`: what is left of a value when only its sameness counts. Both are SHA-256, so they are the same
//! everywhere and for good.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::digits::push_hex;

/// The most digits of a hash.
pub(crate) const MAX_HASH_DIGITS: usize = 64;
/// The most buckets of a shard.
pub(crate) const MAX_BUCKETS: u64 = 10_000;

/// Appends the first hexadecimal digits of a text's hash.
pub(crate) fn push_hash(out: &mut String, text: &str, digits: usize) {
    let end = out.len() + digits;
    for byte in Sha256::digest(text.as_bytes()) {
        push_hex(out, byte);
    }
    out.truncate(end);
}

/// Appends the bucket of a text: the first eight bytes of its hash modulo the number of buckets, in the bucket's width.
pub(crate) fn push_shard(out: &mut String, text: &str, buckets: u64) {
    let hash = Sha256::digest(text.as_bytes());
    let first = hash
        .iter()
        .take(8)
        .fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let _ = write!(out, "{:0>width$}", first % buckets.max(1), width = shard_width(buckets));
}

/// How many digits a bucket has: those of the last one, and two at least.
pub(crate) fn shard_width(buckets: u64) -> usize {
    let digits = buckets.saturating_sub(1).checked_ilog10().unwrap_or(0) + 1;
    usize::try_from(digits).unwrap_or(2).max(2)
}
