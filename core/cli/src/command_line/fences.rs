//! `fences`: finds every minimal set of fences with which a program is correct under a memory model.

use std::io::{self, Write};
use std::sync::atomic::AtomicBool;

use super::attended::attended;
use super::command::FencesCommand;
use super::error::CommandError;
use super::program::Program;
use super::progress;
use super::status::Status;
use crate::catalogue::{Comparison, FenceReport};
use crate::json;
use refmap::explore::{Watch, Watchdog};
use refmap::internal::{TextOptions, plain, wrap};
use refmap::obligation::Settings;
use refmap_programs::synthesis::Answer;

pub(super) fn run(
    program: Program<'_>,
    command: &FencesCommand,
    cancel: &AtomicBool,
    options: TextOptions,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let problem = program
        .catalogue
        .fences
        .iter()
        .find(|problem| problem.name == command.problem)
        .expect("the command line knows the problems of the catalogue only");
    let bar = progress::Bar::new(command.quiet, problem.name, 0, command.limits);
    let solve = |watchdog: &Watchdog| {
        let settings = Settings {
            threads: command.threads,
            limits: command.limits,
            watch: Watch {
                cancel: Some(cancel),
                progress: Some(&|progress| {
                    watchdog.note(progress);
                    bar.show(problem.name, progress);
                }),
            },
            ..Settings::default()
        };
        problem.solve(&command.arguments, command.model, &settings)
    };
    attended(
        program,
        problem.name,
        command.limits,
        cancel,
        solve,
        |report| {
            bar.clear();
            let (report, unreturned) = match report {
                Ok(report) => (report?, None),
                Err(held_up) => {
                    held_up.tell();
                    let report = problem.unreturned(&command.arguments, command.model, &held_up.by);
                    (report, Some(held_up.json()))
                }
            };
            if command.json {
                let mut printed = serde_json::to_value(&report).map_err(io::Error::from)?;
                if let Some(unreturned) = unreturned {
                    printed["unreturned"] = unreturned;
                }
                json::print(&printed, output)?;
            } else if !command.quiet {
                let options = TextOptions {
                    detail: command.detail,
                    ..options
                };
                text(&report, options, output)?;
            }
            output.flush()?;
            Ok(match report.synthesis.answer {
                Answer::Mended { .. } => Status::Success,
                Answer::Unmendable { .. } => Status::Violated,
                Answer::Incomplete(_) => Status::Incomplete,
            })
        },
    )
}

fn text(report: &FenceReport, options: TextOptions, output: &mut dyn Write) -> io::Result<()> {
    let mut instance = report.program.clone();
    for (name, value) in &report.parameters {
        instance += &format!("  {name} {}", plain(value));
    }
    writeln!(output, "{instance}")?;
    write!(output, "{}", report.synthesis.text(options))?;
    for published in &report.published {
        writeln!(output)?;
        for line in wrap(&compared(published), options.width, 4) {
            writeln!(output, "{}", line.trim_end())?;
        }
    }
    Ok(())
}

/// Compares a published set with the minimal ones.
fn compared(published: &Comparison) -> String {
    let Comparison {
        source,
        fences,
        suffices,
        superfluous,
        stronger,
    } = published;
    let fences = fences.join(", ");
    let beginning = format!("published in {source}: {fences}.");
    if !suffices {
        return format!("{beginning} It does not suffice.");
    }
    let listed = |lists: &[Vec<String>]| {
        let lists = lists.iter().filter(|fences| !fences.is_empty());
        let lists: Vec<_> = lists.map(|fences| fences.join(", ")).collect();
        lists.join("; or ")
    };
    let more = [
        ("not needed in it", listed(superfluous)),
        ("a weaker one is enough for", listed(stronger)),
    ];
    let more = more.iter().filter(|(_, fences)| !fences.is_empty());
    let more: Vec<_> = more
        .map(|(what, fences)| format!("{what}: {fences}"))
        .collect();
    if more.is_empty() {
        format!("{beginning} It is minimal.")
    } else {
        format!(
            "{beginning} It suffices, and is not minimal: {}.",
            more.join("; ")
        )
    }
}
