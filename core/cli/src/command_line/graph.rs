//! `graph`: decides the properties of explicit fair transition systems.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use refmap::internal::visible;
use refmap::liveness::{Fault, Lasso, Met};
use serde_json::{Value, json};

use super::command::GraphCommand;
#[cfg(feature = "pictures")]
use super::page_file::PageFile;
use super::results::Failures;
#[cfg(feature = "pictures")]
use super::results::Files;
use super::visible::tell;
use super::{CommandError, Status};
use crate::graph::{Decided, GraphError, LONGEST_LINE, Lines, System, decide, read};
#[cfg(feature = "pictures")]
use crate::pictures::graph::{GraphPage, Outcome};

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
    #[error("interrupted: neither this nor what follows is decided")]
    Interrupted,
    #[error(
        "property `{property}`: a fault of this program, so nothing is said of the property: {fault}"
    )]
    Fault { property: String, fault: Fault },
}

/// What was found so far.
struct Results<'a> {
    json: bool,
    output: &'a mut dyn Write,
    graphs: Vec<Value>,
    errors: Vec<Value>,
    /// Whether something was left undecided since the command was cancelled.
    interrupted: bool,
    status: Status,
    #[cfg(feature = "pictures")]
    page: Option<GraphPage>,
}

/// Decides the systems of every file until the command is cancelled. Reports lines that cannot be read, and continues with
/// the others.
pub(super) fn run(
    command: &GraphCommand,
    cancel: &AtomicBool,
    output: &mut dyn Write,
) -> Result<Status, CommandError> {
    #[cfg(feature = "pictures")]
    let page = match &command.html {
        Some(page) => {
            let files = &mut Files::reading(&command.files);
            Some(PageFile::prepare(page, files)?)
        }
        None => None,
    };
    let mut results = Results {
        json: command.json,
        output,
        graphs: Vec::new(),
        errors: Vec::new(),
        interrupted: false,
        status: Status::Success,
        #[cfg(feature = "pictures")]
        page: page.as_ref().map(|page| GraphPage::new(page.command)),
    };
    let mut failures = Failures::default();
    for path in &command.files {
        let read = failures.keep(results.file(path, cancel));
        if read.is_none() || results.interrupted {
            break;
        }
    }
    #[cfg(feature = "pictures")]
    let made = results.page.take();
    let Results {
        graphs,
        errors,
        interrupted,
        mut status,
        ..
    } = results;
    if interrupted && status == Status::Success {
        status = Status::Incomplete;
    }
    let answer = json!({"graphs": graphs, "errors": errors});
    if command.json {
        failures.keep(super::json::print(&answer, output));
    }
    failures.keep(output.flush());
    #[cfg(feature = "pictures")]
    if let (Some(page), Some(made)) = (page, made) {
        failures.keep(page.write(&made.html(&answer), cancel));
    }
    failures.or(status)
}

