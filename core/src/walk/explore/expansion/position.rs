//! Positions of workers in a search: the keys of their batches, as they are published, and states that are read from them.

use crate::state::Code;
use crate::statement::asked::calls::Batched;
use crate::statement::erased::{ErasedState, ErasedSystem};
use crate::walk::explore::codec::state_of;
use crate::walk::explore::keys::{Keys, StateKey};
use crate::walk::explore::words::{push_keys, take_keys};

/// Writes the keys of a batch in the place of those before. PERF: into the same memory, unless states are kept as they are.
pub(super) fn publish(keys: Keys<'_>, batched: &mut Batched) {
    let each = match keys {
        Keys::Fixed { words, .. } => Some(words),
        Keys::Varying(_) => None,
        Keys::Whole(states) => {
            *batched = Batched::Whole(states.to_vec());
            return;
        }
    };
    let mut words = match std::mem::take(batched) {
        Batched::Words(words, _) => words,
        Batched::Numbered | Batched::Whole(_) => Vec::new(),
    };
    words.clear();
    push_keys(&mut words, keys);
    *batched = Batched::Words(words, each);
}

/// The state of a published batch that has this place in it.
pub(crate) fn published(
    system: ErasedSystem<'_>,
    batched: &Batched,
    place: usize,
) -> Option<ErasedState> {
    let read = |key: StateKey<'_>| state_of(system, key);
    match batched {
        Batched::Numbered => None,
        Batched::Words(all, Some(words)) => {
            let key = all.chunks_exact(*words).nth(place)?;
            Some(read(StateKey::Fixed(key)))
        }
        Batched::Words(all, None) => {
            let codes: Vec<Code> = take_keys(all).ok()?;
            Some(read(StateKey::Varying(codes.get(place)?)))
        }
        Batched::Whole(states) => states.get(place).map(|state| read(StateKey::Whole(state))),
    }
}
