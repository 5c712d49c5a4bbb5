//! How a state is kept between the waves of a search: as it is, or packed.

use crate::packed::{Packed, pack, round_trip, unpack};
use crate::system::{StateOf, TransitionSystem};

/// From states to what is kept of them, and back.
pub(super) trait Keeper<S: TransitionSystem>: Send + Sync + 'static {
    /// What is kept.
    type Key: Clone + Send + Sync + 'static;

    /// The key of a state.
    ///
    /// # Panics
    ///
    /// If the model says wrongly how it is packed, as far as `care` goes.
    #[inline(always)]
    fn key(&self, system: &S, state: StateOf<S>, care: Care) -> Self::Key {
        match self.written(system, &state, care) {
            Some(key) => key,
            None => self.whole(state),
        }
    }

    /// The key, if it is written from the state. PERF: a state behind a reference is not moved.
    fn written(&self, system: &S, state: &StateOf<S>, care: Care) -> Option<Self::Key>;

    /// The key, if it is the state.
    fn whole(&self, state: StateOf<S>) -> Self::Key;

    /// Shows the state of a key to `look`.
    fn with<T>(&self, system: &S, key: &Self::Key, look: impl FnOnce(&StateOf<S>) -> T) -> T;
}

/// Of which keys it is tested that they become the states again from which they were made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// Of all.
    Every,
    /// Of one state in 64.
    Some,
}

/// States are kept as they are.
pub(super) struct Whole;

impl<S: TransitionSystem> Keeper<S> for Whole {
    type Key = StateOf<S>;

    fn written(&self, _system: &S, _state: &StateOf<S>, _care: Care) -> Option<StateOf<S>> {
        None
    }

    fn whole(&self, state: StateOf<S>) -> StateOf<S> {
        state
    }

    fn with<T>(&self, _system: &S, key: &StateOf<S>, look: impl FnOnce(&StateOf<S>) -> T) -> T {
        look(key)
    }
}

/// States are packed into `N` words.
pub(super) struct Words<const N: usize, T> {
    /// An initial state, for what is the same in all states.
    pub template: T,
}

impl<const N: usize, S: Packed> Keeper<S> for Words<N, StateOf<S>> {
    type Key = [u64; N];

    #[inline(always)]
    fn written(&self, system: &S, state: &StateOf<S>, care: Care) -> Option<[u64; N]> {
        let Some(words) = pack(system, state) else {
            complain(system, state);
        };
        let chosen = words[0].wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58 == 0;
        if care == Care::Every || chosen {
            self.read_back(system, &words, state);
        }
        Some(words)
    }

    fn whole(&self, _state: StateOf<S>) -> [u64; N] {
        unreachable!("every state is written")
    }

    #[inline(always)]
    fn with<T>(&self, system: &S, key: &[u64; N], look: impl FnOnce(&StateOf<S>) -> T) -> T {
        look(&unpack(system, &self.template, key))
    }
}

impl<const N: usize, T: Eq> Words<N, T> {
    #[cold]
    fn read_back<S: Packed<State = T>>(&self, system: &S, words: &[u64; N], state: &T) {
        if unpack(system, &self.template, words) != *state {
            complain(system, state);
        }
    }
}

/// Says what is wrong with a packing; the search shows the state.
#[cold]
#[inline(never)]
fn complain<S: Packed>(system: &S, state: &StateOf<S>) -> ! {
    match round_trip(system, state) {
        Err(error) => panic!("`fields` does not fit the state: {error}"),
        Ok(()) => panic!("`fields` packs the same state in two ways"),
    }
}
