//! States of two components in one word, each component in bits of its own.

use super::codec::Codec;
use crate::local::{PackedLocal, Split};
use crate::model_call::catch;
use crate::packed::{PackingError, Reader, pack, round_trip_with};

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

    #[inline(never)]
    fn key_of_one(&self, system: &S, state: &Split<S>) -> Option<[u64; 1]> {
        self.key(system, state)
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

    #[inline(always)]
    fn keys(&self, system: &S, states: &mut Vec<Split<S>>, keys: &mut Vec<[u64; 1]>) -> bool {
        // PERF: a loop begins by fetching where all variables are, which pays for several states only.
        if let [state] = states.as_slice() {
            let key = self.key_of_one(system, state);
            keys.extend(key);
            return key.is_some();
        }
        keys.reserve(states.len());
        for state in &*states {
            let Some(key) = self.key(system, state) else {
                return false;
            };
            keys.push(key);
        }
        true
    }

    #[cold]
    fn complaint(&self, system: &S, state: &Split<S>) -> PackingError {
        let tested = catch(|| round_trip_with(system, &self.template, state));
        // A panic comes again where the search reports it.
        match tested {
            Ok(Err(error)) => error,
            Ok(Ok(())) | Err(_) => PackingError::Unstable,
        }
    }

    #[inline(always)]
    fn with<T>(&self, system: &S, key: &[u64; 1], look: impl FnOnce(&Split<S>) -> T) -> T {
        look(&self.read(system, *key))
    }
}
