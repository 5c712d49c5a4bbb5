//! The quotient of a system by permutations that it lists.

use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::FixedState;

use super::asymmetry::Asymmetry;
use super::by_hand::ByHand;
use super::exchanges::Identifies;
use super::initial::initial_of;
use super::quotienting::{Lifting, Quotienting};
use super::symmetric::{Symmetric, SymmetricFunctions};
use crate::statement::system::StateOf;
use crate::statement::trace::Trace;

/// The quotient of a system by its permutations, and by shifts of the [counters](crate::Counter) in its states.
pub struct Quotient<S: Symmetric> {
    pub(super) exchanges: ByHand<S::Permutation>,
    hasher: FixedState,
    /// The least state for which something stands that is none of its class, and what that is.
    strange: Mutex<Option<(StateOf<S>, StateOf<S>)>>,
}

impl<S: Symmetric> Quotient<S> {
    /// The quotient by all permutations.
    pub fn of(system: &S) -> Self {
        Self {
            exchanges: ByHand::of(system),
            hasher: FixedState::default(),
            strange: Mutex::new(None),
        }
    }

    /// True if it is looked at that the representative of `state` is of its class.
    ///
    /// PERF: to find it takes a permutation after the other, so one state is looked at of as many as there are
    /// permutations.
    fn is_looked_at(&self, state: &StateOf<S>) -> bool {
        let permutations = self.exchanges.permutations.len() as u64;
        permutations <= 2 || (self.hasher.hash_one(state) >> 16).is_multiple_of(permutations)
    }

    #[cold]
    fn note_strange(&self, state: &StateOf<S>, representative: &StateOf<S>) {
        let mut strange = self.strange.lock().unwrap_or_else(PoisonError::into_inner);
        if strange.as_ref().is_none_or(|(least, _)| state < least) {
            *strange = Some((state.clone(), representative.clone()));
        }
    }
}

impl<S: Symmetric> Quotienting<S> for Quotient<S> {
    fn canonical(&self, system: &S, state: &StateOf<S>) -> StateOf<S> {
        let representative = self.exchanges.canonical(system, state);
        if representative != *state
            && self.is_looked_at(state)
            && !self.exchanges.is_member(system, state, &representative)
        {
            self.note_strange(state, &representative);
        }
        representative
    }

    fn strange(&self) -> Option<Asymmetry> {
        let strange = self.strange.lock().unwrap_or_else(PoisonError::into_inner);
        let (state, representative) = strange.as_ref()?;
        Some(Asymmetry::NotAMember {
            about: format!("{state:?}"),
            representative: format!("{representative:?}"),
        })
    }
}

impl<S: Symmetric> Lifting<S> for Quotient<S> {
    fn lift(&self, system: &S, representatives: Trace<S>) -> Result<Trace<S>, Asymmetry> {
        let mut from = representatives.initial;
        let mut lifted = Trace {
            initial: initial_of(self, system, &from),
            steps: Vec::with_capacity(representatives.steps.len()),
        };
        for (action, to) in representatives.steps {
            // The exchange that makes the representative the state that the behaviour has come to.
            let (last, by) = self.exchanges.normalised::<S>(lifted.last());
            let shifted = |state| ByHand::<S::Permutation>::shifted::<S>(state, &by);
            let mut permutations = self.exchanges.permutations.iter();
            let permutation =
                permutations.find(|permutation| system.call_permute(permutation, &from) == last);
            let Some(permutation) = permutation else {
                return Err(Asymmetry::NoGroup {
                    from: format!("{from:?}"),
                    to: format!("{:?}", lifted.last()),
                });
            };
            let action = system.call_permute_action(permutation, &from, &action, &to);
            let action = ByHand::<S::Permutation>::shifted_action::<S>(action, &by);
            let step = (action, shifted(system.call_permute(permutation, &to)));
            lifted.steps.push(step);
            from = self.canonical(system, &to);
        }
        Ok(lifted)
    }

    fn permutations(&self) -> usize {
        self.exchanges.permutations.len()
    }

    fn shifts(&self) -> bool {
        self.exchanges.shifts()
    }
}
