//! A counterexample as text for people: what goes wrong, the way there, and what would have fitted.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use serde_json::Value;

use super::layout::{Ink, beside, pad, width, wrap};
use super::outline::Outline;
use super::repetition::Repetition;
use super::text::{Detail, Text};
use super::{Change, Counterexample, Nearest, NearestReached, Step, changes};
use crate::statement::shown::number::counted;
use crate::statement::shown::value::{compact, name, named, parts};

/// Column at which what belongs to a step begins.
const INDENT: usize = 7;
/// A run of at least this many stutters by one process has a heading.
const FOLDED: usize = 3;

impl Display for Text<'_, Counterexample> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let outline = Outline::alone(self.of);
        Text {
            of: &outline,
            options: self.options,
        }
        .fmt(f)
    }
}

impl Display for Text<'_, Outline<'_>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.failure(f)?;
        self.told_above(f)?;
        if self.of.shared.is_none_or(|shared| !shared.is_all) {
            self.behaviour(f)?;
        }
        self.refused(f)?;
        self.nearest(f)?;
        self.nearest_reached(f)
    }
}

impl Text<'_, Outline<'_>> {
    fn counterexample(&self) -> &Counterexample {
        self.of.counterexample
    }

    /// The steps that an earlier counterexample has told.
    fn told_above(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.of.shared {
            None => Ok(()),
            Some(shared) if shared.is_all => self.paragraph(f, &format!("  {shared}"), 2),
            Some(shared) => {
                writeln!(f)?;
                self.paragraph(f, &format!("{:INDENT$}{shared}", ""), INDENT)
            }
        }
    }

    fn behaviour(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(last) = self.counterexample().steps.len().checked_sub(1) else {
            return Ok(());
        };
        for (mut run, repetition) in self.of.runs() {
            if run.start == 0 {
                self.initial(f, &self.counterexample().steps[0])?;
                run.start = 1;
            }
            self.run(f, run.start..run.end.min(last))?;
            if let Some(repetition) = repetition {
                self.repetition(f, repetition)?;
            }
        }
        if let (Some(shared), Some(start)) =
            (&self.of.shared_loop, self.counterexample().loop_start)
        {
            self.loop_begins(f, start + 1)?;
            self.indented(f, &shared.to_string())?;
        } else if last > 0 {
            self.loop_begins(f, last)?;
            self.last_step(f, last)?;
        }
        self.loop_ends(f, last)
    }

    /// Steps one after the other.
    fn run(&self, f: &mut Formatter<'_>, mut run: Range<usize>) -> fmt::Result {
        while !run.is_empty() {
            self.loop_begins(f, run.start)?;
            // A run of stutters ends where the loop begins.
            let first = self.counterexample().loop_start.map(|start| start + 1);
            let first = first.filter(|first| (run.start + 1..run.end).contains(first));
            let until = first.unwrap_or(run.end);
            let end = (run.start..until)
                .find(|later| !self.on_one_line(*later))
                .unwrap_or(until);
            self.stutters(f, run.start..end)?;
            if end < until {
                self.step(f, end)?;
            }
            run.start = until.min(end + 1);
        }
        Ok(())
    }

    /// Steps that repeat those before them, in a line, or in full where whole states are asked for.
    fn repetition(&self, f: &mut Formatter<'_>, repetition: &Repetition) -> fmt::Result {
        match self.options.detail {
            Detail::WholeStates => self.run(f, repetition.steps.clone()),
            Detail::Changes => self.indented(f, &repetition.to_string()),
        }
    }

    fn failure(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let counterexample = self.counterexample();
        let failure = self
            .options
            .colour
            .paint(Ink::Bad, counterexample.failure());
        self.paragraph(f, &format!("{failure}: {}", counterexample.explanation), 2)?;
        if !counterexample.reachable {
            let line = if counterexample.by_views {
                "(all its views can be reached, and it may itself not be: larger views, or the check of an instance, tell)"
            } else {
                "(a counterexample to induction: no claim that it is reached)"
            };
            self.paragraph(f, &format!("  {line}"), 2)?;
        }
        Ok(())
    }

    /// Says that a step is the first of the loop, if it is.
    fn loop_begins(&self, f: &mut Formatter<'_>, index: usize) -> fmt::Result {
        match self.counterexample().loop_start {
            Some(start) if start + 1 == index => {
                let line = "from here on, again and again:";
                let line = self.options.colour.paint(Ink::Strong, line);
                self.paragraph(f, &format!("      {line}"), INDENT)
            }
            _ => Ok(()),
        }
    }

