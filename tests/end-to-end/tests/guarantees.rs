//! The page of guarantees names the test that holds each promise; here each of those tests is looked for.

#![expect(
    clippy::expect_used,
    reason = "a page or a folder that cannot be read fails the test"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// Fewer characters than any test's name has.
const SHORTEST_NAME: usize = 24;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of every Rust file below a folder.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&fs::read_to_string(&path).expect("source"));
        }
    }
}

#[test]
fn every_test_that_holds_a_promise_is_there() {
    let page = fs::read_to_string(root().join("docs/guarantees.md")).expect("page");
    let mut text = String::new();
    for folder in ["shared", "functions", "tests"] {
        sources(&root().join(folder), &mut text);
    }
    let is_name =
        |word: &&str| word.len() >= SHORTEST_NAME && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    let names: Vec<&str> = page.split('`').filter(is_name).collect();
    assert!(names.len() >= 10, "{names:?}");
    let missing: Vec<&&str> = names
        .iter()
        .filter(|name| !text.contains(&format!("fn {name}(")))
        .collect();
    assert_eq!(missing, Vec::<&&str>::new());
    let is_promise = |section: &&str| section.starts_with(|first: char| first.is_ascii_digit());
    for promise in page.split("\n## ").filter(is_promise) {
        assert!(promise.contains("Held by:"), "{promise}");
    }
}
