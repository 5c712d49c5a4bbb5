//! Whether a model is consistent with itself: its functions are functions of what they are given, and the
//! methods that it overrides agree with those from which they are derived.
//!
//! A search asks each question once, so a model that would answer otherwise the next time is believed. In a sample of
//! the states, spread over the whole run, everything is asked again and compared. The sample goes by hashes of the
//! states' numbers, and not by the numbers: what is wrong may come back in step with these.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::examiner::Examiner;
use super::tally::{During, Fault, Tally};
use crate::disagreement::{At, Disagreement, misfiled};
use crate::explore::{Place, Visitor, catch, first_visited};
use crate::framed::Misframed;
use crate::random::generator::mix;
use crate::refinement::Refinement;
use crate::system::{ActionOf, Process, RuleId, StateOf, TransitionSystem, steps};

/// So many states, from the first on, are in the sample,
const ALL_OF_THE_FIRST: u64 = 1 << 10;
/// and so many each time that their number doubles.
const OF_EACH_DOUBLING: u64 = 1 << 8;
/// So many states, from the first on, of which so many steps are compared with what is derived from them, unless there are
/// too many; and of each later one so many.
const WELL_COMPARED: u64 = 1 << 6;
const SOME: usize = 32;
const MOST_WORK: usize = 1 << 16;
const FEW: usize = 2;
/// The most steps of a state of the specification, and the most initial states, with which overridden methods are
/// compared.
const MOST_STEPS: usize = 1 << 12;
/// How long the steps of the specification may take that are compared with its other methods, and the same as a part
/// of the whole run.
const PATIENCE: Duration = Duration::from_millis(200);
const PART_OF_RUN: u32 = 50;

/// How a model contradicts itself.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Inconsistency {
    #[error(
        "{function} is not a function of what it is given: at first it answered {first}; asked again, {again}"
    )]
    NotAFunction {
        function: String,
        first: String,
        again: String,
    },
    #[error("of the {system}, {found}")]
    Disagreement {
        system: &'static str,
        found: Disagreement,
    },
    #[error(
        "`inputs` of the specification makes {inputs} of {action}, and that is not the same action with its results fixed"
    )]
    Inputs { action: String, inputs: String },
    #[error("two equal states of the {system} differ: {difference}")]
    Equal {
        system: &'static str,
        difference: String,
    },
}

impl From<Inconsistency> for Fault {
    fn from(found: Inconsistency) -> Self {
        Self::Inconsistent(found)
    }
}

/// Something of the specification that is stated otherwise than by `next` and `initial`: perhaps as a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    Initial,
    Rule(RuleId),
}

/// A step that `next` visits: the action and the target.
type Taken<S> = (ActionOf<S>, StateOf<S>);

/// What was heard of a state that is in the sample.
pub(super) struct Heard<R: Refinement> {
    pub image: Option<StateOf<R::Abstract>>,
    /// The last of its steps: those that were looked at one by one.
    pub steps: Vec<Taken<R::Concrete>>,
    /// What these were said to simulate, if it was asked.
    pub answers: Vec<Option<ActionOf<R::Abstract>>>,
}

impl<R: Refinement> Default for Heard<R> {
    fn default() -> Self {
        Self {
            image: None,
            steps: Vec::new(),
            answers: Vec::new(),
        }
    }
}

/// What a worker finds by asking again.
pub(super) struct Again<R: Refinement> {
    /// What was heard of the state that is being looked at.
    pub heard: Option<Box<Heard<R>>>,
    /// The states asked of again.
    pub states: u64,
    /// What the specification says without its `next`, with the first place where it does.
    pub words: BTreeMap<Word, (Place, Disagreement)>,
    /// Per rule of the specification, whether its `next` visits actions of it anywhere.
    pub enumerated: Vec<bool>,
    /// The processes that take actions of the specification.
    pub processes: BTreeSet<Process>,
    /// Actions filed under a rule although there is one of their own name.
    pub misnamed: BTreeSet<String>,
    /// How long it took to compare methods of the specification.
    spent: Duration,
}

impl<R: Refinement> Again<R> {
    pub fn new(abstract_rules: usize) -> Self {
        Self {
            heard: None,
            states: 0,
            words: BTreeMap::new(),
            enumerated: vec![false; abstract_rules],
            processes: BTreeSet::new(),
            misnamed: BTreeSet::new(),
            spent: Duration::ZERO,
        }
    }

