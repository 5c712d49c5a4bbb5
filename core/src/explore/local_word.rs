//! States of two components in one word, each component in bits of its own.

use super::codec::{Codec, StatesKept, packing_error};
use super::segments::SegmentedVec;
use crate::local::{PackedLocal, Split};
use crate::packed::{PackingError, Reader, pack};

/// States are packed into a word, of which each component is read by itself: what is replaced of the one cannot
/// change the other.
pub(super) struct LocalWord<S: PackedLocal> {
    /// An initial state, for what is the same in all states.
    template: Split<S>,
    /// The bits of the projection.
    local: u64,
    /// The bits that no variable takes.
    unused: u64,
}

impl<S: PackedLocal> LocalWord<S> {
    /// For states of which the projection has the bits `local`; `template` is one of them.
    pub fn new(system: &S, template: Split<S>, local: u64) -> Self {
        Self {
            template,
            local,
            unused: PackedLocal::layout(system).unused(0),
        }
    }

    #[inline(always)]
    fn read(&self, system: &S, [key]: [u64; 1]) -> Split<S> {
        let Split { local, context } = &self.template;
        let words = [[key & self.local], [key & !self.local]];
        Split {
            local: system.local_fields(local, &mut Reader { words: &words[0] }),
            context: system.context_fields(context, &mut Reader { words: &words[1] }),
        }
    }
}

impl<S: PackedLocal> Codec<S> for LocalWord<S> {
    type Key = [u64; 1];

    #[inline(always)]
    fn key(&self, system: &S, state: &Split<S>) -> Option<[u64; 1]> {
        let key: [u64; 1] = pack(system, state)?;
        // The sets of states look at the bits in use only.
        (key[0] & self.unused == 0 && self.read(system, key) == *state).then_some(key)
    }

    #[cold]
    fn complaint(&self, system: &S, state: &Split<S>) -> PackingError {
        packing_error(system, &self.template, state)
    }

    #[inline(always)]
    fn with<T>(&self, system: &S, key: &[u64; 1], look: impl FnOnce(&Split<S>) -> T) -> T {
        look(&self.read(system, *key))
    }

    fn kept(&self, _: &SegmentedVec<[u64; 1]>) -> StatesKept {
        StatesKept::Packed {
            bits: self.unused.count_zeros(),
        }
    }
}
