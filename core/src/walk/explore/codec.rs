//! Codec of the states of a system: how the keys of states are made of them, and states of their keys.
//!
//! What a search keeps and compares are keys. A state that says how it is written is kept as words, one or two where all
//! states of an instance have room in these, and otherwise as it is.

use std::fmt::{self, Display};

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};

use super::keys::{EQ, Form, KeyList, StateKey};
use super::options::Storage;
use crate::state::{
    BitReader, BitWriter, Changes, Code, FixedReader, Kept, Limits, PackingError, Source, State,
};
use crate::statement::asked::model_call::{Name, catch_seldom, named};
use crate::statement::erased::{ErasedState, ErasedSystem};
use crate::statement::round_trip::round_trip;
use crate::statement::system::{StateOf, TransitionSystem};

const WRITE: &str = "`write` of a state";
const READ: &str = "`read` of a state";
const CLONE: &str = "`clone` of a state";

const NOT_WRITTEN: &str = "a state that does not say how it is written is kept as it is";

/// Words of the largest states of a fixed form.
const MOST_WORDS: usize = 2;

/// Form in which the states of a search are kept, as reports name it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum StatesKept {
    /// Written into a fixed number of bits.
    Packed {
        /// Number of bits.
        bits: u32,
    },
    /// Written into as many bytes as each takes.
    Encoded {
        /// Number of bytes, on average.
        bytes: f64,
    },
    /// As they are.
    Whole,
}

impl Display for StatesKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packed { bits } => write!(f, "packed in {bits} bits"),
            Self::Encoded { bytes } => write!(f, "encoded in {bytes:.0} bytes on average"),
            Self::Whole => f.write_str("kept whole"),
        }
    }
}

/// True if states say how they are written.
const fn is_encoded<S: TransitionSystem>() -> bool {
    matches!(StateOf::<S>::KEPT, Kept::Encoded)
}

/// True if it is known that a state is read back as it is written.
const fn is_exact<S: TransitionSystem>() -> bool {
    <StateOf<S> as State<S>>::EXACT.is_exact()
}

/// Form in which the states of a system are kept.
pub(super) fn form<S: TransitionSystem>(system: &S, storage: Storage) -> Form {
    if const { !is_encoded::<S>() } || storage == Storage::Whole {
        return Form::Whole;
    }
    let shape = || StateOf::<S>::shape(system, Limits::NONE);
    form_of(named("`shape` of a state", shape).bits(), storage)
}

fn form_of(bits: Option<u32>, storage: Storage) -> Form {
    match (storage, bits) {
        (Storage::Packed, Some(bits @ 0..=64)) => Form::Fixed { words: 1, bits },
        (Storage::Packed, Some(bits @ 0..=128)) => Form::Fixed { words: 2, bits },
        _ => Form::Varying,
    }
}

/// Adds the key of a state to those of a form, and says whether it has one: not if a variable is outside its range, or if
/// the key becomes another state.
///
/// Every state that was written by hand is read back, the target of every step: one that is packed as another state is would
/// be taken for it, and there is no other sign of that.
pub(super) fn push<S: TransitionSystem>(
    system: &S,
    form: Form,
    state: &StateOf<S>,
    keys: &mut KeyList,
) -> bool {
    match keys {
        KeyList::Fixed { all, words } if const { is_encoded::<S>() } => {
            let Some(written) = fixed(system, form, state) else {
                return false;
            };
            push_words(all, &written[..*words]);
            true
        }
        KeyList::Varying(all) if const { is_encoded::<S>() } => {
            let code = varying(system, state);
            let has_key = code.is_some();
            all.extend(code);
            has_key
        }
        KeyList::Whole(all) => {
            all.push(named(CLONE, || ErasedState::of(state)));
            true
        }
        KeyList::Fixed { .. } | KeyList::Varying(_) => unreachable!("{NOT_WRITTEN}"),
    }
}

/// The words of a state of a fixed form.
#[inline(always)]
fn fixed<S: TransitionSystem>(
    system: &S,
    form: Form,
    state: &StateOf<S>,
) -> Option<[u64; MOST_WORDS]> {
    let Form::Fixed { bits: most, .. } = form else {
        unreachable!("the form is a fixed one");
    };
    let mut writer = BitWriter::fixed();
    named(WRITE, || state.write(system, Limits::NONE, &mut writer));
    let bits = writer.bits();
    let words: [u64; MOST_WORDS] = writer.words()?;
    debug_assert!(!is_exact::<S>() || bits == most, "all are of one size");
    // What is written by hand may be more than was said, and the sets of states look at the bits in use only.
    let is_read = || bits <= most && is_read_back(system, StateKey::Fixed(&words), state);
    (is_exact::<S>() || is_read()).then_some(words)
}

