//! Systems that say themselves which identities can be exchanged.

use crate::statement::asked::model_call::named;
use crate::statement::system::{ActionOf, StateOf, TransitionSystem};

/// A system with interchangeable identities: mutators, references, threads.
///
/// One set of members that are alike needs none of this: a state says which they are ([`State`](macro@crate::State), `symmetric`).
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
