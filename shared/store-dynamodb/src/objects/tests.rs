use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use aws_config::retry::RetryConfig;
use aws_config::{Region, SdkConfig};
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};
use aws_smithy_http_client::test_util::infallible_client_fn;

use super::*;

/// What a request begins with (method and address), what its body holds, and the answer.
type Exchange = (&'static str, &'static str, u16, &'static str);

const AT: &str = "https://failures.s3.eu-central-1.amazonaws.com/aws/lambda/a%20b.json";

/// Objects of a service that answers from a script, and what is left of it.
fn scripted(exchanges: &[Exchange]) -> (ObjectStore, Arc<Mutex<VecDeque<Exchange>>>) {
    let left = Arc::new(Mutex::new(VecDeque::from(exchanges.to_vec())));
    let script = Arc::clone(&left);
    let http_client = infallible_client_fn(move |request| {
        let (start, body, status, answer) = script.lock().expect("lock").pop_front().expect("an exchange");
        let line = format!("{} {}", request.method(), request.uri());
        assert_eq!(line, start.replace("AT", AT));
        let sent = request.body().bytes().map(String::from_utf8_lossy).unwrap_or_default();
        assert!(sent.contains(body), "{sent}");
        http::Response::builder()
            .status(status)
            .body(answer)
            .expect("a response")
    });
    let credentials = Credentials::new("a", "b", None, None, "script");
    let config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(http_client)
        .retry_config(RetryConfig::disabled())
        .region(Region::from_static("eu-central-1"))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .build();
    (ObjectStore(Client::new(&config)), left)
}

fn object() -> ObjectId {
    ObjectId {
        bucket: "failures".to_owned(),
        key: "aws/lambda/a b.json".to_owned(),
        version: None,
    }
}

const TAGS: &str = "<Tagging><TagSet><Tag><Key>team</Key><Value>b</Value></Tag></TagSet></Tagging>";
const GONE: &str = "<Error><Code>NoSuchKey</Code><Message>gone</Message></Error>";
const DENIED: &str = "<Error><Code>AccessDenied</Code><Message>no</Message></Error>";

#[tokio::test]
async fn an_object_is_read_by_its_decoded_key() {
    let (objects, left) = scripted(&[("GET AT?x-id=GetObject", "", 200, "{}")]);
    assert_eq!(objects.get(&object()).await.expect("answer"), Some(b"{}".to_vec()));
    assert!(left.lock().expect("lock").is_empty());
}

#[tokio::test]
async fn tags_are_read_and_written_whole() {
    let (objects, left) = scripted(&[
        ("GET AT?tagging", "", 200, TAGS),
        ("PUT AT?tagging", "<Tag><Key>team</Key><Value>b</Value></Tag>", 200, ""),
    ]);
    let tags = objects.tags(&object()).await.expect("answer").expect("object");
    assert_eq!(tags, Tags::from([("team".to_owned(), "b".to_owned())]));
    objects.set_tags(&object(), &tags).await.expect("tagged");
    assert!(left.lock().expect("lock").is_empty());
}

#[tokio::test]
async fn a_version_is_asked_for_where_one_is_named() {
    let (objects, _) = scripted(&[("GET AT?tagging&versionId=v1", "", 200, TAGS)]);
    let object = ObjectId {
        version: Some("v1".to_owned()),
        ..object()
    };
    assert!(objects.tags(&object).await.expect("answer").is_some());
}

#[tokio::test]
async fn an_object_that_is_gone_is_an_answer_and_a_refusal_is_not() {
    let (objects, _) = scripted(&[
        ("GET AT?x-id=GetObject", "", 404, GONE),
        ("GET AT?tagging", "", 404, GONE),
        ("GET AT?tagging", "", 403, DENIED),
    ]);
    assert_eq!(objects.get(&object()).await.expect("answer"), None);
    assert_eq!(objects.tags(&object()).await.expect("answer"), None);
    let error = objects.tags(&object()).await.expect_err("an error");
    assert_eq!(error.disposition(), Disposition::Halt);
    assert!(
        error
            .to_string()
            .contains("`s3://failures/aws/lambda/a b.json` is not permitted"),
        "{error}"
    );
}
