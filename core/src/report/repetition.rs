//! Repetition: steps of a behaviour that repeat those before them, but for numbers that change by the same amount each time.
//!
//! A step is repeated exactly. What differs is a number, by as much as in the round before; or the number goes round, from
//! one value to another, and always between the same two. So what is left out follows from the steps that are told and from
//! what is said of the numbers.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use serde_json::Value;

use super::{Counterexample, Step, changes};
use crate::statement::shown::number::grouped;
use crate::statement::shown::value::name;

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
    /// Number of steps of a round.
    round: usize,
    /// The numbers that change from round to round.
    numbers: Vec<Progression>,
}

/// A number that changes by the same amount from round to round.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Progression {
    part: StepPart,
    /// The step of the round: of what a step does. Variables change alike whichever step one looks at.
    place: usize,
    field: String,
    by: i128,
    /// Wrap-around, if it has one: from which value to which.
    turn: Option<(i128, i128)>,
    /// Its value after the last round.
    last: i128,
}

/// Part of a step in which a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StepPart {
    State,
    AbstractState,
    /// Abstract states between the abstract steps of one step.
    Between,
    Action,
    Answer,
    Drawing,
}

impl StepPart {
    fn is_state(self) -> bool {
        matches!(self, Self::State | Self::AbstractState)
    }
}

