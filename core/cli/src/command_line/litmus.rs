//! `litmus`: runs tests of the herd tools under a memory model.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::command::LitmusCommand;
use super::error::CommandError;
use super::status::Status;
use super::visible::tell;
use crate::json;
use refmap::explore::{Limits, Watch};
use refmap::internal::explore::Clock;
use refmap::internal::input::{Interrupted, Source};
use refmap_programs::TooManyStates;
use refmap_programs::litmus::{self, Bounds, ReadError, Report, RunError};

/// Error: a file has no result.
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
    /// Line of the error, if there is one.
    fn line(&self) -> Option<usize> {
        match self {
            Self::Read(error) => Some(error.line),
            Self::Io(_) | Self::Run(_) => None,
        }
    }

    /// True if a limit stopped the test, or it was interrupted.
    fn is_undecided(&self) -> bool {
        match self {
            Self::Io(error) => Interrupted::in_error(error).is_some(),
            Self::Read(_) => false,
            Self::Run(error) => error.is_undecided(),
        }
    }
}

/// Runs every file until the command is cancelled. Reports those that cannot be run, and continues with the others.
pub(super) fn run(
    command: &LitmusCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let mut tests: Vec<Value> = Vec::new();
    let mut errors: Vec<Value> = Vec::new();
    let mut status = Status::Success;
    let mut left = command.files.iter();
    let bounds = bounds(command, cancel);
    for path in left.by_ref() {
        let file = path.display().to_string();
        let shown = |report: &Report<'_>| -> Result<(), CommandError> {
            if command.json {
                tests.push(serde_json::to_value(report).map_err(io::Error::from)?)
            } else {
                writeln!(output, "{report}")?
            }
            Ok(())
        };
        if let Err(error) = one(command, &bounds, path, &file, shown)? {
            let line = error.line();
            let place = line.map_or_else(String::new, |line| format!(":{line}"));
            // Errors go to standard error even with `--json`.
            tell(&format!("{file}{place}: {error}"));
            let undecided = error.is_undecided();
            errors.push(json!({
                "file": file, "line": line, "message": error.to_string(), "undecided": undecided,
            }));
            status = match (status, undecided) {
                (Status::Success, true) => Status::Incomplete,
                (_, false) => Status::Unusable,
                (worse, true) => worse,
            };
        }
        if cancel.load(Ordering::Relaxed) {
            break;
        }
    }
    let not_run = left.len();
    if status == Status::Success && not_run > 0 {
        status = Status::Incomplete;
    }
    if command.json {
        let all = json!({
            "model": command.model,
            "bounds": {
                "states": bounds.states,
                "seconds": command.limits.seconds,
                "memory_bytes": bounds.bytes,
            },
            "tests": tests,
            "errors": errors,
            "not_run": not_run,
        });
        json::print(&all, output)?;
    }
    output.flush()?;
    Ok(status)
}

/// Limits of each test.
fn bounds<'a>(command: &LitmusCommand, cancel: &'a AtomicBool) -> Bounds<'a> {
    let default = Bounds::default();
    let limits = &command.limits;
    // A time beyond the greatest duration is the greatest duration.
    let time = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Bounds {
        states: limits.states.unwrap_or(default.states),
        bytes: limits.memory_bytes.unwrap_or(default.bytes),
        time: limits.seconds.map(time),
        cancel: Some(cancel),
    }
}

/// Runs one file and prints its report.
fn one(
    command: &LitmusCommand,
    bounds: &Bounds<'_>,
    path: &Path,
    file: &str,
    shown: impl FnOnce(&Report<'_>) -> Result<(), CommandError>,
) -> Result<Result<(), FileError>, CommandError> {
    let begun = Instant::now();
    let answered = text(path, command.limits.seconds, bounds.cancel)
        .map_err(FileError::from)
        .and_then(|text| {
            let test = litmus::read(&text)?;
            // To read it is part of the work, and the limit is told as it was given.
            let left = Bounds {
                time: bounds.time.map(|time| time.saturating_sub(begun.elapsed())),
                ..*bounds
            };
            let answer = test.run(command.model, &left);
            let answer = answer.map_err(|error| match (error, bounds.time) {
                (RunError::TooManyStates(TooManyStates::Time { explored, .. }), Some(limit)) => {
                    RunError::from(TooManyStates::Time { limit, explored })
                }
                (error, _) => error,
            })?;
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

/// Reads the text of a file. Comments may be in an older encoding, so the text is decoded lossily; text beyond the
/// size limit of a test is not read.
fn text(path: &Path, seconds: Option<f64>, cancel: Option<&AtomicBool>) -> io::Result<String> {
    let limits = Limits {
        seconds,
        ..Limits::default()
    };
    let watch = Watch {
        cancel,
        ..Watch::default()
    };
    let most = litmus::MOST_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    let input = Source::file(path, Clock::new(limits, watch))?;
    input.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
