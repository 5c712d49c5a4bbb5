//! Symmetry of every level: mutators are interchangeable, since no variable depends on which of them took a
//! step.
//!
//! Nodes are not: the collector scans them in order, and the roots come first.

use refmap::{ActionOf, StateOf, Symmetric};

use super::level_0::{self, Level0};
use super::level_1::Level1;
use super::level_2::Level2;
use super::level_3::Level3;
use super::memory::Memory;
use super::mutator::{MutatorAction, Step};
use super::scope::MAX_MUTATORS;
use super::shared::Shared;

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

fn permute(by: &Permutation, shared: &Shared) -> Shared {
    let mut permuted = *shared;
    for (old, new) in shared.mutators.iter().zip(by) {
        permuted.mutators[usize::from(*new)] = *old;
    }
    permuted
}

/// The mutators in the order of their variables.
fn sorted(shared: &Shared) -> Shared {
    let mut sorted = *shared;
    sorted.mutators.sort_unstable();
    sorted
}

fn permute_mutation(by: &Permutation, action: MutatorAction) -> MutatorAction {
    let mut permuted = action;
    let (MutatorAction::Mutate { mutator, .. }
    | MutatorAction::ColourTarget { mutator }
    | MutatorAction::ChooseAndColour { mutator, .. }
    | MutatorAction::Redirect { mutator }) = &mut permuted;
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

macro_rules! symmetric_level {
    ($level:ty) => {
        impl Symmetric for $level {
            type Permutation = Permutation;

            fn permutations(&self) -> Vec<Permutation> {
                permutations(self.scope.mutators)
            }

            fn permute(&self, by: &Permutation, state: &StateOf<Self>) -> StateOf<Self> {
                StateOf::<Self> {
                    shared: permute(by, &state.shared),
                    ..*state
                }
            }

            fn permute_action(
                &self,
                by: &Permutation,
                _from: &StateOf<Self>,
                action: &ActionOf<Self>,
                _to: &StateOf<Self>,
            ) -> ActionOf<Self> {
                match *action {
                    Step::Mutator(action) => Step::Mutator(permute_mutation(by, action)),
                    action => action,
                }
            }

            fn canonical(&self, _all: &[Permutation], state: &StateOf<Self>) -> StateOf<Self> {
                StateOf::<Self> {
                    shared: sorted(&state.shared),
                    ..*state
                }
            }
        }
    };
}

symmetric_level!(Level1);
symmetric_level!(Level2);
symmetric_level!(Level3);

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
