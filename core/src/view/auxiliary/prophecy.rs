//! Prophecy variables: what an implementation predicts of its future.
//!
//! Source: Abadi & Lamport, *The Existence of Refinement Mappings*, section 5.2, Proposition 5; Lamport & Merz, *Auxiliary
//! Variables in TLA+*, section 4 (predictions under the keys of an array, Π, and what a step does to each of them); Lamport &
//! Merz, *Prophecy Made Simple*.
//!
//! A step of the system is taken from a prediction to another if each prediction before it allows it: one that stays open is the
//! same after it, and one that the step fulfils comes true. What is newly open is predicted in every possible way. So no step is
//! added; that none is lost are the side conditions. They are decided for each key by itself: a step is allowed if each of the
//! predictions before it allows it, and these are made independently of each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use serde::Serialize;

use super::parts::{asked_of_the_system, written_by_parts};
use crate::state::{NameVisitor, State};
use crate::statement::action::Action;
use crate::statement::erased::{
    Caveats, ErasedAction, ErasedState, Outcome, SideCondition, SystemObject, Tell, ViewObject,
};
use crate::statement::rule::{Process, Rule, RuleId};
use crate::statement::shown::json::json;
use crate::statement::shown::value::compact;
use crate::statement::system::{ActionOf, ObservationOf, StateOf, TransitionSystem, successor};

/// A prophecy variable of `S`: predictions, each under a key.
///
/// One that predicts a single thing has the key `()`; one that predicts something of each element of a set, or of each place
/// of a sequence, has those as keys.
pub trait Prophecy<S: TransitionSystem>: Sync {
    /// Type of the keys of predictions.
    type Key: State<S> + Ord;
    /// Type of a prediction.
    type Prediction: State<S> + Ord;

    /// The keys of the predictions that are open in a state: those that are not fulfilled yet, and may be.
    fn open(&self, system: &S, state: &StateOf<S>) -> Vec<Self::Key>;

    /// The possible predictions (Π) under a key that is open in a state.
    fn possible(&self, system: &S, state: &StateOf<S>, key: &Self::Key) -> Vec<Self::Prediction>;

    /// Effect of a step on a prediction that is open where it begins.
    ///
    /// A key that is open where the step ends, and under which nothing is kept, gets a new prediction: each that is possible.
    fn fate(
        &self,
        system: &S,
        open: (&Self::Key, &Self::Prediction),
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: &StateOf<S>,
    ) -> Fate<Self::Key>;

    /// True if these predictions are offered in an initial state. All possible ones are, by default; that they are is the side
    /// condition `auxiliary:initial`.
    fn is_offered(
        &self,
        _system: &S,
        _initial: &StateOf<S>,
        _predictions: &BTreeMap<Self::Key, Self::Prediction>,
    ) -> bool {
        true
    }
}

/// Fate of a prediction at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate<K> {
    /// It stays open, under this key: its own, or the one that its subject has after the step. Under a key that is not open there
    /// it ends; of two that come under one key both have to be the same, and a prediction that is not possible there is not kept
    /// by any step.
    Keep(K),
    /// The step is what it speaks of, and is taken only if it comes true.
    Fulfil {
        /// True if it does.
        comes_true: bool,
    },
    /// It ends, whatever it was.
    Drop,
}

/// A system with a prophecy variable.
#[derive(Clone, Debug)]
pub struct WithProphecy<S, P> {
    /// The system, which knows nothing of the variable.
    pub system: S,
    /// The variable.
    pub prophecy: P,
}

/// A state, and what is predicted there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Prophesying<T, K: Ord, V> {
    /// The state of the system.
    pub state: T,
    /// The prediction under each key that is open.
    pub prophecy: BTreeMap<K, V>,
}

/// An action, and what is newly predicted by its step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Predicting<A, K: Ord, V> {
    /// The action of the system.
    pub action: A,
    /// The predictions that the step makes. Those that it keeps follow from the state before.
    pub made: BTreeMap<K, V>,
}