/// The words of a state of no fixed form.
#[inline(always)]
fn varying<S: TransitionSystem>(system: &S, state: &StateOf<S>) -> Option<Code> {
    let mut writer = BitWriter::growing();
    named(WRITE, || state.write(system, Limits::NONE, &mut writer));
    let code = writer.code()?;
    let is_read = || is_read_back(system, StateKey::Varying(&code), state);
    (is_exact::<S>() || is_read()).then_some(code)
}

fn is_read_back<S: TransitionSystem>(system: &S, key: StateKey<'_>, state: &StateOf<S>) -> bool {
    with(system, key, |back| named(EQ, || *back == *state))
}

/// Adds the key of the target of a step from a state that has a key, as [`push`] does.
#[inline(always)]
pub(super) fn push_target<S: TransitionSystem>(
    system: &S,
    form: Form,
    (key, from): (StateKey<'_>, &StateOf<S>),
    to: &StateOf<S>,
    keys: &mut KeyList,
) -> bool {
    if const { !is_exact::<S>() } {
        return push(system, form, to, keys);
    }
    match (&mut *keys, key) {
        (KeyList::Fixed { all, .. }, StateKey::Fixed(&[word])) => {
            push_changes(system, form, ([word], from), to, all)
        }
        (KeyList::Fixed { all, .. }, StateKey::Fixed(&[low, high])) => {
            push_changes(system, form, ([low, high], from), to, all)
        }
        _ => push(system, form, to, keys),
    }
}

/// Adds the words of the target of a step: those of the source, with what differs written over them.
///
/// PERF: that `N` is known leaves one test of it out for each variable.
#[inline(always)]
fn push_changes<S: TransitionSystem, const N: usize>(
    system: &S,
    form: Form,
    (own, from): ([u64; N], &StateOf<S>),
    to: &StateOf<S>,
    all: &mut Vec<u64>,
) -> bool {
    // What is written is no key yet where something panics meanwhile.
    let mut written = own;
    let mut changes = Changes::on(&mut written);
    // PERF: inlined, so that a loop over targets finds out once where the variables are.
    let name = Name::of(WRITE);
    to.write_changes(from, system, Limits::NONE, || 0, &mut changes);
    name.returned();
    let fits = changes.fit();
    debug_assert_eq!(
        fits.then_some(&written[..]),
        fixed(system, form, to).as_ref().map(|words| &words[..N]),
        "{from:?} to {to:?}"
    );
    if fits {
        push_words(all, &written);
    }
    fits
}

/// PERF: how many words there are is asked here, and not by what copies them.
#[inline(always)]
fn push_words(all: &mut Vec<u64>, words: &[u64]) {
    match *words {
        [word] => all.push(word),
        _ => all.extend_from_slice(words),
    }
}

/// The same of a target that is of no use otherwise; the target, if it has no key.
#[inline(always)]
pub(super) fn push_owned<S: TransitionSystem>(
    system: &S,
    form: Form,
    from: (StateKey<'_>, &StateOf<S>),
    to: StateOf<S>,
    keys: &mut KeyList,
) -> Result<(), StateOf<S>> {
    if let KeyList::Whole(all) = keys {
        all.push(ErasedState::from(to));
        return Ok(());
    }
    if push_target(system, form, from, &to, keys) {
        Ok(())
    } else {
        Err(to)
    }
}

/// Adds the keys of the targets of steps from a state, and says whether all of them have one; if not, those before the first
/// that has none are added.
#[inline(always)]
pub(super) fn push_targets<S: TransitionSystem>(
    system: &S,
    form: Form,
    (key, from): (StateKey<'_>, &StateOf<S>),
    targets: &[StateOf<S>],
    keys: &mut KeyList,
) -> bool {
    if const { is_exact::<S>() } {
        match (&mut *keys, key) {
            (KeyList::Fixed { all, .. }, StateKey::Fixed(&[word])) => {
                return push_all_changes(system, form, ([word], from), targets, all);
            }
            (KeyList::Fixed { all, .. }, StateKey::Fixed(&[low, high])) => {
                return push_all_changes(system, form, ([low, high], from), targets, all);
            }
            _ => (),
        }
    }
    targets
        .iter()
        .all(|to| push_target(system, form, (key, from), to, keys))
}

/// The same of states that are written over their source.
///
/// PERF: by itself, with `system` as an argument, so that the loop has the registers, and what depends on the instance alone is
/// found out before it.
#[inline(never)]
fn push_all_changes<S: TransitionSystem, const N: usize>(
    system: &S,
    form: Form,
    from: ([u64; N], &StateOf<S>),
    targets: &[StateOf<S>],
    all: &mut Vec<u64>,
) -> bool {
    // PERF: a loop begins by fetching where all variables are, which pays for several states only.
    if let [to] = targets {
        return push_changes_alone(system, form, from, to, all);
    }
    all.reserve(targets.len() * N);
    targets
        .iter()
        .all(|to| push_changes(system, form, from, to, all))
}

#[inline(never)]
fn push_changes_alone<S: TransitionSystem, const N: usize>(
    system: &S,
    form: Form,
    from: ([u64; N], &StateOf<S>),
    to: &StateOf<S>,
    all: &mut Vec<u64>,
) -> bool {
    push_changes(system, form, from, to, all)
}

/// The state of a key, without its type: for what is done seldom.
pub(super) fn state_of(system: ErasedSystem<'_>, key: StateKey<'_>) -> ErasedState {
    match key {
        StateKey::Fixed(words) => {
            let mut all = [0; MOST_WORDS];
            all[..words.len()].copy_from_slice(words);
            named(READ, || system.0.read(&mut FixedReader::new(all)))
        }
        StateKey::Varying(code) => system.of_words(code.words()),
        StateKey::Whole(state) => state.clone(),
    }
}

/// Shows the state of a key to `look`.
#[inline(always)]
pub(super) fn with<S: TransitionSystem, T>(
    system: &S,
    key: StateKey<'_>,
    look: impl FnOnce(&StateOf<S>) -> T,
) -> T {
    let words = match key {
        StateKey::Whole(state) => return look(state.get()),
        _ if const { !is_encoded::<S>() } => unreachable!("{NOT_WRITTEN}"),
        key => key,
    };
    let state = named(READ, || match words {
        StateKey::Fixed(&[word]) => read(system, &mut FixedReader::new([word])),
        StateKey::Fixed(words) => {
            let words = words.try_into().expect("there are one or two");
            read(system, &mut FixedReader::<MOST_WORDS>::new(words))
        }
        StateKey::Varying(code) => read(system, &mut BitReader::new(code.words())),
        StateKey::Whole(_) => unreachable!("it has been shown"),
    });
    look(&state)
}

/// The same of a state that owns memory, which it takes from `last`, where it is left.
#[inline(always)]
pub(super) fn with_over<S: TransitionSystem, T>(
    system: &S,
    key: StateKey<'_>,
    last: &mut Option<StateOf<S>>,
    look: impl FnOnce(&StateOf<S>) -> T,
) -> T {
    if const { !is_encoded::<S>() } || matches!(key, StateKey::Whole(_)) {
        return with(system, key, look);
    }
    // Where something panics the state is dropped, whatever it was then.
    let mut state = match last.take() {
        Some(state) => state,
        None => with(system, key, StateOf::<S>::clone),
    };
    named(READ, || match key {
        StateKey::Fixed(&[word]) => read_over(system, &mut state, &mut FixedReader::new([word])),
        StateKey::Fixed(words) => {
            let words = words.try_into().expect("there are one or two");
            let mut reader = FixedReader::<MOST_WORDS>::new(words);
            read_over(system, &mut state, &mut reader);
        }
        StateKey::Varying(code) => read_over(system, &mut state, &mut BitReader::new(code.words())),
        StateKey::Whole(_) => unreachable!("it has been shown"),
    });
    let looked = look(&state);
    *last = Some(state);
    looked
}

#[inline(always)]
fn read_over<S: TransitionSystem>(system: &S, state: &mut StateOf<S>, source: &mut impl Source) {
    state.read_over(system, Limits::NONE, source);
}

#[inline(always)]
fn read<S: TransitionSystem>(system: &S, source: &mut impl Source) -> StateOf<S> {
    StateOf::<S>::read(system, Limits::NONE, source)
}

/// Reason why a state has no key.
#[cold]
pub(super) fn complaint<S: TransitionSystem>(system: &S, state: &StateOf<S>) -> PackingError {
    // A panic comes again where the search reports it.
    match catch_seldom(|| round_trip(system, state)) {
        Ok(Err(error)) => error,
        Ok(Ok(())) | Err(_) => PackingError::Unstable,
    }
}
