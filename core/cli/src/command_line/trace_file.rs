//! The file to which `--trace` writes a counterexample.

use std::io;
use std::path::{Path, PathBuf};

use super::output_file::{OutputFile, Unwritten};
use refmap::report::{Counterexample, Report, dot, itf, mermaid};

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

/// The file asked for, found to be writable before anything is explored.
pub(super) struct TraceFile {
    path: PathBuf,
    format: Format,
    file: OutputFile,
}

/// What became of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traced {
    /// It has the counterexample.
    Written,
    /// There was none.
    Unwritten(Unwritten),
}

impl TraceFile {
    pub fn prepare(path: &Path) -> Result<Self, TraceFileError> {
        let path = path.to_owned();
        let format = Format::of(&path);
        let file = match OutputFile::prepare(&path) {
            Ok(file) => file,
            Err(source) => return Err(TraceFileError::Write { path, source }),
        };
        match format.or(file.is_stream().then_some(Format::Itf)) {
            Some(format) => Ok(Self { path, format, file }),
            None => Err(TraceFileError::Ending { path }),
        }
    }

    /// Writes the counterexample of `report`, if there is one.
    pub fn write(self, report: &Report) -> Result<Traced, TraceFileError> {
        let Some(counterexample) = &report.counterexample else {
            return Ok(Traced::Unwritten(self.file.leave()));
        };
        let text = self.format.render(report, counterexample);
        let path = self.path;
        self.file
            .write(|file| file.write_all(text.as_bytes()))
            .map(|()| Traced::Written)
            .map_err(|source| TraceFileError::Write { path, source })
    }
}
