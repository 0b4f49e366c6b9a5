//! `ksuid`: a time as a K-sortable identifier whose payload is derived from the source item's key, so that deriving again
//! gives the same one.

use sha2::{Digest, Sha256};
use shadowkey_item::Key;
use svix_ksuid::Ksuid;

/// The characters of a KSUID.
pub(crate) const WIDTH: usize = 27;
/// 2014-05-13T16:53:20Z, from which KSUIDs count, in milliseconds since 1970.
const EPOCH_MS: i64 = 1_400_000_000_000;

/// The last KSUID: 27 characters of base62 can say more than its 20 bytes hold.
const LAST: &str = "aWgEPTl1tmebfsQzFP4bxwgy80V";

/// Seconds from the KSUIDs' epoch to a time; `None` where KSUIDs cannot hold it.
pub(crate) fn seconds(ms: i64) -> Option<u32> {
    u32::try_from((ms - EPOCH_MS).div_euclid(1000)).ok()
}

/// Appends the KSUID of a time for a source item.
pub(crate) fn push(out: &mut String, seconds: u32, source: &Key) {
    let of = serde_json::to_vec(source.attributes()).unwrap_or_default();
    let hash = Sha256::digest(&of);
    out.push_str(&Ksuid::new_raw(seconds, hash.get(..16)).to_string());
}

/// The time in a KSUID, in milliseconds since 1970.
pub(crate) fn milliseconds(text: &str) -> Option<i64> {
    // The alphabet of base62 is in the order of ASCII.
    if text.len() != WIDTH || !text.bytes().all(|b| b.is_ascii_alphanumeric()) || text > LAST {
        return None;
    }
    let ksuid = text.parse::<Ksuid>().ok()?;
    Some(EPOCH_MS + i64::from(ksuid.timestamp_raw()) * 1000)
}