type OpenOf<S, P> = BTreeMap<<P as Prophecy<S>>::Key, <P as Prophecy<S>>::Prediction>;
/// Per open key, the possible predictions, each once.
type Possible<S, P> = BTreeMap<<P as Prophecy<S>>::Key, BTreeSet<<P as Prophecy<S>>::Prediction>>;

written_by_parts! {
    impl [S: TransitionSystem, P: Prophecy<S>] Prophesying<StateOf<S>, P::Key, P::Prediction>,
    of WithProphecy<S, P>, based on S
    { state: StateOf<S>, prophecy: OpenOf<S, P> }
    names of [state: StateOf<S>, prophecy: OpenOf<S, P>]
}

// Where a stuttering variable is added its state has an action.
written_by_parts! {
    impl [S: TransitionSystem, P: Prophecy<S>] Predicting<ActionOf<S>, P::Key, P::Prediction>,
    of WithProphecy<S, P>, based on S
    where [ActionOf<S>: State<S>]
    { action: ActionOf<S>, made: OpenOf<S, P> }
}

type PredictingOf<S, P> =
    Predicting<ActionOf<S>, <P as Prophecy<S>>::Key, <P as Prophecy<S>>::Prediction>;

impl<S: TransitionSystem, P: Prophecy<S>> Action<WithProphecy<S, P>> for PredictingOf<S, P> {
    fn rules(view: &WithProphecy<S, P>) -> &[Rule] {
        ActionOf::<S>::rules(&view.system)
    }

    fn rule(&self, view: &WithProphecy<S, P>) -> RuleId {
        self.action.rule(&view.system)
    }

    fn process(&self, view: &WithProphecy<S, P>) -> Process {
        self.action.process(&view.system)
    }

    /// Predictions that a step makes are results.
    fn inputs(&self, view: &WithProphecy<S, P>) -> Self {
        Self {
            action: self.action.inputs(&view.system),
            made: BTreeMap::new(),
        }
    }

    fn visit_names(&mut self, visit: &mut dyn NameVisitor) {
        self.action.visit_names(visit);
        State::<S>::visit_names(&mut self.made, visit);
    }
}

impl<S: TransitionSystem, P: Prophecy<S>> WithProphecy<S, P> {
    /// Π of a state.
    fn possible(&self, state: &StateOf<S>) -> Possible<S, P> {
        let open = self.prophecy.open(&self.system, state).into_iter();
        open.map(|key| {
            let possible = self.prophecy.possible(&self.system, state, &key);
            (key, possible.into_iter().collect())
        })
        .collect()
    }

    /// The predictions that a step from some others keeps, if it is taken with those.
    fn kept(
        &self,
        before: &OpenOf<S, P>,
        (from, action, to): (&StateOf<S>, &ActionOf<S>, &StateOf<S>),
        possible: &Possible<S, P>,
    ) -> Option<OpenOf<S, P>> {
        let mut kept = BTreeMap::new();
        for open in before {
            match self.prophecy.fate(&self.system, open, from, action, to) {
                Fate::Keep(key) => {
                    if let Some(possible) = possible.get(&key) {
                        let prediction = open.1;
                        let is_same = kept.get(&key).is_none_or(|other| other == prediction);
                        if !is_same || !possible.contains(prediction) {
                            return None;
                        }
                        kept.insert(key, prediction.clone());
                    }
                }
                Fate::Fulfil { comes_true: false } => return None,
                Fate::Fulfil { comes_true: true } | Fate::Drop => (),
            }
        }
        Some(kept)
    }

