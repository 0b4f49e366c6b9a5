//! Objects in S3: their text, and the tags that say what was done with them.

use std::collections::BTreeMap;
use std::fmt;

use aws_config::BehaviorVersion;
use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_s3::Client;
use aws_sdk_s3::error::BuildError;
use aws_sdk_s3::types::{Tag, Tagging};
use aws_smithy_http_client::tls::{self, rustls_provider::CryptoMode};
use shadowkey_store::{Cause, Disposition};

use crate::Failure;
use crate::connection::timeouts;

/// The tags of an object, by their keys.
pub type Tags = BTreeMap<String, String>;

/// Which object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId {
    /// The bucket.
    pub bucket: String,
    /// The object's key.
    pub key: String,
    /// Which version of it, in a bucket that keeps several.
    pub version: Option<String>,
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s3://{}/{}", self.bucket, self.key)
    }
}

/// Why the service did not do it.
#[derive(Debug, thiserror::Error)]
#[error("{operation} on `{object}` {failure}")]
pub struct ObjectError {
    /// The API operation.
    pub operation: &'static str,
    /// The object.
    pub object: ObjectId,
    /// The kind of failure.
    pub failure: Failure,
    /// The SDK's own error.
    #[source]
    pub cause: Cause,
}

impl ObjectError {
    /// What to do about it.
    pub fn disposition(&self) -> Disposition {
        self.failure.disposition()
    }
}

/// The objects of S3, as the environment's credentials and region reach them.
#[derive(Debug)]
pub struct ObjectStore(Client);

impl ObjectStore {
    /// Connects by the environment, as a Lambda function has it. Requests are tried again as the SDK does by default.
    pub async fn from_environment() -> Self {
        let https = aws_smithy_http_client::Builder::new().tls_provider(tls::Provider::Rustls(CryptoMode::Ring));
        let loader = aws_config::defaults(BehaviorVersion::latest()).timeout_config(timeouts());
        Self(Client::new(&loader.http_client(https.build_https()).load().await))
    }

    /// An object's bytes; `None` where it is gone.
    pub async fn get(&self, object: &ObjectId) -> Result<Option<Vec<u8>>, ObjectError> {
        const OPERATION: &str = "GetObject";
        let request = self.0.get_object().bucket(&object.bucket).key(&object.key);
        let answer = request.set_version_id(object.version.clone()).send().await;
        let Some(output) = found(OPERATION, object, answer)? else {
            return Ok(None);
        };
        match output.body.collect().await {
            Ok(body) => Ok(Some(body.into_bytes().to_vec())),
            Err(cause) => Err(failed(OPERATION, object, Failure::Unavailable, cause.into())),
        }
    }

    /// An object's tags; `None` where it is gone.
    pub async fn tags(&self, object: &ObjectId) -> Result<Option<Tags>, ObjectError> {
        let request = self.0.get_object_tagging().bucket(&object.bucket).key(&object.key);
        let answer = request.set_version_id(object.version.clone()).send().await;
        let output = found("GetObjectTagging", object, answer)?;
        Ok(output.map(|output| {
            let tags = output.tag_set.into_iter();
            tags.map(|tag| (tag.key, tag.value)).collect()
        }))
    }

    /// Gives an object these tags and no others.
    pub async fn set_tags(&self, object: &ObjectId, tags: &Tags) -> Result<(), ObjectError> {
        const OPERATION: &str = "PutObjectTagging";
        let tagging = tagging(tags).map_err(|cause| failed(OPERATION, object, Failure::Rejected, cause.into()))?;
        let request = self.0.put_object_tagging().bucket(&object.bucket).key(&object.key);
        let request = request.set_version_id(object.version.clone()).tagging(tagging);
        found(OPERATION, object, request.send().await).map(drop)
    }
}

fn tagging(tags: &Tags) -> Result<Tagging, BuildError> {
    let tags = tags
        .iter()
        .map(|(key, value)| Tag::builder().key(key).value(value).build());
    Tagging::builder()
        .set_tag_set(Some(tags.collect::<Result<_, _>>()?))
        .build()
}

/// The answer, or none where there is no such object any more.
fn found<T, E>(
    operation: &'static str,
    object: &ObjectId,
    answer: Result<T, SdkError<E, HttpResponse>>,
) -> Result<Option<T>, ObjectError>
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    match answer {
        Ok(output) => Ok(Some(output)),
        Err(error) if matches!(error.code(), Some("NoSuchKey" | "NoSuchVersion")) => Ok(None),
        Err(error) => Err(failed(operation, object, Failure::from(&error), Box::new(error))),
    }
}

fn failed(operation: &'static str, object: &ObjectId, failure: Failure, cause: Cause) -> ObjectError {
    ObjectError {
        operation,
        object: object.clone(),
        failure,
        cause,
    }
}

#[cfg(test)]
mod tests;