    /// End of a lasso: what happens after its last step, and why it is fair.
    fn loop_ends(&self, f: &mut Formatter<'_>, last: usize) -> fmt::Result {
        let Some(start) = self.counterexample().loop_start else {
            return Ok(());
        };
        let line = if start == last {
            "from here on nothing happens any more".to_owned()
        } else {
            format!("which is state {start} again")
        };
        let line = self.options.colour.paint(Ink::Strong, line);
        self.paragraph(f, &format!("      {line}"), INDENT)?;
        if self.counterexample().fairness.is_empty() {
            return Ok(());
        }
        writeln!(f)?;
        self.paragraph(f, "  which is fair:", 2)?;
        self.counterexample().fairness.iter().try_for_each(|met| {
            let strength = met.strength;
            let line = format!("    {strength} {}: {}", met.condition, met.because);
            self.paragraph(f, &line, 6)
        })
    }

    fn refused(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(refused) = &self.counterexample().refused else {
            return Ok(());
        };
        let refused = self.options.colour.paint(Ink::Bad, compact(refused));
        writeln!(f)?;
        self.paragraph(f, &format!("  refused from here on: {refused}"), 4)
    }

    fn initial(&self, f: &mut Formatter<'_>, step: &Step) -> fmt::Result {
        writeln!(f)?;
        let head = self
            .options
            .colour
            .paint(Ink::Strong, self.counterexample().beginning());
        self.paragraph(f, &format!("{}{head}", number(0)), INDENT)?;
        // If nothing happens after it, it is the place where the failure is, too.
        if self.counterexample().steps.len() == 1 {
            return self.both_sides(f, None, step);
        }
        self.states(f, step)?;
        self.drawings(f, None, step)
    }

    /// A step in full: what answers it, and what changes on both sides.
    fn step(&self, f: &mut Formatter<'_>, index: usize) -> fmt::Result {
        let (before, step) = self.around(index);
        self.head(f, index)?;
        let concrete = changes(&before.state, &step.state);
        let abstractly = changes(&before.abstract_state, &step.abstract_state);
        self.changed(f, "", &concrete)?;
        if concrete == abstractly && !concrete.is_empty() {
            self.indented(f, "abstract: the same")?;
        } else {
            self.changed(f, "abstract: ", &abstractly)?;
        }
        if self.options.detail == Detail::WholeStates {
            self.states(f, step)?;
        }
        self.drawings(f, Some(before), step)
    }

    /// A stutter for which one line is enough.
    fn on_one_line(&self, index: usize) -> bool {
        let (before, step) = self.around(index);
        self.options.detail == Detail::Changes
            && self.is_mapped()
            && step.simulated().next().is_none()
            && before.abstract_state == step.abstract_state
    }

    /// A run of stutters, one line each. If one process takes many of them, it is named once.
    fn stutters(&self, f: &mut Formatter<'_>, run: Range<usize>) -> fmt::Result {
        let steps = &self.counterexample().steps;
        let mut rest = run;
        while !rest.is_empty() {
            let process = &steps[rest.start].process;
            let end = rest
                .clone()
                .find(|index| steps[*index].process != *process)
                .unwrap_or(rest.end);
            self.stutters_of_one(f, rest.start..end)?;
            rest.start = end;
        }
        Ok(())
    }

    fn stutters_of_one(&self, f: &mut Formatter<'_>, run: Range<usize>) -> fmt::Result {
        let title = |index: usize| {
            let step = &self.counterexample().steps[index];
            if run.len() < FOLDED {
                format!("{}  stutters", self.title(step))
            } else {
                format!("{}{}", action(step), self.source(step))
            }
        };
        if run.len() >= FOLDED {
            let process = process(&self.counterexample().steps[run.start]);
            let line = format!("{process} stutters, {} to {}", run.start, run.end - 1);
            let line = self.options.colour.paint(Ink::Strong, line);
            self.paragraph(f, &format!("      {line}:"), INDENT)?;
        }
        let widest = run.clone().map(|index| width(&title(index))).max();
        let widest = widest.unwrap_or(0);
        for index in run.clone() {
            let (before, step) = self.around(index);
            let title = if widest + INDENT <= self.options.width * 2 / 3 {
                pad(&title(index), widest)
            } else {
                title(index)
            };
            let changed = self.joined(&changes(&before.state, &step.state));
            let line = format!("{}{title}  {changed}", number(index));
            self.paragraph(f, line.trim_end(), INDENT)?;
            self.drawings(f, Some(before), step)?;
        }
        Ok(())
    }

