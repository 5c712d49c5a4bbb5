//! Command line: parses the arguments, runs the command, and writes its results.

mod arguments;
mod attended;
mod broken_pipe;
mod checkpoint;
mod claim_grammar;
mod command;
#[cfg(feature = "shell")]
mod completions;
mod ending;
mod error;
#[cfg(feature = "pictures")]
mod explore;
mod failures;
mod feature;
#[cfg(feature = "programs")]
mod fences;
mod files;
mod grammar;
#[cfg(feature = "graph")]
mod graph;
#[cfg(feature = "inclusion")]
mod include;
mod junit;
mod listing;
#[cfg(feature = "programs")]
mod litmus;
#[cfg(feature = "shell")]
mod man;
mod new;
mod offered;
#[cfg(feature = "pictures")]
mod page_file;
#[cfg(feature = "distributed")]
mod processes;
mod program;
mod progress;
mod run_all;
mod signals;
mod size;
mod status;
#[cfg(feature = "histories")]
mod stress;
mod suggested;
mod table;
mod terminal;
mod trace_file;
#[cfg(feature = "histories")]
mod validate;
mod visible;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

use attended::attended;
use broken_pipe::Tolerant;
pub(crate) use claim_grammar::ClaimGrammar;
use clap::error::ErrorKind;
use command::{CheckCommand, Command};
use ending::UnderWay;
use failures::Failures;
use files::Files;
use junit::{JunitFile, Suite};
use offered::with_offered;
use program::Program;
use terminal::Screen;
use trace_file::{TraceFile, Traced};
use visible::{Visible, tell};

#[cfg(feature = "histories")]
pub use error::HistoryFileError;
pub use error::{CommandError, LastCheckpoint};
pub use junit::JunitFileError;
pub use size::SizeError;
pub use status::Status;
pub use trace_file::TraceFileError;

use crate::catalogue::{Catalogue, Check, InputError};
use crate::json;
use crate::output_file::Unwritten;
use refmap::explore::{Checkpoints, Progress, Watch, Watchdog};
use refmap::internal::explore::PeersError;
use refmap::internal::{TextOptions, visible_lines};
use refmap::obligation::{CheckError, Settings};
use refmap::report::Verdict;

/// Cancellation flag of the process, which signal handlers set.
static CANCELLED: AtomicBool = AtomicBool::new(false);

/// Carries out the command of the process's arguments. A first Ctrl-C ends it with a partial report, a second one
/// at once. The signals to terminate and to hang up have the same effect, unless the process was started with them
/// ignored. A model that ends the process by `exit` is no success.
pub fn main(name: &'static str, about: &'static str, catalogue: &Catalogue) -> ExitCode {
    signals::watch(&CANCELLED);
    let _under_way = UnderWay::begin();
    // Not locked: a model that prints would wait for the lock as long as it is held.
    let mut output = io::stdout();
    let words = std::env::args_os();
    let screen = terminal::standard_output();
    let program = Program {
        name,
        about,
        catalogue,
        end: Some(end),
    };
    let status = carry_out(program, words, &CANCELLED, screen, &mut output);
    ExitCode::from(told(status) as u8)
}

/// Ends the process, whatever its threads do.
fn end(status: Result<Status, CommandError>) -> ! {
    let status = told(status);
    crate::temporary::remove_all();
    ending::exit(status)
}

/// Status of a command that was carried out, or an error that is told.
fn told(status: Result<Status, CommandError>) -> Status {
    match status {
        Ok(status) => status,
        Err(CommandError::Usage(error)) if error.use_stderr() => {
            if in_colours(&error) {
                drop(error.print());
            } else {
                tell(error.to_string().trim_end());
            }
            Status::Unusable
        }
        // To clap, help and version are errors; they go to standard output.
        Err(CommandError::Usage(error)) => match help(&error, &mut io::stdout()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                refused(&CommandError::Output(error))
            }
            _ => Status::Success,
        },
        Err(error) => refused(&error),
    }
}

/// Reports why a command could not be carried out.
fn refused(error: &CommandError) -> Status {
    tell(&error.to_string());
    error.status()
}

/// True if clap's message can be printed in its colours: it repeats words of the command, which might have control characters.
fn in_colours(error: &clap::Error) -> bool {
    let text = error.to_string();
    visible_lines(&text) == text
}

fn help(error: &clap::Error, output: &mut impl Write) -> io::Result<()> {
    if in_colours(error) {
        error.print()?;
    } else {
        output.write_all(visible_lines(&error.to_string()).as_bytes())?;
    }
    output.flush()
}

