//! `package`: the functions as Lambda takes them, each with the view file beside its binary, and the template that deploys
//! them.
//!
//! Each function is built by itself: in a build of the whole workspace its dependencies get the features of the others' too,
//! and it grows by two fifths.

#![expect(
    clippy::indexing_slicing,
    reason = "JSON has null where nothing is, and takes what is put there"
)]

mod archive;
pub(crate) mod template;
mod yaml;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::python::{CARGO_LAMBDA, Programs, done};

/// A function, and how large its archive may become: it is what Lambda fetches before a cold start.
struct Function {
    name: &'static str,
    /// As a release.
    budget_kib: u64,
    /// Without its optimizations, so that a rehearsal notices too when it grows.
    unoptimized_kib: u64,
}

const FUNCTIONS: [Function; 2] = [
    Function {
        name: "maintain",
        budget_kib: 6 * 1024,
        unoptimized_kib: 9 * 1024,
    },
    Function {
        name: "redrive",
        budget_kib: 7 * 1024,
        unoptimized_kib: 11 * 1024,
    },
];

/// Where the template and the archives are put.
pub(crate) const FOLDER: &str = "target/package";

#[derive(Args, Debug, Clone)]
pub(crate) struct Options {
    /// The view file.
    #[arg(long, env = "SHADOWKEY_VIEWS", default_value = "views.toml")]
    pub(crate) views: PathBuf,
    /// What Lambda runs the functions on. For arm64, `rustup target add aarch64-unknown-linux-gnu` once.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) architecture: Architecture,
    /// How the functions are built.
    #[arg(long, env = "SHADOWKEY_BUILD_PROFILE", default_value = "release")]
    pub(crate) build_profile: String,
    /// What `shadowkey filters` has printed, where it is not to be asked.
    #[arg(long)]
    pub(crate) filters: Option<PathBuf>,
}

#[derive(ValueEnum, Debug, Clone, Copy, Default)]
pub(crate) enum Architecture {
    #[default]
    /// Graviton.
    #[value(name = "arm64")]
    Arm64,
    /// Intel and AMD.
    #[value(name = "x86_64")]
    X86,
}

impl Function {
    fn budget_kib(&self, build_profile: &str) -> u64 {
        match build_profile {
            "release" => self.budget_kib,
            _ => self.unoptimized_kib,
        }
    }
}

impl Architecture {
    /// What a program that is built here without further ado runs on.
    pub(crate) fn of_this_machine() -> Self {
        match std::env::consts::ARCH {
            "x86_64" => Self::X86,
            _ => Self::Arm64,
        }
    }

    /// As the template and Lambda's API have it.
    fn name(self) -> &'static str {
        match self {
            Self::Arm64 => "arm64",
            Self::X86 => "x86_64",
        }
    }

    fn flag(self) -> &'static str {
        match self {
            Self::Arm64 => "--arm64",
            Self::X86 => "--x86-64",
        }
    }
}

/// Builds and packs every function, writes the template, and says where it is.
pub(crate) fn run(root: &Path, options: &Options) -> Result<PathBuf> {
    let programs = Programs::install(root, &[CARGO_LAMBDA])?;
    let template = template(root, options)?;
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let path = folder.join("template.json");
    fs::write(&path, serde_json::to_string_pretty(&template)?)
        .with_context(|| format!("writing {}", path.display()))?;
    let mut too_large = Vec::new();
    for function in &FUNCTIONS {
        let name = function.name;
        let binary = build(root, &programs, name, options)?;
        let archive = folder.join(name).with_extension("zip");
        let bytes = archive::write(
            &archive,
            &[("bootstrap", &binary), (maintain::DEFAULT_VIEWS, &options.views)],
        )?;
        let (kib, budget_kib) = (bytes.div_ceil(1024), function.budget_kib(&options.build_profile));
        println!("{name}.zip: {kib} KiB of {budget_kib} KiB");
        if kib > budget_kib {
            too_large.push(name);
        }
    }
    ensure!(
        too_large.is_empty(),
        "over budget: {}; `cargo bloat` shows what grew",
        too_large.join(", ")
    );
    Ok(path)
}

/// The template with what the view file says filled in.
fn template(root: &Path, options: &Options) -> Result<Value> {
    let views = maintain::read_views(&options.views)?;
    let path = root.join("infra/template.yaml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let mut template = template::filled_in(&text, &views).context("infra/template.yaml")?;
    template["Globals"]["Function"]["Architectures"] = json!([options.architecture.name()]);
    if let Some(filters) = filters(root, options)? {
        template::filter(&mut template, filters)?;
    }
    Ok(template)
}

/// The filters of the event source mapping, where there are any.
fn filters(root: &Path, options: &Options) -> Result<Option<Value>> {
    let printed = match &options.filters {
        Some(path) => fs::read(path).with_context(|| format!("reading {}", path.display()))?,
        None => {
            let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            // The view file's path is as the caller sees it, and so is the folder.
            let manifest = root.join("Cargo.toml");
            command.args([
                "run",
                "--quiet",
                "--locked",
                "--package",
                "shadowkey",
                "--manifest-path",
            ]);
            command
                .arg(manifest)
                .args(["--", "filters", "--format", "json", "--views"])
                .arg(&options.views);
            let output = command.output().context("cargo does not start")?;
            let said = String::from_utf8_lossy(&output.stderr);
            if !output.status.success() && said.contains("unrecognized subcommand") {
                eprintln!("`shadowkey filters` is not there, so that every change of the table invokes the function");
                return Ok(None);
            }
            ensure!(output.status.success(), "`shadowkey filters` failed: {said}");
            output.stdout
        }
    };
    serde_json::from_slice(&printed)
        .map(Some)
        .context("the filters are no JSON")
}

fn build(root: &Path, programs: &Programs, function: &str, options: &Options) -> Result<PathBuf> {
    let folder = root.join("target/lambda");
    let mut cargo = programs.command("cargo-lambda")?;
    cargo
        .args(["lambda", "build", "--locked", "--package", function])
        .args(["--profile", &options.build_profile, options.architecture.flag()])
        .arg("--lambda-dir")
        .arg(&folder)
        .current_dir(root);
    done(&mut cargo)?;
    let binary = folder.join(function).join("bootstrap");
    if !binary.exists() {
        bail!("cargo-lambda left no {}", binary.display());
    }
    Ok(binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_unwinds_so_that_a_panic_stays_with_its_item() {
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
        let manifest: toml::Value = toml::from_str(&fs::read_to_string(manifest).expect("a manifest")).expect("TOML");
        assert_eq!(manifest["profile"]["release"]["panic"].as_str(), Some("unwind"));
    }
}
