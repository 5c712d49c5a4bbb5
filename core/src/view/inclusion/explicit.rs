//! Explicit labelled transition systems: states by number, steps with labels that are texts.

use std::hash::{Hash, Hasher};

use serde::Serialize;

use super::edge::{Edge, ROOT, StepLabel};
use crate::state::numbered::Numbered;
use crate::statement::action::Action;
use crate::statement::system::{TransitionSystem, fire_by_next};
use crate::walk::explore::{Graph, NodeId};

/// Labels of visible steps, by their texts. Two systems that are compared share them.
#[derive(Default)]
pub struct Labels(Numbered<String>);

impl Hash for Labels {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.values().hash(hasher);
    }
}

impl Labels {
    /// No label yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The label that is this text.
    pub fn label(&mut self, text: &str) -> StepLabel {
        StepLabel(match self.0.find(text) {
            Some(number) => number + 1,
            None => self.0.number(text.to_owned()) + 1,
        })
    }

    /// Text of a visible label.
    pub fn text(&self, label: StepLabel) -> Option<&str> {
        let place = label.0.checked_sub(1)?;
        self.0.values().get(place as usize).map(String::as_str)
    }
}

/// Step of an explicit system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LabelledStep {
    /// State in which it begins.
    pub from: u32,
    /// Label: what it shows.
    pub label: StepLabel,
    /// State in which it ends.
    pub to: u32,
}

/// Explicit labelled transition system, with states that are numbered from 0 on.
#[derive(Debug)]
pub struct LabelledGraph {
    states: u32,
    initial: u32,
    steps: Graph,
    /// Number of states up to the greatest that is mentioned.
    pub(super) mentioned: usize,
}

impl Hash for LabelledGraph {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (self.states, self.initial, self.steps.len()).hash(hasher);
        for from in self.steps.nodes() {
            self.steps_from(from.0).for_each(|step| step.hash(hasher));
        }
        self.mentioned.hash(hasher);
    }
}

/// Reason why there is no such system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// It has no states.
    #[error("there are no states")]
    NoStates,
    /// A state out of range.
    #[error("there is no state {state}: the states are 0 to {last}")]
    NoSuchState {
        /// The number given.
        state: u32,
        /// Greatest number of a state.
        last: u32,
    },
}

impl LabelledGraph {
    /// A system of so many states. A step that is listed twice is one.
    ///
    /// # Errors
    ///
    /// If there are no states, or the initial state or a state of a step is none of them.
    pub fn new(states: u32, initial: u32, steps: &[LabelledStep]) -> Result<Self, GraphError> {
        let Some(last) = states.checked_sub(1) else {
            return Err(GraphError::NoStates);
        };
        let mut greatest = initial;
        let mentioned = steps.iter().flat_map(|step| [step.from, step.to]);
        for state in [initial].into_iter().chain(mentioned) {
            if state > last {
                return Err(GraphError::NoSuchState { state, last });
            }
            greatest = greatest.max(state);
        }
        let mentioned = greatest as usize + 1;
        let mut steps: Vec<&LabelledStep> = steps.iter().collect();
        steps.sort_by_key(|step| step.from);
        let steps = steps.into_iter();
        let steps = steps.map(|step| (NodeId(step.from), NodeId(step.to), step.label.0));
        Ok(Self {
            states,
            initial,
            steps: Graph::of(mentioned, steps),
            mentioned,
        })
    }

    /// Number of states.
    pub fn states(&self) -> u32 {
        self.states
    }

    /// Number of a state as an automaton has it, in which the initial one is [`ROOT`]; and, since the two are exchanged, back.
    pub(super) fn exchanged(&self, state: u32) -> u32 {
        match state {
            ROOT => self.initial,
            _ if state == self.initial => ROOT,
            _ => state,
        }
    }

    /// Visits the steps of a state of the automaton.
    pub(super) fn visit_steps(&self, from: u32, visit: &mut dyn FnMut(Edge)) {
        for step in self.steps_from(self.exchanged(from)) {
            visit(self.edge(&step));
        }
    }

    /// A step, as one of the automaton.
    pub(super) fn edge(&self, step: &LabelledStep) -> Edge {
        Edge {
            label: step.label,
            to: self.exchanged(step.to),
        }
    }

    fn steps_from(&self, from: u32) -> impl Iterator<Item = LabelledStep> {
        let steps = self.steps.steps(NodeId(from));
        steps.map(move |(to, label)| LabelledStep {
            from,
            label: StepLabel(label),
            to: to.0,
        })
    }
}

impl Action<LabelledGraph> for LabelledStep {}

/// Its steps have labels, and its states show nothing.
impl TransitionSystem for LabelledGraph {
    type State = u32;
    type Action = LabelledStep;
    type Observation = ();

    fn initial(&self, visit: &mut impl FnMut(u32)) {
        visit(self.initial);
    }

    fn fire(&self, step: &LabelledStep, state: &mut u32) -> Option<()> {
        fire_by_next(self, step, state)
    }

    fn candidates(&self, from: &u32, visit: &mut impl FnMut(LabelledStep)) {
        self.steps_from(*from).for_each(visit);
    }

    fn next(&self, from: &u32, visit: &mut impl FnMut(LabelledStep, &u32)) {
        self.steps_from(*from)
            .for_each(|step| visit(step, &step.to));
    }

    fn observe(&self, _: &u32) {}
}