/// Carries out a command, `words` with the program's name first, and writes results to `output`, formatted with
/// `options`. If `cancel` is set, the command ends with the results decided so far. The command itself sets
/// `cancel` when results can no longer be written. A closed pipe is not an error: the status is that of what was
/// decided. A call of a model that does not return holds this function up: [`main`] alone can end it, with its process.
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
    let program = Program {
        name,
        about,
        catalogue,
        end: None,
    };
    carry_out(program, words, cancel, screen, output)
}

fn carry_out(
    program: Program<'_>,
    words: impl IntoIterator<Item = OsString>,
    cancel: &AtomicBool,
    screen: Screen,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let Program {
        name,
        about,
        catalogue,
        ..
    } = program;
    let options = screen.options;
    let words: Vec<OsString> = words.into_iter().collect();
    let command = match arguments::parse(name, about, catalogue, &words) {
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            let is_named = |check: &Check| words.iter().any(|word| *word == *check.name);
            return with_offered(program, cancel, is_named, |offered| {
                let help = grammar::command(name, about, catalogue, offered);
                let help = help.try_get_matches_from(&words).err();
                let help = help.filter(|help| help.kind() == ErrorKind::DisplayHelp);
                Err(help.unwrap_or(error).into())
            });
        }
        command => command?,
    };
    // A command that writes files goes on when nobody reads what is printed.
    let goes_on = AtomicBool::new(false);
    let unread = if command.writes_files() {
        &goes_on
    } else {
        cancel
    };
    let raw = &mut Tolerant::new(output, unread);
    // A script and a manual page are read by programs.
    let command = match command {
        #[cfg(feature = "shell")]
        Command::Completions(shell) => {
            return with_offered(
                program,
                cancel,
                |_| true,
                |offered| {
                    let grammar = grammar::command(name, about, catalogue, offered);
                    completions::print(grammar, shell, raw)?;
                    Ok(Status::Success)
                },
            );
        }
        #[cfg(feature = "shell")]
        Command::Man(path) => {
            let is_named = |check: &Check| path.iter().any(|name| *name == *check.name);
            return with_offered(program, cancel, is_named, |offered| {
                let grammar = grammar::command(name, about, catalogue, offered);
                raw.write_all(man::page(grammar, &path)?.as_bytes())?;
                Ok(Status::Success)
            });
        }
        command => command,
    };
    let output = &mut Visible::new(raw, options.colour);
    let status = match command {
        Command::RunAll(command) => run_all::run(program, &command, cancel, screen, output),
        #[cfg(feature = "shell")]
        Command::Completions(_) | Command::Man(_) => unreachable!("they are printed as they are"),
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
        Command::Explore(command) => explore::run(program, &command, cancel, output),
        #[cfg(feature = "programs")]
        Command::Fences(command) => fences::run(program, &command, cancel, options, output),
        #[cfg(feature = "graph")]
        Command::Graph(command) => graph::run(&command, cancel, output),
        #[cfg(feature = "inclusion")]
        Command::Include(command) => include::run(program, &command, cancel, output),
        #[cfg(feature = "programs")]
        Command::Litmus(command) => litmus::run(&command, cancel, output),
        #[cfg(feature = "histories")]
        Command::Stress(command) => stress::run(program, &command, cancel, options, output),
        #[cfg(feature = "histories")]
        Command::Validate(command) => validate::run(program, &command, cancel, options, output),
    };
    // Of a command that fails, too, what was printed is seen.
    let flushed = output.flush();
    let status = status?;
    flushed?;
    Ok(status)
}

