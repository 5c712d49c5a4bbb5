//! Steps of the specification from the mapped states that a worker met last.
//!
//! PERF: what is derived of a specification enumerates its steps for each step of the implementation; from a mapped state they
//! are the same each time, and mostly the state is that of the step before.

use std::any::type_name;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use crate::derived::{Derived, is_overridden};
use crate::model_call::named;
use crate::system::{ActionOf, StateOf, StepOf, TransitionSystem};
use crate::visit::visit_steps;

/// Mapped states whose steps are kept.
const STATES: usize = 256;
/// The most steps of a state that are kept.
const MOST_STEPS: usize = 64;

/// Steps of a specification, from some of its states.
pub(super) struct KnownSteps<S: TransitionSystem> {
    /// By a hash of the state, the last one that was met with its steps.
    known: Vec<Option<(StateOf<S>, Vec<StepOf<S>>)>>,
    hasher: FixedState,
    /// False if it is not worth it: a state has too many steps.
    is_worth_it: bool,
}

/// True if `allows` of a specification compares with the steps that `next` visits.
pub(super) fn is_derived<S: TransitionSystem>(
    specification: &S,
    state: &StateOf<S>,
    action: &ActionOf<S>,
) -> bool {
    let name = type_name::<S>();
    let allows = || {
        specification.allows(state, action, state);
    };
    let successor = || {
        specification.successor(state, action);
    };
    !is_overridden(name, Derived::Allows, "`allows`", allows)
        && !is_overridden(name, Derived::Successor, "`successor`", successor)
}

impl<S: TransitionSystem> KnownSteps<S> {
    pub fn new() -> Self {
        Self {
            known: Vec::new(),
            hasher: FixedState::default(),
            is_worth_it: true,
        }
    }

    /// Whether the specification, of which `allows` is derived, takes a step from `from` to `to`; none if there are too many
    /// steps to keep.
    pub fn allow(
        &mut self,
        specification: &S,
        from: &StateOf<S>,
        action: &ActionOf<S>,
        to: &StateOf<S>,
    ) -> Option<bool> {
        if !self.is_worth_it {
            return None;
        }
        if self.known.is_empty() {
            self.known.resize_with(STATES, || None);
        }
        let hash = named("`hash` of a state of the specification", || {
            self.hasher.hash_one(from)
        });
        let place = &mut self.known[hash as usize % STATES];
        let is_it = |known: &(StateOf<S>, _)| {
            named("`eq` of a state of the specification", || known.0 == *from)
        };
        if !place.as_ref().is_some_and(is_it) {
            let steps = steps(specification, from);
            if steps.len() > MOST_STEPS {
                self.is_worth_it = false;
                return None;
            }
            let from = named("`clone` of a state of the specification", || from.clone());
            *place = Some((from, steps));
        }
        let (_, steps) = place.as_ref()?;
        Some(named(
            "`eq` of an action or a state of the specification",
            || {
                let mut steps = steps.iter();
                let first = steps.find(|(offered, _)| offered == action);
                first.is_some_and(|(_, target)| target == to)
            },
        ))
    }
}

/// The steps of a state, of which as many are visited as there are, and one more is kept than may be.
#[inline(never)]
fn steps<S: TransitionSystem>(specification: &S, from: &StateOf<S>) -> Vec<StepOf<S>> {
    let mut steps = Vec::new();
    named("`next` of the specification", || {
        visit_steps(specification, from, &mut |action, to| {
            if steps.len() <= MOST_STEPS {
                steps.push((action, to));
            }
        });
    });
    steps
}
