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

/// Takes the digits of a hash from the front of a key.
pub(crate) fn take_hash(key: &mut &str, digits: usize) -> Option<()> {
    let (hash, rest) = key.split_at_checked(digits)?;
    *key = rest;
    let is_lower_hex = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    hash.bytes().all(is_lower_hex).then_some(())
}

/// Takes a bucket from the front of a key; `None` where there are not so many.
pub(crate) fn take_shard(key: &mut &str, buckets: u64) -> Option<()> {
    let (bucket, rest) = key.split_at_checked(shard_width(buckets))?;
    *key = rest;
    let digits = bucket.bytes().all(|b| b.is_ascii_digit()).then_some(bucket)?;
    (digits.parse::<u64>().ok()? < buckets).then_some(())
}

/// How many digits a bucket has: those of the last one, and two at least.
pub(crate) fn shard_width(buckets: u64) -> usize {
    let digits = buckets.saturating_sub(1).checked_ilog10().unwrap_or(0) + 1;
    usize::try_from(digits).unwrap_or(2).max(2)
}
