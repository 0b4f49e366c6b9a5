//! The clients, made once.

use std::env;
use std::sync::OnceLock;
use std::time::Duration;

use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::meta::credentials::CredentialsProviderChain;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::ProfileFileCredentialsProvider;
use aws_config::profile::region::ProfileFileRegionProvider;
use aws_config::provider_config::ProviderConfig;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, ConfigLoader, Region, SdkConfig};
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider, SharedHttpClient};
use aws_smithy_http_client::tls::{self, rustls_provider::CryptoMode};
use shadowkey_store::Disposition;

/// How long a TCP and TLS connection may take to come up.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// How long one request may take in all, after which its effect is unknown.
///
/// It is generous, since a request that was given up may still take effect: the service itself answers or fails within a
/// few seconds. Whoever stops starting requests near a deadline keeps a longer margin than this.
pub const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(10);

/// The region of an engine that does not care about regions.
const LOCAL_REGION: &str = "us-east-1";

/// What a caller says about the connection; what is left out comes from the environment and the shared config files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConnectOptions {
    /// The endpoint of both APIs, instead of the region's own.
    pub endpoint_url: Option<String>,
    /// The region.
    pub region: Option<String>,
    /// The profile in the shared config files.
    pub profile: Option<String>,
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No region is configured anywhere.
    #[error("no AWS region is configured; set AWS_REGION, name one with `--region`, or add one to the profile")]
    NoRegion,
    /// The endpoint is not one.
    #[error("`{url}` is not an endpoint; write it as `http://127.0.0.1:8000`")]
    Endpoint {
        /// What was given.
        url: String,
    },
}

impl ConnectError {
    /// What to do about it.
    pub fn disposition(&self) -> Disposition {
        match self {
            Self::NoRegion | Self::Endpoint { .. } => Disposition::Halt,
        }
    }
}

/// The clients of the DynamoDB and the DynamoDB Streams API, over one pool of HTTP connections.
#[derive(Debug)]
pub struct Connection {
    config: SdkConfig,
    dynamodb: aws_sdk_dynamodb::Client,
    // Made when it is first asked for: a deployed function never needs it, and its start is timed.
    streams: OnceLock<aws_sdk_dynamodbstreams::Client>,
}

impl Connection {
    /// Connects as the AWS CLI would with these options: environment variables, shared config files, the role.
    ///
    /// `AWS_REGION`, `AWS_PROFILE`, `AWS_ENDPOINT_URL`, `AWS_ENDPOINT_URL_DYNAMODB` and the other variables of the SDK count.
    /// TLS is rustls with ring.
    ///
    /// An endpoint that is plain HTTP on this machine can only be an engine for development. Unless the options name a
    /// profile, such an endpoint is used for both APIs, credentials and region come from environment variables alone, and
    /// dummies stand in for those that are not there, so that no one has to configure them.
    ///
    /// No request is sent. An error means that the endpoint is not a URL or that no region is known.
    pub async fn from_environment(options: ConnectOptions) -> Result<Self, ConnectError> {
        let local = local_endpoint(&options, |name| env::var(name).ok());
        let loader = match local {
            Some(endpoint_url) => loader()
                .http_client(aws_smithy_http_client::Builder::new().build_http())
                .region(local_region(&options))
                .credentials_provider(local_credentials())
                .endpoint_url(endpoint_url),
            None => remote(loader(), &options).await,
        };
        let config = loader.load().await;
        match config.endpoint_url() {
            Some(url) if !is_url(url) => return Err(ConnectError::Endpoint { url: url.to_owned() }),
            _ if config.region().is_none_or(|region| region.as_ref().is_empty()) => return Err(ConnectError::NoRegion),
            _ => {}
        }
        Ok(Self::new(config))
    }

    /// Connects to an engine for development over plain HTTP, with dummy credentials, whatever the environment says.
    pub fn local(endpoint_url: impl Into<String>) -> Self {
        let http_client = aws_smithy_http_client::Builder::new().build_http();
        Self::new(local_config(http_client, endpoint_url.into()))
    }

    pub(crate) fn new(config: SdkConfig) -> Self {
        Self {
            dynamodb: aws_sdk_dynamodb::Client::new(&config),
            streams: OnceLock::new(),
            config,
        }
    }