    /// Visits the steps that a step of the system is, with whatever is predicted after it.
    fn predicted(
        &self,
        from: &StateOf<Self>,
        action: &ActionOf<S>,
        to: &StateOf<S>,
        visit: &mut impl FnMut(ActionOf<Self>, &StateOf<Self>),
    ) {
        let mut possible = self.possible(to);
        let step = (&from.state, action, to);
        let Some(kept) = self.kept(&from.prophecy, step, &possible) else {
            return;
        };
        possible.retain(|key, _| !kept.contains_key(key));
        assignments(&possible, &mut |made| {
            let mut prophecy = kept.clone();
            prophecy.extend(made.clone());
            let action = action.clone();
            let to = Prophesying {
                state: to.clone(),
                prophecy,
            };
            visit(Predicting { action, made }, &to);
        });
    }

    /// That every possible prediction is offered in an initial state.
    fn is_initial(&self, state: &StateOf<S>) -> Outcome {
        let mut offered = 0;
        let mut missing = None;
        assignments(&self.possible(state), &mut |predictions| {
            if self.prophecy.is_offered(&self.system, state, &predictions) {
                offered += 1;
            } else if missing.is_none() {
                missing = Some(predictions);
            }
        });
        match missing {
            None => Outcome::Holds(offered),
            Some(missing) => Outcome::Fails(format!(
                "the predictions {} are possible in this initial state, and are not offered",
                shown(&missing)
            )),
        }
    }

    /// That there is a prediction under each key of a state.
    fn is_non_empty(&self, state: &StateOf<S>) -> Outcome {
        let possible = self.possible(state);
        let mut empty = possible.iter().filter(|(_, possible)| possible.is_empty());
        match empty.next() {
            None => Outcome::Holds(1),
            Some((key, _)) => Outcome::Fails(format!(
                "no prediction is possible under the key {}, so that no behaviour gets here",
                shown(key)
            )),
        }
    }

    /// That a step is taken whatever is predicted after it.
    fn is_backward_total(
        &self,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: &StateOf<S>,
    ) -> Outcome {
        let [before, after] = [from, to].map(|state| self.possible(state));
        for (key, possible) in &before {
            // Predictions after the step that allow one before it under this key.
            let mut allowed: Possible<S, P> = BTreeMap::new();
            let is_free = possible.iter().any(|prediction| {
                let open = (key, prediction);
                match self.prophecy.fate(&self.system, open, from, action, to) {
                    Fate::Keep(kept) if after.contains_key(&kept) => {
                        allowed.entry(kept).or_default().insert(prediction.clone());
                        false
                    }
                    Fate::Fulfil { comes_true } => comes_true,
                    Fate::Keep(_) | Fate::Drop => true,
                }
            });
            if is_free {
                continue;
            }
            // One that allows none.
            let lost = after.iter().map(|(kept, possible)| {
                let allowed = allowed.get(kept);
                let mut others = possible.iter();
                let other = others.find(|one| allowed.is_none_or(|all| !all.contains(*one)));
                Some((kept.clone(), other?.clone()))
            });
            if let Some(lost) = lost.collect::<Option<OpenOf<S, P>>>() {
                let with = if lost.is_empty() {
                    "nothing is predicted after this step".to_owned()
                } else {
                    format!(
                        "the predictions {} are possible after this step",
                        shown(&lost)
                    )
                };
                return Outcome::Fails(format!(
                    "{with}, and with no prediction that is possible before it, under the key {}, the step leads there: \
                     a behaviour that goes on so is lost",
                    shown(key)
                ));
            }
        }
        let cases = after.values().map(|possible| possible.len() as u64);
        Outcome::Holds(cases.fold(1, u64::saturating_mul))
    }
}

/// Visits each choice of one prediction for each key.
fn assignments<K: Ord + Clone, V: Ord + Clone>(
    possible: &BTreeMap<K, BTreeSet<V>>,
    visit: &mut dyn FnMut(BTreeMap<K, V>),
) {
    let lists: Vec<(&K, Vec<&V>)> = possible
        .iter()
        .map(|(key, possible)| (key, possible.iter().collect()))
        .collect();
    if lists.iter().any(|(_, list)| list.is_empty()) {
        return;
    }
    let mut chosen = vec![0; lists.len()];
    loop {
        let pairs = lists.iter().zip(&chosen);
        visit(
            pairs
                .map(|((key, list), at)| ((*key).clone(), list[*at].clone()))
                .collect(),
        );
        // The last key changes first.
        let mut place = lists.len();
        loop {
            let Some(before) = place.checked_sub(1) else {
                return;
            };
            place = before;
            chosen[place] += 1;
            if chosen[place] < lists[place].1.len() {
                break;
            }
            chosen[place] = 0;
        }
    }
}

