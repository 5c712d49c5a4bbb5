//! The file to which `--trace` writes a counterexample: whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::report::{Report, itf};

/// Why a counterexample cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the trace to {}: {source}", .path.display())]
pub struct TraceFileError {
    /// The file asked for.
    pub path: PathBuf,
    /// Why not.
    pub source: io::Error,
}

/// A place beside the file asked for, found to be writable before anything is explored.
pub(super) struct TraceFile {
    path: PathBuf,
    draft: NamedTempFile,
}

impl TraceFile {
    pub fn prepare(path: &Path) -> Result<Self, TraceFileError> {
        let failed = |source| TraceFileError {
            path: path.to_owned(),
            source,
        };
        if path.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let draft = NamedTempFile::new_in(folder.unwrap_or(Path::new("."))).map_err(failed)?;
        Ok(Self {
            path: path.to_owned(),
            draft,
        })
    }

    /// Writes the counterexample of `report`, and says whether there was one.
    pub fn write(mut self, report: &Report) -> Result<bool, TraceFileError> {
        let Some(counterexample) = &report.counterexample else {
            return Ok(false);
        };
        let trace = itf::trace(report, counterexample);
        let written = serde_json::to_writer_pretty(&mut self.draft, &trace)
            .map_err(io::Error::from)
            .and_then(|()| self.draft.flush());
        let path = self.path.clone();
        written
            .and_then(|()| self.draft.persist(&self.path).map_err(|error| error.error))
            .map(|_| true)
            .map_err(|source| TraceFileError { path, source })
    }
}
