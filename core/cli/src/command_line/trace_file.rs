//! File to which `--trace` writes a counterexample.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::feature::Feature;
use super::files::Files;
use crate::json;
use crate::output_file::{OutputFile, Unwritten};
use refmap::internal::visible_lines;
use refmap::report::{Counterexample, Report};
use serde_json::Value;

/// Error: a counterexample cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// The file name has no known ending, which selects the format.
    #[error(
        "{} does not say which format the trace is to have: its name must end in .itf.json or .json \
         (an ITF trace), .mmd (a Mermaid diagram), .dot (a graph for Graphviz) or .svg (a picture of its last step)", .path.display()
    )]
    Ending {
        /// Path of the file.
        path: PathBuf,
    },
    /// The format is not compiled in.
    #[error("{needs}")]
    Feature {
        /// Feature that it needs.
        needs: String,
    },
    /// The file cannot be written.
    #[error("cannot write the trace to {}: {source}", .path.display())]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

/// Format of the file.
#[derive(Clone, Copy)]
enum Format {
    Itf,
    Mermaid,
    Dot,
    #[cfg(feature = "pictures")]
    Svg,
}

impl Format {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" => Some(Self::Itf),
            "mmd" => Some(Self::Mermaid),
            "dot" => Some(Self::Dot),
            #[cfg(feature = "pictures")]
            "svg" => Some(Self::Svg),
            _ => None,
        }
    }

    fn write(
        self,
        program: &str,
        report: &Report,
        counterexample: &Counterexample,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let text = match self {
            Self::Itf => {
                let mut trace = counterexample.itf(report);
                if let Some(Value::String(source)) = trace.pointer_mut("/#meta/source") {
                    source.insert_str(0, &format!("{program} check "));
                }
                json::write(&trace, 0, output)?;
                return output.write_all(b"\n");
            }
            Self::Mermaid => counterexample.mermaid(report),
            Self::Dot => counterexample.dot(report),
            #[cfg(feature = "pictures")]
            Self::Svg => crate::pictures::still::svg(report, counterexample),
        };
        output.write_all(visible_lines(&text).as_bytes())
    }
}

/// File for a counterexample, tested to be writable before the exploration.
pub(super) struct TraceFile {
    path: PathBuf,
    format: Format,
    file: OutputFile,
}

/// Result of writing the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Traced {
    /// The counterexample was written.
    Written,
    /// There was no counterexample.
    Unwritten(Unwritten),
}

impl TraceFile {
    /// Prepares the file, if one is asked for.
    pub fn prepare(path: Option<&Path>, files: &mut Files) -> Result<Option<Self>, TraceFileError> {
        let Some(path) = path.map(Path::to_owned) else {
            return Ok(None);
        };
        if path.extension().is_some_and(|ending| ending == "svg") && !Feature::Pictures.is_on() {
            let needs = Feature::Pictures.missing("a picture").to_string();
            return Err(TraceFileError::Feature { needs });
        }
        let format = Format::of(&path);
        let file = match files.prepare("the trace", &path) {
            Ok(file) => file,
            Err(source) => return Err(TraceFileError::Write { path, source }),
        };
        match format.or(file.is_stream().then_some(Format::Itf)) {
            Some(format) => Ok(Some(Self { path, format, file })),
            None => Err(TraceFileError::Ending { path }),
        }
    }

    /// Writes the counterexample of `report`, which `program` has made, if there is one.
    pub fn write(
        self,
        program: &str,
        report: &Report,
        cancel: &AtomicBool,
    ) -> Result<Traced, TraceFileError> {
        let Some(counterexample) = &report.counterexample else {
            return Ok(Traced::Unwritten(self.file.leave()));
        };
        let (path, format) = (self.path, self.format);
        self.file
            .write(cancel, |file| {
                format.write(program, report, counterexample, file)
            })
            .map(|()| Traced::Written)
            .map_err(|source| TraceFileError::Write { path, source })
    }
}
