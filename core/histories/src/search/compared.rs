//! Sampled comparison of the specification's `fire`, which alone decides a history, with `next`.

use std::collections::BTreeSet;

use super::patience::Patience;
use crate::call::call;
use refmap::internal::{break_off, catch, misfiled, mix, until_enough, visit_steps};
use refmap::{Action, ActionOf, Disagreement, StateOf, TransitionSystem};

/// The first steps up to this number are compared; of later ones one in this number, selected by hash.
const FIRST: u64 = 1 << 8;
const ONE_IN: u64 = 1 << 12;
/// Greatest number of steps of a state to compare.
const MOST_STEPS: usize = 1 << 12;
/// Number of steps that `next` may visit for all comparisons, and one more for every so many steps tried: a comparison
/// costs as much as `next`, and the history is decided without it.
const VISITED: u64 = 1 << 16;
const ONE_VISITED_IN: u64 = 4;

/// Result of the comparison.
#[derive(Default)]
pub(crate) struct Compared {
    /// Number of steps tried.
    tried: u64,
    /// Number of steps that `next` visited for comparisons.
    visited: u64,
    /// The first disagreement.
    found: Option<Disagreement>,
    /// Rules of which an action was taken that `next` does not visit there: `next` may visit several steps as one,
    /// none of a rule that is stated as a predicate, or more than the limit.
    words: BTreeSet<usize>,
}

impl Compared {
    /// Records the target `to` of `action` by `fire`; `None` if the action is disabled.
    pub fn note<S: TransitionSystem>(
        &mut self,
        system: &S,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: Option<&StateOf<S>>,
        patience: &Patience<'_>,
    ) {
        let number = self.tried;
        self.tried += 1;
        let is_sampled = number < FIRST || mix(number).is_multiple_of(ONE_IN);
        if is_sampled && self.visited <= VISITED + number / ONE_VISITED_IN {
            self.compare(system, from, action, to, patience);
        }
    }

    #[cold]
    fn compare<S: TransitionSystem>(
        &mut self,
        system: &S,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: Option<&StateOf<S>>,
        patience: &Patience<'_>,
    ) {
        if self.found.is_some() {
            return;
        }
        // A disabled action need not have a rule.
        self.found = to.and_then(|_| {
            call("`rule` or `process` of the specification", || {
                misfiled(system, action)
            })
        });
        if self.found.is_some() {
            return;
        }
        let mut offered = Vec::new();
        // A history is decided without `next`, which may be unimplemented and panic.
        let visited = catch(|| {
            until_enough(|| {
                visit_steps(system, from, &mut |action, to| {
                    if offered.len() == MOST_STEPS || patience.turn().is_some() {
                        break_off();
                    }
                    offered.push((action, to.clone()));
                });
            });
        });
        if visited.is_err() {
            offered.clear();
        }
        self.visited += offered.len() as u64;
        let mut targets = offered.iter().filter(|(other, _)| other == action);
        let is_offered = targets.clone().next().is_some();
        let agrees = match to {
            Some(to) => targets.any(|(_, target)| target == to),
            None => !is_offered,
        };
        match (agrees, is_offered) {
            (true, _) => (),
            (false, true) => {
                self.found = Some(Disagreement::overridden("fire", "next", action));
            }
            (false, false) => {
                self.words.insert(action.rule(system).0);
            }
        }
    }

    /// The disagreement, if there is one.
    pub fn disagreement(&self) -> Option<Disagreement> {
        self.found.clone()
    }

    /// Rules whose `fire` could not be confirmed by `next`.
    pub fn words(&self) -> impl Iterator<Item = usize> {
        self.words.iter().copied()
    }
}