    /// Adds what another worker found.
    pub fn add(&mut self, other: Self) {
        self.states += other.states;
        for (word, (place, found)) in other.words {
            self.note(word, place, found);
        }
        for (is, other) in self.enumerated.iter_mut().zip(other.enumerated) {
            *is |= other;
        }
        self.processes.extend(other.processes);
        self.misnamed.extend(other.misnamed);
        self.spent += other.spent;
    }

    fn note(&mut self, word: Word, place: Place, found: Disagreement) {
        let first = self.words.get(&word);
        if first.is_none_or(|(first, _)| place < *first) {
            self.words.insert(word, (place, found));
        }
    }

    /// What is not a predicate after all, since `next` visits steps of the rule elsewhere.
    pub fn contradicted(&self) -> Option<(Place, Inconsistency)> {
        let is_enumerated = |word: &Word| match *word {
            Word::Initial => false,
            Word::Rule(rule) => self.enumerated[rule.0],
        };
        let mut words = self.words.iter();
        let (_, (place, found)) = words.find(|(word, _)| is_enumerated(word))?;
        let found = found.clone();
        Some((*place, of_the("specification", found)))
    }
}

fn of_the(system: &'static str, found: Disagreement) -> Inconsistency {
    Inconsistency::Disagreement { system, found }
}

/// Which of the states of a run this is: of walks, which number no states, some number all the same.
fn number(place: Place, walks: bool) -> u64 {
    let state = u64::from(place.state.0);
    match walks {
        false => state,
        true => state << 10 | u64::from(place.length) & 1023,
    }
}

/// Whether the model is asked again about the state of this number.
pub(super) fn is_in_sample(number: u64) -> bool {
    match (number / ALL_OF_THE_FIRST).checked_ilog2() {
        None => true,
        Some(doublings) => {
            mix(number).is_multiple_of((ALL_OF_THE_FIRST / OF_EACH_DOUBLING) << doublings)
        }
    }
}

/// Compares two answers of a function.
fn same<T: PartialEq + Debug>(function: &str, first: &T, again: &T) -> Result<(), Inconsistency> {
    match first == again {
        true => Ok(()),
        false => Err(Inconsistency::NotAFunction {
            function: function.to_owned(),
            first: format!("{first:?}"),
            again: format!("{again:?}"),
        }),
    }
}

/// Asks a function twice.
fn asked_twice<T: PartialEq + Debug>(
    function: &str,
    ask: impl Fn() -> T,
) -> Result<(), Inconsistency> {
    same(function, &ask(), &ask())
}

/// How two equal values differ in what they show, if they do.
pub(super) fn difference<T: Serialize>(value: &T, equal: &T) -> Option<String> {
    let json = |value| serde_json::to_value(value).ok();
    let (value, equal) = (json(value)?, json(equal)?);
    let found = crate::report::changes(&value, &equal);
    let first = found.first()?;
    let crate::report::Change { field, from, to } = first;
    let field = if field.is_empty() { "the state" } else { field };
    Some(format!(
        "{field} is {from} in one and {to} in the other, and `Eq` does not tell them apart"
    ))
}

