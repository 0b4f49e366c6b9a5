//! The contract of `explain`: its text and its JSON.

mod reads;

use std::fs;
use std::path::{Path, PathBuf};

use crate::desk::{Answer, Desk, answer};

const SHARDED: &str = r##"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
[source.ticket]
match = { PK = [{ prefix = "ORG#" }], SK = [{ prefix = "TICKET#" }] }
[source.any]
match = { PK = [{ prefix = "ALL#" }] }
[shadow.newest]
source = "ticket"
key = { PK = "ALL#{SK | shard(3)}", SK = "NEW#{UpdatedAt | time | desc}{PK | exact}{SK}" }
"##;

fn fixture(world: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures")
        .join(world)
}

async fn explained(view: &str, views: &str) -> String {
    let Answer {
        exit,
        out: text,
        notices,
    } = Desk::new(views).run(&["explain", view]).await;
    assert_eq!((exit, notices.as_str()), (0, ""));
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    text
}

#[tokio::test]
async fn a_shadow_of_the_tickets_is_explained() {
    let views = fs::read_to_string(fixture("tickets").join("views.toml")).expect("views");
    insta::assert_snapshot!(explained("tickets-by-updated", &views).await, @r##"
    tickets-by-updated: a shadow of each item of source ticket, in table tickets
      carries TicketId, Title, Status, UpdatedAt; ExpiresAt (ttl); _shadow

      layout
        PK = ORG#{Organization}
          partition key, type S
          "ORG#"          always
          {Organization}  text to the end, nothing escaped
        SK = UPDATED#{UpdatedAt | time | desc}#{TicketId}
          sort key, in the order of its fields, type S
          "UPDATED#"                 always
          {UpdatedAt | time | desc}  15 bytes, descending, lossy
          "#"                        always
          {TicketId}                 text to the end, nothing escaped, ascending as text

      collection
        the items of this file that can have one PK, in byte order of SK
          "OPEN#"…     view open-tickets-by-updated
          "TICKET#"…   source open-ticket, source ticket
          "UPDATED#"…  view tickets-by-updated
        undecided: the order among source open-ticket, source ticket, whose sort keys begin alike

      queries
        all of one PK, given Organization
          PK = "ORG#{Organization}" AND begins_with(SK, "UPDATED#")
        one beginning, given Organization, UpdatedAt
          PK = "ORG#{Organization}" AND begins_with(SK, "UPDATED#{UpdatedAt | time | desc}#")
        one key, given Organization, UpdatedAt, TicketId
          PK = "ORG#{Organization}" AND SK = "UPDATED#{UpdatedAt | time | desc}#{TicketId}"

      cost, for each item
                                      requests         units to 1 KB  write units by size
        comes into the view           1 put            1              ceil(KB)
        an input of the key changes   1 put, 1 delete  2              ceil(new KB) + ceil(old KB)
        only what is carried changes  1 put            1              ceil(larger of old and new KB)
        nothing of it changes         0                0
        leaves the view               1 delete         1              ceil(KB)
        is deleted                    1 delete         1              ceil(KB)
        inputs that can change: Organization, UpdatedAt, TicketId
        what is in the view neither before nor after a change costs nothing
        fixed in each shadow's size: 144 bytes of _shadow, besides the source's key in it, and 32 of the
          key
    "##);
}

#[tokio::test]
async fn an_attribute_of_the_library_is_explained() {
    let views = fs::read_to_string(fixture("library").join("views.toml")).expect("views");
    insta::assert_snapshot!(explained("book-shelf", &views).await, @r##"
    book-shelf: an attribute of each item of source book, in table library

      layout
        GSI1PK = SHELF#{Shelf | trim | upper}
          attribute, in the order of its fields, type S
          "SHELF#"                always
          {Shelf | trim | upper}  text to the end, nothing escaped, ascending as text, lossy

      collection in index GSI1
        no other items of this file can have its GSI1PK

      queries
        all of one GSI1PK in index GSI1, given Shelf
          GSI1PK = "SHELF#{Shelf | trim | upper}"
        one beginning in index GSI1, given Shelf, Title
          GSI1PK = "SHELF#{Shelf | trim | upper}" AND begins_with(GSI1SK, "{Title | trim | lower}#")
        one key in index GSI1, given Shelf, Title, Isbn
          GSI1PK = "SHELF#{Shelf | trim | upper}" AND GSI1SK = "{Title | trim | lower}#{Isbn}"

      cost, for each item, together with its other derived attributes
                               requests  units to 1 KB  write units by size
        comes into the view    1 update  1              ceil(larger of old and new KB)
        an input changes       1 update  1              ceil(larger of old and new KB)
        nothing of it changes  0         0
        leaves the view        1 update  1              ceil(larger of old and new KB)
        is deleted             0         0
        inputs that can change: Shelf
        what is in the view neither before nor after a change costs nothing
        the size is that of the whole source item
        on top, while an item stands in the global index GSI1 (with GSI1PK and GSI1SK): 1 write there
          for an entry that comes, goes or changes, 2 where its key in the index changes
    "##);
}

#[tokio::test]
async fn a_sharded_view_is_explained() {
    insta::assert_snapshot!(explained("newest", SHARDED).await, @r##"
    newest: a shadow of each item of source ticket, in table app
      carries _shadow

      layout
        PK = ALL#{SK | shard(3)}
          partition key, type S
          "ALL#"           always
          {SK | shard(3)}  2 bytes, lossy
        SK = NEW#{UpdatedAt | time | desc}{PK | exact}{SK}
          sort key, in the order of its fields, type S
          "NEW#"                     always
          {UpdatedAt | time | desc}  15 bytes, descending, lossy
          {PK | exact}               ends with U+0001, ascending
          {SK}                       text to the end, nothing escaped, ascending as text

      collection
        the items of this file that can have one PK, in byte order of SK
          …        source any
          "NEW#"…  view newest
        undecided: where source any lies among view newest; nothing fixes how their sort keys begin

      queries
        all of one PK, no input needed
          3 requests, one for each bucket of SK | shard(3); merge the answers by the sort key
          PK = "ALL#00" AND begins_with(SK, "NEW#")
          PK = "ALL#01" AND begins_with(SK, "NEW#")
          PK = "ALL#02" AND begins_with(SK, "NEW#")
          can also give items of source any
        one beginning, given UpdatedAt
          3 requests, one for each bucket of SK | shard(3); merge the answers by the sort key
          PK = "ALL#00" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}")
          PK = "ALL#01" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}")
          PK = "ALL#02" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}")
          can also give items of source any
        one beginning, given UpdatedAt, PK
          3 requests, one for each bucket of SK | shard(3); merge the answers by the sort key
          PK = "ALL#00" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}{PK | exact}")
          PK = "ALL#01" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}{PK | exact}")
          PK = "ALL#02" AND begins_with(SK, "NEW#{UpdatedAt | time | desc}{PK | exact}")
          can also give items of source any
        one key, given UpdatedAt, PK, SK
          PK = "ALL#{SK | shard(3)}" AND SK = "NEW#{UpdatedAt | time | desc}{PK | exact}{SK}"

      cost, for each item
                                     requests         units to 1 KB  write units by size
        comes into the view          1 put            1              ceil(KB)
        an input of the key changes  1 put, 1 delete  2              ceil(new KB) + ceil(old KB)
        nothing of it changes        0                0
        leaves the view              1 delete         1              ceil(KB)
        is deleted                   1 delete         1              ceil(KB)
        inputs that can change: UpdatedAt
        what is in the view neither before nor after a change costs nothing
        fixed in each shadow's size: 128 bytes of _shadow, besides the source's key in it, and 29 of the
          key
    "##);
}

