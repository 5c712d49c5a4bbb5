//! A report as text for people.

use std::fmt::{self, Display, Formatter};

use serde_json::Value;

use super::{Change, Counterexample, Evidence, Nearest, Report, changes};

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.check)?;
        for (name, value) in &self.parameters {
            write!(f, "  {name} {}", plain(value))?;
        }
        writeln!(f)?;
        headline(self, f)?;
        counts(self, f)?;
        if !self.obligations.is_empty() {
            writeln!(
                f,
                "\nobligation                           verdict           tested"
            )?;
        }
        for row in &self.obligations {
            writeln!(
                f,
                "  {:<34} {:<13} {:>10}",
                row.name, row.verdict, row.checked
            )?;
            if let Some(note) = &row.note {
                writeln!(f, "    {note}")?;
            }
        }
        if !self.unexercised.is_empty() {
            writeln!(f, "\nnever exercised: {}", self.unexercised.join(", "))?;
        }
        if let Some(first) = &self.counterexample {
            writeln!(f, "\n{first}")?;
        }
        let rows = self.obligations.iter();
        let mut others: Vec<_> = rows
            .flat_map(|row| &row.counterexamples)
            .filter(|other| Some(*other) != self.counterexample.as_ref())
            .collect();
        others.sort_by_key(|other| other.length);
        for other in others {
            writeln!(f, "\n{other}")?;
        }
        Ok(())
    }
}

fn headline(report: &Report, f: &mut Formatter<'_>) -> fmt::Result {
    match report.verdict {
        None => write!(f, "explored, nothing checked")?,
        Some(verdict) => write!(f, "{verdict}")?,
    }
    match report.evidence {
        Evidence::Exhaustive => write!(f, ", exhaustive: every reachable state of this instance"),
        Evidence::Bounded => write!(f, ", bounded: the states reached before the search ended"),
        Evidence::Sampled => walks(report, f),
    }?;
    match report.limit {
        None => writeln!(f),
        Some(limit) => writeln!(f, " by {limit}"),
    }
}

fn walks(report: &Report, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, ", sampled: ")?;
    if let Some(walks) = &report.walks {
        if walks.begun < walks.walks {
            write!(f, "{} of ", walks.begun)?;
        }
        write!(
            f,
            "{} random walks of at most {} steps, seed {}",
            walks.walks, walks.steps, walks.seed
        )?;
    }
    match report.limit {
        None => Ok(()),
        Some(_) => write!(f, ", ended"),
    }
}

fn counts(report: &Report, f: &mut Formatter<'_>) -> fmt::Result {
    let states = match report.evidence {
        Evidence::Sampled => "visits of states",
        _ => "states",
    };
    writeln!(
        f,
        "{} {states} ({} initial), {} transitions, depth {}, {} deadlocks, {:.2} s, {} MiB, {} threads",
        report.states,
        report.initial_states,
        report.transitions,
        report.depth,
        report.deadlocks,
        report.seconds,
        report.peak_memory_bytes >> 20,
        report.threads,
    )
}

