//! `include`: compares what can be observed of two systems, without a mapping.

#[cfg(feature = "pictures")]
use std::io;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use refmap::explore::{Limits, Progress, Watch, Watchdog};
use refmap::inclusion::{Comparison, Included, Inclusion};
use refmap::internal::explore::Clock;
use refmap::internal::inclusion::{LabelledGraph, Labels, check_graphs};
use refmap::internal::input::Source;
use refmap::internal::plain;
use refmap::obligation::CheckError;
use serde::Serialize;
use serde_json::{Map, Value};

use super::attended::attended;
use super::command::{Compared, IncludeCommand};
use super::error::{CommandError, GraphFileError};
use super::failures::Failures;
#[cfg(feature = "pictures")]
use super::files::Files;
use super::grammar::INCLUDE;
#[cfg(feature = "pictures")]
use super::page_file::PageFile;
use super::program::Program;
use super::progress::Bar;
use super::status::Status;
use crate::aldebaran::{AldebaranError, read};
use crate::catalogue::{Arguments, InputError};
use crate::json;
#[cfg(feature = "pictures")]
use crate::pictures::include::{Page, Within};

/// An inclusion with the names of what is compared.
#[derive(Serialize)]
pub(super) struct Named<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    check: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<[String; 2]>,
    #[serde(flatten)]
    inclusion: &'a Inclusion,
}

impl<'a> Named<'a> {
    /// That of the systems of a check.
    pub fn of_check(name: &'a str, arguments: &'a Arguments, inclusion: &'a Inclusion) -> Self {
        Self {
            check: Some(name),
            parameters: Some(arguments.values()),
            files: None,
            inclusion,
        }
    }

    /// The files, or the check with its parameters.
    fn heading(&self) -> String {
        let files = self.files.iter().map(|files| files.join(" in "));
        let check = self.check.iter().map(|check| (*check).to_owned());
        let values = self.parameters.into_iter().flatten();
        let parameters = values.map(|(name, value)| format!("  {name} {}", plain(value)));
        files.chain(check).chain(parameters).collect()
    }

    /// The page of it, on one of its own or on one of an explorer.
    #[cfg(feature = "pictures")]
    pub fn html(&self, command: &str, within: Option<Within<'_>>) -> serde_json::Result<String> {
        let answer = serde_json::to_value(self)?;
        let page = Page {
            compared: &self.heading(),
            inclusion: self.inclusion,
            command,
            answer: &answer,
            within,
        };
        Ok(page.html())
    }
}

/// Compares the systems of a check, or two explicit ones.
pub(super) fn run(
    program: Program<'_>,
    command: &IncludeCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let limits = command.comparison.limits;
    #[cfg(feature = "pictures")]
    let page = PageFile::prepare(
        command.html.as_ref(),
        &mut match &command.compared {
            Compared::Check { .. } => Files::default(),
            Compared::Files(files) => Files::reading(files),
        },
    )?;
    let label: &str = match &command.compared {
        Compared::Check { name, .. } => name,
        Compared::Files(_) => INCLUDE,
    };
    let bar = Bar::new(command.quiet, label, 0, limits);
    let compare = |watchdog: &Watchdog| -> Result<Inclusion, CommandError> {
        let show = |progress: &Progress| {
            watchdog.note(progress);
            bar.show(label, progress);
        };
        let comparison = Comparison {
            watch: Watch {
                cancel: Some(cancel),
                progress: Some(&show),
            },
            ..command.comparison.clone()
        };
        match &command.compared {
            Compared::Check { name, arguments } => {
                let check = program.catalogue.check(name)?;
                Ok(check.include(arguments, &comparison)?)
            }
            Compared::Files([implementation, specification]) => {
                of_files(implementation, specification, &comparison)
            }
        }
    };
    attended(program, INCLUDE, limits, cancel, compare, |inclusion| {
        bar.clear();
        let inclusion = inclusion.unwrap_or_else(|held_up| Ok(held_up.by.inclusion()))?;
        let named = match &command.compared {
            Compared::Check { name, arguments } => Named::of_check(name, arguments, &inclusion),
            Compared::Files(files) => Named {
                check: None,
                parameters: None,
                files: Some(files.each_ref().map(|file| file.display().to_string())),
                inclusion: &inclusion,
            },
        };
        let mut failures = Failures::default();
        let mut print = || {
            if command.json {
                json::print(&named, output)?;
            } else if !command.quiet {
                write!(output, "{}\n{inclusion}", named.heading())?;
            }
            output.flush()
        };
        failures.keep(print());
        #[cfg(feature = "pictures")]
        if let Some(page) = page {
            let html = named.html(page.command, None);
            if let Some(html) = failures.keep(html.map_err(io::Error::from)) {
                failures.keep(page.write(&html, cancel));
            }
        }
        failures.or(match inclusion.verdict {
            Included::Included => Status::Success,
            Included::NotIncluded => Status::Violated,
            Included::Incomplete => Status::Incomplete,
        })
    })
}

fn of_files(
    implementation: &Path,
    specification: &Path,
    comparison: &Comparison<'_>,
) -> Result<Inclusion, CommandError> {
    let clock = Clock::new(comparison.limits, comparison.watch);
    // What is left of the time, when they are read, is that of the comparison.
    let comparison = &Comparison {
        limits: Limits {
            since: Some(clock.started),
            ..comparison.limits
        },
        ..comparison.clone()
    };
    let mut labels = Labels::new();
    let mut graph = |file: &Path| -> Result<LabelledGraph, GraphFileError> {
        let opened = Source::file(file, clock).map_err(|error| AldebaranError::at(1, error));
        let graph = opened.and_then(|input| read(input, &mut labels, &clock));
        graph.map_err(|error| GraphFileError {
            file: file.to_owned(),
            error,
        })
    };
    let graphs = graph(implementation).and_then(|one| Ok([one, graph(specification)?]));
    match graphs {
        Ok([implementation, specification]) => {
            let inclusion = check_graphs(&implementation, &specification, &labels, comparison);
            Ok(inclusion
                .map_err(CheckError::from)
                .map_err(InputError::from)?)
        }
        Err(error) => match error.error {
            AldebaranError::Interrupted { interrupted, .. } => {
                let seconds = clock.started.elapsed().as_secs_f64();
                let far = error.to_string();
                Ok(Inclusion::unread(interrupted.limit, far, seconds))
            }
            _ => Err(error.into()),
        },
    }
}
