//! Automata: states by number, with labelled steps that are computed when they are first asked for.

use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::FixedState;
use serde_json::Value;

use super::edge::{Edge, ROOT, StepLabel};
use super::explicit::{LabelledGraph, Labels};
use super::met::SampledState;
use super::observed::{Observed, Within};
use crate::statement::asked::functions::Functions;
use crate::statement::asked::model_call::named;
use crate::statement::drawing::Drawing;
use crate::statement::erased::{ErasedState, ErasedSystem};
use crate::statement::system::TransitionSystem;

/// Origin of the steps of an automaton.
pub(super) enum StepSource<'a> {
    Explicit(&'a LabelledGraph, &'a Labels),
    Observed(Observed<'a>),
}

/// Automaton whose states are expanded once, when they are first asked for.
pub(super) struct Automaton<'a> {
    pub source: StepSource<'a>,
    /// Place of a state's steps among `edges`; none where it is not expanded.
    places: Vec<Option<Range<u32>>>,
    edges: Vec<Edge>,
}

impl<'a> Automaton<'a> {
    pub fn new(source: StepSource<'a>) -> Self {
        Self {
            source,
            places: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Number of the states of the system met so far, or of all of an explicit one.
    pub fn states(&self) -> u64 {
        match &self.source {
            StepSource::Explicit(graph, _) => u64::from(graph.states()),
            StepSource::Observed(observed) => observed.states(),
        }
    }

    /// Number of the numbers that its states have so far.
    pub fn numbers(&self) -> usize {
        match &self.source {
            StepSource::Explicit(graph, _) => graph.mentioned,
            // The root is one more.
            StepSource::Observed(observed) => observed.states() as usize + 1,
        }
    }

    /// True if a state is none of the system, but leads to the initial ones.
    pub fn is_before_initial(&self, state: u32) -> bool {
        state == ROOT && matches!(self.source, StepSource::Observed(_))
    }

    /// The system.
    pub fn system(&self) -> ErasedSystem<'a> {
        match &self.source {
            StepSource::Explicit(graph, _) => ErasedSystem::alone(*graph),
            StepSource::Observed(observed) => observed.system(),
        }
    }

    /// Checksum of an explicit system.
    pub fn checksum(&self) -> Option<u64> {
        match &self.source {
            StepSource::Explicit(graph, labels) => {
                Some(FixedState::default().hash_one((graph, labels)))
            }
            StepSource::Observed(_) => None,
        }
    }

    /// Constraint on its states that are expanded.
    pub fn within(&self) -> Within<'a> {
        match &self.source {
            StepSource::Explicit(..) => None,
            StepSource::Observed(observed) => observed.within,
        }
    }

    /// The same, of which nothing was asked for, and whose labels are those of the states that were met.
    pub fn anew(&self) -> Self {
        Self::new(match &self.source {
            StepSource::Explicit(graph, labels) => StepSource::Explicit(graph, labels),
            StepSource::Observed(observed) => StepSource::Observed(observed.anew()),
        })
    }

    /// A state of the system that has a number.
    pub fn erased_state(&self, number: u32) -> ErasedState {
        match &self.source {
            StepSource::Explicit(graph, _) => ErasedState::from(graph.exchanged(number)),
            StepSource::Observed(observed) => {
                let state = observed.state(number);
                state
                    .expect("no step leads to what is before the initial states")
                    .clone()
            }
        }
    }

    /// Number of a state of the system.
    pub fn number_of(&mut self, state: ErasedState) -> u32 {
        match &mut self.source {
            StepSource::Explicit(graph, _) => graph.exchanged(*state.get()),
            StepSource::Observed(observed) => observed.meet(state).to,
        }
    }

    /// Places of the steps of a state, in the order of their labels, each once; [`edge`](Self::edge) has them. A step that shows
    /// nothing and leads nowhere else is none.
    pub fn steps(&mut self, from: u32) -> Range<u32> {
        let at = from as usize;
        if let Some(Some(place)) = self.places.get(at) {
            return place.clone();
        }
        let mut steps = Vec::new();
        let mut visit = |edge: Edge| steps.push(edge);
        match &mut self.source {
            StepSource::Explicit(graph, _) => graph.visit_steps(from, &mut visit),
            StepSource::Observed(observed) => observed.visit_steps(from, &mut visit),
        }
        self.note_steps(from, steps)
    }

