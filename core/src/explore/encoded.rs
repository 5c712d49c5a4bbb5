//! Codecs of states that say themselves how they are written into bits.

use super::codec::{Codec, StatesKept};
use super::segments::SegmentedVec;
use crate::model_call::{catch, named};
use crate::state::PackingError;
use crate::state::{Changes, Code, Limits, Reader, State, Writer, round_trip};
use crate::system::{StateOf, TransitionSystem};

const WRITE: &str = "`write` of a state";
const READ: &str = "`read` of a state";

/// States are written into `N` words.
pub(super) struct EncodedWords<const N: usize> {
    /// The most bits that one takes.
    bits: u32,
}

/// True if it is known that a state is read back as it is written.
const fn is_exact<S: TransitionSystem>() -> bool {
    const { <StateOf<S> as State<S>>::EXACT.is_exact() }
}

impl<const N: usize> EncodedWords<N> {
    /// For states that take at most so many bits, which there are.
    pub const fn new(bits: u32) -> Self {
        Self { bits }
    }
}

impl<const N: usize, S: TransitionSystem> Codec<S> for EncodedWords<N> {
    type Key = [u64; N];

    #[inline(always)]
    fn key(&self, system: &S, state: &StateOf<S>) -> Option<[u64; N]> {
        let mut writer = Writer::fixed();
        named(WRITE, || state.write(system, Limits::NONE, &mut writer));
        let bits = writer.bits();
        let words = writer.words()?;
        debug_assert!(!is_exact::<S>() || bits == self.bits, "all are of one size");
        // What is written by hand may be more than was said, and the sets of states look at the bits in use only.
        let is_read = || {
            bits <= self.bits
                && Codec::<S>::with(self, system, &words, |back| {
                    named("`eq` of a state", || *back == *state)
                })
        };
        (is_exact::<S>() || is_read()).then_some(words)
    }

    #[inline(always)]
    fn key_of_target(
        &self,
        system: &S,
        (words, from): (&[u64; N], &StateOf<S>),
        to: &StateOf<S>,
    ) -> Option<[u64; N]> {
        if !is_exact::<S>() {
            return self.key(system, to);
        }
        let mut words = *words;
        let mut changes = Changes::on(&mut words);
        named(WRITE, || {
            to.write_changes(from, system, Limits::NONE, || 0, &mut changes);
        });
        let fits = changes.fit();
        let key = fits.then_some(words);
        debug_assert_eq!(key, self.key(system, to), "{from:?} to {to:?}");
        key
    }

    #[cold]
    fn complaint(&self, system: &S, state: &StateOf<S>) -> PackingError {
        complaint(system, state)
    }

    #[inline(always)]
    fn with<T>(&self, system: &S, key: &[u64; N], look: impl FnOnce(&StateOf<S>) -> T) -> T {
        look(&named(READ, || {
            StateOf::<S>::read(system, Limits::NONE, &mut Reader::fixed(key))
        }))
    }

    fn kept(&self, _: &SegmentedVec<[u64; N]>) -> StatesKept {
        StatesKept::Packed { bits: self.bits }
    }
}

/// States are written into as many words as they take.
pub(super) struct Encoded;

impl<S: TransitionSystem> Codec<S> for Encoded {
    type Key = Code;

    #[inline(always)]
    fn key(&self, system: &S, state: &StateOf<S>) -> Option<Code> {
        let mut writer = Writer::growing();
        named(WRITE, || state.write(system, Limits::NONE, &mut writer));
        let code = writer.code()?;
        let is_read = || {
            Codec::<S>::with(self, system, &code, |back| {
                named("`eq` of a state", || *back == *state)
            })
        };
        (is_exact::<S>() || is_read()).then_some(code)
    }

    #[cold]
    fn complaint(&self, system: &S, state: &StateOf<S>) -> PackingError {
        complaint(system, state)
    }

    #[inline(always)]
    fn with<T>(&self, system: &S, key: &Code, look: impl FnOnce(&StateOf<S>) -> T) -> T {
        look(&named(READ, || {
            StateOf::<S>::read(system, Limits::NONE, &mut Reader::growing(key.words()))
        }))
    }

    fn kept(&self, log: &SegmentedVec<Code>) -> StatesKept {
        let runs = log.runs(0..log.len());
        let bytes: usize = runs.flat_map(|(_, run)| run).map(Code::bytes).sum();
        StatesKept::Encoded {
            bytes: bytes as f64 / log.len().max(1) as f64,
        }
    }
}

/// Reason why a state cannot be written.
fn complaint<S: TransitionSystem>(system: &S, state: &StateOf<S>) -> PackingError {
    // A panic comes again where the search reports it.
    match catch(|| round_trip(system, state)) {
        Ok(Err(error)) => error,
        Ok(Ok(())) | Err(_) => PackingError::Unstable,
    }
}
