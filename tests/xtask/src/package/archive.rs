//! The archives: the same files make the same bytes, so that what did not change is not uploaded again.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Writes files into an archive under these names, and says how large it is in bytes. Each may be run.
pub(super) fn write(archive: &Path, files: &[(&str, &Path)]) -> Result<u64> {
    let file = File::create(archive).with_context(|| format!("writing {}", archive.display()))?;
    let mut zip = ZipWriter::new(file);
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default())
        .unix_permissions(0o755);
    for (name, path) in files {
        let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
        zip.start_file(*name, options)?;
        zip.write_all(&bytes)?;
    }
    let written = zip.finish()?;
    Ok(written.metadata()?.len())
}
