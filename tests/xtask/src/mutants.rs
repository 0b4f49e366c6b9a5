//! `mutants`: breaks the worker on purpose, one way at a time, and expects the simulation to notice.
//!
//! `tests/simulation/mutations.toml` lists the breakages. A copy of the workspace gets all of them at once, each behind a
//! switch that an environment variable turns, so that one build holds them all; the tree itself is never touched.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

/// The variable that names the breakage that is on.
const SWITCH: &str = "SHADOWKEY_MUTATION";

/// What a copy of the workspace leaves out.
const LEFT_OUT: [&str; 2] = ["target", ".git"];

#[derive(Deserialize)]
struct Mutations {
    mutation: Vec<Mutation>,
}

/// One way to break the worker.
#[derive(Deserialize)]
struct Mutation {
    name: String,
    /// The file, from the root of the workspace.
    file: PathBuf,
    /// An expression that stands in the file once.
    code: String,
    /// What to put in its place.
    broken: String,
    /// Within how many seeds the simulation has to notice.
    seeds: u64,
}

/// Builds the broken worker and has every breakage, or those named, found.
pub(crate) fn run(root: &Path, names: &[String]) -> Result<()> {
    let mutations = read(root)?;
    let copy = root.join("target/mutants/workspace");
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    copy_folder(root, &copy)?;
    for (file, mutations) in by_file(&mutations) {
        break_file(&copy.join(file), &mutations)?;
    }
    let program = build(root, &copy)?;
    let (found, _) = simulate(&program, None, 100)?;
    ensure!(!found, "the simulation fails with no breakage switched on");
    let wanted = mutations
        .iter()
        .filter(|mutation| names.is_empty() || names.contains(&mutation.name));
    let mut missed = Vec::new();
    for mutation in wanted {
        let (found, said) = simulate(&program, Some(&mutation.name), mutation.seeds)?;
        println!("{}: {}", mutation.name, if found { said.trim() } else { "NOT NOTICED" });
        if !found {
            missed.push(mutation.name.as_str());
        }
    }
    if missed.is_empty() {
        return Ok(());
    }
    bail!("the simulation does not notice: {}", missed.join(", "))
}

fn read(root: &Path) -> Result<Vec<Mutation>> {
    let path = root.join("tests/simulation/mutations.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let Mutations { mutation } = toml::from_str(&text).context("mutations.toml")?;
    Ok(mutation)
}

fn by_file(mutations: &[Mutation]) -> BTreeMap<&Path, Vec<&Mutation>> {
    let mut files: BTreeMap<&Path, Vec<&Mutation>> = BTreeMap::new();
    for mutation in mutations {
        files.entry(&mutation.file).or_default().push(mutation);
    }
    files
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if LEFT_OUT.iter().any(|left_out| name == *left_out) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to.join(name))?;
        } else {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}

/// Puts every breakage of a file behind its switch.
fn break_file(file: &Path, mutations: &[&Mutation]) -> Result<()> {
    Ok(fs::write(file, broken(file, mutations)?)?)
}

/// A file's text with every breakage behind its switch.
fn broken(file: &Path, mutations: &[&Mutation]) -> Result<String> {
    let mut text = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    for Mutation { name, code, broken, .. } in mutations {
        let times = text.matches(code.as_str()).count();
        ensure!(
            times == 1,
            "`{name}`: its code stands {times} times in {}",
            file.display()
        );
        let switch = format!("std::env::var_os(\"{SWITCH}\").is_some_and(|on| on == \"{name}\")");
        text = text.replacen(
            code.as_str(),
            &format!("(if {switch} {{ {broken} }} else {{ {code} }})"),
            1,
        );
    }
    Ok(text)
}

fn build(root: &Path, copy: &Path) -> Result<PathBuf> {
    // The cargo that started this program.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let target = root.join("target/mutants/build");
    let status = command
        .args(["build", "--quiet", "--package", "shadowkey-simulation"])
        .env("CARGO_TARGET_DIR", &target)
        // A switch makes for code that looks odd.
        .env("RUSTFLAGS", "--cap-lints allow")
        .current_dir(copy)
        .status()
        .context("cargo does not start")?;
    ensure!(status.success(), "the broken worker does not compile");
    Ok(target.join("debug/simulation"))
}

/// Runs the simulation with a breakage; whether it failed, and what it said.
fn simulate(program: &Path, mutation: Option<&str>, seeds: u64) -> Result<(bool, String)> {
    let mut command = Command::new(program);
    command.args(["--first", "--seeds", &format!("0..{seeds}")]);
    command.envs(mutation.map(|name| (SWITCH, name))).stderr(Stdio::null());
    let output = command.output().context("the simulation does not start")?;
    Ok((
        !output.status.success(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_breakage_still_has_its_code_in_the_worker() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mutations = read(&root).expect("mutations");
        assert!(mutations.len() >= 15);
        for (file, mutations) in by_file(&mutations) {
            broken(&root.join(file), &mutations).expect("each stands there once");
        }
    }
}
