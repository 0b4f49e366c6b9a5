//! `lint`: the template, as it is written and as each fixture's view file has it filled in, by SAM's own validation and by
//! cfn-lint, which looks at what SAM makes of it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::package::template::filled_in;
use crate::python::{Programs, SAM, done};

const TEMPLATE: &str = "infra/template.yaml";

/// What a validation is told that needs no AWS: some region, and none of this machine's files.
const ENVIRONMENT: [(&str, &str); 3] = [
    ("AWS_DEFAULT_REGION", "eu-central-1"),
    ("AWS_CONFIG_FILE", "/dev/null"),
    ("AWS_SHARED_CREDENTIALS_FILE", "/dev/null"),
];

/// Fails at every finding, warnings included.
pub(crate) fn run(root: &Path) -> Result<()> {
    let programs = Programs::install(root, &SAM)?;
    let mut lint = programs.command("cfn-lint")?;
    lint.arg(TEMPLATE)
        .args(copies(root)?)
        .envs(ENVIRONMENT)
        .current_dir(root);
    done(&mut lint).with_context(|| format!("{TEMPLATE} has findings"))?;
    let mut validate = programs.sam()?;
    validate
        .args(["validate", "--lint", "--template", TEMPLATE])
        .envs(ENVIRONMENT)
        .current_dir(root);
    done(&mut validate).with_context(|| format!("{TEMPLATE} is not valid"))
}

/// The template for each view file of the fixtures, and of the rehearsal.
fn copies(root: &Path) -> Result<Vec<PathBuf>> {
    let template = fs::read_to_string(root.join(TEMPLATE)).with_context(|| format!("reading {TEMPLATE}"))?;
    let folder = root.join("target/lint");
    fs::create_dir_all(&folder)?;
    let mut copies = Vec::new();
    for entry in fs::read_dir(root.join("tests/fixtures"))? {
        copies.push(entry?.path());
    }
    copies.push(root.join("tests/xtask/rehearsal"));
    copies.retain(|world| world.join("views.toml").exists());
    for world in &mut copies {
        let views = maintain::read_views(&world.join("views.toml"))?.or_state_table();
        let name = world.file_name().context("a folder has a name")?;
        let copy = folder.join(name).with_extension("json");
        fs::write(&copy, serde_json::to_string_pretty(&filled_in(&template, &views)?)?)?;
        *world = copy;
    }
    Ok(copies)
}
