//! Suggestion of a command: the one that says whether another mapping helps.

use refmap::report::{Obligation, Report, Verdict};
use serde_json::Value;

use crate::catalogue::Arguments;
use crate::shell;

/// End of a line after which a command goes on.
const CONTINUED: &str = " \\";

/// Obligations that another mapping might meet.
const OF_A_MAPPING: [&str; 3] = ["observation", "initiality", "simulation"];

/// Lines for the report of a check whose mapping fails: the command that says whether any mapping can help. Where it is wider than so
/// many columns it goes on in the next line, as a shell reads it.
pub(super) fn suggested(
    program: &str,
    report: &Report,
    arguments: &Arguments,
    columns: usize,
) -> Option<String> {
    let violated = |obligation: &Obligation| {
        let is_of_mapping = OF_A_MAPPING.contains(&obligation.name.as_str());
        is_of_mapping && obligation.verdict == Verdict::Violated
    };
    if !report.obligations.iter().any(violated) {
        return None;
    }
    let mut parts = vec![shell::command([program, "include", &report.check])];
    for (name, value) in arguments.given() {
        let option = format!("--{name}");
        match value {
            Value::Bool(true) => parts.push(option),
            Value::Bool(false) | Value::Null => {}
            Value::Array(values) => {
                let values = values.iter().filter_map(Value::as_str);
                parts.extend(values.map(|value| shell::command([&option, value])));
            }
            Value::String(value) => parts.push(shell::command([&option, value])),
            other => parts.push(shell::command([option, other.to_string()])),
        }
    }
    let mut lines = vec!["whether another mapping helps, or what it lacks:".to_owned()];
    let mut line = "  ".to_owned();
    for part in parts {
        let width = line.chars().count() + part.chars().count();
        // A space before it, and after it what says that a line follows.
        if width + " ".len() + CONTINUED.len() > columns && !line.trim().is_empty() {
            lines.push(format!("{line}{CONTINUED}"));
            line = "    ".to_owned();
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line += &part;
    }
    lines.push(line);
    Some(lines.join("\n"))
}
