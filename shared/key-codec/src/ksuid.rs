//! `ksuid`: a time as a K-sortable identifier whose payload is derived from the source item's key, so that deriving again
//! gives the same one.

use sha2::{Digest, Sha256};
use shadowkey_item::{Key, item_to_json};
use svix_ksuid::Ksuid;

use crate::ValueProblem;

/// The characters of a KSUID.
pub(crate) const WIDTH: usize = 27;
/// 2014-05-13T16:53:20Z, from which KSUIDs count, in milliseconds since 1970.
const EPOCH_MS: i64 = 1_400_000_000_000;

/// Appends the KSUID of a time for a source item.
pub(crate) fn push(out: &mut String, ms: i64, source: Option<&Key>, shown: &str) -> Result<(), ValueProblem> {
    let seconds = (ms - EPOCH_MS).div_euclid(1000);
    let seconds = u32::try_from(seconds).map_err(|_| ValueProblem::KsuidRange {
        value: shown.to_owned(),
    })?;
    let of = source
        .map(|key| item_to_json(key.attributes()).to_string())
        .unwrap_or_default();
    let hash = Sha256::digest(of.as_bytes());
    let payload: Vec<u8> = hash.iter().copied().take(16).collect();
    out.push_str(&Ksuid::new_raw(seconds, Some(&payload)).to_string());
    Ok(())
}

/// The time in a KSUID, in milliseconds since 1970.
pub(crate) fn milliseconds(text: &str) -> Option<i64> {
    if text.len() != WIDTH || !text.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let ksuid = text.parse::<Ksuid>().ok()?;
    // 27 characters of base62 can say more than 20 bytes hold.
    if ksuid.to_string() != text {
        return None;
    }
    Some(EPOCH_MS + i64::from(ksuid.timestamp_raw()) * 1000)
}
