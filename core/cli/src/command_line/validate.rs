//! `validate`: decides whether a recorded history is a behaviour of a specification.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use super::command::ValidateCommand;
#[cfg(feature = "pictures")]
use super::page_file::PageFile;
use super::results::Failures;
#[cfg(feature = "pictures")]
use super::results::Files;
use super::{CommandError, Status, json, progress};
use crate::catalogue::{Catalogue, ValidatorError};
use refmap::explore::Watch;
use refmap::report::{TextOptions, Verdict};
use refmap_histories::Settings;

/// Error: a file has no verdict.
#[derive(Debug, thiserror::Error)]
pub enum HistoryFileError {
    /// The file cannot be opened.
    #[error("{}: cannot be read: {source}", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The history is malformed, or does not fit the validator.
    #[error("{}: {source}", .path.display())]
    History {
        /// The file.
        path: PathBuf,
        /// The error, with its line.
        source: ValidatorError,
    },
}

pub(super) fn run(
    catalogue: &Catalogue,
    command: &ValidateCommand,
    cancel: &AtomicBool,
    options: TextOptions,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let validator = catalogue
        .validators
        .iter()
        .find(|validator| validator.name == command.against)
        .expect("the command line knows the validators of the catalogue only");
    let path = || command.file.clone();
    let open = File::open(&command.file).and_then(|file| match file.metadata()?.is_dir() {
        true => Err(io::ErrorKind::IsADirectory.into()),
        false => Ok(file),
    });
    let file = open.map_err(|source| HistoryFileError::Open {
        path: path(),
        source,
    })?;
    #[cfg(feature = "pictures")]
    let page = match &command.html {
        Some(page) => {
            let files = &mut Files::reading(std::slice::from_ref(&command.file));
            Some(PageFile::prepare(page, files)?)
        }
        None => None,
    };
    let bar = progress::Bar::new(command.quiet, validator.name, 0, command.limits);
    let settings = Settings {
        configurations: command.configurations,
        buffer: command.buffer,
        limits: command.limits,
        watch: Watch {
            cancel: Some(cancel),
            progress: Some(&|progress| bar.show(validator.name, progress)),
        },
        ..Settings::default()
    };
    let mut input = BufReader::new(file);
    let is_trace = command.file.to_string_lossy().ends_with(".itf.json");
    let report = match is_trace {
        true => validator.run_trace(&mut input, &settings),
        false => validator.run(&mut input, &settings),
    };
    bar.clear();
    let report = report.map_err(|source| HistoryFileError::History {
        path: path(),
        source,
    })?;
    let mut failures = Failures::default();
    let mut print = || {
        if command.json {
            json::print(&report, output)?;
        } else if !command.quiet {
            write!(output, "{}", report.text(options))?;
        }
        output.flush()
    };
    failures.keep(print());
    #[cfg(feature = "pictures")]
    if let Some(page) = page {
        let html = crate::pictures::check::html(&report, page.command);
        failures.keep(page.write(&html, cancel));
    }
    failures.or(match report.verdict {
        Some(Verdict::Holds) => Status::Success,
        Some(Verdict::Violated) => Status::Violated,
        Some(Verdict::Incomplete | Verdict::NoneDeclared | Verdict::Untested) | None => {
            Status::Incomplete
        }
    })
}
