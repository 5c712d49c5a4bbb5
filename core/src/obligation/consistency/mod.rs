//! Whether a model is consistent with itself: its functions are functions of what they are given, and the
//! methods that it overrides agree with those from which they are derived.
//!
//! A search asks each question once, so a model that would answer otherwise the next time is believed. In a sample of
//! the states, spread over the whole run, everything is asked again and compared.

mod sample;
mod specification;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use foldhash::{HashMap, HashMapExt};
use serde::Serialize;

pub(super) use self::sample::is_in_sample;
use self::sample::{FEW, is_well_compared, number, some_of};
use super::examiner::Examiner;
use super::tally::{During, Fault, Tally};
use crate::disagreement::{At, Disagreement};
use crate::explore::{Place, catch, fingerprint};
use crate::refinement::Refinement;
use crate::system::{ActionOf, Process, RuleId, StateOf, TransitionSystem, steps};

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
    #[error("two equal {what} differ: {difference}")]
    Equal {
        what: &'static str,
        difference: String,
    },
    #[error(
        "two states of the implementation have one fingerprint, and `Eq` tells them apart, so `Hash` leaves out what \
         `Eq` compares: {difference}"
    )]
    Fingerprint { difference: String },
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
    /// What it shows, as `Debug` shows that.
    pub shown: Option<String>,
    /// Whether the invariants hold that are checked.
    pub invariants: Vec<bool>,
    /// The last of its steps: those that were looked at one by one.
    pub steps: Vec<Taken<R::Concrete>>,
    /// The rules of which these are instances.
    pub rules: Vec<usize>,
    /// What these were said to simulate, if it was asked.
    pub answers: Vec<Option<ActionOf<R::Abstract>>>,
}

