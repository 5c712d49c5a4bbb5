//! Codecs: how a state is kept between the waves of a search, as it is or packed.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

use super::segments::SegmentedVec;
use crate::erased::ErasedState;
use crate::model_call::named;
use crate::state::PackingError;
use crate::system::{StateOf, TransitionSystem};

/// From states to what is kept of them, and back.
pub(super) trait Codec<S: TransitionSystem>: Send + Sync + 'static {
    /// Representation that is kept.
    type Key: Clone + Send + Sync + 'static;

    /// The key of a state; none if a variable is outside its range, or if the key becomes another state.
    ///
    /// Every state is read back, the target of every step: one that is packed as another state is would be taken for it,
    /// and there is no other sign of that.
    fn key(&self, system: &S, state: &StateOf<S>) -> Option<Self::Key>;

    /// The same of the target of a step from a state that has a key.
    #[inline(always)]
    fn key_of_target(
        &self,
        system: &S,
        _from: (&Self::Key, &StateOf<S>),
        to: &StateOf<S>,
    ) -> Option<Self::Key> {
        self.key(system, to)
    }

    /// The same of a target that is of no use otherwise; the target, if it has none.
    fn key_owned(
        &self,
        system: &S,
        from: (&Self::Key, &StateOf<S>),
        to: StateOf<S>,
    ) -> Result<Self::Key, StateOf<S>> {
        match self.key_of_target(system, from, &to) {
            Some(key) => Ok(key),
            None => Err(to),
        }
    }

    /// Adds the keys of the targets of steps from a state to `keys`, and says whether all of them have one; if not, those
    /// before the first that has none are added. Where keys are not packed the targets are gone then.
    #[inline(always)]
    fn keys(
        &self,
        system: &S,
        from: (&Self::Key, &StateOf<S>),
        targets: &mut Vec<StateOf<S>>,
        keys: &mut Vec<Self::Key>,
    ) -> bool {
        // PERF: a loop begins by fetching where all variables are, which pays for several states only.
        if let [to] = targets.as_slice() {
            let key = key_of_one(self, system, from, to);
            let has_key = key.is_some();
            keys.extend(key);
            return has_key;
        }
        keys.reserve(targets.len());
        for to in &*targets {
            let Some(key) = self.key_of_target(system, from, to) else {
                return false;
            };
            keys.push(key);
        }
        true
    }

    /// Reason why a state has no key.
    fn complaint(&self, system: &S, state: &StateOf<S>) -> PackingError;

    /// Shows the state of a key to `look`.
    fn with<T>(&self, system: &S, key: &Self::Key, look: impl FnOnce(&StateOf<S>) -> T) -> T;

    /// Description for people of the form in which states are kept.
    fn kept(&self, log: &SegmentedVec<Self::Key>) -> StatesKept;
}

/// Form in which the states of a search are kept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum StatesKept {
    /// Written into a fixed number of bits.
    Packed {
        /// Number of bits.
        bits: u32,
    },
    /// Written into as many bytes as each takes.
    Encoded {
        /// Number of bits, on average.
        bytes: f64,
    },
    /// As they are.
    Whole,
    /// 64 bits of a hash stand for each.
    Fingerprints,
}

impl Display for StatesKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packed { bits } => write!(f, "packed in {bits} bits"),
            Self::Encoded { bytes } => write!(f, "encoded in {bytes:.0} bytes on average"),
            Self::Whole => f.write_str("kept whole"),
            Self::Fingerprints => f.write_str("kept as fingerprints"),
        }
    }
}

/// The key of the only target of several that might have been.
#[inline(never)]
fn key_of_one<S: TransitionSystem, C: Codec<S> + ?Sized>(
    codec: &C,
    system: &S,
    from: (&C::Key, &StateOf<S>),
    to: &StateOf<S>,
) -> Option<C::Key> {
    codec.key_of_target(system, from, to)
}

/// States are kept as they are, behind a pointer, so that the search of them is compiled once.
pub(super) struct Whole;

impl<S: TransitionSystem> Codec<S> for Whole {
    type Key = ErasedState;

    fn key(&self, _system: &S, state: &StateOf<S>) -> Option<ErasedState> {
        Some(named("`clone` of a state", || ErasedState::of(state)))
    }

    #[inline(always)]
    fn key_owned(
        &self,
        _system: &S,
        _from: (&ErasedState, &StateOf<S>),
        to: StateOf<S>,
    ) -> Result<ErasedState, StateOf<S>> {
        Ok(ErasedState::from(to))
    }

    fn keys(
        &self,
        _system: &S,
        _from: (&ErasedState, &StateOf<S>),
        targets: &mut Vec<StateOf<S>>,
        keys: &mut Vec<ErasedState>,
    ) -> bool {
        keys.extend(targets.drain(..).map(ErasedState::from));
        true
    }

    fn complaint(&self, _system: &S, _state: &StateOf<S>) -> PackingError {
        PackingError::Unstable
    }

    fn with<T>(&self, _system: &S, key: &ErasedState, look: impl FnOnce(&StateOf<S>) -> T) -> T {
        look(key.get())
    }

    fn kept(&self, _: &SegmentedVec<ErasedState>) -> StatesKept {
        StatesKept::Whole
    }
}
