//! `validate`: decides whether a recorded history is a behaviour of a specification.

use std::fs::File;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::attended::attended;
use super::command::ValidateCommand;
use super::error::{CommandError, HistoryFileError};
use super::failures::Failures;
#[cfg(feature = "pictures")]
use super::files::Files;
#[cfg(feature = "pictures")]
use super::page_file::PageFile;
use super::program::Program;
use super::status::Status;
use super::{json, progress};
use crate::catalogue::ValidatorError;
use refmap::explore::{Watch, Watchdog};
use refmap::report::{Report, TextOptions, Verdict};
use refmap_histories::foreign::Format;
use refmap_histories::{Interrupted, Settings, Source};

/// Opens the history. That takes until there is a writer, if it is a pipe with a name.
fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

/// Number of bytes below which nothing is said of a beginning: a pipe may have handed over a part of a word.
const FEW: usize = 16;

/// Format of another tool, if the input begins like one. What cannot be read is told by whoever reads it.
fn foreign(input: &mut Source<'_>) -> Option<Format> {
    let beginning = input.fill_buf().ok()?;
    (beginning.len() >= FEW).then(|| Format::of(beginning))?
}

pub(super) fn run(
    program: Program<'_>,
    command: &ValidateCommand,
    cancel: &AtomicBool,
    options: TextOptions,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let validator = program
        .catalogue
        .all_validators()
        .find(|validator| validator.name == command.against)
        .expect("the command line knows the validators of the catalogue only");
    let path = || command.file.clone();
    let bar = progress::Bar::new(command.quiet, validator.name, 0, command.limits);
    #[cfg(feature = "pictures")]
    let page = match &command.html {
        Some(page) => {
            let files = &mut Files::reading(std::slice::from_ref(&command.file));
            Some(PageFile::prepare(page, files)?)
        }
        None => None,
    };
    let work = |watchdog: &Watchdog| -> Result<Report, HistoryFileError> {
        let settings = Settings {
            criterion: command.criterion,
            configurations: command.configurations,
            buffer: command.buffer,
            limits: command.limits,
            watch: Watch {
                cancel: Some(cancel),
                progress: Some(&|progress| {
                    watchdog.note(progress);
                    bar.show(validator.name, progress);
                }),
            },
            ..Settings::default()
        };
        let file = path();
        let opened = match Source::open(move || open(&file), &settings) {
            Ok(input) => Ok(input),
            Err(source) => match Interrupted::in_error(&source) {
                Some(limit) => Err(limit),
                None => {
                    let path = path();
                    return Err(HistoryFileError::Open { path, source });
                }
            },
        };
        let is_trace = command.file.to_string_lossy().ends_with(".itf.json");
        let given = &command.parameters;
        let report = match opened {
            Ok(mut input) if is_trace => validator.run_trace(&mut input, given, &settings),
            Ok(mut input) => match foreign(&mut input) {
                Some(format) => {
                    validator.run_foreign(&mut input, format, command.keyed, given, &settings)
                }
                None if given.is_empty() => validator.run(&mut input, &settings),
                None => Err(ValidatorError::GivenTwice),
            },
            Err(limit) => Ok(validator.unread(limit, &settings)),
        };
        report.map_err(|source| HistoryFileError::History {
            path: path(),
            source,
        })
    };
    attended(
        program,
        validator.name,
        command.limits,
        cancel,
        work,
        |report| {
            bar.clear();
            let report = match report {
                Ok(report) => report?,
                Err(held_up) => validator.unreturned(command.criterion, &held_up.by),
            };
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
        },
    )
}