    /// The step with which it ends: both states whole, side by side.
    fn last_step(&self, f: &mut Formatter<'_>, index: usize) -> fmt::Result {
        let (before, step) = self.around(index);
        writeln!(f)?;
        self.head(f, index)?;
        self.both_sides(f, Some(before), step)
    }

    /// A step, and the one before it, which holds the state from which it is taken.
    fn around(&self, index: usize) -> (&Step, &Step) {
        (
            &self.counterexample().steps[index - 1],
            &self.counterexample().steps[index],
        )
    }

    fn both_sides(&self, f: &mut Formatter<'_>, before: Option<&Step>, step: &Step) -> fmt::Result {
        let side = |title: &str, from: Option<&Value>, to: &Value, drawing: &Option<String>| {
            let mut block = vec![self.options.colour.paint(Ink::Faint, title)];
            block.extend(self.table(from, to));
            block.extend(
                drawing
                    .iter()
                    .flat_map(|drawing| drawing.lines().map(str::to_owned)),
            );
            block
        };
        let concrete = side(
            "implementation",
            before.map(|before| &before.state),
            &step.state,
            &step.drawing,
        );
        if !self.is_mapped() {
            let mut lines = concrete[1..].iter();
            return lines.try_for_each(|line| writeln!(f, "{:INDENT$}{line}", ""));
        }
        let abstractly = side(
            "specification",
            before.map(|before| &before.abstract_state),
            &step.abstract_state,
            &step.abstract_drawing,
        );
        for line in beside(
            &concrete,
            &abstractly,
            self.options.width.saturating_sub(INDENT),
        ) {
            writeln!(f, "{:INDENT$}{line}", "")?;
        }
        Ok(())
    }

    /// A state, one field a line; `*` marks what changed, before and after.
    fn table(&self, from: Option<&Value>, to: &Value) -> Vec<String> {
        let fields = parts(to);
        let before = from.map(parts).unwrap_or_default();
        let widest = fields
            .iter()
            .map(|(name, _)| width(name))
            .max()
            .unwrap_or(0);
        let rows = fields.into_iter().map(|(name, value)| {
            let was = before.iter().find(|(other, _)| *other == name);
            let name = match widest {
                0 => String::new(),
                _ => pad(&name, widest + 2),
            };
            match was.map(|(_, was)| *was).filter(|was| *was != value) {
                None => format!("  {name}{}", compact(value)),
                Some(was) => {
                    let change = format!("{} → {}", compact(was), compact(value));
                    format!(
                        "* {name}{}",
                        self.options.colour.paint(Ink::Changed, change)
                    )
                }
            }
        });
        rows.collect()
    }

    /// Title of a step: who does what, and where that is stated.
    fn title(&self, step: &Step) -> String {
        let title = format!("{}: {}", process(step), action(step));
        let title = self.options.colour.paint(Ink::Strong, title);
        format!("{title}{}", self.source(step))
    }

    /// Source of the rule, after what it is the source of; a rule may have none.
    fn source(&self, step: &Step) -> String {
        let source = step.source.as_deref().unwrap_or("?");
        if source.is_empty() {
            return String::new();
        }
        let source = self.options.colour.paint(Ink::Faint, format!("[{source}]"));
        format!("  {source}")
    }

    /// True if it is a behaviour of the implementation, which has images, and none of a system without its auxiliary variable.
    fn is_mapped(&self) -> bool {
        let mut steps = self.counterexample().steps.iter();
        steps.any(|step| !step.abstract_state.is_null())
    }

    fn head(&self, f: &mut Formatter<'_>, index: usize) -> fmt::Result {
        let step = &self.counterexample().steps[index];
        let mut line = format!("{}{}", number(index), self.title(step));
        if self.is_mapped() {
            let answer = step.answer().unwrap_or_else(|| "a stutter".to_owned());
            line.push_str(&format!("  answered by {answer}"));
        }
        self.paragraph(f, &line, INDENT)
    }

    fn changed(&self, f: &mut Formatter<'_>, side: &str, changed: &[Change]) -> fmt::Result {
        if changed.is_empty() {
            return Ok(());
        }
        self.indented(f, &format!("{side}{}", self.joined(changed)))
    }

    fn joined(&self, changed: &[Change]) -> String {
        let paint = |change: &Change| self.options.colour.paint(Ink::Changed, change.to_string());
        changed.iter().map(paint).collect::<Vec<_>>().join("  ")
    }

    /// Both states, each on one line that is broken where it is too long.
    fn states(&self, f: &mut Formatter<'_>, step: &Step) -> fmt::Result {
        self.indented(f, &whole(&step.state))?;
        if !self.is_mapped() {
            return Ok(());
        }
        self.indented(f, &format!("abstract: {}", whole(&step.abstract_state)))
    }