impl<R: Refinement> Examiner<'_, R> {
    /// Prepares to hear what is said of a state, if it is in the sample.
    #[inline]
    pub(super) fn listen(&self, tally: &mut Tally<R>, place: Place) {
        let is_heard = self.asks_again && is_in_sample(number(place, self.walks));
        tally.again.heard = is_heard.then(Box::default);
    }

    /// Asks again about a state with so many steps, and compares with what was heard.
    #[cold]
    pub(super) fn ask_again(
        &self,
        tally: &mut Tally<R>,
        place: Place,
        state: &StateOf<R::Concrete>,
        heard: &Heard<R>,
        count: u32,
    ) -> Result<(), Fault> {
        tally.again.states += 1;
        tally.during = During::Next;
        let implementation = self.refinement.implementation();
        let next = steps(implementation, state);
        self.same_steps(state, heard, count, &next)?;
        self.same_answers(tally, state, heard, &next)?;
        let number = number(place, self.walks);
        tally.during = During::Again("an overridden method of the implementation");
        let at = At {
            system: implementation,
            from: state,
            offered: &next,
        };
        if number < WELL_COMPARED {
            let found = next
                .iter()
                .filter_map(|(action, _)| misnamed(implementation, action));
            tally.again.misnamed.extend(found);
        }
        let few = some_of(&next, number).map(|(action, _)| action);
        // What `next` does not visit is no step of a system that is explored.
        let mut beyond = None;
        let others = std::slice::from_ref(state);
        let found = at.disagreement(few, others, &mut |_, found| {
            beyond.get_or_insert(found);
        });
        let mut found = found.or(beyond);
        // A walk may come back to an initial state, and what stands for one need not be one.
        let is_known = !self.walks && self.asymmetry.is_none();
        if is_known && implementation.is_initial(state) != (place.length == 0) {
            found.get_or_insert(Disagreement::overridden("is_initial", "initial", state));
        }
        if let Some(found) = found {
            return Err(of_the("implementation", found).into());
        }
        self.compare_specification(tally, place, heard)?;
        tally.during = During::Next;
        Ok(())
    }

    fn same_steps(
        &self,
        state: &StateOf<R::Concrete>,
        heard: &Heard<R>,
        count: u32,
        next: &[Taken<R::Concrete>],
    ) -> Result<(), Fault> {
        let implementation = self.refinement.implementation();
        let once_more;
        let (count, mut first) = (count as usize, &heard.steps);
        if heard.steps.is_empty() {
            // Steps that were recalled, or not looked at, were not heard.
            once_more = steps(implementation, state);
            first = &once_more;
        }
        let show = |step: Option<&(_, _)>| match step {
            Some((action, to)) => format!("{action:?} to {to:?}"),
            None => "none".to_owned(),
        };
        if next.len() != count {
            let recalled = count - heard.steps.len().min(count);
            let position = next.len().min(count) - heard.steps.len().min(next.len().min(count));
            let fault = match recalled > 0 && !self.walks && self.looks_at_steps() {
                true => Fault::Misframed(Misframed::Steps {
                    position,
                    next: show(next.get(position)),
                    framed: format!("one of {count}"),
                }),
                false => Fault::Inconsistent(Inconsistency::NotAFunction {
                    function: "`next` of the implementation".to_owned(),
                    first: format!("{count} steps"),
                    again: format!("{} steps", next.len()),
                }),
            };
            return Err(fault);
        }
        let before = next.len() - first.len().min(next.len());
        let mut positions = 0..first.len();
        if let Some(at) = positions.find(|&at| first.get(at) != next.get(before + at)) {
            return Err(Fault::Inconsistent(Inconsistency::NotAFunction {
                function: "`next` of the implementation".to_owned(),
                first: show(first.get(at)),
                again: show(next.get(before + at)),
            }));
        }
        for (action, _) in first {
            let rule = || implementation.rule_of(action);
            asked_twice("`rule_of` of the implementation", rule)?;
            let process = || implementation.process_of(action);
            asked_twice("`process_of` of the implementation", process)?;
        }
        Ok(())
    }

    /// Asks again what is computed of the state itself.
    fn same_answers(
        &self,
        tally: &mut Tally<R>,
        state: &StateOf<R::Concrete>,
        heard: &Heard<R>,
        next: &[Taken<R::Concrete>],
    ) -> Result<(), Inconsistency> {
        let implementation = self.refinement.implementation();
        let specification = self.refinement.specification();
        same("`clone` of a state", state, &state.clone())?;
        for invariant in self.invariants {
            tally.during = During::Again("an invariant");
            let name = format!("invariant `{}`", invariant.name());
            asked_twice(&name, || invariant.holds(state))?;
        }
        tally.during = During::Again("`observe` or `may_stop` of the implementation");
        let observe = || implementation.observe(state);
        asked_twice("`observe` of the implementation", observe)?;
        asked_twice("`may_stop`", || implementation.may_stop(state))?;
        let Some(image) = &heard.image else {
            return Ok(());
        };
        tally.during = During::Map;
        same("`map`", image, &self.refinement.map(state))?;
        tally.during = During::Again("`observe` of the specification");
        let observe = || specification.observe(image);
        asked_twice("`observe` of the specification", observe)?;
        tally.during = During::Again("`at_rest`");
        for &process in self.environment {
            asked_twice("`at_rest`", || self.refinement.at_rest(state, process))?;
        }
        tally.during = During::Answer;
        for ((action, to), answer) in heard.steps.iter().zip(&heard.answers) {
            let again = self.refinement.answer(state, action, to);
            same("`answer`", answer, &again)?;
        }
        if heard.answers.is_empty() {
            // On a walk one of the steps is taken, and later.
            for (action, to) in next.iter().take(FEW) {
                let answer = || self.refinement.answer(state, action, to);
                // One that panics does so again where the step is taken.
                catch(|| asked_twice("`answer`", answer)).unwrap_or(Ok(()))?;
            }
        }
        Ok(())
    }

    /// Compares the methods of the specification with each other, at the image of the state and the actions that its
    /// steps are said to simulate.
    fn compare_specification(
        &self,
        tally: &mut Tally<R>,
        place: Place,
        heard: &Heard<R>,
    ) -> Result<(), Inconsistency> {
        let Some(image) = &heard.image else {
            return Ok(());
        };
        let too_long = tally.again.spent > PATIENCE
            && tally.again.spent > self.started.elapsed() / PART_OF_RUN;
        if too_long {
            return Ok(());
        }
        let started = Instant::now();
        let compared = self.compare_at(tally, place, image, heard);
        tally.again.spent += started.elapsed();
        compared
    }

    fn compare_at(
        &self,
        tally: &mut Tally<R>,
        place: Place,
        image: &StateOf<R::Abstract>,
        heard: &Heard<R>,
    ) -> Result<(), Inconsistency> {
        let specification = self.refinement.specification();
        tally.during = During::Again("`next` of the specification");
        let next = |visit: &mut dyn FnMut(_)| {
            specification.next(image, &mut |action, to| visit((action, to)));
        };
        let (offered, all) = first_visited(MOST_STEPS, next);
        tally.during = During::Again("`rule_of` or `process_of` of the specification");
        for (action, _) in &offered {
            if let Some(found) = misfiled(specification, action) {
                return Err(of_the("specification", found));
            }
            tally.again.enumerated[specification.rule_of(action).0] = true;
            tally
                .again
                .processes
                .insert(specification.process_of(action));
        }
        let number = number(place, self.walks);
        if number < WELL_COMPARED {
            let found = offered
                .iter()
                .filter_map(|(action, _)| misnamed(specification, action));
            tally.again.misnamed.extend(found);
        }
        let answered: Vec<_> = heard.steps.iter().zip(&heard.answers).collect();
        let mut others = vec![image.clone()];
        let mut actions = Vec::new();
        for &((_, to), answer) in some_of(&answered, number) {
            tally.during = During::Map;
            let target = self.refinement.map(to);
            if let Some(action) = answer {
                self.compare_action(tally, action, &target, &offered)?;
                actions.push(action);
            } else if *image == target
                && let Some(difference) = difference(image, &target)
            {
                return Err(Inconsistency::Equal {
                    system: "specification",
                    difference,
                });
            }
            if !others.contains(&target) {
                others.push(target);
            }
        }
        if all {
            tally.during = During::Again("an overridden method of the specification");
            let at = At {
                system: specification,
                from: image,
                offered: &offered,
            };
            let few = some_of(&offered, number).map(|(action, _)| action);
            let mut doubts = Vec::new();
            let found = at.disagreement(
                actions.into_iter().chain(few),
                &others,
                &mut |rule, found| {
                    doubts.push((Word::Rule(rule), found));
                },
            );
            for (word, found) in doubts {
                tally.again.note(word, place, found);
            }
            if let Some(found) = found {
                return Err(of_the("specification", found));
            }
        }
        self.compare_initial(tally, place, image)
    }

    /// Compares what is said of an action that a step simulates.
    fn compare_action(
        &self,
        tally: &mut Tally<R>,
        action: &ActionOf<R::Abstract>,
        target: &StateOf<R::Abstract>,
        offered: &[Taken<R::Abstract>],
    ) -> Result<(), Inconsistency> {
        let specification = self.refinement.specification();
        tally.during = During::Again("`inputs` of the specification");
        if let Some(found) = misfiled(specification, action) {
            return Err(of_the("specification", found));
        }
        let inputs = specification.inputs(action);
        let is_fixed = specification.inputs(&inputs) == inputs
            && specification.rule_of(&inputs) == specification.rule_of(action)
            && specification.process_of(&inputs) == specification.process_of(action);
        if !is_fixed {
            return Err(Inconsistency::Inputs {
                action: format!("{action:?}"),
                inputs: format!("{inputs:?}"),
            });
        }
        let mut offered = offered.iter();
        let equal = offered.find(|(other, to)| other == action && to == target);
        match equal.and_then(|(_, to)| difference(to, target)) {
            None => Ok(()),
            Some(difference) => Err(Inconsistency::Equal {
                system: "specification",
                difference,
            }),
        }
    }

    /// Compares `is_initial` of the specification with `initial`.
    fn compare_initial(
        &self,
        tally: &mut Tally<R>,
        place: Place,
        image: &StateOf<R::Abstract>,
    ) -> Result<(), Inconsistency> {
        let specification = self.refinement.specification();
        tally.during = During::Again("`initial` of the specification");
        let initial = self.initial_of_specification.get_or_init(|| {
            let initial =
                |visit: &mut dyn FnMut(_)| specification.initial(&mut |state| visit(state));
            let (initial, all) = first_visited(MOST_STEPS, initial);
            all.then(|| initial.into_iter().collect())
        });
        let Some(initial) = initial else {
            return Ok(());
        };
        tally.during = During::IsInitial;
        if specification.is_initial(image) == initial.contains(image) {
            return Ok(());
        }
        let found = Disagreement::overridden("is_initial", "initial", image);
        match initial.is_empty() {
            true => {
                tally.again.note(Word::Initial, place, found);
                Ok(())
            }
            false => Err(of_the("specification", found)),
        }
    }
}

