//! The arrows between the crates run one way. What an arrow is, `cargo metadata` says; what is allowed, the table below.
//!
//! Only what a crate ships counts: dev-dependencies are tests, and so are the crates under `tests/`.

#![expect(clippy::expect_used, reason = "without the metadata there is nothing to test")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

/// The libraries from the bottom up, and which of the libraries each may name.
const LAYERS: [(&str, &[&str]); 9] = [
    ("item", &[]),
    ("key-codec", &["item"]),
    ("views", &["item", "key-codec"]),
    ("plan", &["item", "key-codec", "views"]),
    ("stream", &["item", "views", "plan"]),
    ("store", &["item", "key-codec", "views", "plan"]),
    ("worker", &["item", "key-codec", "views", "plan", "stream", "store"]),
    ("store-dynamodb", &["item", "plan", "store"]),
    ("local", &[]),
];

/// Crates without I/O, task, clock or log, all the way down.
const PURE: [&str; 4] = ["item", "key-codec", "views", "plan"];

/// A workspace member by the folder it is in, with the names of what it depends on when it is built to be used.
struct Member {
    folder: String,
    crate_name: String,
    names: Vec<String>,
}

impl Member {
    fn of(package: &Package, root: &str) -> Self {
        let manifest = package
            .manifest_path
            .parent()
            .expect("a manifest is in a folder")
            .as_str();
        let shipped = package
            .dependencies
            .iter()
            .filter(|d| d.kind != DependencyKind::Development);
        Self {
            folder: manifest.trim_start_matches(root).trim_start_matches('/').to_owned(),
            crate_name: package.name.to_string(),
            names: shipped.map(|dependency| dependency.name.clone()).collect(),
        }
    }

    /// The name within `shared/`, if that is where it is.
    fn library(&self) -> Option<&str> {
        self.folder.strip_prefix("shared/")
    }

    fn is_test(&self) -> bool {
        self.folder.starts_with("tests/")
    }
}

fn members() -> Vec<Member> {
    let metadata = MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let root = metadata.workspace_root.as_str();
    metadata
        .packages
        .iter()
        .map(|package| Member::of(package, root))
        .collect()
}

fn is_sdk(name: &str) -> bool {
    name == "aws-config" || name.starts_with("aws-sdk-") || name.starts_with("aws-smithy")
}

fn is_task_or_log(name: &str) -> bool {
    name == "tokio" || name == "lambda_runtime" || name.starts_with("tracing")
}

/// `folder -> name` for every name of a shipped crate that `wrong` objects to.
fn arrows(wrong: impl Fn(&Member, &str) -> bool) -> Vec<String> {
    let members = members();
    let shipped = members.iter().filter(|member| !member.is_test());
    shipped
        .flat_map(|member| member.names.iter().map(move |name| (member, name)))
        .filter(|(member, name)| wrong(member, name))
        .map(|(member, name)| format!("{} -> {name}", member.folder))
        .collect()
}

#[test]
fn every_library_has_a_place_in_the_layers() {
    let members = members();
    let found: BTreeSet<_> = members.iter().filter_map(Member::library).collect();
    let placed = BTreeSet::from(LAYERS.map(|(library, _)| library));
    assert_eq!(found, placed, "a new crate in shared/ needs a line in LAYERS");
}

#[test]
fn libraries_name_only_the_layers_below_them() {
    let layers = BTreeMap::from(LAYERS);
    let members = members();
    let library_of: BTreeMap<_, _> = members
        .iter()
        .filter_map(|member| Some((member.crate_name.as_str(), member.library()?)))
        .collect();
    let wrong = arrows(|member, name| match (member.library(), library_of.get(name)) {
        (Some(library), Some(named)) => !layers[library].contains(named),
        _ => false,
    });
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn nothing_that_ships_names_a_function_or_a_test_from_below() {
    let members = members();
    let above: Vec<_> = members
        .iter()
        .filter(|m| m.library().is_none())
        .map(|m| &m.crate_name)
        .collect();
    let wrong = arrows(|member, name| member.library().is_some() && above.iter().any(|above| *above == name));
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn only_the_adapter_names_the_sdk() {
    let wrong = arrows(|member, name| is_sdk(name) && member.folder != "shared/store-dynamodb");
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn only_the_functions_name_the_lambda_runtime() {
    let wrong = arrows(|member, name| name == "lambda_runtime" && !member.folder.starts_with("functions/"));
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn only_the_embedded_engines_crate_names_the_engine() {
    let wrong = arrows(|member, name| name == "dynoxide-rs" && member.folder != "shared/local");
    assert_eq!(wrong, Vec::<String>::new());
}

/// What a crate pulls in when it is built alone; in a build of the whole workspace its dependencies get more features.
fn pulls_in(library: &str) -> Vec<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let package = format!("shadowkey-{library}");
    let output = Command::new(cargo)
        .args([
            "tree",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--package",
        ])
        .arg(&package)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo tree");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let names: Vec<_> = text
        .lines()
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect();
    assert!(names.contains(&package), "cargo tree shows the crate itself");
    names
}

#[test]
fn the_pure_crates_reach_no_task_log_or_sdk_by_any_way() {
    for library in PURE {
        let mut names = pulls_in(library);
        names.retain(|name| is_sdk(name) || is_task_or_log(name));
        assert_eq!(names, Vec::<String>::new(), "{library}");
    }
}

#[test]
fn the_stream_decoder_reaches_no_task_or_sdk_by_any_way() {
    let mut names = pulls_in("stream");
    names.retain(|name| is_sdk(name) || name == "tokio" || name == "lambda_runtime");
    assert_eq!(names, Vec::<String>::new());
}
