//! The file to which `--trace` writes a counterexample: whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::report::{Counterexample, Report, dot, itf, mermaid};

/// Why a counterexample cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// The ending of the name chooses the format, and this one chooses none.
    #[error(
        "{} does not say which format the trace is to have: its name must end in .itf.json or .json \
         (an ITF trace), .mmd (a Mermaid diagram) or .dot (a graph for Graphviz)", .path.display()
    )]
    Ending {
        /// The file asked for.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("cannot write the trace to {}: {source}", .path.display())]
    Write {
        /// The file asked for.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// What is written.
#[derive(Clone, Copy)]
enum Format {
    Itf,
    Mermaid,
    Dot,
}

impl Format {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" => Some(Self::Itf),
            "mmd" => Some(Self::Mermaid),
            "dot" => Some(Self::Dot),
            _ => None,
        }
    }

    fn render(self, report: &Report, counterexample: &Counterexample) -> String {
        match self {
            // The alternate form is indented.
            Self::Itf => format!("{:#}\n", itf::trace(report, counterexample)),
            Self::Mermaid => mermaid::diagram(report, counterexample),
            Self::Dot => dot::graph(report, counterexample),
        }
    }
}

/// A place beside the file asked for, found to be writable before anything is explored.
pub(super) struct TraceFile {
    path: PathBuf,
    format: Format,
    draft: NamedTempFile,
}

impl TraceFile {
    pub fn prepare(path: &Path) -> Result<Self, TraceFileError> {
        let path = path.to_owned();
        if path.is_dir() {
            let source = io::ErrorKind::IsADirectory.into();
            return Err(TraceFileError::Write { path, source });
        }
        let Some(format) = Format::of(&path) else {
            return Err(TraceFileError::Ending { path });
        };
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        match NamedTempFile::new_in(folder.unwrap_or(Path::new("."))) {
            Ok(draft) => Ok(Self {
                path,
                format,
                draft,
            }),
            Err(source) => Err(TraceFileError::Write { path, source }),
        }
    }

    /// Writes the counterexample of `report`, and says whether there was one.
    pub fn write(mut self, report: &Report) -> Result<bool, TraceFileError> {
        let Some(counterexample) = &report.counterexample else {
            return Ok(false);
        };
        let text = self.format.render(report, counterexample);
        let path = self.path;
        self.draft
            .write_all(text.as_bytes())
            .and_then(|()| self.draft.flush())
            .and_then(|()| self.draft.persist(&path).map_err(|error| error.error))
            .map(|_| true)
            .map_err(|source| TraceFileError::Write { path, source })
    }
}