#[tokio::test]
async fn an_unknown_view_is_refused_with_those_there_are() {
    let Answer { exit, out, notices } = answer(&["explain", "latest"], &fixture("tickets").join("views.toml")).await;
    assert_eq!((exit, out.as_str()), (2, ""));
    assert!(
        notices.contains("there is no view `latest`") && notices.contains("tickets-by-updated"),
        "{notices}"
    );
}

#[tokio::test]
async fn json_has_every_view_with_its_requests() {
    let views = fixture("tickets").join("views.toml");
    let answer = answer(&["explain", "--format", "json"], &views).await;
    let (exit, json) = (answer.exit, answer.json());
    let explained = json["views"].as_array().expect("views");
    assert_eq!((exit, explained.len()), (0, 4));
    let updated = &explained[3];
    assert_eq!(updated["view"], "tickets-by-updated");
    assert_eq!(
        updated["queries"][0],
        serde_json::json!({
            "reads": "partition", "index": null, "given": ["Organization"], "buckets": [], "also_reads": [],
            "requests": [{
                "TableName": "tickets",
                "KeyConditionExpression": "#k0 = :k0 AND begins_with(#k1, :k1)",
                "ExpressionAttributeNames": { "#k0": "PK", "#k1": "SK" },
                "ExpressionAttributeValues": { ":k0": { "S": "ORG#{Organization}" }, ":k1": { "S": "UPDATED#" } },
            }],
        })
    );
    assert_eq!(
        updated["key"][1]["pieces"][1],
        serde_json::json!({
            "field": "UpdatedAt", "ops": ["time", "desc"], "output": { "form": "fixed", "bytes": 15 },
            "order": "descending", "lossy": true,
        })
    );
    assert_eq!(explained[0]["queries"][0]["requests"][0]["IndexName"], "by-newest");
}
