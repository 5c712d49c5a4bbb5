//! Symmetry: identities that can be exchanged without changing what happens, and exploring one state
//! of each class of states that differ only by such an exchange.
//!
//! Source: Ip & Dill, *Better Verification Through Symmetry*, FMSD 9, 1996; Clarke, Enders, Filkorn &
//! Jha, *Exploiting Symmetry in Temporal Logic Model Checking*, FMSD 9, 1996.
//!
//! A model says which exchanges there are. That they really change nothing is tested, on the states
//! explored, by [`asymmetry`]. A quotient decides what is asked of states and steps, where the
//! question is the same of all members of a class. It cannot decide what is asked of one process of
//! several, as `environment` is.

mod tested;

use std::fmt::Debug;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use foldhash::fast::FixedState;

pub use self::tested::asymmetry;
pub(crate) use self::tested::{Tested, TestedQuotient, is_in_turn};
use crate::model_call::{break_off, named, until_enough};
use crate::system::{ActionOf, StateOf, TransitionSystem};
use crate::trace::Trace;
use crate::visit::visit_initial;

/// A system with interchangeable identities: mutators, references, threads.
pub trait Symmetric: TransitionSystem<State: Ord> {
    /// A way to exchange the identities.
    type Permutation: Clone + Send + Sync + 'static;

    /// All of them, the one that exchanges nothing first. They form a group.
    fn permutations(&self) -> Vec<Self::Permutation>;
    /// The state with the identities exchanged.
    fn permute(&self, by: &Self::Permutation, state: &StateOf<Self>) -> StateOf<Self>;
    /// The action of a step `from` … `to` with the identities exchanged: that of the step between the
    /// exchanged states.
    fn permute_action(
        &self,
        by: &Self::Permutation,
        from: &StateOf<Self>,
        action: &ActionOf<Self>,
        to: &StateOf<Self>,
    ) -> ActionOf<Self>;

    /// The member of the class of `state` that stands for all of them: the least, by default. A model
    /// may choose another one that is found sooner.
    fn canonical(&self, all: &[Self::Permutation], state: &StateOf<Self>) -> StateOf<Self> {
        let members = all[1..].iter().map(|by| self.permute(by, state));
        let least = members.min();
        match least {
            Some(least) if least < *state => least,
            _ => state.clone(),
        }
    }
}

/// Identification of states, whatever the permutations are. Made by [`Quotient::of`].
pub trait Quotienting<S: TransitionSystem>: Sync {
    /// The state that stands for `state`.
    fn canonical(&self, system: &S, state: &StateOf<S>) -> StateOf<S>;
    /// The behaviour of the system that a sequence of steps between representatives stands for: each
    /// step begins where the one before it ended, up to an exchange.
    ///
    /// # Errors
    ///
    /// If the permutations are none that identify these states.
    fn lift(&self, system: &S, representatives: Trace<S>) -> Result<Trace<S>, Asymmetry>;
    /// Number of permutations.
    fn permutations(&self) -> usize;
    /// Representative of a state that is no member of its class, of those asked about so far that were looked at.
    fn strange(&self) -> Option<Asymmetry>;
}

/// The quotient of a system by its permutations.
pub struct Quotient<S: Symmetric> {
    permutations: Vec<S::Permutation>,
    hasher: FixedState,
    /// The least state for which something stands that is none of its class, and what that is.
    strange: Mutex<Option<(StateOf<S>, StateOf<S>)>>,
}

impl<S: Symmetric> Quotient<S> {
    /// The quotient by all permutations.
    pub fn of(system: &S) -> Self {
        Self {
            permutations: system.permutations(),
            hasher: FixedState::default(),
            strange: Mutex::new(None),
        }
    }

