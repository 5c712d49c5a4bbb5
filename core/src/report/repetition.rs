//! Repetition: steps of a behaviour that repeat those before them, but for numbers that change by the same amount each time.
//!
//! A step is repeated exactly. What differs is a number, by as much as in the round before; or the number goes round, from
//! one value to another, and always between the same two. So what is left out follows from the steps that are told and from
//! what is said of the numbers.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use serde_json::Value;

use super::layout::grouped;
use super::value::name;
use super::{Counterexample, Step, changes};

/// The most steps of a round.
const LONGEST_ROUND: usize = 8;
/// The fewest rounds that show a repetition, and the fewest steps that are worth leaving out.
const FEWEST_ROUNDS: usize = 3;
const FEWEST_STEPS: usize = 8;

/// Steps that repeat the round right before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// The steps that are repetitions: whole rounds.
    pub steps: Range<usize>,
    /// How many steps a round takes.
    round: usize,
    /// The numbers that change from round to round.
    numbers: Vec<Progression>,
}

/// A number that changes by the same amount from round to round.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Progression {
    part: Part,
    field: String,
    by: i128,
    /// Where it goes round: from which value to which.
    turn: Option<(i128, i128)>,
    /// Its value after the last round.
    last: i128,
}

/// Part of a step in which a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    State,
    AbstractState,
    /// Abstract states between the abstract steps of one step.
    Between,
    Action,
    Answer,
    Drawing,
}

impl Part {
    fn is_state(self) -> bool {
        matches!(self, Self::State | Self::AbstractState)
    }
}

/// A number that differs between a step and the one that it repeats.
struct Difference {
    part: Part,
    field: String,
    from: i128,
    to: i128,
}

impl Repetition {
    /// The repetitions among the steps of a behaviour, from `first` on. The last step is where it ends, and repeats none; and the
    /// steps of a loop repeat none of those before it.
    pub fn all(of: &Counterexample, first: usize) -> Vec<Self> {
        let last = of.steps.len().saturating_sub(1);
        let loop_begins = of.loop_start.map_or(last, |start| last.min(start + 1));
        let parts = [
            first.max(1)..loop_begins,
            first.max(1).max(loop_begins)..last,
        ];
        let mut found = Vec::new();
        for mut part in parts {
            while !part.is_empty() {
                match Self::longest(&of.steps, part.clone()) {
                    None => part.start += 1,
                    Some(repetition) => {
                        part.start = repetition.steps.end;
                        found.push(repetition);
                    }
                }
            }
        }
        found
    }

    /// The longest one whose first round is where `part` begins; of equal ones that of the shortest round.
    fn longest(all: &[Step], part: Range<usize>) -> Option<Self> {
        let rounds = 1..=LONGEST_ROUND;
        let found = rounds.filter_map(|round| Self::of_rounds(all, part.clone(), round));
        found.reduce(|best, other| {
            if other.steps.len() > best.steps.len() {
                other
            } else {
                best
            }
        })
    }

    fn of_rounds(all: &[Step], part: Range<usize>, round: usize) -> Option<Self> {
        let first = part.start + round;
        if first >= part.end {
            return None;
        }
        let (end, _) = progressions(all, first..part.end, round);
        let times = (end - first) / round;
        let steps = first..first + times * round;
        if times + 1 < FEWEST_ROUNDS || steps.len() < FEWEST_STEPS {
            return None;
        }
        let (_, mut phases) = progressions(all, steps.clone(), round);
        let mut numbers = phases.pop()?;
        // The first round begins where each of the others does, so that its steps change what theirs change.
        let begun = state_differences(&all[part.start - 1], &all[first - 1])?;
        let variables = numbers.iter().filter(|number| number.part.is_state());
        if variables.clone().count() != begun.len()
            || !variables.zip(&begun).all(|(number, begun)| number.covers(begun))
        {
            return None;
        }
        for phase in phases {
            // Variables change in the same way whichever step of the round one looks at; what a step does is its own.
            let is_of_state = |number: &&Progression| number.part.is_state();
            let of_phase = phase.iter().filter(is_of_state).map(Progression::rule);
            if !of_phase.eq(numbers.iter().filter(is_of_state).map(Progression::rule)) {
                return None;
            }
            numbers.extend(phase.into_iter().filter(|number| !number.part.is_state()));
        }
        Some(Self {
            steps,
            round,
            numbers,
        })
    }
}

/// How the numbers of `steps` change from round to round, for each step of a round; and the first step that is no
/// repetition.
fn progressions(
    all: &[Step],
    steps: Range<usize>,
    round: usize,
) -> (usize, Vec<Vec<Progression>>) {
    let mut phases: Vec<Vec<Progression>> = Vec::new();
    for index in steps.clone() {
        let Some(found) = differences(&all[index - round], &all[index]) else {
            return (index, phases);
        };
        match phases.get_mut((index - steps.start) % round) {
            None => phases.push(found.into_iter().map(Progression::new).collect()),
            Some(phase) => {
                let is_repeated = phase.len() == found.len()
                    && phase.iter_mut().zip(&found).all(|(number, found)| number.goes_on(found));
                if !is_repeated {
                    return (index, phases);
                }
            }
        }
    }
    (steps.end, phases)
}

