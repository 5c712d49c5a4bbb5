//! Page of a stress run.

use std::fmt::Write;

use super::check;
use super::escape::Escaped;
use crate::catalogue::StressReport;

/// The page of a run. `again` is the command that plays its failure, `command` is what was asked, as on the command line.
pub fn html(of: &StressReport, again: Option<&str>, command: &str) -> String {
    let mut part = String::from("<h2>What was exercised</h2>\n<ul>\n");
    for (what, count) in &of.counts {
        let _ = writeln!(part, "<li>{}: {}</li>", Escaped(what), Escaped(count));
    }
    part.push_str("</ul>\n");
    if let Some(failure) = &of.failure {
        let _ = writeln!(
            part,
            "<h2>Failure</h2>\n<p>{}, seen after {:.2} s.</p>",
            Escaped(&failure.seen),
            failure.after_seconds
        );
        if !failure.program.is_empty() {
            let told = if failure.played == 0 {
                format!("In a run of {} operations:", failure.operations)
            } else {
                format!(
                    "A program of {} operations, of {} at first; it failed {} times of {}:",
                    failure.operations, failure.operations_before, failure.failed, failure.played
                )
            };
            let program = Escaped(failure.program.join("\n"));
            let _ = writeln!(part, "<p>{told}</p>\n<pre>{program}</pre>");
        }
        if let Some(again) = again {
            let _ = writeln!(part, "<p>Again:</p>\n<pre>{}</pre>", Escaped(again));
        }
    }
    if let Some(recorded) = &of.recorded {
        let _ = writeln!(
            part,
            "<p>{} events are recorded in <code>{}</code>.</p>",
            recorded.events,
            Escaped(recorded.file.display())
        );
    }
    check::html_with(&of.report, command, &part)
}
