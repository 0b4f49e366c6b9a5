//! What S3 tells of objects that were created, by the fields that matter.
//!
//! Source: "Event message structure" in the S3 user guide.

use percent_encoding::percent_decode_str;
use serde::Deserialize;
use shadowkey_store_dynamodb::ObjectId;

#[derive(Deserialize)]
pub(crate) struct Notice {
    #[serde(rename = "Records")]
    records: Vec<Created>,
}

#[derive(Deserialize)]
struct Created {
    s3: Place,
}

#[derive(Deserialize)]
struct Place {
    bucket: Bucket,
    object: Object,
}

#[derive(Deserialize)]
struct Bucket {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Object {
    key: String,
    version_id: Option<String>,
}

impl Notice {
    /// The objects, by their real names.
    pub(crate) fn objects(self) -> Vec<ObjectId> {
        let places = self.records.into_iter().map(|record| record.s3);
        places
            .map(|place| ObjectId {
                bucket: place.bucket.name,
                key: decoded(&place.object.key),
                version: place.object.version_id,
            })
            .collect()
    }
}

/// A key is encoded as in a form: `+` is a space, and so on.
fn decoded(key: &str) -> String {
    let key = key.replace('+', " ");
    percent_decode_str(&key).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_decoded_as_a_form_is() {
        assert_eq!(decoded("a+b/%C3%BC%2B1%3A2.json"), "a b/ü+1:2.json");
        assert_eq!(decoded("plain-key_1.json"), "plain-key_1.json");
    }
}