impl Display for Counterexample {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let steps = if self.length == 1 { "step" } else { "steps" };
        writeln!(
            f,
            "{} fails after {} {steps}: {}",
            self.obligation, self.length, self.explanation
        )?;
        if !self.reachable {
            writeln!(
                f,
                "  (a counterexample to induction: no claim that it is reached)"
            )?;
        }
        for (index, step) in self.steps.iter().enumerate() {
            let Some(before) = index.checked_sub(1).map(|before| &self.steps[before]) else {
                writeln!(f, "\n  0  initially")?;
                whole(f, "", &step.state, &[])?;
                whole(f, "abstract ", &step.abstract_state, &[])?;
                continue;
            };
            let process = step.process.as_deref().unwrap_or("?");
            let action = step.action.as_ref().map(compact).unwrap_or_default();
            let source = step.source.as_deref().unwrap_or("?");
            writeln!(f, "\n  {index}  {process}: {action}  [{source}]")?;
            match &step.abstract_action {
                None => writeln!(f, "       simulates a stutter")?,
                Some(action) => writeln!(f, "       simulates {}", compact(action))?,
            }
            let changed = changes(&before.state, &step.state);
            let abstractly = changes(&before.abstract_state, &step.abstract_state);
            if index + 1 < self.steps.len() {
                list(f, "", &changed)?;
                list(f, "abstract ", &abstractly)?;
            } else {
                writeln!(f, "     before, and after (* marks what differs):")?;
                whole(f, "", &before.state, &[])?;
                whole(f, "", &step.state, &changed)?;
                whole(f, "abstract ", &before.abstract_state, &[])?;
                whole(f, "abstract ", &step.abstract_state, &abstractly)?;
            }
        }
        if let Some(refused) = &self.refused {
            writeln!(f, "\n  refused from here on: {}", compact(refused))?;
        }
        if !self.nearest.is_empty() {
            writeln!(
                f,
                "\n  the nearest abstract actions, and why each does not fit:"
            )?;
        }
        self.nearest
            .iter()
            .try_for_each(|action| write!(f, "{action}"))
    }
}

impl Display for Nearest {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let action = self
            .action
            .as_ref()
            .map_or_else(|| "a stutter".to_owned(), compact);
        let answered = if self.answered { " (as answered)" } else { "" };
        write!(f, "    {action}{answered}: ")?;
        if !self.enabled {
            return writeln!(f, "its guard is false here");
        }
        let differences: Vec<_> = self
            .differs
            .iter()
            .map(|change| {
                format!(
                    "{} would be {}, and is {}",
                    name(&change.field),
                    compact(&change.from),
                    compact(&change.to)
                )
            })
            .collect();
        match differences.as_slice() {
            [] => writeln!(
                f,
                "leads where the step leads, but is not what was answered"
            ),
            some => writeln!(f, "{}", some.join("; ")),
        }
    }
}

fn name(field: &str) -> &str {
    if field.is_empty() { "the state" } else { field }
}

/// One line a changed field.
fn list(f: &mut Formatter<'_>, side: &str, changed: &[Change]) -> fmt::Result {
    for change in changed {
        let (from, to) = (compact(&change.from), compact(&change.to));
        writeln!(f, "       {side}{}: {from} → {to}", name(&change.field))?;
    }
    Ok(())
}

/// A state on one line, fields that hold a change marked.
fn whole(f: &mut Formatter<'_>, side: &str, state: &Value, changed: &[Change]) -> fmt::Result {
    let marked = |field: &str| {
        changed.iter().any(|change| {
            let rest = change.field.strip_prefix(field);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    };
    let text = match state {
        Value::Object(fields) => fields
            .iter()
            .map(|(field, value)| {
                let mark = if marked(field) { "*" } else { "" };
                format!("{mark}{field} {}", compact(value))
            })
            .collect::<Vec<_>>()
            .join("  "),
        other if changed.is_empty() => compact(other),
        other => format!("*{}", compact(other)),
    };
    writeln!(f, "       {side}{text}")
}

/// A value without the quotation marks and braces that only a machine needs: an enum variant with
/// fields becomes `variant(field=value, …)`.
fn compact(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(compact).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(fields) if fields.len() == 1 => {
            let (variant, content) = fields.iter().next().expect("it has one field");
            match content {
                Value::Object(fields) => format!("{variant}({})", arguments(fields)),
                Value::Array(items) => {
                    let items: Vec<_> = items.iter().map(compact).collect();
                    format!("{variant}({})", items.join(", "))
                }
                Value::Null => variant.clone(),
                other => format!("{variant}({})", compact(other)),
            }
        }
        Value::Object(fields) => format!("{{{}}}", arguments(fields)),
        other => other.to_string(),
    }
}

fn arguments(fields: &serde_json::Map<String, Value>) -> String {
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| format!("{name}={}", compact(value)))
        .collect();
    fields.join(", ")
}

/// A parameter: texts without quotation marks, lists without brackets.
fn plain(value: &Value) -> String {
    match value {
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        other => compact(other),
    }
}