impl Results<'_> {
    fn file(&mut self, path: &Path, cancel: &AtomicBool) -> Result<(), CommandError> {
        let file = path.display().to_string();
        if cancel.load(Ordering::Relaxed) {
            self.interrupt(&file, None);
            return Ok(());
        }
        let opened = match File::open(path) {
            Ok(opened) => opened,
            Err(error) => {
                self.refuse(&file, None, &error.into());
                return Ok(());
            }
        };
        let mut names = HashSet::new();
        let mut any = false;
        for line in Lines::new(BufReader::new(opened), LONGEST_LINE) {
            any = true;
            let (number, line) = match line {
                Ok(line) => line,
                Err(error) => {
                    self.refuse(&file, None, &error.into());
                    return Ok(());
                }
            };
            if cancel.load(Ordering::Relaxed) {
                self.interrupt(&file, Some(number));
                return Ok(());
            }
            let system = line.ok_or(LineError::TooLong);
            let system = system.and_then(|line| Ok(read(&line)?));
            let system = system.and_then(|system| match names.insert(system.name.clone()) {
                true => Ok(system),
                false => Err(GraphError::Name(system.name).into()),
            });
            match system {
                Ok(system) => self.system(&file, number, &system)?,
                Err(error) => self.refuse(&file, Some(number), &error),
            }
        }
        if !any {
            self.refuse(&file, None, &LineError::Nothing);
        }
        Ok(())
    }

    fn refuse(&mut self, file: &str, line: Option<u64>, error: &LineError) {
        self.tell(file, line, error);
        self.status = Status::Unusable;
    }

    fn interrupt(&mut self, file: &str, line: Option<u64>) {
        self.tell(file, line, &LineError::Interrupted);
        self.interrupted = true;
    }

    /// Tells why a line, or all lines, of a file are not decided.
    fn tell(&mut self, file: &str, line: Option<u64>, error: &LineError) {
        let place = line.map_or_else(String::new, |line| format!(":{line}"));
        let message = error.to_string();
        // Errors go to standard error even with `--json`.
        tell(&format!("{file}{place}: {}", visible(&message)));
        #[cfg(feature = "pictures")]
        if let Some(page) = &mut self.page {
            page.error(&format!("{file}{place}: {message}"));
        }
        self.errors
            .push(json!({"file": file, "line": line, "message": message}));
    }

    /// A line of the text.
    fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{}", visible(line))
    }

    fn system(&mut self, file: &str, line: u64, system: &System) -> Result<(), CommandError> {
        let mut properties = Vec::new();
        if !self.json {
            let System { name, count, .. } = system;
            let steps = system.steps.len();
            self.line(&format!("{name}: {count} states, {steps} steps"))?;
        }
        let all = decide(system);
        #[cfg(feature = "pictures")]
        self.picture(system, &all);
        for (property, decided) in system.properties.iter().zip(all) {
            let decided = match decided {
                Ok(decided) => decided,
                Err(fault) => {
                    let property = property.name.clone();
                    self.refuse(file, Some(line), &LineError::Fault { property, fault });
                    continue;
                }
            };
            if (decided.vacuous || decided.violation.is_some()) && self.status == Status::Success {
                self.status = Status::Violated;
            }
            if !self.json {
                let of = format!("{} {}", property.kind.name(), property.name);
                self.text(system, &of, &decided)?;
            }
            properties.push(as_json(system, &property.name, &decided));
        }
        self.graphs
            .push(json!({"name": system.name, "properties": properties}));
        Ok(())
    }

    /// Adds a system to the page.
    #[cfg(feature = "pictures")]
    fn picture(&mut self, system: &System, decided: &[Result<Decided, Fault>]) {
        let Some(page) = &mut self.page else {
            return;
        };
        let properties = system.properties.iter().zip(decided);
        let outcomes: Vec<_> = properties
            .map(|(property, decided)| {
                let violation = decided.as_ref().ok().and_then(|one| one.violation.as_ref());
                Outcome {
                    property: format!("{} {}", property.kind.name(), property.name),
                    kind: &property.kind,
                    verdict: match decided {
                        Err(fault) => format!("a fault of this program: {fault}"),
                        Ok(Decided { vacuous: true, .. }) => "holds vacuously".to_owned(),
                        Ok(_) if violation.is_some() => "violated".to_owned(),
                        Ok(_) => "holds".to_owned(),
                    },
                    violation: violation.map(|(lasso, met)| {
                        let met = met.iter().map(|met| reason(system, lasso, *met));
                        (lasso, met.collect())
                    }),
                }
            })
            .collect();
        let ways = Ways::new(system);
        page.system(system, &outcomes, &|from, to| ways.between(from, to));
    }

    fn text(&mut self, system: &System, property: &str, decided: &Decided) -> io::Result<()> {
        let Some((lasso, met)) = &decided.violation else {
            let vacuous = match decided.vacuous {
                true => ", vacuously: the premise holds in no state that is reached",
                false => "",
            };
            return self.line(&format!("  {property}: holds{vacuous}"));
        };
        let ways = Ways::new(system);
        let (stem, around) = (lasso.stem(), lasso.loop_length());
        self.line(&format!(
            "  {property}: violated by a stem of {stem} and a loop of {around}"
        ))?;
        for (place, state) in lasso.states.iter().enumerate() {
            let by = place
                .checked_sub(1)
                .map(|from| ways.between(lasso.states[from], *state));
            let mark = if place == lasso.loop_start {
                "loop:"
            } else {
                ""
            };
            let by = by.map_or_else(String::new, |by| format!("  by {by}"));
            let given = system.given[*state as usize];
            self.line(&format!("    {mark:>5} {given}{by}"))?;
        }
        let (last, first) = (lasso.states.len() - 1, lasso.loop_start);
        let back = match around {
            0 => "and stays there".to_owned(),
            _ => {
                let (last, first) = (lasso.states[last], lasso.states[first]);
                format!("and back by {}", ways.between(last, first))
            }
        };
        self.line(&format!("          {back}"))?;
        for (condition, met) in system.conditions.iter().zip(met) {
            let reason = reason(system, lasso, *met);
            self.line(&format!("    {} is met: {reason}", condition.name))?;
        }
        Ok(())
    }
}

/// The steps of a system by source and target.
struct Ways<'a> {
    system: &'a System,
    /// Source, target and rule, in order.
    steps: Vec<(u32, u32, u32)>,
}

impl<'a> Ways<'a> {
    fn new(system: &'a System) -> Self {
        let steps = system.steps.iter();
        let mut steps: Vec<_> = steps.map(|(from, rule, to)| (*from, *to, *rule)).collect();
        steps.sort_unstable();
        steps.dedup();
        Self { system, steps }
    }

    /// The rules of the steps from a state to another.
    fn between(&self, from: u32, to: u32) -> String {
        let ends = |step: &(u32, u32, u32)| (step.0, step.1);
        let first = self.steps.partition_point(|step| ends(step) < (from, to));
        let between = self.steps[first..]
            .iter()
            .take_while(|step| ends(step) == (from, to));
        let mut rules: Vec<&str> = between
            .map(|(_, _, rule)| self.system.rules[*rule as usize].as_str())
            .collect();
        rules.sort_unstable();
        rules.join(", ")
    }
}

/// Why the loop meets a condition.
fn reason(system: &System, lasso: &Lasso, met: Met) -> String {
    let given = |place: usize| system.given[lasso.states[place] as usize];
    match met {
        Met::NeverEnabled => "its action is enabled nowhere in the loop".to_owned(),
        Met::NotEnabled(at) => format!("its action is not enabled in {}", given(at)),
        Met::Taken(at) => format!("its action is taken from {}", given(at)),
    }
}

fn as_json(system: &System, property: &str, decided: &Decided) -> Value {
    let lasso = decided.violation.as_ref().map(|(lasso, _)| lasso);
    let given = |at: &u32| system.given[*at as usize];
    let states = lasso.map(|lasso| lasso.states.iter().map(given).collect::<Vec<_>>());
    json!({
        "name": property,
        "verdict": if lasso.is_some() { "violated" } else { "holds" },
        "vacuous": decided.vacuous,
        "stem": lasso.map(Lasso::stem),
        "loop": lasso.map(Lasso::loop_length),
        "states": states,
    })
}
