//! Command line: parses the arguments, runs the command, and writes its results.

mod arguments;
mod broken_pipe;
// Without pictures nothing reads which page is to be written.
#[cfg_attr(not(feature = "pictures"), allow(dead_code))]
mod command;
mod completions;
#[cfg(feature = "pictures")]
mod explore;
mod fences;
mod grammar;
mod graph;
mod json;
mod junit;
mod listing;
mod litmus;
mod man;
mod new;
mod output_file;
#[cfg(feature = "pictures")]
mod page_file;
mod progress;
mod run_all;
mod signals;
mod size;
mod stress;
mod table;
mod terminal;
mod trace_file;
mod validate;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use broken_pipe::Tolerant;
use command::{CheckCommand, Command};
use junit::{JunitFile, Suite};
use terminal::Screen;
use trace_file::{TraceFile, Traced};

pub use junit::JunitFileError;
pub use listing::markdown;
pub use new::NewProjectError;
pub use output_file::{OutputFile, Unwritten};
#[cfg(feature = "pictures")]
pub use page_file::PageFileError;
pub use size::SizeError;
pub use trace_file::TraceFileError;
pub use validate::HistoryFileError;

use crate::catalogue::{Catalogue, InputError};
use refmap::explore::Watch;
use refmap::obligation::Settings;
use refmap::report::{TextOptions, Verdict};

/// Exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Every obligation holds, or the expected results came about.
    Success = 0,
    /// An obligation is violated, or a result differs from the expected one.
    Violated = 1,
    /// The command or its input is invalid.
    Unusable = 2,
    /// The search stopped before anything could be claimed.
    Incomplete = 3,
}