/// Keys and predictions as states show them.
fn shown(value: &(impl Serialize + Debug)) -> String {
    compact(&json(value))
}

impl<S, P> TransitionSystem for WithProphecy<S, P>
where
    S: TransitionSystem,
    P: Prophecy<S>,
{
    type State = Prophesying<StateOf<S>, P::Key, P::Prediction>;
    type Action = PredictingOf<S, P>;
    type Observation = ObservationOf<S>;

    fn initial(&self, visit: &mut impl FnMut(Self::State)) {
        self.system.initial(&mut |state| {
            assignments(&self.possible(&state), &mut |prophecy| {
                if self.prophecy.is_offered(&self.system, &state, &prophecy) {
                    let state = state.clone();
                    visit(Prophesying { state, prophecy });
                }
            });
        });
    }

    fn fire(&self, action: &Self::Action, state: &mut Self::State) -> Option<()> {
        let to = successor(&self.system, &state.state, &action.action)?;
        let mut target = None;
        self.predicted(state, &action.action, &to, &mut |offered, to| {
            if offered == *action {
                target = Some(to.clone());
            }
        });
        *state = target?;
        Some(())
    }

    fn next(&self, from: &Self::State, visit: &mut impl FnMut(Self::Action, &Self::State)) {
        self.system.next(&from.state, &mut |action, to| {
            self.predicted(from, &action, to, visit);
        });
    }

    asked_of_the_system!(with "prophecy": prophecy);

    fn caveats(&self) -> Caveats<'_, Self::State> {
        let below = self.system.caveats();
        below.of(|from: &Self::State| &from.state).viewed(self)
    }
}

impl<S, P> ViewObject for WithProphecy<S, P>
where
    S: TransitionSystem,
    P: Prophecy<S>,
{
    fn variable(&self) -> &'static str {
        "prophecy"
    }

    fn base(&self) -> &dyn SystemObject {
        &self.system
    }

    fn base_state(&self, state: &ErasedState) -> ErasedState {
        ErasedState::of(&state.get::<StateOf<Self>>().state)
    }

    fn base_action(&self, action: &ErasedAction) -> Option<ErasedAction> {
        Some(ErasedAction::of(&action.get::<ActionOf<Self>>().action))
    }

    fn lifts(&self, base: &ErasedState, enough: &mut dyn FnMut(ErasedState) -> bool) -> bool {
        let state = base.get::<StateOf<S>>();
        let mut is_enough = false;
        assignments(&self.possible(state), &mut |prophecy| {
            if !is_enough {
                let state = state.clone();
                is_enough = enough(ErasedState::from(Prophesying { state, prophecy }));
            }
        });
        true
    }

    fn conditions(&self) -> &'static [SideCondition] {
        &[
            SideCondition::Initial,
            SideCondition::NonEmpty,
            SideCondition::BackwardTotal,
        ]
    }

    fn test_initial(&self, base: &ErasedState, tell: &mut Tell<'_>) {
        tell(SideCondition::Initial, self.is_initial(base.get()));
    }

    fn test_state(&self, base: &ErasedState, tell: &mut Tell<'_>) {
        tell(SideCondition::NonEmpty, self.is_non_empty(base.get()));
    }

    fn test_step(
        &self,
        from: &ErasedState,
        action: &ErasedAction,
        to: &ErasedState,
        tell: &mut Tell<'_>,
    ) {
        let outcome = self.is_backward_total(from.get(), action.get(), to.get());
        tell(SideCondition::BackwardTotal, outcome);
    }
}