    /// The state as the model draws it, where that differs from how it drew the state before.
    fn drawings(&self, f: &mut Formatter<'_>, before: Option<&Step>, step: &Step) -> fmt::Result {
        let verbose = self.options.detail == Detail::WholeStates;
        let drawn = step.drawing.as_deref();
        let seen = before.and_then(|before| before.drawing.as_deref());
        if let Some(drawing) = drawn.filter(|_| verbose || drawn != seen) {
            drawing
                .lines()
                .try_for_each(|line| self.indented(f, line))?;
        }
        match step.abstract_drawing.as_deref().filter(|_| verbose) {
            Some(drawing) => self
                .indented(f, "abstractly")
                .and_then(|()| drawing.lines().try_for_each(|line| self.indented(f, line))),
            None => Ok(()),
        }
    }

    fn nearest(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.counterexample().nearest.is_empty() {
            return Ok(());
        }
        writeln!(f)?;
        self.paragraph(
            f,
            "  the nearest abstract actions, and why each does not fit:",
            2,
        )?;
        for nearest in &self.counterexample().nearest {
            self.paragraph(f, &format!("    {}", misfit(nearest)), 6)?;
        }
        Ok(())
    }

    /// The reached state that comes nearest to the first one of a counterexample to induction.
    fn nearest_reached(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(nearest) = &self.counterexample().nearest_reached else {
            return Ok(());
        };
        writeln!(f)?;
        self.paragraph(
            f,
            &format!("  {}", comes_near(self.counterexample(), nearest)),
            2,
        )?;
        nearest
            .differs
            .iter()
            .try_for_each(|change| self.paragraph(f, &format!("    {change}"), 6))
    }

    fn indented(&self, f: &mut Formatter<'_>, line: &str) -> fmt::Result {
        let room = self.options.width.saturating_sub(INDENT);
        for line in wrap(line, room, 2) {
            writeln!(f, "{:INDENT$}{}", "", line.trim_end())?;
        }
        Ok(())
    }
}

fn process(step: &Step) -> &str {
    step.process.as_deref().unwrap_or("?")
}

fn action(step: &Step) -> String {
    step.action.as_ref().map(compact).unwrap_or_default()
}

/// The number of a step, in front of it.
fn number(index: usize) -> String {
    format!("{index:>INNER$}  ", INNER = INDENT - 3)
}

/// A state on one line, two spaces between its fields.
pub(super) fn whole(state: &Value) -> String {
    let parts = parts(state).into_iter().map(named);
    parts.collect::<Vec<_>>().join("  ")
}

/// Sentence about the reached state that comes nearest to the first one of a counterexample; what differs follows.
pub fn comes_near(counterexample: &Counterexample, nearest: &NearestReached) -> String {
    let NearestReached {
        walk,
        seed,
        steps,
        differs,
        ..
    } = nearest;
    let steps = counted(u64::from(*steps), "step");
    let reached = format!("reached by walk {walk} of seed {seed} after {steps}");
    match differs.len() {
        0 => format!("this state itself is {reached}"),
        count => format!(
            "the nearest state is {reached}; it differs in {}, which {} would have to exclude:",
            counted(count as u64, "variable"),
            if counterexample.by_views {
                "larger views"
            } else {
                "an invariant"
            }
        ),
    }
}

/// Reason why an abstract action does not fit, in a line.
pub fn misfit(nearest: &Nearest) -> String {
    let action = nearest
        .action
        .as_ref()
        .map_or_else(|| "a stutter".to_owned(), compact);
    let answered = if nearest.answered {
        " (as answered)"
    } else {
        ""
    };
    if !nearest.enabled {
        let why = match nearest.false_conjuncts.as_slice() {
            [] => "its guard is false here".to_owned(),
            [one] => format!("its guard is false here: not `{one}`"),
            some => format!(
                "its guard is false here: neither `{}`",
                some.join("` nor `")
            ),
        };
        return format!("{action}{answered}: {why}");
    }
    let differences: Vec<_> = nearest
        .differs
        .iter()
        .map(|change| {
            let (would, is) = (compact(&change.from), compact(&change.to));
            format!("{} would be {would}, and is {is}", name(&change.field))
        })
        .collect();
    match differences.as_slice() {
        [] => {
            format!("{action}{answered}: leads where the step leads, but is not what was answered")
        }
        some => format!("{action}{answered}: {}", some.join("; ")),
    }
}
