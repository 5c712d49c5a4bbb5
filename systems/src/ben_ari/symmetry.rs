//! The symmetry of every level: mutators are interchangeable, since nobody asks which of them took a
//! step.
//!
//! Nodes are not: the collector scans them in order, and the roots come first.

use refmap::{StateOf, Symmetric};

use super::level_0::{self, Level0};
use super::level_1::{self, Level1};
use super::level_2::{self, Level2};
use super::level_3::{self, Level3};
use super::memory::Memory;
use super::mutator::{MAX_MUTATORS, MutatorAction, OfLevel};

/// Mutator m takes the place of the mutator that stands at m.
pub type Exchange = [u8; MAX_MUTATORS];

/// All exchanges of the first `mutators` of them, the one that changes nothing first.
fn exchanges(mutators: u8) -> Vec<Exchange> {
    let identity: Exchange = std::array::from_fn(|m| m as u8);
    let mut all = vec![identity];
    for last in 1..usize::from(mutators) {
        let shorter = all.clone();
        for place in 0..last {
            all.extend(shorter.iter().map(|exchange| {
                let mut longer = *exchange;
                longer.swap(place, last);
                longer
            }));
        }
    }
    all
}

fn permute<S: OfLevel>(by: &Exchange, state: &S) -> S {
    let mut permuted = *state;
    for (old, new) in state.shared().mutators.iter().zip(by) {
        permuted.shared_mut().mutators[usize::from(*new)] = *old;
    }
    permuted
}

/// The mutators in the order of their variables.
fn sorted<S: OfLevel>(state: &S) -> S {
    let mut sorted = *state;
    sorted.shared_mut().mutators.sort_unstable();
    sorted
}

fn permute_mutation(by: &Exchange, action: MutatorAction) -> MutatorAction {
    let mut permuted = action;
    let (MutatorAction::Mutate { mutator, .. }
    | MutatorAction::ColourTarget { mutator }
    | MutatorAction::ChooseAndColour { mutator, .. }
    | MutatorAction::Redirect { mutator }) = &mut permuted;
    *mutator = by[usize::from(*mutator)];
    permuted
}

impl Symmetric for Level0 {
    type Permutation = Exchange;

    fn permutations(&self) -> Vec<Exchange> {
        exchanges(self.scope.mutators)
    }

    /// A memory says nothing of mutators.
    fn permute(&self, _by: &Exchange, memory: &Memory) -> Memory {
        *memory
    }

    fn permute_action(
        &self,
        by: &Exchange,
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
    ($level:ty, $module:ident) => {
        impl Symmetric for $level {
            type Permutation = Exchange;

            fn permutations(&self) -> Vec<Exchange> {
                exchanges(self.scope.mutators)
            }

            fn permute(&self, by: &Exchange, state: &StateOf<Self>) -> StateOf<Self> {
                permute(by, state)
            }

            fn permute_action(
                &self,
                by: &Exchange,
                _from: &StateOf<Self>,
                action: &$module::Action,
                _to: &StateOf<Self>,
            ) -> $module::Action {
                match *action {
                    $module::Action::Mutator(action) => {
                        $module::Action::Mutator(permute_mutation(by, action))
                    }
                    action => action,
                }
            }

            fn canonical(&self, _all: &[Exchange], state: &StateOf<Self>) -> StateOf<Self> {
                sorted(state)
            }
        }
    };
}

symmetric_level!(Level1, level_1);
symmetric_level!(Level2, level_2);
symmetric_level!(Level3, level_3);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exchange_is_there_once() {
        for (mutators, count) in [(1, 1), (2, 2), (3, 6)] {
            let mut all = exchanges(mutators);
            assert_eq!(all[0], [0, 1, 2]);
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
        }
    }
}
