//! `ksuid`: a time as a K-sortable identifier whose payload is derived from the source item's key, so that deriving again
//! gives the same one.

use std::io;

use sha2::{Digest, Sha256};
use shadowkey_item::Key;
use svix_ksuid::Ksuid;

/// The characters of a KSUID.
pub(crate) const WIDTH: usize = 27;
/// 2014-05-13T16:53:20Z, from which KSUIDs count, in milliseconds since 1970.
const EPOCH_MS: i64 = 1_400_000_000_000;

/// The digits of base62.
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The last KSUID: 27 characters of base62 can say more than its 20 bytes hold.
const LAST: &str = "aWgEPTl1tmebfsQzFP4bxwgy80V";

/// Seconds from the KSUIDs' epoch to a time; `None` where KSUIDs cannot hold it.
pub(crate) fn seconds(ms: i64) -> Option<u32> {
    u32::try_from((ms - EPOCH_MS).div_euclid(1000)).ok()
}

/// Appends the KSUID of a time for a source item.
pub(crate) fn push(out: &mut String, seconds: u32, source: &Key) {
    let mut json = Hashed(Sha256::new());
    // INVARIANT: a key is JSON, and hashing takes every byte of it.
    let _ = serde_json::to_writer(&mut json, source.attributes());
    let hash = json.0.finalize();
    let (words, _) = hash.as_chunks::<4>();
    let mut number = [seconds, 0, 0, 0, 0];
    for (word, bytes) in number.iter_mut().skip(1).zip(words) {
        *word = u32::from_be_bytes(*bytes);
    }
    out.extend(base62(number));
}

/// A hash that takes what is written to it.
struct Hashed(Sha256);

impl io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The digits of a number whose words are given, the highest first; svix_ksuid's own takes nine allocations for them.
fn base62(mut number: [u32; 5]) -> [char; WIDTH] {
    let mut digits = ['0'; WIDTH];
    for digit in digits.iter_mut().rev() {
        let mut rest = 0;
        for word in &mut number {
            let dividend = rest << 32 | u64::from(*word);
            // INVARIANT: the rest is below 62, so that the quotient fits a word, and is a place in the alphabet.
            *word = u32::try_from(dividend / 62).unwrap_or(0);
            rest = dividend % 62;
        }
        *digit = usize::try_from(rest)
            .ok()
            .and_then(|place| ALPHABET.get(place))
            .map_or('0', |digit| char::from(*digit));
    }
    digits
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_are_those_of_ksuids_elsewhere() {
        for (seconds, byte) in [(0, 0), (1, 255), (119_415_647, 17), (u32::MAX, 0), (u32::MAX, 255)] {
            let payload = [byte; 16];
            let word = u32::from_be_bytes([byte; 4]);
            let digits: String = base62([seconds, word, word, word, word]).iter().collect();
            assert_eq!(digits, Ksuid::new_raw(seconds, Some(&payload)).to_string());
        }
    }
}
