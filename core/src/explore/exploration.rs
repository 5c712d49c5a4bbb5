//! Explorations: which search is run, for each way in which states are kept.

use std::hash::Hash;

use super::codec::{Codec, Whole};
use super::encoded::{Encoded, EncodedWords};
use super::expansion::{Expand, Expansion};
use super::explored::Explored;
use super::options::{Options, PlainOptions, Record, Storage};
use super::search::{Found, Search};
use super::set::{Exact, Fingerprints, Hashed, Numbered, OfAnyKind, OfWords};
use super::visitor::Visitor;
use crate::erased::ErasedState;
use crate::model_call::named;
use crate::state::{Code, Kept, Limits, State};
use crate::system::{StateOf, TransitionSystem};

/// Explores the reachable states of `system`, showing each state and step to `visitor`. States are kept as
/// [`State`] says.
pub fn explore<S: TransitionSystem, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    options: &Options<'_, S>,
) -> Explored<S, V::Tally> {
    // What a type does not need is not compiled for it.
    if const { matches!(StateOf::<S>::KEPT, Kept::Encoded) } && options.storage != Storage::Whole {
        return explore_encoded(system, visitor, options);
    }
    search_with((system, visitor), options, Whole, search_whole)
}

/// The same of a system whose states are plain data.
fn explore_encoded<S: TransitionSystem, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    options: &Options<'_, S>,
) -> Explored<S, V::Tally> {
    let of = (system, visitor);
    let shape = named("`shape` of a state", || {
        StateOf::<S>::shape(system, Limits::NONE)
    });
    match (options.storage, shape.bits()) {
        (Storage::Packed, Some(bits @ 0..=64)) => {
            let words = EncodedWords::<1>::new(bits);
            search_with(of, options, words, |model, options| {
                search_word(model, options, bits)
            })
        }
        (Storage::Packed, Some(bits @ 0..=128)) => {
            let words = EncodedWords::<2>::new(bits);
            search_with(of, options, words, search_two_words)
        }
        _ => search_with(of, options, Encoded, search_codes),
    }
}

/// Searches the states of a model, kept by `codec`.
fn search_with<S, V, P>(
    of: (&S, &V),
    options: &Options<'_, S>,
    codec: P,
    search: impl FnOnce(&dyn Expand<P::Key>, PlainOptions<'_>) -> Found<P::Key>,
) -> Explored<S, V::Tally>
where
    S: TransitionSystem,
    V: Visitor<S>,
    P: Codec<S>,
{
    let records = options.record == Record::Graph && options.storage != Storage::Fingerprints;
    let expansion = Expansion::new(of, options.symmetry, records, codec);
    let found = search(&expansion, options.plain());
    expansion.explored(found)
}

/// The search of states in a word, which is compiled once for all models, as the next two are.
fn search_word(
    model: &dyn Expand<[u64; 1]>,
    options: PlainOptions<'_>,
    bits: u32,
) -> Found<[u64; 1]> {
    match options.record {
        Record::States => Search::new(model, options, Exact::new(bits)).run(),
        // The steps of a graph lead to numbers, which the exact set does not know.
        Record::Graph => Search::new(model, options, Numbered::new(OfWords)).run(),
    }
}

fn search_two_words(model: &dyn Expand<[u64; 2]>, options: PlainOptions<'_>) -> Found<[u64; 2]> {
    Search::new(model, options, Numbered::new(OfWords)).run()
}

fn search_codes(model: &dyn Expand<Code>, options: PlainOptions<'_>) -> Found<Code> {
    search_hashed(model, options)
}

fn search_whole(model: &dyn Expand<ErasedState>, options: PlainOptions<'_>) -> Found<ErasedState> {
    search_hashed(model, options)
}

/// The search of states of any kind.
fn search_hashed<K: Clone + Eq + Hash + Send + Sync>(
    model: &dyn Expand<K>,
    options: PlainOptions<'_>,
) -> Found<K> {
    let visited = match options.storage {
        Storage::Fingerprints => Hashed::Fingerprints(Fingerprints::new()),
        Storage::Packed | Storage::Whole => Hashed::Exact(Numbered::new(OfAnyKind::default())),
    };
    Search::new(model, options, visited).run()
}
