//! Observed transition systems as automata: a step that changes what can be observed is labelled with what is observed after it.

use std::sync::{Arc, PoisonError, RwLock};

use super::edge::{Edge, ROOT, StepLabel};
use crate::state::numbered::Numbered;
use crate::statement::asked::calls::Of;
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::named;
use crate::statement::asked::visit::{visit_initial, visit_steps};
use crate::statement::constraint::Constraint;
use crate::statement::erased::{ErasedAction, ErasedObservation, ErasedState, ErasedSystem};
use crate::statement::system::TransitionSystem;
use crate::view::consistency::SystemName;

/// Observations by number, which two systems share, and several workers. Their labels are one more.
#[derive(Default)]
pub(super) struct Observations(RwLock<Numbered<ErasedObservation>>);

impl Observations {
    /// Label of a step that leads to this observation, if that is another one than before. An observation may have panicked with the
    /// lock; those before it are as they were.
    pub fn label(&self, observation: ErasedObservation) -> StepLabel {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let known = all.find(&observation);
        drop(all);
        let add = || {
            let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
            all.number(observation)
        };
        StepLabel(known.unwrap_or_else(add) + 1)
    }

    /// Observation that a label shows.
    fn shown(&self, label: StepLabel) -> String {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let place = label.0.checked_sub(1);
        let observation = place.and_then(|place| all.values().get(place as usize));
        observation.map_or_else(|| "nothing new".to_owned(), |one| format!("{one:?}"))
    }
}

/// Constraint on the states that are expanded.
pub(super) type Within<'a> = Option<&'a Constraint<ErasedSystem<'static>>>;

/// Observed system whose states are numbered as they are met.
///
/// The root is no state of the system: from it a visible step leads to each initial state, so that what is observed at the
/// beginning is the first label. States have their numbers plus one.
pub(super) struct Observed<'a> {
    pub system: ErasedSystem<'a>,
    pub within: Within<'a>,
    pub observations: Arc<Observations>,
    states: Numbered<ErasedState>,
    /// Labels of what is observed of the states met.
    labels: Vec<StepLabel>,
    /// Number of states that are not expanded, being outside of the constraint.
    pub outside: u64,
}

impl<'a> Observed<'a> {
    pub fn new(
        system: ErasedSystem<'a>,
        within: Within<'a>,
        observations: &Arc<Observations>,
    ) -> Self {
        Self {
            system,
            within,
            observations: Arc::clone(observations),
            states: Numbered::default(),
            labels: Vec::new(),
            outside: 0,
        }
    }

    /// Number of states met.
    pub fn states(&self) -> u64 {
        self.labels.len() as u64
    }

    /// A state that was met; none for the root.
    pub fn state(&self, number: u32) -> Option<&ErasedState> {
        let place = number.checked_sub(1)?;
        self.states.values().get(place as usize)
    }

    /// Label of what is observed of a state that was met, and is not the root.
    pub fn label(&self, number: u32) -> StepLabel {
        self.labels[number as usize - 1]
    }

    /// The actions that lead from one state to another, in the order in which the system offers them. None lead from the root.
    pub fn actions(&self, from: u32, to: u32) -> Vec<ErasedAction> {
        let mut actions = Vec::new();
        if let (Some(from), Some(to)) = (self.state(from), self.state(to)) {
            visit_steps(&self.system, from, &mut |action, target| {
                if *target == *to {
                    actions.push(action);
                }
            });
        }
        actions
    }

    /// Number of the rule of an action.
    pub fn rule(&self, action: &ErasedAction) -> u32 {
        self.system.call_rule(action).0 as u32
    }

    /// Observation that a label shows.
    pub fn shown(&self, label: StepLabel) -> String {
        self.observations.shown(label)
    }

    /// Visits the steps of a state of the automaton.
    pub fn visit_steps(&mut self, from: u32, visit: &mut dyn FnMut(Edge)) {
        let (system, name) = (self.system, self.name());
        let Some(state) = self.state(from).cloned() else {
            debug_assert_eq!(from, ROOT);
            let mut meet = |state| visit(self.meet(state));
            named(name.initial, || visit_initial(&system, &mut meet));
            return;
        };
        if !self.is_within(&state) {
            self.outside += 1;
            return;
        }
        let mut meet = |_, to: &ErasedState| {
            let edge = self.meet(to.clone());
            visit(self.seen_from(from, edge));
        };
        // A set is found while the other system's steps are taken, whose functions have the same names.
        named(name.next, || visit_steps(&system, &state, &mut meet));
    }

    /// Names of the functions of the system.
    fn name(&self) -> SystemName {
        match self.system.1 {
            Of::Specification => SystemName::SPECIFICATION,
            Of::Implementation | Of::Model => SystemName::IMPLEMENTATION,
        }
    }

    /// True if a state is expanded: it is within the constraint.
    pub fn is_within(&self, state: &ErasedState) -> bool {
        self.within.is_none_or(|within| within.contains(state))
    }

    /// Step from a state to one that is known, if it was met.
    pub fn find(&self, from: u32, to: &ErasedState) -> Option<Edge> {
        let to = self.states.find(to)? + 1;
        let label = self.label(to);
        Some(self.seen_from(from, Edge { label, to }))
    }

    /// Step from a state, which shows nothing where what is observed stays the same.
    pub fn seen_from(&self, from: u32, mut edge: Edge) -> Edge {
        if from != ROOT && self.label(from) == edge.label {
            edge.label = StepLabel::INVISIBLE;
        }
        edge
    }

    /// Number of a state, and the label of what is observed there.
    pub fn meet(&mut self, state: ErasedState) -> Edge {
        let name = self.name();
        let number = self.states.number(state);
        if number as usize == self.labels.len() {
            let state = &self.states.values()[number as usize];
            let observation = named(name.observe, || self.system.observe(state));
            self.labels.push(self.observations.label(observation));
        }
        Edge {
            label: self.labels[number as usize],
            to: number + 1,
        }
    }
}
