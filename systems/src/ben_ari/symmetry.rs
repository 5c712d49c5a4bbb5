//! Symmetry of every level: mutators are interchangeable, since no variable depends on which of them took a
//! step.
//!
//! Nodes are not: the collector scans them in order, and the roots come first.

use refmap::Symmetric;

use super::level::{Collector, Level};
use super::level_0::{self, Level0};
use super::memory::Memory;
use super::mutator::{MutatorAction, Step};
use super::scope::MAX_MUTATORS;

/// A permutation of the mutators: element m is the image of mutator m.
pub type Permutation = [u8; MAX_MUTATORS];

/// All permutations of the first `mutators` of them, the identity first.
fn permutations(mutators: u8) -> Vec<Permutation> {
    let identity: Permutation = std::array::from_fn(|m| m as u8);
    let mut all = vec![identity];
    for last in 1..usize::from(mutators) {
        let shorter = all.clone();
        for place in 0..last {
            all.extend(shorter.iter().map(|permutation| {
                let mut longer = *permutation;
                longer.swap(place, last);
                longer
            }));
        }
    }
    all
}

fn permute_mutation(by: &Permutation, action: MutatorAction) -> MutatorAction {
    let mut permuted = action;
    let (MutatorAction::Mutate { mutator, .. }
    | MutatorAction::ColourTarget { mutator }
    | MutatorAction::ChooseAndColour { mutator, .. }
    | MutatorAction::Redirect { mutator }
    | MutatorAction::Announce { mutator, .. }
    | MutatorAction::RedirectAnnounced { mutator, .. }
    | MutatorAction::ColourAnnounced { mutator }
    | MutatorAction::Retire { mutator }
    | MutatorAction::Withdraw { mutator }
    | MutatorAction::AnnounceTarget { mutator }) = &mut permuted;
    *mutator = by[usize::from(*mutator)];
    permuted
}

impl Symmetric for Level0 {
    type Permutation = Permutation;

    fn permutations(&self) -> Vec<Permutation> {
        permutations(self.scope.mutators)
    }

    /// The identity: a memory has no variable of a mutator.
    fn permute(&self, _by: &Permutation, memory: &Memory) -> Memory {
        *memory
    }

    fn permute_action(
        &self,
        by: &Permutation,
        _from: &Memory,
        action: &level_0::Action,
        _to: &Memory,
    ) -> level_0::Action {
        match *action {
            level_0::Action::Mutate { mutator, n, i, k } => level_0::Action::Mutate {
                mutator: by[usize::from(mutator)],
                n,
                i,
                k,
            },
            append => append,
        }
    }
}

impl<A: Collector<State: Ord>> Symmetric for Level<A> {
    type Permutation = Permutation;

    fn permutations(&self) -> Vec<Permutation> {
        permutations(self.scope.mutators)
    }

    fn permute(&self, by: &Permutation, state: &A::State) -> A::State {
        let mut permuted = *state;
        let mutators = &state.as_ref().mutators;
        for (old, new) in mutators.iter().zip(by) {
            permuted.as_mut().mutators[usize::from(*new)] = *old;
        }
        permuted
    }

    fn permute_action(
        &self,
        by: &Permutation,
        _from: &A::State,
        action: &Step<A>,
        _to: &A::State,
    ) -> Step<A> {
        match *action {
            Step::Mutator(action) => Step::Mutator(permute_mutation(by, action)),
            Step::Collector(action) => Step::Collector(action.permuted(by)),
        }
    }

    /// The mutators in the order of their variables.
    fn canonical(&self, _all: &[Permutation], state: &A::State) -> A::State {
        let mut sorted = *state;
        sorted.as_mut().mutators.sort_unstable();
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permutation_is_there_once() {
        for (mutators, count) in [(1, 1), (2, 2), (3, 6)] {
            let mut all = permutations(mutators);
            assert_eq!(all[0], [0, 1, 2]);
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
        }
    }
}
