//! Explorations: which search is run, for each way in which states are kept.

use std::hash::Hash;

use super::codec::{Codec, Whole, Words};
use super::encoded::{Encoded, EncodedWords};
use super::expansion::{Expand, Expansion};
use super::explored::{End, Explored};
use super::options::{Options, PlainOptions, Record, Storage};
use super::search::{Found, Search};
use super::set::{Exact, Fingerprints, Hashed, Numbered, OfAnyKind, OfWords};
use super::visitor::Visitor;
use crate::model_call::{Panic, catch, named};
use crate::packed::Packed;
use crate::state::{Code, Kept, Limits, State};
use crate::system::{StateOf, TransitionSystem, first_initial};

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
    search_with((system, visitor), options, Whole, search_hashed)
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

/// The most words into which a state is packed; if it needs more it is kept whole.
const MOST_WORDS: usize = 4;

/// The same of a system that says how its states are packed.
pub fn explore_packed<S: Packed, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    options: &Options<'_, S>,
) -> Explored<S, V::Tally> {
    let template = match some_initial(system) {
        Ok(Some(template)) => template,
        Ok(None) => return explore(system, visitor, options),
        Err(panic) => return panicked_before(panic, explore(system, visitor, options)),
    };
    let of = (system, visitor);
    let layout = named("`fields` of a state", || system.layout());
    match (options.storage, layout.words()) {
        (Storage::Packed, 0 | 1) => {
            let words = Words::<1, _>::new(layout, template);
            let bits = layout.bits();
            search_with(of, options, words, |model, options| {
                search_word(model, options, bits)
            })
        }
        (Storage::Packed, 2) => {
            let words = Words::<2, _>::new(layout, template);
            search_with(of, options, words, search_two_words)
        }
        // Until they are expanded states are kept packed where fingerprints stand for them.
        (Storage::Packed, 3..=MOST_WORDS) | (Storage::Fingerprints, 0..=MOST_WORDS) => {
            let words = Words::<4, _>::new(layout, template);
            search_with(of, options, words, search_four_words)
        }
        _ => explore(system, visitor, options),
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

fn search_four_words(model: &dyn Expand<[u64; 4]>, options: PlainOptions<'_>) -> Found<[u64; 4]> {
    search_hashed(model, options)
}

fn search_codes(model: &dyn Expand<Code>, options: PlainOptions<'_>) -> Found<Code> {
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

/// The first initial state, if there is one.
fn some_initial<S: TransitionSystem>(system: &S) -> Result<Option<StateOf<S>>, Panic> {
    catch(|| named("`initial` of the implementation", || first_initial(system)))
}

/// Findings of a search before which a function of the model panicked. Mostly it does so again in the search.
fn panicked_before<S: TransitionSystem, T>(
    panic: Panic,
    explored: Explored<S, T>,
) -> Explored<S, T> {
    let is_complete = explored.end == End::Complete;
    Explored {
        panic: explored.panic.or(Some(panic)),
        end: if is_complete {
            End::Panicked
        } else {
            explored.end
        },
        ..explored
    }
}
