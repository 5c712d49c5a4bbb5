//! Whether `successor` of the specification, by which alone a history is decided, is what `next` says: compared in a
//! sample of the steps that are tried.

use std::collections::BTreeSet;

use refmap::model_call::{catch, first_visited};
use refmap::random::mix;
use refmap::{ActionOf, StateOf, TransitionSystem};
use refmap::{Disagreement, misfiled};

/// So many steps, from the first on, are compared, and of later ones one in so many, by hash.
const FIRST: u64 = 1 << 8;
const ONE_IN: u64 = 1 << 12;
/// The most steps of a state that are looked at.
const MOST_STEPS: usize = 1 << 12;

/// What was found where they were compared.
#[derive(Default)]
pub(crate) struct Compared {
    /// Steps tried.
    tried: u64,
    /// Where they disagree.
    found: Option<Disagreement>,
    /// The rules of which an action was taken that `next` does not visit there: it may visit several steps as one, none
    /// of a rule that is stated as a predicate, or more than are looked at.
    words: BTreeSet<usize>,
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
        // Of what leads nowhere no rule need speak.
        self.found = to.and_then(|_| misfiled(system, action));
        if self.found.is_some() {
            return;
        }
        let next = |visit: &mut dyn FnMut(_)| system.next(from, &mut |one, to| visit((one, to)));
        // A history is decided without `next`, which need not be able to say anything.
        let visited = catch(|| first_visited(MOST_STEPS, next));
        let offered = visited.map_or_else(|_| Vec::new(), |(offered, _)| offered);
        let mut targets = offered.iter().filter(|(other, _)| other == action);
        let is_offered = targets.clone().next().is_some();
        let agrees = match to {
            Some(to) => targets.any(|(_, target)| target == to),
            None => !is_offered,
        };
        match (agrees, is_offered) {
            (true, _) => (),
            (false, true) => {
                self.found = Some(Disagreement::overridden("successor", "next", action));
            }
            (false, false) => {
                self.words.insert(system.rule_of(action).0);
            }
        }
    }

    /// How the two contradict each other, if they do.
    pub fn disagreement(&self) -> Option<Disagreement> {
        self.found.clone()
    }

    /// The rules of which `successor` was taken at its word.
    pub fn words(&self) -> impl Iterator<Item = usize> {
        self.words.iter().copied()
    }
}
