//! View files that several of explain's tests read, and what they read from the answer.

use super::*;
use crate::load;

pub(super) const TABLE: &str = r#"version = 1
[table]
name = "app"
partition_key = { name = "PK", type = "S" }
sort_key = { name = "SK", type = "S" }
"#;

pub(super) fn explain(views: &str) -> Vec<Explanation> {
    let loaded = load(&format!("{TABLE}{views}"));
    loaded
        .views
        .unwrap_or_else(|| panic!("{:?}", loaded.findings))
        .explain()
}

pub(super) fn of(explained: &[Explanation], view: &str) -> Explanation {
    let mut found = explained.iter().filter(|explanation| explanation.view == view);
    found.next().expect(view).clone()
}

pub(super) fn view(resident: &str) -> Resident {
    Resident::View(resident.to_owned())
}

pub(super) fn source(resident: &str) -> Resident {
    Resident::Source(resident.to_owned())
}

pub(super) const SHARED: &str = r##"
[source.book]
match = { PK = [{ prefix = "BOOK#" }], SK = ["BOOK"] }
[source.note]
match = { PK = [{ prefix = "NOTE#" }], SK = [{ prefix = "A" }] }
[source.odd]
match = { PK = [{ prefix = "BOOK#1" }] }
[shadow.small]
source = "book"
key = { PK = "BOOK#{id}", SK = "best#{PK}" }
unique = true
[shadow.capital]
source = "book"
key = { PK = "BOOK#{id}", SK = "Z#{id}" }
[shadow.longer]
source = "book"
key = { PK = "BOOK#{id}", SK = "Z#OLD#{id}" }
[shadow.elsewhere]
source = "book"
key = { PK = "SHELF#{id}", SK = "Z#{PK}" }
"##;

pub(super) const INDEXED: &str = r##"ttl = "expires"
[[table.index]]
name = "GSI"
kind = "global"
partition_key = { name = "gp", type = "S" }
sort_key = { name = "gs", type = "S" }
projection = "all"
[[table.index]]
name = "inverted"
kind = "global"
partition_key = { name = "SK", type = "S" }
sort_key = { name = "PK", type = "S" }
[source.a]
match = { PK = [{ prefix = "A#" }] }
[source.b]
match = { PK = [{ prefix = "B#" }] }
[attribute.a-place]
attribute = "gp"
source = "a"
value = "P#{place}"
[attribute.a-time]
attribute = "gs"
source = "a"
value = "T#{t | time}"
[attribute.b-place]
attribute = "gp"
source = "b"
value = "P#{town}"
[attribute.alone]
source = "a"
value = "{PK}!"
[shadow.bare]
source = "a"
key = { PK = "S#{PK}", SK = "{SK}" }
[shadow.moving]
source = "a"
key = { PK = "M#{t | time}", SK = "{PK}" }
project = ["gp", "gs"]
[shadow.each]
source = "a"
for_each = { tag = "tags" }
key = { PK = "E#{tag}", SK = "{SK}" }
project = { except = ["gs"] }
unique = true
"##;
