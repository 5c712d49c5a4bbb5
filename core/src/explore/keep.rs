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
    fn key(&self, system: &S, state: &StateOf<S>, care: Care) -> Self::Key;

    /// Adds the keys of all of `states` to `keys`. The states may be gone then.
    ///
    /// # Panics
    ///
    /// As [`key`](Self::key) does, after those of the states before were added.
    fn keys(
        &self,
        system: &S,
        states: &mut Vec<StateOf<S>>,
        care: Care,
        keys: &mut Vec<Self::Key>,
    ) {
        keys.reserve(states.len());
        for state in &*states {
            keys.push(self.key(system, state, care));
        }
    }

    /// Shows the state of a key to `look`.
    fn with<T>(&self, system: &S, key: &Self::Key, look: impl FnOnce(&StateOf<S>) -> T) -> T;
}

/// Whether it is tested that a key becomes the state again from which it was made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// It is.
    ReadBack,
    /// Only that each variable is within its range.
    InRange,
}

/// States are kept as they are.
pub(super) struct Whole;

impl<S: TransitionSystem> Keeper<S> for Whole {
    type Key = StateOf<S>;

    fn key(&self, _system: &S, state: &StateOf<S>, _care: Care) -> StateOf<S> {
        state.clone()
    }

    fn keys(
        &self,
        _system: &S,
        states: &mut Vec<StateOf<S>>,
        _care: Care,
        keys: &mut Vec<StateOf<S>>,
    ) {
        keys.append(states);
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
    fn key(&self, system: &S, state: &StateOf<S>, care: Care) -> [u64; N] {
        let Some(words) = pack(system, state) else {
            complain(system, state);
        };
        if care == Care::ReadBack {
            self.read_back(system, &words, state);
        }
        words
    }

    #[inline(always)]
    fn keys(&self, system: &S, states: &mut Vec<StateOf<S>>, care: Care, keys: &mut Vec<[u64; N]>) {
        // PERF: a loop begins by fetching where all variables are, which pays for several states only.
        if let [state] = states.as_slice() {
            keys.push(self.key_of_one(system, state, care));
            return;
        }
        keys.reserve(states.len());
        for state in &*states {
            keys.push(self.key(system, state, care));
        }
    }

    #[inline(always)]
    fn with<T>(&self, system: &S, key: &[u64; N], look: impl FnOnce(&StateOf<S>) -> T) -> T {
        look(&unpack(system, &self.template, key))
    }
}

impl<const N: usize, T: Eq> Words<N, T> {
    #[inline(never)]
    fn key_of_one<S: Packed<State = T>>(&self, system: &S, state: &T, care: Care) -> [u64; N]
    where
        Self: Keeper<S, Key = [u64; N]>,
    {
        self.key(system, state, care)
    }

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