impl<R: Refinement> Default for Heard<R> {
    fn default() -> Self {
        Self {
            image: None,
            shown: None,
            invariants: Vec::new(),
            steps: Vec::new(),
            rules: Vec::new(),
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
    /// The states at which methods of the specification were not compared, since its `next` takes too long.
    pub not_compared: u64,
    /// Where states are kept as fingerprints, those in the sample and their successors, by their fingerprints.
    fingerprinted: HashMap<u64, (Place, StateOf<R::Concrete>)>,
    /// Two of one fingerprint that are not one state.
    pub confused: Option<(Place, Inconsistency)>,
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
            not_compared: 0,
            fingerprinted: HashMap::new(),
            confused: None,
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
        self.not_compared += other.not_compared;
        for (_, (place, state)) in other.fingerprinted {
            self.compare_fingerprint(place, &state);
        }
        let confused = other.confused.into_iter().chain(self.confused.take());
        self.confused = confused.min_by_key(|(place, _)| *place);
    }

    /// Compares a state with the first one that has its fingerprint, if that is known. What is found is the same in
    /// whatever order states are compared.
    fn compare_fingerprint(&mut self, place: Place, state: &StateOf<R::Concrete>) {
        let known = self.fingerprinted.entry(fingerprint(state));
        let (first, kept) = known.or_insert_with(|| (place, state.clone()));
        let (mut place, mut state) = (place, state.clone());
        if place < *first {
            std::mem::swap(&mut place, first);
            std::mem::swap(&mut state, kept);
        }
        let (other, state) = (&*kept, &state);
        let what = "states of the implementation";
        let found = match other == state {
            true => {
                difference(other, state).map(|difference| Inconsistency::Equal { what, difference })
            }
            false => Some(Inconsistency::Fingerprint {
                difference: format!("{other:?} and {state:?}"),
            }),
        };
        let found = found.map(|found| (place, found));
        let confused = found.into_iter().chain(self.confused.take());
        self.confused = confused.min_by_key(|(place, _)| *place);
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

/// How two equal values differ as they serialise or as `Debug` shows them, if they do.
pub(super) fn difference<T: Serialize + Debug>(value: &T, equal: &T) -> Option<String> {
    let json = |value| serde_json::to_value(value).ok();
    let found = json(value)
        .zip(json(equal))
        .and_then(|(value, equal)| crate::report::changes(&value, &equal).into_iter().next());
    let Some(crate::report::Change { field, from, to }) = found else {
        // What is not serialised may be shown.
        return difference_shown(value, equal);
    };
    let field = if field.is_empty() {
        "the value"
    } else {
        &field
    };
    Some(format!(
        "{field} is {from} in one and {to} in the other, and `Eq` does not tell them apart"
    ))
}

/// How two equal values differ as `Debug` shows them, if they do.
pub(super) fn difference_shown(value: &impl Debug, equal: &impl Debug) -> Option<String> {
    let (value, equal) = (format!("{value:?}"), format!("{equal:?}"));
    (!is_reordered(&value, &equal))
        .then(|| format!("one is {value}, the other {equal}, and `Eq` does not tell them apart"))
}

/// Whether one text has the parts of the other, perhaps in another order: a set that has no order shows them in any.
fn is_reordered(text: &str, other: &str) -> bool {
    let sorted = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.sort_unstable();
        bytes
    };
    text == other || text.len() == other.len() && sorted(text) == sorted(other)
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
        same("`clone` of a state", state, &state.clone())?;
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
        if is_well_compared(number) {
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
        let is_known = !self.walks && self.symmetry.is_none();
        if is_known && implementation.is_initial(state) != (place.length == 0) {
            found.get_or_insert(Disagreement::overridden("is_initial", "initial", state));
        }
        if let Some(found) = found {
            return Err(of_the("implementation", found).into());
        }
        self.compare_specification(tally, place, heard)?;
        tally.during = During::Next;
        if self.fingerprints {
            tally.again.compare_fingerprint(place, state);
            for (position, (_, to)) in (0..).zip(&next) {
                tally.again.compare_fingerprint(place.of_step(position), to);
            }
        }
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
            // Steps that were cached, or not looked at, were not heard.
            once_more = steps(implementation, state);
            first = &once_more;
        }
        let show = |step: Option<&(_, _)>| match step {
            Some((action, to)) => format!("{action:?} to {to:?}"),
            None => "none".to_owned(),
        };
        if next.len() != count {
            return Err(Fault::Inconsistent(Inconsistency::NotAFunction {
                function: "`next` of the implementation".to_owned(),
                first: format!("{count} steps"),
                again: format!("{} steps", next.len()),
            }));
        }
        // What was heard are clones.
        for (action, to) in next {
            same("`clone` of an action", action, &action.clone())?;
            same("`clone` of a state", to, &to.clone())?;
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
        for (position, (action, _)) in first.iter().enumerate() {
            let rule = || implementation.rule_of(action);
            asked_twice("`rule_of` of the implementation", rule)?;
            if let Some(first) = heard.rules.get(position) {
                same("`rule_of` of the implementation", &RuleId(*first), &rule())?;
            }
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
        for (name, first, again) in self.chosen_again(state, &heard.invariants) {
            tally.during = During::Again("an invariant");
            same(&format!("invariant `{name}`"), first, &again())?;
        }
        for invariant in self.invariants {
            tally.during = During::Again("an invariant");
            let name = format!("invariant `{}`", invariant.name());
            asked_twice(&name, || invariant.holds(state))?;
        }
        tally.during = During::Again("`observe` or `may_stop` of the implementation");
        let observe = || implementation.observe(state);
        asked_twice("`observe` of the implementation", observe)?;
        if let Some(first) = &heard.shown {
            let again = format!("{:?}", observe());
            if !is_reordered(first, &again) {
                let function = "`observe` of the implementation".to_owned();
                return Err(Inconsistency::NotAFunction {
                    function,
                    first: first.clone(),
                    again,
                });
            }
        }
        asked_twice("`may_stop`", || implementation.may_stop(state))?;
        let Some(image) = &heard.image else {
            return Ok(());
        };
        tally.during = During::Map;
        same("`map`", image, &self.refinement.map(state))?;
        same(
            "`clone` of a state of the specification",
            image,
            &image.clone(),
        )?;
        tally.during = During::Again("`observe` of the specification");
        let observe = || specification.observe(image);
        asked_twice("`observe` of the specification", observe)?;
        let (shown, shown_of_image) = (implementation.observe(state), observe());
        if shown == shown_of_image
            && let Some(difference) = difference_shown(&shown, &shown_of_image)
        {
            let what = "observations";
            return Err(Inconsistency::Equal { what, difference });
        }
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