/// A number that differs between a step and the one that it repeats.
struct Difference {
    part: StepPart,
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
        for (place, phase) in phases.iter_mut().enumerate() {
            let own = phase.iter_mut().filter(|number| !number.part.is_state());
            own.for_each(|number| number.place = place);
        }
        let mut numbers = phases.pop()?;
        // The first round begins where each of the others does, so that its steps change what theirs change.
        let begun = state_differences(&all[part.start - 1], &all[first - 1])?;
        let variables = numbers.iter().filter(|number| number.part.is_state());
        if variables.clone().count() != begun.len()
            || !variables
                .zip(&begun)
                .all(|(number, begun)| number.covers(begun))
        {
            return None;
        }
        for phase in phases {
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

/// Changes of the numbers of `steps` from round to round, for each step of a round; and the first step that is no
/// repetition.
fn progressions(all: &[Step], steps: Range<usize>, round: usize) -> (usize, Vec<Vec<Progression>>) {
    let mut phases: Vec<Vec<Progression>> = Vec::new();
    for index in steps.clone() {
        let Some(found) = differences(&all[index - round], &all[index]) else {
            return (index, phases);
        };
        match phases.get_mut((index - steps.start) % round) {
            None => phases.push(found.into_iter().map(Progression::new).collect()),
            Some(phase) => {
                let is_repeated = phase.len() == found.len()
                    && phase
                        .iter_mut()
                        .zip(&found)
                        .all(|(number, found)| number.goes_on(found));
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
    let is_same = before.rule == after.rule
        && before.source == after.source
        && before.process == after.process
        && before.abstract_before.len() == after.abstract_before.len();
    if !is_same {
        return None;
    }
    let mut found = state_differences(before, after)?;
    for (before, after) in before.abstract_before.iter().zip(&after.abstract_before) {
        found.extend(of_values(StepPart::Answer, &before.action, &after.action)?);
        found.extend(of_values(StepPart::Between, &before.state, &after.state)?);
    }
    for (part, before, after) in [
        (StepPart::Action, &before.action, &after.action),
        (
            StepPart::Answer,
            &before.abstract_action,
            &after.abstract_action,
        ),
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
    let mut found = of_values(StepPart::State, &before.state, &after.state)?;
    let mapped = [&before.abstract_state, &after.abstract_state];
    found.extend(of_values(StepPart::AbstractState, mapped[0], mapped[1])?);
    Some(found)
}

/// The same of two values.
fn of_values(part: StepPart, before: &Value, after: &Value) -> Option<Vec<Difference>> {
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
        numbers
            .map(|digits| digits.parse().ok())
            .collect::<Option<Vec<i128>>>()
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
                part: StepPart::Drawing,
                field: place.to_string(),
                from,
                to,
            })
            .collect(),
    )
}

impl Progression {
    fn new(first: Difference) -> Self {
        let Difference {
            part,
            field,
            from,
            to,
        } = first;
        Self {
            part,
            place: 0,
            field,
            by: to - from,
            turn: None,
            last: to,
        }
    }

    /// True if the next difference is of the same number, and by the same amount, or where it goes round.
    fn goes_on(&mut self, next: &Difference) -> bool {
        // Before the number goes round each of its values is another one, so nothing else has followed this one.
        if self.turn.is_none() && next.to - next.from != self.by {
            self.turn = Some((next.from, next.to));
        }
        self.last = next.to;
        self.covers(next)
    }

    /// True if this difference is by the same amount, or where the number goes round.
    fn covers(&self, other: &Difference) -> bool {
        let step = (other.from, other.to);
        let is_regular = match self.turn {
            Some(turn) if turn.0 == other.from => turn == step,
            _ => other.to - other.from == self.by,
        };
        (self.part, &self.field) == (other.part, &other.field) && is_regular
    }

    /// Change that is the same in all steps of a round.
    fn rule(&self) -> (StepPart, &str, i128, Option<(i128, i128)>) {
        (self.part, &self.field, self.by, self.turn)
    }
}

/// One line: `steps 2 to 99: step 1 again, 98 times, each time n + 1, to n 99; abstract: the same`.
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
        let told = |part, place| {
            let numbers = self.numbers.iter();
            let told = numbers.filter(|number| (number.part, number.place) == (part, place));
            told.map(Progression::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let (state, mapped) = (told(StepPart::State, 0), told(StepPart::AbstractState, 0));
        if !state.is_empty() {
            write!(f, ", each time {state}")?;
        }
        if !mapped.is_empty() {
            let mapped = if mapped == state { "the same" } else { &mapped };
            write!(f, "; abstract: {mapped}")?;
        }
        for (part, name) in [
            (StepPart::Action, "action"),
            (StepPart::Answer, "answered by"),
            (StepPart::Between, "abstract, between"),
        ] {
            for place in 0..self.round {
                let told = told(part, place);
                if told.is_empty() {
                    continue;
                }
                if self.round == 1 {
                    write!(f, "; {name}: {told}")?;
                } else {
                    write!(f, "; {name}, step {}: {told}", first + place)?;
                }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::AbstractStep;
    use super::*;
    use crate::walk::random::generator::mix;

    fn step(rule: &str, action: Value, state: Value) -> Step {
        Step {
            action: Some(action),
            rule: Some(rule.to_owned()),
            source: None,
            process: Some("p".to_owned()),
            abstract_before: Vec::new(),
            abstract_action: None,
            abstract_state: json!({"copy": state.clone()}),
            drawing: Some(format!("at {}", state["v"][0])),
            abstract_drawing: None,
            picture: None,
            abstract_picture: None,
            state,
        }
    }

    fn behaviour(steps: Vec<Step>) -> Counterexample {
        Counterexample {
            length: steps.len() - 1,
            steps,
            ..Counterexample::without_steps(String::new())
        }
    }

    /// Source of numbers that is the same at each run.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 += 1;
            mix(self.0) % bound
        }
    }

    /// A behaviour of rounds that are taken many times, with a step of another kind here and there.
    fn random(draw: &mut Draw) -> Counterexample {
        let mut values = [0i64; 4];
        let mut odd = false;
        let state = |values: &[i64; 4], odd: bool| json!({"v": [values[0], values[1]], "w": {"x": values[2]}, "odd": odd});
        let mut steps = vec![step("", Value::Null, state(&values, odd))];
        for _ in 0..1 + draw.below(4) {
            let kinds = 1 + draw.below(4);
            let round: Vec<_> = (0..kinds)
                .map(|_| {
                    (
                        draw.below(3),
                        draw.below(4) as usize,
                        draw.below(5) as i64 - 2,
                        3 + draw.below(9) as i64,
                    )
                })
                .collect();
            let is_going_round = draw.below(2) == 0;
            let spoilt = draw.below(150);
            for time in 0..draw.below(120) {
                for (rule, which, by, most) in &round {
                    values[*which] += by;
                    if is_going_round && values[*which] > *most {
                        values[*which] = 0;
                    }
                    if time == spoilt {
                        odd = !odd;
                    }
                    let action = json!({"do": [which, values[3] + values[*which]]});
                    steps.push(step(&format!("r{rule}"), action, state(&values, odd)));
                }
            }
        }
        behaviour(steps)
    }

    /// A number that goes on as it is told to.
    fn advance(value: &mut Value, number: &Progression) {
        let pointer = number.field.replace(['[', '.'], "/").replace(']', "");
        let pointer = if pointer.starts_with('/') || pointer.is_empty() {
            pointer
        } else {
            format!("/{pointer}")
        };
        let value = value.pointer_mut(&pointer).expect("the field is there");
        let is = i128::from(value.as_i64().expect("it is a number"));
        let next = match number.turn {
            Some((from, to)) if from == is => to,
            _ => is + number.by,
        };
        *value = json!(i64::try_from(next).expect("it is small"));
    }

    /// Steps that are left out follow from the first round and from what is said of the numbers.
    #[test]
    fn what_is_left_out_is_told() {
        let (mut left_out, mut of_rounds) = (0, [0; LONGEST_ROUND + 1]);
        for seed in 0..60 {
            let found = random(&mut Draw(seed * 1_000_003));
            for repetition in Repetition::all(&found, 1) {
                left_out += repetition.steps.len();
                of_rounds[repetition.round] += 1;
                let text = repetition.to_string();
                let mut told: Vec<Step> = found.steps[repetition.steps.start - repetition.round..]
                    [..repetition.round]
                    .to_vec();
                for index in repetition.steps.clone() {
                    let place = (index - repetition.steps.start) % repetition.round;
                    let step = &mut told[place];
                    for number in &repetition.numbers {
                        match number.part {
                            StepPart::State => advance(&mut step.state, number),
                            StepPart::AbstractState => advance(&mut step.abstract_state, number),
                            StepPart::Action if number.place == place => {
                                advance(step.action.as_mut().expect("there is one"), number);
                            }
                            _ => (),
                        }
                    }
                    // The drawing is of the state.
                    step.drawing = Some(format!("at {}", step.state["v"][0]));
                    assert_eq!(
                        *step, found.steps[index],
                        "seed {seed}, step {index}: {text}"
                    );
                }
                // A round changes the same variables as the first one does.
                let fields = |index: usize| {
                    let changed = changes(&found.steps[index - 1].state, &found.steps[index].state);
                    changed
                        .into_iter()
                        .map(|change| change.field)
                        .collect::<Vec<_>>()
                };
                for index in repetition.steps.clone() {
                    assert_eq!(
                        fields(index),
                        fields(index - repetition.round),
                        "seed {seed}: {text}"
                    );
                }
                assert!(repetition.steps.end < found.steps.len());
            }
        }
        assert!(left_out > 2_000, "{left_out}");
        assert!(
            of_rounds[1..=4].iter().all(|count| *count > 4),
            "{of_rounds:?}"
        );
    }

    fn counted(to: i64, odd: impl Fn(i64) -> bool) -> Counterexample {
        let state = |n: i64| json!({"n": n % 100, "odd": odd(n)});
        let steps = (0..=to).map(|n| step("tick", json!("tick"), state(n)));
        behaviour(
            steps
                .map(|step| Step {
                    drawing: None,
                    ..step
                })
                .collect(),
        )
    }

    fn lines(of: &Counterexample) -> Vec<String> {
        Repetition::all(of, 1)
            .iter()
            .map(Repetition::to_string)
            .collect()
    }

    #[test]
    fn a_counter_is_told_in_a_line() {
        assert_eq!(
            lines(&counted(1_250, |_| false)),
            [
                "steps 2 to 1249: step 1 again, 1 248 times, each time n + 1 (99 → 0) to 49; abstract: copy.n + 1 (99 → 0) to 49"
            ]
        );
        // What is short is told step by step.
        assert_eq!(lines(&counted(9, |_| false)), [""; 0]);
        assert_eq!(lines(&counted(10, |_| false)).len(), 1);
    }

    /// Each of two numbers that go on is told.
    #[test]
    fn two_counters_are_told_in_a_line() {
        let mut found = counted(300, |_| false);
        for (n, step) in found.steps.iter_mut().enumerate() {
            step.state = json!({"up": n, "down": 1_000 - 2 * n, "same": 1});
        }
        assert_eq!(
            lines(&found),
            [
                "steps 2 to 299: step 1 again, 298 times, each time up + 1 to 299, down − 2 to 402; abstract: copy.n + 1 (99 → 0) to 99"
            ]
        );
    }

    /// A step that does something else is not left out, and neither is one that undoes it.
    #[test]
    fn a_step_that_differs_is_told() {
        let left_out = |found: &Counterexample| {
            let all = Repetition::all(found, 1);
            all.iter().map(|one| one.steps.clone()).collect::<Vec<_>>()
        };
        assert_eq!(left_out(&counted(300, |n| n == 150)), [2..150, 153..300]);
        let mut found = counted(300, |_| false);
        found.steps[200].process = Some("q".to_owned());
        assert_eq!(left_out(&found), [2..200, 202..300]);
        // A loop repeats nothing of what is before it.
        let mut lasso = counted(300, |_| false);
        lasso.loop_start = Some(100);
        assert_eq!(left_out(&lasso), [2..101, 102..300]);
        // A drawing that shows something else is of a state of which not all is serialised.
        let mut drawn = counted(300, |_| false);
        drawn.steps[200].drawing = Some("there".to_owned());
        assert_eq!(left_out(&drawn), [2..200, 202..300]);
    }

    /// Each part of a step is what it was in the round before, the last of several as the first: otherwise the step is told.
    #[test]
    fn a_step_of_which_any_part_differs_is_told() {
        let left_out = |change: &dyn Fn(&mut Step)| {
            let between = |name: &str| AbstractStep {
                action: json!([name, "a"]),
                state: json!({"at": name}),
            };
            let mut found = counted(60, |_| false);
            for step in &mut found.steps {
                step.abstract_before = ["one", "two", "three"].map(between).to_vec();
                step.abstract_action = Some(json!(["four", "a"]));
                step.drawing = Some("in two\nlines".to_owned());
                step.abstract_drawing = step.drawing.clone();
                step.source = Some("a test".to_owned());
            }
            change(&mut found.steps[30]);
            let all = Repetition::all(&found, 1);
            all.iter().map(|one| one.steps.clone()).collect::<Vec<_>>()
        };
        assert_eq!(left_out(&|_| ()), std::slice::from_ref(&(2..60)));
        let other = || json!(["other", "a"]);
        type Change<'a> = (&'a str, &'a dyn Fn(&mut Step));
        let changes: [Change<'_>; 15] = [
            ("rule", &|step| step.rule = Some("tock".to_owned())),
            ("source", &|step| step.source = None),
            ("process", &|step| step.process = None),
            ("action", &|step| step.action = Some(other())),
            ("first action", &|step| {
                step.abstract_before[0].action = other()
            }),
            ("second action", &|step| {
                step.abstract_before[1].action = other()
            }),
            ("third action", &|step| {
                step.abstract_before[2].action = other()
            }),
            ("first state", &|step| {
                step.abstract_before[0].state = other()
            }),
            ("second state", &|step| {
                step.abstract_before[1].state = other()
            }),
            ("third state", &|step| {
                step.abstract_before[2].state = other()
            }),
            ("one fewer", &|step| drop(step.abstract_before.pop())),
            ("last action", &|step| step.abstract_action = Some(other())),
            ("stutter", &|step| step.abstract_action = None),
            ("drawing", &|step| {
                step.drawing = Some("in two\nrows".to_owned())
            }),
            ("second drawing", &|step| {
                step.abstract_drawing = Some("in two\nrows".to_owned());
            }),
        ];
        for (part, change) in changes {
            assert_eq!(left_out(change), [2..30, 32..60], "{part}");
        }
    }

    /// A number that goes on in any part of a step is told where it is, and one that jumps a second time ends the repetition.
    #[test]
    fn a_number_in_any_part_is_told() {
        let between = |action: usize, state: usize| AbstractStep {
            action: json!({"a": action}),
            state: json!({"s": state}),
        };
        let found = |jumps: [usize; 5]| {
            let at = |n: usize, place: usize| {
                n + (usize::from(n >= 30) + usize::from(n >= 40)) * jumps[place]
            };
            let steps = (0..=60).map(|n| Step {
                drawing: None,
                abstract_before: vec![
                    between(at(n, 0), at(n, 1)),
                    between(2 * at(n, 2), 3 * at(n, 3)),
                ],
                abstract_action: Some(json!({"l": 4 * at(n, 4)})),
                ..step("tick", json!("tick"), json!({"v": [0]}))
            });
            behaviour(steps.collect())
        };
        assert_eq!(
            lines(&found([0; 5])),
            [
                "steps 2 to 59: step 1 again, 58 times; answered by: a + 1 to 59, a + 2 to 118, l + 4 to 236; abstract, between: s + 1 to 59, s + 3 to 177"
            ]
        );
        for place in 0..5 {
            let mut jumps = [0; 5];
            jumps[place] = 7;
            let all = Repetition::all(&found(jumps), 1);
            let steps: Vec<_> = all.iter().map(|one| one.steps.clone()).collect();
            assert_eq!(steps, [2..40, 41..60], "{place}");
        }
    }
}