fn check(
    program: Program<'_>,
    command: &CheckCommand,
    cancel: &AtomicBool,
    options: TextOptions,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let files = &mut Files::default();
    let trace_file = TraceFile::prepare(command.trace.as_deref(), files)?;
    #[cfg(feature = "pictures")]
    let page = page_file::PageFile::prepare(command.html.as_ref(), files)?;
    let junit = JunitFile::prepare(command.junit.as_deref(), files)?;
    #[cfg(feature = "distributed")]
    let joined = match &command.company {
        Some(company) => match company.join(cancel) {
            Ok(joined) => Some(joined),
            Err(error) => {
                let mut failures = Failures::default();
                if let Some(junit) = junit {
                    let suite = Suite::of_error(program.name, &command.check, &error);
                    failures.keep(junit.write(&suite, cancel));
                }
                failures.keep(Err::<(), _>(error));
                return failures.or(Status::Unusable);
            }
        },
        None => None,
    };
    let bar = progress::Bar::new(command.quiet, &command.check, 0, command.settings.limits);
    let check = program.catalogue.check(&command.check)?;
    #[cfg(feature = "distributed")]
    let peers = joined.as_ref().map(processes::Joined::peers);
    let work = |watchdog: &Watchdog| {
        let show = |progress: &Progress| {
            watchdog.note(progress);
            bar.show(&command.check, progress);
        };
        let settings = Settings {
            #[cfg(feature = "distributed")]
            peers,
            watch: Watch {
                cancel: Some(cancel),
                progress: Some(&show),
            },
            ..command.settings.clone()
        };
        let report = check.run(&command.arguments, &settings);
        // Other checks are built for that, which may not return either.
        report.map_err(|error| program.catalogue.with_able(check.name, error))
    };
    let limits = command.settings.limits;
    attended(program, &command.check, limits, cancel, work, |report| {
        let unreturned = report.as_ref().err().map(|held_up| held_up.by.function());
        let is_unreturned = unreturned.is_some();
        let report =
            report.unwrap_or_else(|held_up| Ok(check.unreturned(&command.arguments, &held_up.by)));
        bar.clear();
        let mut failures = Failures::default();
        #[cfg(feature = "distributed")]
        match (joined, &unreturned) {
            (Some(joined), Some(function)) => joined.leave(&format!("{function} did not return")),
            (Some(joined), None) if report.is_ok() => {
                failures.keep(joined.finish());
            }
            _ => (),
        }
        if let Some(junit) = junit {
            let suite = match &report {
                Ok(report) => Suite::of_report(program.name, report, command.expect),
                Err(error) => Suite::of_error(program.name, &command.check, error),
            };
            failures.keep(junit.write(&suite, cancel));
        }
        let report = match report {
            Ok(report) => report,
            Err(error) => {
                failures.keep(Err::<(), _>(lost(error, &command.settings)));
                return failures.or(Status::Unusable);
            }
        };
        let mut print = || {
            if command.json {
                json::print(&report, output)?;
            } else if !command.quiet {
                let options = TextOptions {
                    detail: command.detail,
                    ..options
                };
                write!(output, "{}", report.text(options))?;
                if let Some(line) =
                    suggested::suggested(program.name, &report, &command.arguments, options.width)
                {
                    writeln!(output, "\n{line}")?;
                }
            }
            output.flush()
        };
        failures.keep(print());
        #[cfg(feature = "pictures")]
        if let Some(page) = page {
            let html = crate::pictures::check::html(&report, page.command);
            failures.keep(page.write(&html, cancel));
        }
        if let Some(file) = trace_file
            && let Some(traced) = failures.keep(file.write(program.name, &report, cancel))
        {
            untraced(traced, command);
        }
        let status = match (command.expect, report.verdict) {
            (Some(expected), Some(verdict)) if expected == verdict => Status::Success,
            (Some(expected), found) => {
                let found = found.map_or("no verdict".to_owned(), |found| found.to_string());
                tell(&format!(
                    "error: the verdict was expected to be {expected}, and is {found}"
                ));
                Status::Violated
            }
            (None, None) if is_unreturned => Status::Incomplete,
            (None, None | Some(Verdict::Holds)) => Status::Success,
            (None, Some(Verdict::Violated)) => Status::Violated,
            (None, Some(_)) => Status::Incomplete,
        };
        failures.or(status)
    })
}

/// The error of a check, which names the checkpoint from which it goes on if a process was lost.
fn lost(error: InputError, settings: &Settings<'_>) -> CommandError {
    if !matches!(
        error,
        InputError::Check(CheckError::Peers(PeersError::Lost { .. }))
    ) {
        return error.into();
    }
    let folder = settings.checkpoints.as_ref().map(|of| of.folder.clone());
    let checkpoint = match folder {
        Some(folder) if Checkpoints::label_of(&folder).is_ok() => LastCheckpoint::Of(folder),
        Some(_) => LastCheckpoint::NotYet,
        None => LastCheckpoint::NotAsked,
    };
    CommandError::Lost { error, checkpoint }
}

/// Reports that no counterexample was written. If a file of an earlier run exists, the report names it even with
/// `--quiet`, since it could be mistaken for one of this run.
fn untraced(traced: Traced, command: &CheckCommand) {
    let more = match (traced, &command.trace) {
        (Traced::Unwritten(Unwritten::Earlier), Some(path)) => {
            format!("; {} is of an earlier run", path.display())
        }
        (Traced::Unwritten(Unwritten::Nothing), _) if !command.quiet => String::new(),
        _ => return,
    };
    tell(&format!("no counterexample, so no trace was written{more}"));
}
