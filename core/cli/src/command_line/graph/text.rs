//! Text of what was decided: a line of each property, and the lasso where one violates it.

use std::io::{self, Write};

use refmap::internal::liveness::{Lasso, Met};
use refmap::internal::{counted, visible};

use crate::graph::{Decided, System};

/// Writes a line. Names are text of others.
fn line(output: &mut dyn Write, line: &str) -> io::Result<()> {
    writeln!(output, "{}", visible(line))
}

pub fn system(output: &mut dyn Write, system: &System, warnings: &[String]) -> io::Result<()> {
    let states = counted(system.count, "state");
    let steps = counted(system.steps.len() as u64, "step");
    line(output, &format!("{}: {states}, {steps}", system.name))?;
    for warning in warnings {
        line(output, &format!("  warning: {warning}"))?;
    }
    Ok(())
}

/// Writes what was decided of a property, whose kind and name are given.
pub fn property(
    output: &mut dyn Write,
    ways: &Ways<'_>,
    property: &str,
    decided: &Decided,
) -> io::Result<()> {
    let system = ways.system;
    let Some((lasso, met)) = &decided.violation else {
        let vacuous = decided
            .vacuous
            .map_or_else(String::new, |because| format!(", vacuously: {because}"));
        return line(output, &format!("  {property}: holds{vacuous}"));
    };
    let (stem, around) = (lasso.stem(), lasso.loop_length());
    line(
        output,
        &format!("  {property}: violated by a stem of {stem} and a loop of {around}"),
    )?;
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
        line(output, &format!("    {mark:>5} {given}{by}"))?;
    }
    let (last, first) = (lasso.states.len() - 1, lasso.loop_start);
    let back = match around {
        0 => "and stays there".to_owned(),
        _ => {
            let (last, first) = (lasso.states[last], lasso.states[first]);
            format!("and back by {}", ways.between(last, first))
        }
    };
    line(output, &format!("          {back}"))?;
    for (condition, met) in system.conditions.iter().zip(met) {
        let reason = reason(system, lasso, *met);
        line(output, &format!("    {} is met: {reason}", condition.name))?;
    }
    Ok(())
}

/// Reason why the loop meets a condition.
pub fn reason(system: &System, lasso: &Lasso, met: Met) -> String {
    let given = |place: usize| system.given[lasso.states[place] as usize];
    match met {
        Met::NeverEnabled => "its action is enabled nowhere in the loop".to_owned(),
        Met::NotEnabled(at) => format!("its action is not enabled in {}", given(at)),
        Met::Taken(at) => format!("its action is taken from {}", given(at)),
    }
}

/// The steps of a system by source and target.
pub struct Ways<'s> {
    system: &'s System,
    /// Source, target and rule, in order.
    steps: Vec<(u32, u32, u32)>,
}

impl<'s> Ways<'s> {
    pub fn new(system: &'s System) -> Self {
        let steps = system.steps.iter();
        let mut steps: Vec<_> = steps.map(|(from, rule, to)| (*from, *to, *rule)).collect();
        steps.sort_unstable();
        steps.dedup();
        Self { system, steps }
    }

    /// The rules of the steps from a state to another.
    pub fn between(&self, from: u32, to: u32) -> String {
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