    /// The client of the DynamoDB API.
    pub fn dynamodb(&self) -> &aws_sdk_dynamodb::Client {
        &self.dynamodb
    }

    /// The client of the DynamoDB Streams API.
    pub fn streams(&self) -> &aws_sdk_dynamodbstreams::Client {
        self.streams
            .get_or_init(|| aws_sdk_dynamodbstreams::Client::new(&self.config))
    }
}

fn is_url(text: &str) -> bool {
    let host = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    host.is_some_and(|host| !host.is_empty())
}

fn local_config(http_client: SharedHttpClient, endpoint_url: String) -> SdkConfig {
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(http_client)
        .retry_config(RetryConfig::disabled())
        .timeout_config(timeouts())
        .region(Region::from_static(LOCAL_REGION))
        .credentials_provider(SharedCredentialsProvider::new(dummy_credentials()))
        .endpoint_url(endpoint_url)
        .build()
}

fn loader() -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest())
        .retry_config(RetryConfig::disabled())
        .timeout_config(timeouts())
}

pub(crate) fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(ATTEMPT_TIMEOUT)
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .build()
}

async fn remote(loader: ConfigLoader, options: &ConnectOptions) -> ConfigLoader {
    let https = aws_smithy_http_client::Builder::new().tls_provider(tls::Provider::Rustls(CryptoMode::Ring));
    let https = https.build_https();
    let mut loader = loader.http_client(https.clone());
    if let Some(region) = &options.region {
        loader = loader.region(Region::new(region.clone()));
    }
    // Credentials in the environment do not count beside a profile that is asked for; so it is with the AWS CLI.
    if let Some(profile) = &options.profile {
        let of_profile = ProfileFileRegionProvider::builder().profile_name(profile).build();
        let regions = RegionProviderChain::first_try(options.region.clone().map(Region::new))
            .or_else(EnvironmentVariableRegionProvider::new())
            .or_else(of_profile);
        let region = regions.region().await;
        let config = ProviderConfig::without_region()
            .with_http_client(https)
            .with_region(region.clone());
        let credentials = ProfileFileCredentialsProvider::builder().configure(&config);
        loader = loader
            .profile_name(profile)
            .region(region)
            .credentials_provider(credentials.profile_name(profile).build());
    }
    if let Some(endpoint_url) = &options.endpoint_url {
        loader = loader.endpoint_url(endpoint_url);
    }
    loader
}

/// The endpoint asked for, if it is plain HTTP on this machine and no profile is asked for.
fn local_endpoint(options: &ConnectOptions, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    if options.profile.is_some() {
        return None;
    }
    let ignored =
        variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let configured = || {
        ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"]
            .into_iter()
            .filter(|_| !ignored)
            .find_map(&variable)
    };
    let endpoint_url = options.endpoint_url.clone().or_else(configured)?;
    let authority = endpoint_url.strip_prefix("http://")?.split('/').next()?;
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    (host == "localhost" || host == "[::1]" || host.starts_with("127.")).then_some(endpoint_url)
}

fn local_region(options: &ConnectOptions) -> RegionProviderChain {
    RegionProviderChain::first_try(options.region.clone().map(Region::new))
        .or_else(EnvironmentVariableRegionProvider::new())
        .or_else(Region::from_static(LOCAL_REGION))
}

fn local_credentials() -> CredentialsProviderChain {
    CredentialsProviderChain::first_try("Environment", EnvironmentVariableCredentialsProvider::new())
        .or_else("Local", dummy_credentials())
}

