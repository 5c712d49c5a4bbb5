//! Whether `successor` of the specification, by which alone a history is decided, is what `next` says: compared in a
//! sample of the steps that are tried.

use std::collections::BTreeMap;

use crate::disagreement::{Disagreement, misfiled};
use crate::explore::first_visited;
use crate::random::generator::mix;
use crate::system::{ActionOf, StateOf, TransitionSystem};

/// So many steps, from the first on, are compared, and of later ones one in so many, by hash.
const FIRST: u64 = 1 << 8;
const ONE_IN: u64 = 1 << 12;
/// The most steps of a state that are looked at.
const MOST_STEPS: usize = 1 << 12;

/// What was found where they were compared.
#[derive(Default)]
pub(in crate::validate) struct Compared {
    /// Steps tried.
    tried: u64,
    /// Where they disagree.
    found: Option<Disagreement>,
    /// Per rule of which `next` visited no action where one was taken, one such; the rule may be stated as a predicate.
    words: BTreeMap<usize, Disagreement>,
    /// The rules of which `next` visits actions.
    enumerated: Vec<bool>,
}

impl Compared {
    /// Notes that `action` leads to `to`, or nowhere, as `successor` says.
    pub fn note<S: TransitionSystem>(
        &mut self,
        system: &S,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: Option<&StateOf<S>>,
    ) {
        let number = self.tried;
        self.tried += 1;
        if number < FIRST || mix(number).is_multiple_of(ONE_IN) {
            self.compare(system, from, action, to);
        }
    }

    #[cold]
    fn compare<S: TransitionSystem>(
        &mut self,
        system: &S,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: Option<&StateOf<S>>,
    ) {
        if self.found.is_some() {
            return;
        }
        self.found = misfiled(system, action);
        let next = |visit: &mut dyn FnMut(_)| system.next(from, &mut |one, to| visit((one, to)));
        let (offered, all) = first_visited(MOST_STEPS, next);
        if !all || self.found.is_some() {
            return;
        }
        self.enumerated.resize(system.rules().len(), false);
        for (other, _) in &offered {
            if let Some(is) = self.enumerated.get_mut(system.rule_of(other).0) {
                *is = true;
            }
        }
        let mut targets = offered.iter().filter(|(other, _)| other == action);
        let is_offered = targets.clone().next().is_some();
        let agrees = match to {
            Some(to) => targets.any(|(_, target)| target == to),
            None => !is_offered,
        };
        if agrees {
            return;
        }
        let found = Disagreement::overridden("successor", "next", action);
        match is_offered {
            true => self.found = Some(found),
            false => {
                self.words.entry(system.rule_of(action).0).or_insert(found);
            }
        }
    }

    /// How the two contradict each other, if they do.
    pub fn disagreement(&self) -> Option<Disagreement> {
        let enumerated = |rule: usize| self.enumerated.get(rule) == Some(&true);
        let mut words = self.words.iter();
        let word = words.find(|(rule, _)| enumerated(**rule));
        self.found.clone().or(word.map(|(_, found)| found.clone()))
    }

    /// The rules of which `next` visits nothing, so that `successor` was taken at its word.
    pub fn words(&self) -> impl Iterator<Item = usize> {
        self.words.keys().copied()
    }
}
