//! `graph`: decides the properties of explicit fair transition systems. Each is told as soon as it is decided, so that
//! memory is that of the longest line, and of the names that are to be distinct.

mod answer;
#[cfg(feature = "pictures")]
mod page;
mod text;

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use refmap::explore::{Limit, Watch};
use refmap::internal::explore::Clock;
use refmap::internal::input::{Interrupted, LimitedReader, Source};
use refmap::internal::liveness::{Fault, Lasso};
use refmap::internal::visible;
use serde_json::{Value, json};

use self::answer::Answer;
#[cfg(feature = "pictures")]
use self::page::ShownPage;
use self::text::Ways;
use super::command::GraphCommand;
use super::error::CommandError;
use super::failures::Failures;
#[cfg(feature = "pictures")]
use super::files::Files;
#[cfg(feature = "pictures")]
use super::page_file::PageFile;
use super::status::Status;
use super::visible::tell;
use crate::graph::{
    Decided, Decider, GraphError, LONGEST_LINE, Lines, Property, System, Undecided, read,
};

/// Error: a file or a line has no result.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("the line is longer than {} MiB", LONGEST_LINE >> 20)]
    TooLong,
    #[error(transparent)]
    Graph(#[from] GraphError),
    #[error("there is no system in the file")]
    Nothing,
    #[error("interrupted by {0}: neither this nor what follows is decided")]
    Limit(Limit),
    #[error("interrupted: {0}; neither this nor what follows is decided")]
    Reading(Interrupted),
    #[error(
        "interrupted by {limit}: neither the property `{property}` nor what follows is decided"
    )]
    AtProperty { property: String, limit: Limit },
    #[error(
        "property `{property}`: a fault of this program, so nothing is said of the property: {fault}"
    )]
    Fault { property: String, fault: Fault },
}

/// Place of what is told: a file, and the line where it is about one.
#[derive(Clone, Copy)]
struct Place<'f> {
    file: &'f str,
    line: Option<u64>,
}

/// Output of the results, in either form.
enum Output<'o> {
    Text(&'o mut dyn Write),
    Json(Answer<'o>),
}

/// Results so far.
struct Results<'a> {
    clock: Clock<'a>,
    output: Output<'a>,
    /// Error that ended the output, where a page is still to be made.
    output_failed: Option<io::Error>,
    /// True if something was left undecided since a limit was reached, or the command was cancelled.
    interrupted: bool,
    status: Status,
    #[cfg(feature = "pictures")]
    page: Option<ShownPage>,
}

/// Decides the systems of every file until a limit is reached, or the command is cancelled. Reports lines that cannot be read, and continues with
/// the others.
pub(super) fn run(
    command: &GraphCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    #[cfg(feature = "pictures")]
    let page = PageFile::prepare(command.html.as_ref(), &mut Files::reading(&command.files))?;
    let watch = Watch {
        cancel: Some(cancel),
        ..Watch::default()
    };
    let mut results = Results {
        clock: Clock::new(command.limits, watch),
        output: if command.json {
            Output::Json(Answer::new(output))
        } else {
            Output::Text(output)
        },
        output_failed: None,
        interrupted: false,
        status: Status::Success,
        #[cfg(feature = "pictures")]
        page: page.as_ref().map(|page| ShownPage::new(page.command)),
    };
    results.files(&command.files)?;
    #[cfg(feature = "pictures")]
    let shown = results.page.take();
    let mut failures = Failures::default();
    let ended = failures.keep(results.end());
    #[cfg(feature = "pictures")]
    if let (Some(page), Some(shown)) = (page, shown) {
        failures.keep(page.write(&shown.html(), cancel));
    }
    failures.or(ended.unwrap_or(Status::Unusable))
}

