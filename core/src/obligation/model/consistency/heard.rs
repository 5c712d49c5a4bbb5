//! Answers of a model that is asked again, and the faults that they show.

use std::collections::{BTreeMap, BTreeSet};

use super::names::ActionNames;
use crate::statement::asked::answer::StepAnswer;
use crate::statement::asked::disagreement::Disagreement;
use crate::statement::erased::{ErasedAction, ErasedRefinement, ErasedState, ErasedStep};
use crate::statement::refinement::Refinement;
use crate::statement::rule::{Process, RuleId};
use crate::view::consistency::{Inconsistency, of_the};
use crate::walk::explore::Place;

/// Something of the specification that is stated otherwise than by `next` and `initial`: perhaps as a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::obligation) enum Restated {
    Initial,
    Rule(RuleId),
}

/// Answers of the model about a state of the sample.
#[derive(Default)]
pub(in crate::obligation) struct Heard {
    pub image: Option<ErasedState>,
    /// Observation, as `Debug` shows it.
    pub shown: Option<String>,
    /// Whether the invariants hold that are checked.
    pub invariants: Vec<bool>,
    /// The last of its steps: those that were looked at one by one.
    pub steps: Vec<ErasedStep>,
    /// The rules of which these are instances.
    pub rules: Vec<usize>,
    /// Abstract steps that these were said to simulate, if that was asked.
    pub answers: Vec<StepAnswer<ErasedAction, ErasedState>>,
}

/// Findings of a worker that asks again.
pub(in crate::obligation) struct RecheckFindings {
    /// Answers about the state that is being looked at.
    pub heard: Option<Box<Heard>>,
    /// The states asked of again.
    pub states: u64,
    /// Predicates of the specification that say something without its `next`, with the first place where each does.
    pub words: BTreeMap<Restated, (Place, Disagreement)>,
    /// Per rule of the specification, whether its `next` visits actions of it anywhere.
    pub enumerated: Vec<bool>,
    /// The processes that take actions of the specification.
    pub processes: BTreeSet<Process>,
    /// Names of the actions of the implementation, and of the specification.
    pub names: ActionNames,
    pub names_of_specification: ActionNames,
    /// The states at which overridden methods of the specification were not compared, since there is too much to compare with.
    pub not_compared: u64,
}

impl RecheckFindings {
    pub fn new(abstract_rules: usize) -> Self {
        Self {
            heard: None,
            states: 0,
            words: BTreeMap::new(),
            enumerated: vec![false; abstract_rules],
            processes: BTreeSet::new(),
            names: ActionNames::default(),
            names_of_specification: ActionNames::default(),
            not_compared: 0,
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
        self.names.add(other.names);
        self.names_of_specification
            .add(other.names_of_specification);
        self.not_compared += other.not_compared;
    }

    pub(super) fn note(&mut self, word: Restated, place: Place, found: Disagreement) {
        let first = self.words.get(&word);
        if first.is_none_or(|(first, _)| place < *first) {
            self.words.insert(word, (place, found));
        }
    }

    /// Texts on actions that are filed under a rule although there is one of their own name.
    pub fn misnamed(&self, refinement: &ErasedRefinement<'_>) -> BTreeSet<String> {
        let mut misnamed = self.names.misnamed(refinement.implementation());
        let of_specification = &self.names_of_specification;
        misnamed.append(&mut of_specification.misnamed(refinement.specification()));
        misnamed
    }

    /// The first predicate that is none after all, since `next` visits steps of its rule elsewhere.
    pub fn contradicted(&self) -> Option<(Place, Inconsistency)> {
        let is_enumerated = |word: &Restated| match *word {
            Restated::Initial => false,
            Restated::Rule(rule) => self.enumerated[rule.0],
        };
        let mut words = self.words.iter();
        let (_, (place, found)) = words.find(|(word, _)| is_enumerated(word))?;
        let found = found.clone();
        Some((*place, of_the("specification", found)))
    }
}