/// That an action is filed under another rule than the one that has its name, if that is so.
fn misnamed<S: TransitionSystem>(system: &S, action: &ActionOf<S>) -> Option<String> {
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    // An enum's variant, as serde writes it.
    let name = match serde_json::to_value(action).ok()? {
        serde_json::Value::String(name) => name,
        serde_json::Value::Object(fields) if fields.len() == 1 => fields.into_iter().next()?.0,
        _ => return None,
    };
    let (own, rules) = (system.rule_of(action).0, system.rules());
    let is_its_name = |rule: &crate::system::Rule| plain(&rule.name) == plain(&name);
    if is_its_name(&rules[own]) {
        return None;
    }
    let other = rules.iter().find(|rule| is_its_name(rule))?;
    Some(format!(
        "`rule_of` files {action:?} under `{}`, and there is a rule `{}`",
        rules[own].name, other.name
    ))
}

/// Some of `things` of one of the first states, a few of a later one. What is derived from `next` takes all steps for each,
/// so they are few where there are many.
fn some_of<T>(things: &[T], number: u64) -> impl Iterator<Item = &T> + Clone {
    let most = match number < WELL_COMPARED {
        true => SOME.min(MOST_WORK / things.len().max(1)),
        false => FEW,
    };
    let count = things.len().min(most.max(FEW));
    let first = match count < things.len() {
        true => (mix(!number) % things.len() as u64) as usize,
        false => 0,
    };
    things.iter().cycle().skip(first).take(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All of the first states are in the sample, and of those up to 2²⁴ a few thousand, of each lane about as many.
    #[test]
    fn the_sample_is_spread_over_the_run() {
        let sample: Vec<_> = (0..1u64 << 24).filter(|n| is_in_sample(*n)).collect();
        assert_eq!(sample[..1024], (0..1024).collect::<Vec<_>>());
        let expected = 1024 + 14 * 256;
        assert!(sample.len().abs_diff(expected) < 256, "{}", sample.len());
        let late = sample.iter().filter(|n| **n >= 1 << 23).count();
        assert!(late.abs_diff(256) < 64, "{late}");
        let mut lanes = [0; 16];
        sample.iter().for_each(|n| lanes[(n % 16) as usize] += 1);
        assert!(lanes.iter().all(|lane| *lane > 200), "{lanes:?}");
    }
}