/// Error: a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Invalid arguments of the command.
    #[error(transparent)]
    Usage(#[from] clap::Error),
    /// Invalid input of a check.
    #[error("error: {0}")]
    Input(#[from] InputError),
    /// The counterexample cannot be written.
    #[error("error: {0}")]
    TraceFile(#[from] TraceFileError),
    /// The page cannot be written.
    #[cfg(feature = "pictures")]
    #[error("error: {0}")]
    PageFile(#[from] PageFileError),
    /// The explorer cannot be started.
    #[cfg(feature = "pictures")]
    #[error("error: {0}")]
    Explorer(#[from] crate::pictures::explorer::ExplorerError),
    /// The check does not hand over its refinement.
    #[cfg(feature = "pictures")]
    #[error("error: {check} cannot be explored: it does not run `refmap::check`")]
    Unexplorable {
        /// The check.
        check: String,
    },
    /// The results cannot be written for a build server.
    #[error("error: {0}")]
    JunitFile(#[from] JunitFileError),
    /// The history cannot be validated.
    #[error("error: {0}")]
    History(#[from] HistoryFileError),
    /// The project cannot be written.
    #[error("error: {0}")]
    NewProject(#[from] NewProjectError),
    /// The results cannot be written.
    #[error("error: cannot write the results: {0}")]
    Output(#[from] io::Error),
}

/// Cancellation flag of the process, which signal handlers set.
static CANCELLED: AtomicBool = AtomicBool::new(false);

/// Carries out the command of the process's arguments. A first Ctrl-C ends it with a partial report, a second one
/// at once. The signals to terminate and to hang up have the same effect, unless the process was started with them
/// ignored.
pub fn main(name: &'static str, about: &'static str, catalogue: &Catalogue) -> ExitCode {
    signals::watch(&CANCELLED);
    // Not locked: a model that prints would wait for the lock as long as it is held.
    let mut output = io::stdout();
    let words = std::env::args_os();
    let screen = terminal::standard_output();
    let program = (name, about, catalogue);
    let status = carry_out(program, words, &CANCELLED, screen, &mut output);
    let status = match status {
        Ok(status) => status,
        Err(CommandError::Usage(error)) if error.use_stderr() => {
            let _ = error.print();
            Status::Unusable
        }
        // To clap, help and version are errors; they go to standard output.
        Err(CommandError::Usage(error)) => match error.print().and_then(|()| output.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                refused(&CommandError::Output(error))
            }
            _ => Status::Success,
        },
        Err(error) => refused(&error),
    };
    ExitCode::from(status as u8)
}

/// Reports why a command could not be carried out.
fn refused(error: &CommandError) -> Status {
    let _ = writeln!(io::stderr(), "{error}");
    Status::Unusable
}

/// Carries out a command, `words` with the program's name first, and writes results to `output`, formatted with
/// `options`. If `cancel` is set, the command ends with the results decided so far. The command itself sets
/// `cancel` when results can no longer be written. A closed pipe is not an error: the status is that of what was
/// decided.
///
/// # Errors
///
/// If the command or its input is invalid, or results cannot be written to an open output.
pub fn run(
    name: &'static str,
    about: &'static str,
    catalogue: &Catalogue,
    words: impl IntoIterator<Item = OsString>,
    cancel: &AtomicBool,
    options: TextOptions,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let screen = Screen {
        options,
        columns: None,
    };
    carry_out((name, about, catalogue), words, cancel, screen, output)
}

fn carry_out(
    (name, about, catalogue): (&'static str, &'static str, &Catalogue),
    words: impl IntoIterator<Item = OsString>,
    cancel: &AtomicBool,
    screen: Screen,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let output = &mut Tolerant::new(output, cancel);
    let program = (name, catalogue);
    let options = screen.options;
    match arguments::parse(name, about, catalogue, words)? {
        Command::RunAll(command) => run_all::run(program, &command, cancel, screen, output),
        Command::Completions(shell) => {
            let grammar = grammar::command(name, about, catalogue);
            completions::print(grammar, shell, output)?;
            Ok(Status::Success)
        }
        Command::Man(path) => {
            man::print(grammar::command(name, about, catalogue), &path, output)?;
            Ok(Status::Success)
        }
        Command::List(listing) => {
            listing::list(name, catalogue, listing, options.width, output)?;
            Ok(Status::Success)
        }
        Command::New(command) => {
            output.write_all(new::write(&command)?.as_bytes())?;
            Ok(Status::Success)
        }
        Command::Table(command) => table::run(program, &command, cancel, output),
        Command::Check(command) => check(program, &command, cancel, options, output),
        #[cfg(feature = "pictures")]
        Command::Explore(command) => explore::run(catalogue, &command, cancel, output),
        Command::Fences(command) => fences::run(catalogue, &command, cancel, options, output),
        Command::Graph(command) => graph::run(&command, cancel, output),
        Command::Litmus(command) => litmus::run(&command, cancel, output),
        Command::Stress(command) => stress::run(catalogue, &command, cancel, options, output),
        Command::Validate(command) => validate::run(catalogue, &command, cancel, options, output),
    }
}

fn check(
    (program, catalogue): (&str, &Catalogue),
    command: &CheckCommand,
    cancel: &AtomicBool,
    options: TextOptions,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let trace_file = command.trace.as_deref().map(TraceFile::prepare);
    let trace_file = trace_file.transpose()?;
    #[cfg(feature = "pictures")]
    let page = command
        .html
        .as_ref()
        .map(page_file::PageFile::prepare)
        .transpose()?;
    let junit = command.junit.as_deref().map(JunitFile::prepare);
    let junit = junit.transpose()?;
    let bar = progress::Bar::new(command.quiet, &command.check, 0, command.limits);
    let settings = Settings {
        search: command.search,
        order: command.order,
        storage: command.storage,
        symmetry: command.symmetry,
        threads: command.threads,
        limits: command.limits,
        obligations: command.obligations.clone(),
        induction: command.induction,
        liveness: command.liveness,
        until: command.until,
        warnings: command.warnings,
        watch: Watch {
            cancel: Some(cancel),
            progress: Some(&|progress| bar.show(&command.check, progress)),
        },
        #[cfg(feature = "pictures")]
        step_through: None,
    };
    let given: Vec<_> = command
        .arguments
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    let report = catalogue.check(&command.check)?.run(&given, &settings);
    bar.clear();
    if let Some(junit) = junit {
        junit.write(&match &report {
            Ok(report) => Suite::of_report(program, report, command.expect),
            Err(error) => Suite::of_error(program, &command.check, error),
        })?;
    }
    let report = report?;
    if command.json {
        json::print(&report, output)?;
    } else if !command.quiet {
        let options = TextOptions {
            detail: command.detail,
            ..options
        };
        write!(output, "{}", report.text(options))?;
    }
    output.flush()?;
    #[cfg(feature = "pictures")]
    if let Some(page) = page {
        let html = crate::pictures::check::html(&report, page.command);
        page.write(&html)?;
    }
    if let Some(file) = trace_file {
        told(file.write(&report)?, command);
    }
    Ok(match (command.expect, report.verdict) {
        (Some(expected), Some(verdict)) if expected == verdict => Status::Success,
        (Some(expected), found) => {
            let found = found.map_or("no verdict".to_owned(), |found| found.to_string());
            let _ = writeln!(
                io::stderr(),
                "error: the verdict was expected to be {expected}, and is {found}"
            );
            Status::Violated
        }
        (None, None | Some(Verdict::Holds)) => Status::Success,
        (None, Some(Verdict::Violated)) => Status::Violated,
        (None, Some(Verdict::Incomplete | Verdict::NoneDeclared | Verdict::Untested)) => {
            Status::Incomplete
        }
    })
}

/// Reports that no counterexample was written. If a file of an earlier run exists, the report names it even with
/// `--quiet`, since it could be mistaken for one of this run.
fn told(traced: Traced, command: &CheckCommand) {
    let more = match (traced, &command.trace) {
        (Traced::Unwritten(Unwritten::Earlier), Some(path)) => {
            format!("; {} is of an earlier run", path.display())
        }
        (Traced::Unwritten(Unwritten::Nothing), _) if !command.quiet => String::new(),
        _ => return,
    };
    let _ = writeln!(
        io::stderr(),
        "no counterexample, so no trace was written{more}"
    );
}
