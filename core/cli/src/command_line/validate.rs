//! `validate`: decides whether a recorded history is a behaviour of a specification.

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::attended::attended;
use super::command::ValidateCommand;
use super::error::{CommandError, HistoryFileError};
use super::failures::Failures;
#[cfg(feature = "pictures")]
use super::files::Files;
#[cfg(feature = "pictures")]
use super::page_file::PageFile;
use super::program::Program;
use super::progress;
use super::status::Status;
use crate::catalogue::ValidatorError;
use crate::json;
use refmap::explore::{Limits, Watch, Watchdog};
use refmap::internal::TextOptions;
use refmap::internal::input::{Interrupted, Source};
use refmap::report::{Report, Verdict};
use refmap_histories::Settings;
use refmap_histories::foreign::Format;

/// Number of bytes by which a format is told.
const FEW: usize = 16;

/// Format of another tool, if the input begins like one.
fn foreign(input: &mut Source<'_>) -> io::Result<Option<Format>> {
    Ok(Format::of(input.beginning(FEW)?))
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
    let page = PageFile::prepare(
        command.html.as_ref(),
        &mut Files::reading(std::slice::from_ref(&command.file)),
    )?;
    let work = |watchdog: &Watchdog| -> Result<Report, HistoryFileError> {
        let settings = Settings {
            criterion: command.criterion,
            configurations: command.configurations,
            buffer: command.buffer,
            // To read the history is part of the work.
            limits: Limits {
                since: Some(Instant::now()),
                ..command.limits
            },
            watch: Watch {
                cancel: Some(cancel),
                progress: Some(&|progress| {
                    watchdog.note(progress);
                    bar.show(validator.name, progress);
                }),
            },
            ..Settings::default()
        };
        let is_trace = command.file.to_string_lossy().ends_with(".itf.json");
        let opened = Source::file(&command.file, settings.clock()).and_then(|mut input| {
            let format = if is_trace { None } else { foreign(&mut input)? };
            Ok((input, format))
        });
        let opened = match opened {
            Ok(opened) => Ok(opened),
            Err(source) => match Interrupted::in_error(&source) {
                Some(interrupted) => Err(interrupted),
                None => {
                    let path = path();
                    return Err(HistoryFileError::Open { path, source });
                }
            },
        };
        let given = &command.parameters;
        let report = match opened {
            Ok((mut input, _)) if is_trace => validator.run_trace(&mut input, given, &settings),
            Ok((mut input, Some(format))) => {
                validator.run_foreign(&mut input, format, command.keyed, given, &settings)
            }
            Ok((mut input, None)) if given.is_empty() => validator.run(&mut input, &settings),
            Ok((_, None)) => Err(ValidatorError::GivenTwice),
            Err(interrupted) => Ok(validator.unread(interrupted, None, &settings)),
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
                Some(_) | None => Status::Incomplete,
            })
        },
    )
}