impl Results<'_> {
    fn files(&mut self, files: &[PathBuf]) -> io::Result<()> {
        self.put(|output| match output {
            Output::Text(_) => Ok(()),
            Output::Json(answer) => answer.begin(),
        })?;
        for path in files {
            self.file(path)?;
            if self.interrupted {
                break;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        let file = &path.display().to_string();
        let at = |line| Place { file, line };
        if let Some(limit) = self.clock.out_of_time() {
            return self.interrupt(at(None), &LineError::Limit(limit));
        }
        let input = match Source::file(path, self.clock) {
            Ok(input) => input,
            Err(error) => return self.unread(at(None), error),
        };
        let mut names = HashSet::new();
        let mut last = None;
        for line in Lines::new(input, LONGEST_LINE) {
            let (number, line) = match line {
                Ok(line) => line,
                // Of a file of which no line was read, it is the file.
                Err((number, error)) => {
                    return self.unread(at(Some(number).filter(|number| *number > 1)), error);
                }
            };
            last = Some(number);
            if let Some(limit) = self.clock.out_of_time() {
                return self.interrupt(at(last), &LineError::Limit(limit));
            }
            let system = line.ok_or(LineError::TooLong);
            let read =
                |line: Vec<u8>| match read(LimitedReader::reading(line.as_slice(), self.clock)) {
                    Err(GraphError::Interrupted(interrupted)) => {
                        Err(LineError::Reading(interrupted))
                    }
                    read => Ok(read?),
                };
            let system = system.and_then(read);
            let system = system.and_then(|system| {
                if names.insert(system.name.clone()) {
                    Ok(system)
                } else {
                    Err(GraphError::Name(system.name).into())
                }
            });
            match system {
                Ok(system) => self.system(at(last), &system)?,
                Err(error @ LineError::Reading(_)) => self.interrupt(at(last), &error)?,
                Err(error) => self.refuse(at(last), &error)?,
            }
            if self.interrupted {
                return Ok(());
            }
        }
        match last {
            Some(_) => Ok(()),
            None => self.refuse(at(None), &LineError::Nothing),
        }
    }

    /// Tells why an input is not read to its end.
    fn unread(&mut self, place: Place<'_>, error: io::Error) -> io::Result<()> {
        match Interrupted::in_error(&error) {
            Some(interrupted) => self.interrupt(place, &LineError::Reading(interrupted)),
            None => self.refuse(place, &error.into()),
        }
    }

    fn refuse(&mut self, place: Place<'_>, error: &LineError) -> io::Result<()> {
        self.status = Status::Unusable;
        self.tell(place, error)
    }

    fn interrupt(&mut self, place: Place<'_>, error: &LineError) -> io::Result<()> {
        self.interrupted = true;
        self.tell(place, error)
    }

    /// Tells why a line, or all lines, of a file are not decided.
    fn tell(&mut self, Place { file, line }: Place<'_>, error: &LineError) -> io::Result<()> {
        let place = line.map_or_else(String::new, |line| format!(":{line}"));
        let message = error.to_string();
        let text = format!("{file}{place}: {message}");
        // Errors go to standard error even with `--json`.
        tell(&visible(&text));
        let data = json!({"file": file, "line": line, "message": message});
        self.put(|output| match output {
            Output::Text(_) => Ok(()),
            Output::Json(answer) => answer.error(&data),
        })?;
        #[cfg(feature = "pictures")]
        if let Some(page) = &mut self.page {
            page.error(&text, data);
        }
        Ok(())
    }

    /// Writes to the output. What cannot be written ends the command, but where a page is still to be made.
    fn put(&mut self, write: impl FnOnce(&mut Output<'_>) -> io::Result<()>) -> io::Result<()> {
        if self.output_failed.is_some() {
            return Ok(());
        }
        match write(&mut self.output) {
            Err(error) if self.makes_page() => self.output_failed = Some(error),
            written => written?,
        }
        Ok(())
    }

    #[cfg(feature = "pictures")]
    fn makes_page(&self) -> bool {
        self.page.is_some()
    }

    #[cfg(not(feature = "pictures"))]
    fn makes_page(&self) -> bool {
        false
    }

    fn system(&mut self, place: Place<'_>, system: &System) -> io::Result<()> {
        let decider = match Decider::within(system, self.clock) {
            Ok(decider) => decider,
            Err(limit) => return self.interrupt(place, &LineError::Limit(limit)),
        };
        let warnings: Vec<String> = decider
            .idle_conditions()
            .map(|condition| {
                format!(
                    "the fairness condition `{}` is on an action that is enabled in no state that is reached: it assumes \
                     nothing",
                    condition.name
                )
            })
            .collect();
        self.put(|output| match output {
            Output::Text(output) => text::system(*output, system, &warnings),
            Output::Json(answer) => answer.begin_system(&system.name, &warnings),
        })?;
        let ways = Ways::new(system);
        // What the page shows of it: all at once.
        let mut on_page = Vec::new();
        let mut on_page_as_data = Vec::new();
        for property in &system.properties {
            if let Some(limit) = self.clock.out_of_time_or_memory() {
                let property = property.name.clone();
                self.interrupt(place, &LineError::AtProperty { property, limit })?;
                break;
            }
            let decided = match decider.decide(&property.kind) {
                Ok(decided) => Ok(decided),
                Err(Undecided::Fault(fault)) => Err(fault),
                Err(Undecided::Limit(limit)) => {
                    let property = property.name.clone();
                    self.interrupt(place, &LineError::AtProperty { property, limit })?;
                    break;
                }
            };
            match &decided {
                Ok(decided) => {
                    let data = self.property(&ways, system, property, decided)?;
                    if self.makes_page() {
                        on_page_as_data.push(data);
                    }
                }
                Err(fault) => {
                    let (property, fault) = (property.name.clone(), fault.clone());
                    self.refuse(place, &LineError::Fault { property, fault })?;
                }
            }
            if self.makes_page() {
                on_page.push(decided);
            }
        }
        self.put(|output| match output {
            Output::Text(_) => Ok(()),
            Output::Json(answer) => answer.end_system(),
        })?;
        #[cfg(feature = "pictures")]
        if let Some(page) = &mut self.page {
            let data =
                json!({"name": system.name, "warnings": warnings, "properties": on_page_as_data});
            page.system(&ways, system, &on_page, data);
        }
        Ok(())
    }

    /// Tells what was decided of a property, and returns it as data.
    fn property(
        &mut self,
        ways: &Ways<'_>,
        system: &System,
        property: &Property,
        decided: &Decided,
    ) -> io::Result<Value> {
        let is_pass = decided.vacuous.is_none() && decided.violation.is_none();
        if !is_pass && self.status == Status::Success {
            self.status = Status::Violated;
        }
        let data = as_json(system, &property.name, decided);
        self.put(|output| match output {
            Output::Text(output) => {
                let of = format!("{} {}", property.kind.name(), property.name);
                text::property(*output, ways, &of, decided)
            }
            Output::Json(answer) => answer.property(&data),
        })?;
        Ok(data)
    }

    /// Ends what is written to the output.
    fn end(self) -> Result<Status, CommandError> {
        if let Some(error) = self.output_failed {
            return Err(error.into());
        }
        match self.output {
            Output::Text(output) => output.flush()?,
            Output::Json(answer) => answer.end()?,
        }
        Ok(match self.status {
            Status::Success if self.interrupted => Status::Incomplete,
            status => status,
        })
    }
}

fn as_json(system: &System, property: &str, decided: &Decided) -> Value {
    let lasso = decided.violation.as_ref().map(|(lasso, _)| lasso);
    let given = |at: &u32| system.given[*at as usize];
    let states = lasso.map(|lasso| lasso.states.iter().map(given).collect::<Vec<_>>());
    json!({
        "name": property,
        "verdict": if lasso.is_some() { "violated" } else { "holds" },
        "vacuous": decided.vacuous.is_some(),
        "stem": lasso.map(Lasso::stem),
        "loop": lasso.map(Lasso::loop_length),
        "states": states,
    })
}
