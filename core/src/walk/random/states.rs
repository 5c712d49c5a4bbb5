//! Random states, reachable or not.

use super::Generator;
use crate::state::{Limits, Source, State};
use crate::statement::system::{StateOf, TransitionSystem};

/// A random state of `system` that respects the ranges of its variables, reachable or not. Least and greatest values are
/// more likely than others, and what has no greatest length is short.
///
/// # Panics
///
/// If states of this type are not plain data: see [`Kept`](crate::state::Kept).
pub fn random_state<S: TransitionSystem>(system: &S, generator: &mut Generator) -> StateOf<S> {
    StateOf::<S>::read(system, Limits::NONE, &mut Random(generator))
}

struct Random<'g>(&'g mut Generator);

impl Source for Random<'_> {
    fn number(&mut self, most: u64) -> u64 {
        match self.0.below(8) {
            0 => 0,
            1 => most,
            _ => match most.checked_add(1) {
                Some(count) => self.0.below(count as usize) as u64,
                None => self.0.bits(),
            },
        }
    }

    fn length(&mut self) -> usize {
        self.0.below(5)
    }
}
