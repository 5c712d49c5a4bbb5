//! Positions of workers in a search: the keys of their batches, as they are published, and states that are read from them.

use crate::state::Code;
use crate::statement::asked::calls::Batched;
use crate::statement::erased::ErasedState;
use crate::statement::system::TransitionSystem;
use crate::walk::explore::codec::with;
use crate::walk::explore::keys::{Key, Keys};

/// Writes the keys of a batch in the place of those before. PERF: into the same memory, unless states are kept as they are.
pub(super) fn publish(keys: Keys<'_>, batched: &mut Batched) {
    match keys {
        Keys::Fixed { all, words } => {
            let mut into = match std::mem::take(batched) {
                Batched::Words(into, _) => into,
                _ => Vec::new(),
            };
            into.clear();
            into.extend_from_slice(all);
            *batched = Batched::Words(into, words);
        }
        Keys::Varying(codes) => {
            let mut into = match std::mem::take(batched) {
                Batched::Codes(into) => into,
                _ => Vec::new(),
            };
            into.clear();
            for code in codes {
                let words = code.words();
                into.push(words.len() as u64);
                into.extend_from_slice(words);
            }
            *batched = Batched::Codes(into);
        }
        Keys::Whole(states) => *batched = Batched::Whole(states.to_vec()),
    }
}

/// The state of a published batch that has this place in it.
pub(crate) fn published<S: TransitionSystem>(
    system: &S,
    batched: &Batched,
    place: usize,
) -> Option<ErasedState> {
    let read = |key: Key<'_>| with(system, key, ErasedState::of);
    match batched {
        Batched::Numbered => None,
        Batched::Words(all, words) => {
            let key = all.chunks_exact(*words).nth(place)?;
            Some(read(Key::Fixed(key)))
        }
        Batched::Codes(all) => {
            let mut rest = &**all;
            for _ in 0..place {
                let (count, after) = rest.split_first()?;
                rest = after.get(*count as usize..)?;
            }
            let (count, after) = rest.split_first()?;
            let code = Code::of(after.get(..*count as usize)?);
            Some(read(Key::Varying(&code)))
        }
        Batched::Whole(states) => states.get(place).map(|state| read(Key::Whole(state))),
    }
}
