//! `stress`: runs an implementation on real threads.

use std::convert::Infallible;
use std::io::Write;
use std::sync::atomic::AtomicBool;

use super::attended::attended_parts;
use super::command::StressCommand;
use super::error::CommandError;
use super::failures::Failures;
use super::files::Files;
use super::junit::{JunitFile, Suite};
#[cfg(feature = "pictures")]
use super::page_file::PageFile;
use super::program::Program;
use super::progress;
use super::status::Status;
use crate::catalogue::{Attendance, RecordedHistory, StressReport, StressSettings};
use crate::json;
use crate::shell;
use refmap::explore::Limits;
use refmap::internal::{TextOptions, counted, grouped, plain, wrap};
use refmap::report::Verdict;

pub(super) fn run(
    program: Program<'_>,
    command: &StressCommand,
    cancel: &AtomicBool,
    options: TextOptions,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    let mut runs = program.catalogue.stress.iter();
    let stress = runs
        .find(|stress| stress.name == command.stress)
        .expect("the command line knows the implementations of the catalogue only");
    let attendance = Attendance::default();
    let settings = StressSettings {
        seconds: command.seconds,
        seed: command.seed,
        record: command.record.as_deref(),
        cancel,
        attendance: Some(&attendance),
    };
    let files = &mut Files::default();
    if let Some(Ok(record)) = command
        .record
        .as_deref()
        .map(crate::output_file::OutputFile::prepare)
    {
        // An error of it alone is told by the run.
        let _ = files.add("the history", &record);
    }
    #[cfg(feature = "pictures")]
    let page = PageFile::prepare(command.html.as_ref(), files)?;
    let junit = JunitFile::prepare(command.junit.as_deref(), files)?;
    let label = format!("stress {}", stress.name);
    let limits = Limits {
        seconds: Some(command.seconds),
        ..Limits::default()
    };
    let bar = progress::Bar::new(command.quiet, &label, 0, limits);
    let run = |_: &dyn Fn(Infallible)| stress.run(&command.arguments, &settings);
    let show = |(): &mut (), none| match none {};
    let watchdogs = &attendance.watchdogs;
    attended_parts(program, watchdogs, cancel, (), run, show, |(), report| {
        bar.clear();
        let is_unreturned = report.is_err();
        let report = match report {
            Ok(report) => report?,
            Err(held_up) => stress.unreturned(&command.arguments, &settings, &held_up.by),
        };
        let again = report.failure.as_ref().map(|failure| {
            let words = ["stress", stress.name].into_iter();
            shell::command(words.chain(failure.command.iter().map(String::as_str)))
        });
        let mut failures = Failures::default();
        let mut print = || {
            if command.json {
                json::print(&report, output)?;
            } else if !command.quiet {
                for line in lines(&report) {
                    for line in wrap(&line, options.width, 4) {
                        writeln!(output, "{}", line.trim_end())?;
                    }
                }
                if let Some(again) = &again {
                    // On one line, whatever its length, so that it can be copied.
                    writeln!(output, "again:\n    {again}")?;
                }
            }
            output.flush()
        };
        failures.keep(print());
        #[cfg(feature = "pictures")]
        if let Some(page) = page {
            let html = crate::pictures::stress::html(&report, again.as_deref(), page.command);
            failures.keep(page.write(&html, cancel));
        }
        if let Some(junit) = junit {
            let suite = Suite::of_stress(program.name, &report, again.as_deref());
            failures.keep(junit.write(&suite, cancel));
        }
        if let Some(error) = &report.unrecorded {
            failures.keep(Err::<(), _>(CommandError::Unrecorded(error.clone())));
        }
        failures.or(match report.report.verdict {
            Some(Verdict::Violated) => Status::Violated,
            _ if is_unreturned => Status::Incomplete,
            _ => Status::Success,
        })
    })
}

fn lines(of: &StressReport) -> Vec<String> {
    let report = &of.report;
    let mut instance = report.check.clone();
    for (parameter, value) in &report.parameters {
        instance += &format!("  {parameter} {}", plain(value));
    }
    let verdict = report.verdict.unwrap_or(Verdict::Incomplete);
    let mut lines = vec![
        instance,
        format!(
            "{verdict}, sampled: {} in {:.1} s",
            counted(report.transitions, "operation"),
            report.seconds
        ),
    ];
    let counts = of.counts.iter();
    let counts: Vec<_> = counts
        .map(|(what, count)| match count.as_u64() {
            Some(count) => format!("{what} {}", grouped(count)),
            None => format!("{what} {}", plain(count)),
        })
        .collect();
    lines.push(format!("  {}", counts.join(", ")));
    if let Some(unreturned) = &report.unreturned {
        lines.push(format!("  did not return: {}", unreturned.function));
    }
    for row in &report.obligations {
        let note = row
            .note
            .as_deref()
            .map_or(String::new(), |note| format!(": {note}"));
        let (name, verdict, checked) = (&row.name, row.verdict, row.checked);
        let checked = grouped(checked);
        lines.push(format!("  {name}  {verdict}, tested {checked} times{note}"));
    }
    if !report.unexercised.is_empty() {
        lines.push(format!("  unexercised: {}", report.unexercised.join(", ")));
    }
    if let Some(failure) = &of.failure {
        lines.push(String::new());
        lines.push(format!(
            "{}, seen after {:.2} s",
            failure.seen, failure.after_seconds
        ));
        if failure.program.is_empty() {
            return lines;
        }
        let operations = counted(failure.operations as u64, "operation");
        lines.push(if failure.played == 0 {
            format!("in a run of {operations}:")
        } else {
            format!(
                "a program of {operations}, of {} at first; it failed {} of {}:",
                grouped(failure.operations_before as u64),
                counted(failure.failed.into(), "time"),
                grouped(failure.played.into())
            )
        });
        lines.extend(failure.program.iter().map(|line| format!("    {line}")));
    }
    let recorded = of.recorded.as_ref();
    lines.extend(recorded.map(|history| told(history, of.failure.is_some())));
    lines
}

/// Describes the recorded history of a run.
fn told(history: &RecordedHistory, failed: bool) -> String {
    let of_another = if failed && !history.fails {
        ", of a play that did not fail"
    } else {
        ""
    };
    let overhead = history.overhead.map_or(String::new(), |times| {
        format!("; an operation takes {times:.2} times as long when it is recorded")
    });
    format!(
        "{} recorded in {}{of_another}{overhead}",
        counted(history.events, "event"),
        history.file.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_of_another_play_is_told_from_that_of_the_failure() {
        let history = |fails| RecordedHistory {
            file: "h.jsonl".into(),
            events: 3,
            fails,
            overhead: None,
        };
        assert_eq!(told(&history(true), true), "3 events recorded in h.jsonl");
        assert_eq!(told(&history(false), false), "3 events recorded in h.jsonl");
        assert_eq!(
            told(&history(false), true),
            "3 events recorded in h.jsonl, of a play that did not fail"
        );
    }
}