fn dummy_credentials() -> Credentials {
    Credentials::new("test", "test", None, None, "local")
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::Config;
    use aws_sdk_dynamodb::config::ProvideCredentials;
    use aws_sdk_dynamodb::error::SdkError;
    use aws_smithy_http_client::test_util::NeverClient;

    use super::*;

    fn endpoint(option: Option<&str>, variables: &[(&str, &str)]) -> Option<String> {
        let options = ConnectOptions {
            endpoint_url: option.map(str::to_owned),
            ..ConnectOptions::default()
        };
        local_endpoint(&options, |name| {
            let (_, value) = variables.iter().find(|(variable, _)| *variable == name)?;
            Some((*value).to_owned())
        })
    }

    #[test]
    fn only_plain_http_on_this_machine_is_local() {
        for local in [
            "http://127.0.0.1:8000",
            "http://localhost:8000/",
            "http://localhost",
            "http://[::1]:8000",
        ] {
            assert_eq!(endpoint(Some(local), &[]).as_deref(), Some(local));
        }
        for remote in [
            "https://localhost:8000",
            "http://localhost.example.com",
            "http://10.0.0.1:8000",
            "https://dynamodb.eu-central-1.amazonaws.com",
        ] {
            assert_eq!(endpoint(Some(remote), &[]), None, "{remote}");
        }
        assert_eq!(endpoint(None, &[]), None);
    }

    #[test]
    fn the_option_wins_over_the_services_variable_and_that_over_the_general_one() {
        let (option, service, general) = ("http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3");
        let variables = [("AWS_ENDPOINT_URL", general), ("AWS_ENDPOINT_URL_DYNAMODB", service)];
        assert_eq!(endpoint(Some(option), &variables).as_deref(), Some(option));
        assert_eq!(endpoint(None, &variables).as_deref(), Some(service));
        assert_eq!(endpoint(None, &variables[..1]).as_deref(), Some(general));
        assert_eq!(endpoint(Some("https://example.com"), &variables), None);
    }

    #[test]
    fn a_named_profile_is_asked_whatever_the_endpoint() {
        let options = ConnectOptions {
            endpoint_url: Some("http://127.0.0.1:8000".to_owned()),
            profile: Some("dev".to_owned()),
            region: None,
        };
        assert_eq!(local_endpoint(&options, |_| None), None);
    }

    #[test]
    fn endpoints_that_are_to_be_ignored_do_not_make_a_connection_local() {
        let variables = [
            ("AWS_ENDPOINT_URL", "http://127.0.0.1:8000"),
            ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true"),
        ];
        assert_eq!(endpoint(None, &variables), None);
    }

    #[tokio::test]
    async fn a_profile_that_is_nowhere_gives_no_credentials() {
        let options = ConnectOptions {
            endpoint_url: None,
            region: Some("eu-central-1".to_owned()),
            profile: Some("there-is-none-of-this-name".to_owned()),
        };
        let connection = Connection::from_environment(options).await.expect("no request is sent");
        let provider = connection.config.credentials_provider().expect("a provider");
        let answer = provider.provide_credentials().await;
        assert!(answer.is_err(), "whatever the environment has: {answer:?}");
    }

    #[tokio::test]
    async fn a_request_without_an_answer_ends_and_is_not_sent_again() {
        let config = local_config(
            SharedHttpClient::new(NeverClient::new()),
            "http://127.0.0.1:1".to_owned(),
        );
        let connection = Connection::new(config);
        let timeouts = connection.dynamodb().config().timeout_config().expect("timeouts");
        assert_eq!(timeouts.operation_attempt_timeout(), Some(ATTEMPT_TIMEOUT));
        assert_eq!(timeouts.connect_timeout(), Some(CONNECT_TIMEOUT));
        let attempt = Duration::from_millis(20);
        let sooner = TimeoutConfig::builder().operation_attempt_timeout(attempt).build();
        let request = connection.dynamodb().list_tables().customize();
        let request = request.config_override(Config::builder().timeout_config(sooner));
        let started = std::time::Instant::now();
        let answer = request.send().await;
        assert!(matches!(answer, Err(SdkError::TimeoutError(_))), "{answer:?}");
        assert!(started.elapsed() >= attempt);
    }

    #[tokio::test]
    async fn an_endpoint_that_is_no_url_is_named() {
        for bad in ["localhost:8000", "ftp://example.com", "http://", ""] {
            let options = ConnectOptions {
                endpoint_url: Some(bad.to_owned()),
                region: Some("eu-central-1".to_owned()),
                profile: None,
            };
            let error = Connection::from_environment(options).await.expect_err("an error");
            assert!(
                matches!(&error, ConnectError::Endpoint { url } if url == bad),
                "{error}"
            );
        }
    }
}
