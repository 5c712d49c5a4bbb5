//! `litmus`: tests of the herd tools under a memory model.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use super::command::LitmusCommand;
use super::{CommandError, Status};
use crate::memory::litmus::{self, Bounds, ReadError, Report, RunError};

/// Why a file has no answer.
#[derive(Debug, thiserror::Error)]
enum FileError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("{}", .0.problem)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Run(#[from] RunError),
}

impl FileError {
    /// The line it is about, if it is about one.
    fn line(&self) -> Option<usize> {
        match self {
            Self::Read(error) => Some(error.line),
            Self::Io(_) | Self::Run(_) => None,
        }
    }
}

/// Runs every file, until somebody asks to stop. Those that cannot be run are told of, and the others are run
/// nevertheless.
pub(super) fn run(
    command: &LitmusCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let mut tests: Vec<Value> = Vec::new();
    let mut errors: Vec<Value> = Vec::new();
    let mut left = command.files.iter();
    for path in left.by_ref() {
        let file = path.display().to_string();
        let shown = |report: &Report<'_>| -> Result<(), CommandError> {
            match command.json {
                true => tests.push(serde_json::to_value(report).map_err(io::Error::from)?),
                false => writeln!(output, "{report}")?,
            }
            Ok(())
        };
        if let Err(error) = one(command, path, &file, cancel, shown)? {
            let line = error.line();
            let place = line.map_or_else(String::new, |line| format!(":{line}"));
            // The errors come out in any case, so that a script that reads JSON can be watched.
            let _ = writeln!(io::stderr(), "{file}{place}: {error}");
            errors.push(json!({"file": file, "line": line, "message": error.to_string()}));
        }
        if cancel.load(Ordering::Relaxed) {
            break;
        }
    }
    let status = match (errors.is_empty(), left.len()) {
        (true, 0) => Status::Success,
        (true, _) => Status::Incomplete,
        (false, _) => Status::Unusable,
    };
    if command.json {
        let all = json!({"model": command.model, "tests": tests, "errors": errors});
        let all = serde_json::to_string_pretty(&all).map_err(io::Error::from)?;
        writeln!(output, "{all}")?;
    }
    output.flush()?;
    Ok(status)
}

/// Runs one file and shows its report.
fn one(
    command: &LitmusCommand,
    path: &Path,
    file: &str,
    cancel: &AtomicBool,
    shown: impl FnOnce(&Report<'_>) -> Result<(), CommandError>,
) -> Result<Result<(), FileError>, CommandError> {
    let begun = Instant::now();
    let bounds = Bounds {
        cancel: Some(cancel),
        ..Bounds::default()
    };
    let answered = text(path).map_err(FileError::from).and_then(|text| {
        let test = litmus::read(&text)?;
        let answer = test.run(command.model, &bounds)?;
        Ok((test, answer))
    });
    let (test, answer) = match answered {
        Ok(answered) => answered,
        Err(error) => return Ok(Err(error)),
    };
    shown(&Report {
        file,
        test: &test,
        answer: &answer,
        seconds: begun.elapsed().as_secs_f64(),
    })?;
    Ok(Ok(()))
}

/// The text of a file. Comments are sometimes in an older encoding, which does no harm; more than a
/// test may have is not read.
fn text(path: &Path) -> io::Result<String> {
    let most = litmus::MOST_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
