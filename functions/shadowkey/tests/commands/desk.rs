//! A folder of files that commands are run on, and what they are fed with.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use shadowkey::{Console, run};
use tempfile::TempDir;

pub(crate) const VIEWS: &str = r##"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
[source.ticket]
match = { PK = [{ prefix = "ORG#" }], SK = [{ prefix = "TICKET#" }] }
identity = ["big"]
[attribute.name]
source = "ticket"
value = "{'a.b c#d'}_{size}"
[shadow.by-updated]
source = "ticket"
key = { PK = "{PK}", SK = "UPDATED#{UpdatedAt | time | desc}#{big}" }
project = ["size"]
[shadow.by-code]
source = "ticket"
into = { table = "lookup", partition_key = { name = "id", type = "S" } }
key = { id = "CODE#{code | pad(2)}" }
unique = true
"##;

/// What a command answered.
pub(crate) struct Answer {
    pub(crate) exit: u8,
    pub(crate) out: String,
    pub(crate) notices: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.notices))
    }
}

/// Runs a command with a view file, which is named before what the command takes.
pub(crate) async fn answer(arguments: &[&str], views: &Path) -> Answer {
    let (command, rest) = arguments.split_at(if arguments[0] == "parked" { 2 } else { 1 });
    let command = ["shadowkey"].iter().chain(command).map(OsString::from);
    let views = ["--views".into(), views.into()];
    let (mut out, mut notices) = (Vec::new(), Vec::new());
    let mut console = Console {
        out: &mut out,
        notices: &mut notices,
        color: false,
    };
    let exit = run(
        command.chain(views).chain(rest.iter().map(OsString::from)),
        &mut console,
    )
    .await;
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Answer {
        exit,
        out: text(out),
        notices: text(notices),
    }
}

/// A folder of files, of which one is the view file.
pub(crate) struct Desk(TempDir);

impl Desk {
    pub(crate) fn new(views: &str) -> Self {
        let desk = Self(TempDir::new().expect("folder"));
        desk.file("views.toml", views);
        desk
    }

    pub(crate) fn views(&self) -> PathBuf {
        self.0.path().join("views.toml")
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect(name);
        path.to_str().expect("path").to_owned()
    }

    pub(crate) fn event(&self, name: &str, records: &[Value]) -> String {
        self.file(name, &json!({ "Records": records }).to_string())
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Answer {
        answer(arguments, &self.views()).await
    }
}

/// The ticket `TICKET#id` with these attributes besides what every ticket has.
pub(crate) fn ticket(id: &str, attributes: Value) -> Value {
    let mut item = json!({
        "PK": { "S": "ORG#1" }, "SK": { "S": format!("TICKET#{id}") }, "UpdatedAt": { "S": "2024-01-01T00:00:00Z" },
        "big": { "N": "123456789012345678901234567890" }, "a.b c#d": { "S": "x_y" }, "size": { "N": "1E2" },
    });
    for (name, value) in attributes.as_object().expect("attributes") {
        item[name] = value.clone();
    }
    item
}

/// The record of a change, as a stream delivers it.
pub(crate) fn record(event: &str, number: u32, old: Option<&Value>, new: Option<&Value>) -> Value {
    let image = old.or(new).expect("image");
    let mut change = json!({
        "Keys": { "PK": image["PK"], "SK": image["SK"] },
        "SequenceNumber": number.to_string(), "SizeBytes": 100, "StreamViewType": "NEW_AND_OLD_IMAGES",
        "ApproximateCreationDateTime": 1_700_000_000,
    });
    for (name, image) in [("OldImage", old), ("NewImage", new)] {
        if let Some(image) = image {
            change[name] = image.clone();
        }
    }
    json!({
        "eventID": number.to_string(), "eventName": event, "eventVersion": "1.1", "eventSource": "aws:dynamodb",
        "awsRegion": "eu-central-1", "dynamodb": change,
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/2026-01-05T10:00:00.000",
    })
}

/// The record of an insertion.
pub(crate) fn insertion(number: u32, new: &Value) -> Value {
    record("INSERT", number, None, Some(new))
}
