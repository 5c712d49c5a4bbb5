//! Observed transition systems as automata: a step that changes what can be observed is labelled with what is observed after it.

use std::sync::Arc;

use foldhash::HashMap;

use super::edge::{Edge, ROOT, StepLabel};
use super::met::{Labelling, MetState, MetStates};
use super::observations::Observations;
use crate::state::numbered::Numbered;
use crate::statement::asked::functions::Functions;
use crate::statement::asked::visit::visit_steps;
use crate::statement::constraint::Constraint;
use crate::statement::erased::{ErasedAction, ErasedState, ErasedSystem};

/// Constraint on the states that are expanded.
pub(super) type Within<'a> = Option<&'a Constraint<ErasedSystem<'static>>>;

/// Observed system whose states are numbered as they are met.
///
/// The root is no state of the system: from it a visible step leads to each initial state, so that what is observed at the
/// beginning is the first label. States have their numbers plus one.
pub(super) struct Observed<'a> {
    pub met: Arc<MetStates<'a>>,
    pub within: Within<'a>,
    /// Observations by the order in which they are met here.
    observations: Arc<Observations>,
    /// Labels here of what labels of states that were met show.
    labels_here: HashMap<StepLabel, StepLabel>,
    states: Numbered<Arc<MetState>>,
    /// Labels of what is observed of the states met.
    labels: Vec<StepLabel>,
    /// Number of states that are not expanded, being outside of the constraint.
    pub outside: u64,
}

impl<'a> Observed<'a> {
    pub fn new(
        met: Arc<MetStates<'a>>,
        within: Within<'a>,
        observations: Arc<Observations>,
    ) -> Self {
        Self {
            met,
            within,
            observations,
            labels_here: HashMap::default(),
            states: Numbered::default(),
            labels: Vec::new(),
            outside: 0,
        }
    }

    /// The same, of which nothing was asked for, and whose labels are those of the states that were met.
    pub fn anew(&self) -> Self {
        let observations = match &self.met.labelling {
            Labelling::Changes(observations) => Arc::clone(observations),
            Labelling::Own => Arc::default(),
        };
        Self::new(Arc::clone(&self.met), self.within, observations)
    }

    /// The system.
    pub fn system(&self) -> ErasedSystem<'a> {
        self.met.system
    }

    /// Number of states met.
    pub fn states(&self) -> u64 {
        self.labels.len() as u64
    }

    /// A state that was met; none for the root.
    pub fn state(&self, number: u32) -> Option<&ErasedState> {
        let state: &ErasedState = self.met_state(number)?;
        Some(state)
    }

    fn met_state(&self, number: u32) -> Option<&Arc<MetState>> {
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
            visit_steps(&self.system(), from, &mut |action, target| {
                if *target == *to {
                    actions.push(action);
                }
            });
        }
        actions
    }

    /// Number of the rule of an action.
    pub fn rule(&self, action: &ErasedAction) -> u32 {
        self.system().call_rule(action).0 as u32
    }

    /// Observation that a label shows.
    pub fn shown(&self, label: StepLabel) -> String {
        let observation = self.observations.observation(label);
        observation.map_or_else(|| "nothing new".to_owned(), |one| format!("{one:?}"))
    }

    /// Visits the steps of a state of the automaton.
    pub fn visit_steps(&mut self, from: u32, visit: &mut dyn FnMut(Edge)) {
        let met = Arc::clone(&self.met);
        let Some(state) = self.met_state(from).cloned() else {
            debug_assert_eq!(from, ROOT);
            met.visit_initial(&mut |state| visit(self.number(state)));
            return;
        };
        if !self.is_within(&state) {
            self.outside += 1;
            return;
        }
        for step in &*met.steps(&state) {
            let edge = self.number(Arc::clone(&step.to));
            visit(self.seen_from(from, edge));
        }
    }

    /// True if a state is expanded: it is within the constraint.
    pub fn is_within(&self, state: &ErasedState) -> bool {
        self.within.is_none_or(|within| within.contains(state))
    }

    /// Step from a state to one that is known, if it was met.
    pub fn find(&self, from: u32, to: &ErasedState) -> Option<Edge> {
        let to = self.states.find(&self.met.meet(to.clone()))? + 1;
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
        let state = self.met.meet(state);
        self.number(state)
    }

    /// The same of one that was met.
    pub fn number(&mut self, state: Arc<MetState>) -> Edge {
        let shows = state.shows;
        let number = self.states.number(state);
        if number as usize == self.labels.len() {
            let label = self.label_here(shows);
            self.labels.push(label);
        }
        Edge {
            label: self.labels[number as usize],
            to: number + 1,
        }
    }

    fn label_here(&mut self, shows: StepLabel) -> StepLabel {
        let Labelling::Changes(observations) = &self.met.labelling else {
            return shows;
        };
        let label = || {
            let observation = observations.observation(shows);
            self.observations
                .label(observation.expect("it was observed"))
        };
        *self.labels_here.entry(shows).or_insert_with(label)
    }
}