/// The numbers in which two steps differ; none if they differ in anything else.
fn differences(before: &Step, after: &Step) -> Option<Vec<Difference>> {
    let who = |step: &Step| {
        let Step { rule, source, process, .. } = step;
        (rule.clone(), source.clone(), process.clone())
    };
    if who(before) != who(after) || before.abstract_before.len() != after.abstract_before.len() {
        return None;
    }
    let mut found = state_differences(before, after)?;
    for (before, after) in before.abstract_before.iter().zip(&after.abstract_before) {
        found.extend(of_values(Part::Answer, &before.action, &after.action)?);
        found.extend(of_values(Part::Between, &before.state, &after.state)?);
    }
    for (part, before, after) in [
        (Part::Action, &before.action, &after.action),
        (Part::Answer, &before.abstract_action, &after.abstract_action),
    ] {
        let none = Value::Null;
        let [before, after] = [before, after].map(|action| action.as_ref().unwrap_or(&none));
        found.extend(of_values(part, before, after)?);
    }
    for drawings in [
        [&before.drawing, &after.drawing],
        [&before.abstract_drawing, &after.abstract_drawing],
    ] {
        let [before, after] = drawings.map(|drawing| drawing.as_deref().unwrap_or_default());
        found.extend(drawn(before, after)?);
    }
    Some(found)
}

/// The same of the states to which two steps lead.
fn state_differences(before: &Step, after: &Step) -> Option<Vec<Difference>> {
    let mut found = of_values(Part::State, &before.state, &after.state)?;
    let mapped = [&before.abstract_state, &after.abstract_state];
    found.extend(of_values(Part::AbstractState, mapped[0], mapped[1])?);
    Some(found)
}

/// The same of two values.
fn of_values(part: Part, before: &Value, after: &Value) -> Option<Vec<Difference>> {
    let number = |value: &Value| {
        let natural = value.as_u64().map(i128::from);
        natural.or_else(|| value.as_i64().map(i128::from))
    };
    let changes = changes(before, after).into_iter();
    let differences = changes.map(|change| {
        Some(Difference {
            part,
            from: number(&change.from)?,
            to: number(&change.to)?,
            field: change.field,
        })
    });
    differences.collect()
}

/// The numbers in which two drawings differ, as text; none if they differ in anything else.
fn drawn(before: &str, after: &str) -> Option<Vec<Difference>> {
    if before == after {
        return Some(Vec::new());
    }
    let is_digit = |character: char| character.is_ascii_digit();
    let words = |text: &str| text.split(is_digit).collect::<String>();
    let numbers = |text: &str| {
        let numbers = text.split(|character| !is_digit(character));
        let numbers = numbers.filter(|digits| !digits.is_empty());
        numbers.map(|digits| digits.parse().ok()).collect::<Option<Vec<i128>>>()
    };
    let (from, to) = (numbers(before)?, numbers(after)?);
    if words(before) != words(after) || from.len() != to.len() {
        return None;
    }
    let pairs = from.into_iter().zip(to).enumerate();
    let differing = pairs.filter(|(_, (from, to))| from != to);
    Some(
        differing
            .map(|(place, (from, to))| Difference {
                part: Part::Drawing,
                field: place.to_string(),
                from,
                to,
            })
            .collect(),
    )
}

impl Progression {
    fn new(first: Difference) -> Self {
        let Difference { part, field, from, to } = first;
        Self {
            part,
            field,
            by: to - from,
            turn: None,
            last: to,
        }
    }

    /// Whether the next difference is of the same number, and by the same amount, or where it goes round.
    fn goes_on(&mut self, next: &Difference) -> bool {
        // Before the number goes round each of its values is another one, so nothing else has followed this one.
        if self.turn.is_none() && next.to - next.from != self.by {
            self.turn = Some((next.from, next.to));
        }
        self.last = next.to;
        self.covers(next)
    }

    /// Whether this difference is by the same amount, or where the number goes round.
    fn covers(&self, other: &Difference) -> bool {
        let step = (other.from, other.to);
        let is_regular = match self.turn {
            Some(turn) if turn.0 == other.from => turn == step,
            _ => other.to - other.from == self.by,
        };
        (self.part, &self.field) == (other.part, &other.field) && is_regular
    }

    /// What is the same in all steps of a round.
    fn rule(&self) -> (Part, &str, i128, Option<(i128, i128)>) {
        (self.part, &self.field, self.by, self.turn)
    }
}

/// In one line: `steps 2 to 99: step 1 again, 98 times, each time n + 1, to n 99; abstract: the same`.
impl Display for Repetition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.steps;
        let (first, times) = (start - self.round, self.steps.len() / self.round);
        write!(f, "steps {start} to {}: ", end - 1)?;
        if self.round == 1 {
            write!(f, "step {first} again, ")?;
        } else {
            write!(f, "steps {first} to {} again, ", start - 1)?;
        }
        write!(f, "{} times", grouped(times as u64))?;
        let of = |part| self.numbers.iter().filter(move |number| number.part == part);
        let told = |part| {
            let told = of(part).map(Progression::to_string);
            told.collect::<Vec<_>>().join(", ")
        };
        let rules = |part| of(part).map(|number| (&number.field, number.by, number.turn));
        let state = told(Part::State);
        if !state.is_empty() {
            write!(f, ", each time {state}")?;
        }
        let is_same = !state.is_empty() && rules(Part::State).eq(rules(Part::AbstractState));
        for (part, name) in [
            (Part::AbstractState, "abstract"),
            (Part::Between, "abstract, between"),
            (Part::Action, "action"),
            (Part::Answer, "answered by"),
        ] {
            let told = match part {
                Part::AbstractState if is_same => "the same".to_owned(),
                _ => told(part),
            };
            if !told.is_empty() {
                write!(f, "; {name}: {told}")?;
            }
        }
        Ok(())
    }
}

/// `n + 1 to 99`, `n + 1 (9 → 0) to 5`.
impl Display for Progression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sign = if self.by < 0 { '−' } else { '+' };
        write!(f, "{} {sign} {}", name(&self.field), self.by.abs())?;
        if let Some((from, to)) = self.turn {
            write!(f, " ({from} → {to})")?;
        }
        write!(f, " to {}", self.last)
    }
}