    /// Notes the steps of a state, and returns their places.
    fn note_steps(&mut self, from: u32, mut steps: Vec<Edge>) -> Range<u32> {
        let at = from as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, None);
        }
        steps.retain(|edge| !edge.is_stutter(from));
        steps.sort_unstable();
        steps.dedup();
        let first = self.edges.len() as u32;
        self.edges.append(&mut steps);
        let place = first..self.edges.len() as u32;
        self.places[at] = Some(place.clone());
        place
    }

    /// Notes the states to which the steps of a state lead that another search has expanded, unless they are known; returns its number.
    pub fn note_expanded(&mut self, sampled: SampledState) -> u32 {
        let StepSource::Observed(observed) = &mut self.source else {
            return self.number_of(ErasedState::clone(&sampled.state));
        };
        let from = observed.number(sampled.state).to;
        let targets = sampled.targets.into_iter();
        let steps = targets.map(|to| {
            let edge = observed.number(to);
            observed.seen_from(from, edge)
        });
        let steps = steps.collect();
        if self.known_steps(from).is_none() {
            self.note_steps(from, steps);
        }
        from
    }

    /// Steps of a state, if it was asked for them.
    pub fn known_steps(&self, from: u32) -> Option<&[Edge]> {
        let Range { start, end } = self.places.get(from as usize)?.clone()?;
        Some(&self.edges[start as usize..end as usize])
    }

    /// Step at a place.
    pub fn edge(&self, place: u32) -> Edge {
        self.edges[place as usize]
    }

    /// Places of the steps of a state that have a label.
    pub fn labelled(&mut self, from: u32, label: StepLabel) -> Range<u32> {
        let Range { start, end } = self.steps(from);
        let edges = &self.edges[start as usize..end as usize];
        let first = edges.partition_point(|edge| edge.label < label) as u32;
        let last = edges.partition_point(|edge| edge.label <= label) as u32;
        start + first..start + last
    }

    /// True if there is a step with this label.
    pub fn has(&mut self, from: u32, label: StepLabel, to: u32) -> bool {
        let Range { start, end } = self.steps(from);
        let edges = &self.edges[start as usize..end as usize];
        edges.binary_search(&Edge { label, to }).is_ok()
    }

    /// A state as it is shown: of an explicit system, by its number there.
    pub fn state(&self, number: u32) -> Value {
        match &self.source {
            StepSource::Explicit(graph, _) => Value::from(graph.exchanged(number)),
            StepSource::Observed(observed) => {
                let state = observed.state(number);
                state.map_or(Value::Null, |state| observed.system().show(state))
            }
        }
    }

    /// Drawing of a state, if its system draws it.
    pub fn drawing(&self, number: u32) -> Option<Drawing> {
        match &self.source {
            StepSource::Explicit(..) => None,
            StepSource::Observed(observed) => {
                let state = observed.state(number)?;
                named("`draw`", || observed.system().draw(state))
            }
        }
    }

    /// Text of a label.
    pub fn label(&self, label: StepLabel) -> String {
        match &self.source {
            StepSource::Explicit(_, labels) => labels.text(label).unwrap_or("tau").to_owned(),
            StepSource::Observed(observed) => observed.shown(label),
        }
    }

    /// Action or label of a step: the first action, or the first of a rule.
    pub fn action(&self, from: u32, edge: Edge, rule: Option<u32>) -> Option<Value> {
        match &self.source {
            StepSource::Explicit(..) => Some(Value::String(self.label(edge.label))),
            StepSource::Observed(observed) => {
                let mut actions = observed.actions(from, edge.to).into_iter();
                let is_it = |action: &_| rule.is_none_or(|rule| observed.rule(action) == rule);
                let action = actions.find(is_it)?;
                Some(observed.system().call_serialize(&action))
            }
        }
    }

    /// Rules by which a step is taken, by number; of an explicit system, its label.
    pub fn rules(&self, from: u32, edge: Edge) -> Vec<u32> {
        match &self.source {
            StepSource::Explicit(..) => vec![edge.label.0],
            StepSource::Observed(observed) => {
                let actions = observed.actions(from, edge.to);
                let mut rules: Vec<u32> = actions.iter().map(|one| observed.rule(one)).collect();
                rules.sort_unstable();
                rules.dedup();
                rules
            }
        }
    }

    /// Name of a rule, or label.
    pub fn rule(&self, rule: u32) -> String {
        match &self.source {
            StepSource::Explicit(..) => self.label(StepLabel(rule)),
            StepSource::Observed(observed) => {
                let system = observed.system();
                let rules = system.call_rules();
                rules[rule as usize].name.clone().into_owned()
            }
        }
    }
}