    /// True if it is looked at that the representative of `state` is of its class.
    ///
    /// PERF: to find it takes a permutation after the other, so one state is looked at of as many as there are
    /// permutations.
    fn is_looked_at(&self, state: &StateOf<S>) -> bool {
        let permutations = self.permutations.len() as u64;
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
        let representative = system.call_canonical(&self.permutations, state);
        if representative != *state
            && self.is_looked_at(state)
            && !is_member(system, &self.permutations, state, &representative)
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

    fn lift(&self, system: &S, representatives: Trace<S>) -> Result<Trace<S>, Asymmetry> {
        let mut from = representatives.initial;
        // The representative of an initial state need not be initial itself.
        let mut initial = None;
        until_enough(|| {
            visit_initial(system, &mut |state| {
                if self.canonical(system, &state) == from {
                    initial = Some(state);
                    break_off();
                }
            });
        });
        let mut lifted = Trace {
            initial: initial.unwrap_or_else(|| from.clone()),
            steps: Vec::with_capacity(representatives.steps.len()),
        };
        for (action, to) in representatives.steps {
            // The exchange that makes the representative the state that the behaviour has come to.
            let mut permutations = self.permutations.iter();
            let by = permutations.find(|by| system.call_permute(by, &from) == *lifted.last());
            let Some(by) = by else {
                return Err(Asymmetry::NoGroup {
                    from: format!("{from:?}"),
                    to: format!("{:?}", lifted.last()),
                });
            };
            let permuted = system.call_permute_action(by, &from, &action, &to);
            let step = (permuted, system.call_permute(by, &to));
            lifted.steps.push(step);
            from = self.canonical(system, &to);
        }
        Ok(lifted)
    }

    fn permutations(&self) -> usize {
        self.permutations.len()
    }
}

/// Change that a supposed symmetry makes after all: what [`asymmetry`] finds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Asymmetry {
    /// A function of the system or of the refinement does not commute with a permutation.
    #[error("{what} does not commute with permutation {permutation}: {about}")]
    DoesNotCommute {
        /// The function.
        what: &'static str,
        /// Number of the permutation, counted from 0.
        permutation: usize,
        /// The state or action it is wrong about, as `Debug` shows it.
        about: String,
    },
    /// Two members of a class have different representatives.
    #[error(
        "the representative of {about} is not that of its image under permutation {permutation}"
    )]
    NotCanonical {
        /// Number of the permutation, counted from 0.
        permutation: usize,
        /// The state, as `Debug` shows it.
        about: String,
    },
    /// The first permutation is not the one that exchanges nothing.
    #[error(
        "the first permutation exchanges something in {about}, and has to be the one that exchanges nothing"
    )]
    FirstExchanges {
        /// The state, as `Debug` shows it.
        about: String,
    },
    /// The representative of a state is no member of its class, so that the state itself is never looked at.
    #[error("the representative of {about} is {representative}, which no permutation makes of it")]
    NotAMember {
        /// The state, as `Debug` shows it.
        about: String,
        /// State that is said to stand for it.
        representative: String,
    },
    /// Two states were identified, and no permutation exchanges one for the other: of a group there is one.
    #[error(
        "{from} stands for {to}, and no permutation makes this of it: the permutations are no group"
    )]
    NoGroup {
        /// The representative, as `Debug` shows it.
        from: String,
        /// The state that a behaviour has come to, as `Debug` shows it.
        to: String,
    },
    /// Not as many invariants hold in a state as in its image.
    #[error("permutation {permutation} changes how many invariants hold in {about}")]
    InvariantsChange {
        /// Number of the permutation, counted from 0.
        permutation: usize,
        /// The state, as `Debug` shows it.
        about: String,
    },
}

/// True if a permutation makes `other` of `state`.
fn is_member<S: Symmetric>(
    system: &S,
    permutations: &[S::Permutation],
    state: &StateOf<S>,
    other: &StateOf<S>,
) -> bool {
    // PERF: the first one exchanges nothing, and is the last that can be the one.
    let mut members = permutations
        .iter()
        .rev()
        .map(|by| system.call_permute(by, state));
    members.any(|member| member == *other)
}

const CANONICAL: &str =
    "`canonical`, or `permute`, `cmp` or `clone` of a state, of which it is made,";

/// Calls of the functions of a system with interchangeable identities, by their names.
pub(crate) trait SymmetricFunctions: Symmetric {
    #[inline(always)]
    fn call_permute(&self, by: &Self::Permutation, state: &StateOf<Self>) -> StateOf<Self> {
        named("`permute`", || self.permute(by, state))
    }

    #[inline(always)]
    fn call_permute_action(
        &self,
        by: &Self::Permutation,
        from: &StateOf<Self>,
        action: &ActionOf<Self>,
        to: &StateOf<Self>,
    ) -> ActionOf<Self> {
        named("`permute_action`", || {
            self.permute_action(by, from, action, to)
        })
    }

    #[inline(always)]
    fn call_canonical(&self, all: &[Self::Permutation], state: &StateOf<Self>) -> StateOf<Self> {
        named(CANONICAL, || self.canonical(all, state))
    }
}

impl<S: Symmetric + ?Sized> SymmetricFunctions for S {}
