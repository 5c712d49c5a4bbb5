//! Explorations: which search is run, for each form in which states are kept.

use std::hash::Hash;

use super::codec::form;
use super::disk::{DiskError, Journal};
use super::expansion::{Expand, Expansion};
use super::explored::Explored;
use super::keys::{Compared, Form};
use super::options::{Options, PlainOptions, Record, Storage};
use super::search::{Found, Search};
use super::set::{Exact, Fingerprints, Hashed, Numbered, OfAnyKind, OfWords};
use super::visitor::Visitor;
use crate::erased::ErasedState;
use crate::state::Code;
use crate::system::TransitionSystem;

/// Explores the reachable states of `system`, showing each state and step to `visitor`. States are kept as
/// [`State`](crate::State) says.
pub fn explore<S: TransitionSystem, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    options: &Options<'_, S>,
) -> Explored<S, V::Tally> {
    match explore_on(system, visitor, options, None) {
        Ok(explored) => explored,
        Err(error) => unreachable!("nothing is on disk: {error}"),
    }
}

/// The same, with checkpoints in a journal.
///
/// # Errors
///
/// If the checkpoint that is resumed is damaged, or one of another model.
pub(crate) fn explore_on<S: TransitionSystem, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    options: &Options<'_, S>,
    journal: Option<Journal>,
) -> Result<Explored<S, V::Tally>, DiskError> {
    let form = form(system, options.storage);
    let records = options.record == Record::Graph && options.storage != Storage::Fingerprints;
    let expansion = Expansion::new(system, visitor, options.symmetry, records, form);
    let found = search(&expansion, form, options.plain(), journal)?;
    Ok(expansion.explored(found))
}

/// The search, which is compiled once for all models, and for each form of keys.
fn search(
    model: &dyn Expand,
    form: Form,
    options: PlainOptions<'_>,
    journal: Option<Journal>,
) -> Result<Found, DiskError> {
    match form {
        // The steps of a graph lead to numbers, which the exact set does not know.
        Form::Fixed { words: 1, bits } if options.record == Record::States => {
            Search::<[u64; 1], _>::new(model, form, options, Exact::new(bits)).run(journal)
        }
        Form::Fixed { words: 1, .. } => {
            Search::<[u64; 1], _>::new(model, form, options, Numbered::new(OfWords)).run(journal)
        }
        Form::Fixed { .. } => {
            Search::<[u64; 2], _>::new(model, form, options, Numbered::new(OfWords)).run(journal)
        }
        Form::Varying => search_hashed::<Code>(model, form, options, journal),
        Form::Whole => search_hashed::<ErasedState>(model, form, options, journal),
    }
}

/// The search of keys of any kind.
fn search_hashed<K: Compared + Eq + Hash>(
    model: &dyn Expand,
    form: Form,
    options: PlainOptions<'_>,
    journal: Option<Journal>,
) -> Result<Found, DiskError> {
    let visited = match options.storage {
        Storage::Fingerprints => Hashed::Fingerprints(Fingerprints::new()),
        Storage::Packed | Storage::Whole => Hashed::Exact(Numbered::new(OfAnyKind::default())),
    };
    Search::<K, _>::new(model, form, options, visited).run(journal)
}
