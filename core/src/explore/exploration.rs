//! Explorations: which search is run, for each form in which states are kept.

use std::io;
use std::sync::atomic::AtomicU64;

use super::codec::form;
use super::disk::{DiskError, Journal};
use super::expansion::{Expand, Expansion};
use super::explored::Explored;
use super::keys::{Compared, Form};
use super::no_outcome::NoOutcome;
use super::options::{Options, PlainOptions, Record};
use super::peers::Party;
use super::search::{Found, Search};
use super::set::{Exact, Numbered, OfAnyKind, OfWords, Stored, Visited};
use super::spill::{OfSearch, Spilling, on_disk};
use super::visitor::Visitor;
use crate::erased::ErasedState;
use crate::state::Code;
use crate::statement::system::TransitionSystem;

/// Explores the reachable states of `system`, showing each state and step to `visitor`. States are kept as
/// [`State`](crate::State) says. A function of `system` or `visitor` that does not return holds it up, whatever the limits: a
/// [`Watchdog`](super::Watchdog) notices that.
pub fn explore<S: TransitionSystem, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    options: &Options<'_, S>,
) -> Explored<S, V::Tally> {
    match explore_on(system, visitor, options, Means::default()) {
        Ok(explored) => explored,
        Err(error) => unreachable!("there is nothing but memory: {error:?}"),
    }
}

/// Means of an exploration beside the memory of a process.
#[derive(Default)]
pub(crate) struct Means<'a> {
    /// Journal with checkpoints.
    pub journal: Option<Journal>,
    /// Disk for states for which there is no memory.
    pub spill: Option<&'a Spilling>,
    /// Processes that search together.
    pub party: Option<Party>,
    /// Place where the time is noted, in microseconds, that it took to read a checkpoint.
    pub uncounted: Option<&'a AtomicU64>,
}

/// The same, with such means.
pub(crate) fn explore_on<S: TransitionSystem, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    options: &Options<'_, S>,
    means: Means<'_>,
) -> Result<Explored<S, V::Tally>, NoOutcome> {
    let form = form(system, options.storage);
    let records = options.record == Record::Graph;
    let expansion = Expansion::new(system, visitor, options.symmetry, records, form);
    let found = search(&expansion, form, options.plain(), means)?;
    Ok(expansion.explored(found))
}

/// The search, which is compiled once for all models, and for each form of keys.
fn search<'a>(
    model: &dyn Expand,
    form: Form,
    options: PlainOptions<'a>,
    means: Means<'a>,
) -> Result<Found, NoOutcome> {
    let Means {
        journal,
        spill,
        party,
        uncounted,
    } = means;
    let options = PlainOptions {
        uncounted,
        ..options
    };
    if let Some(party) = party {
        return search_together(model, form, options, party, journal);
    }
    if let Some(spilling) = spill {
        return Ok(search_on_disk(model, form, options, spilling, journal)?);
    }
    Ok(match form {
        // The steps of a graph lead to numbers, which the exact set does not know.
        Form::Fixed { words: 1, bits } if options.record == Record::States => {
            run::<[u64; 1], _>(model, form, options, Exact::new(bits), journal)
        }
        Form::Fixed { words: 1, .. } => {
            run::<[u64; 1], _>(model, form, options, Numbered::new(OfWords), journal)
        }
        Form::Fixed { .. } => {
            run::<[u64; 2], _>(model, form, options, Numbered::new(OfWords), journal)
        }
        Form::Varying => {
            let visited = Numbered::new(OfAnyKind::default());
            run::<Code, _>(model, form, options, visited, journal)
        }
        Form::Whole => {
            let visited = Numbered::new(OfAnyKind::default());
            run::<ErasedState, _>(model, form, options, visited, journal)
        }
    }?)
}

/// The search as one of several processes, which pack their states.
fn search_together(
    model: &dyn Expand,
    form: Form,
    options: PlainOptions<'_>,
    party: Party,
    journal: Option<Journal>,
) -> Result<Found, NoOutcome> {
    match form {
        Form::Fixed { words: 1, bits } => {
            let search = Search::<[u64; 1], _>::new(model, form, options, Exact::new(bits));
            search.run_together(party, journal, on_disk)
        }
        Form::Fixed { .. } => {
            let visited = Stored::new(OfWords);
            let search = Search::<[u64; 2], _>::new(model, form, options, visited);
            search.run_together(party, journal, on_disk)
        }
        Form::Varying => {
            let visited = Stored::new(OfAnyKind::default());
            let search = Search::<Code, _>::new(model, form, options, visited);
            search.run_together(party, journal, on_disk)
        }
        Form::Whole => unreachable!("processes that search together pack their states"),
    }
}

fn run<K: Compared, I: Visited<K>>(
    model: &dyn Expand,
    form: Form,
    options: PlainOptions<'_>,
    visited: I,
    journal: Option<Journal>,
) -> Result<Found, DiskError> {
    let disk = OfSearch {
        journal,
        spill: None,
        from_bytes: None,
    };
    Search::<K, _>::new(model, form, options, visited).run(disk)
}

/// The search whose states go to disk when memory is short.
fn search_on_disk(
    model: &dyn Expand,
    form: Form,
    options: PlainOptions<'_>,
    spilling: &Spilling,
    journal: Option<Journal>,
) -> Result<Found, DiskError> {
    let (folder, from_bytes) = (&*spilling.folder, spilling.from_bytes);
    let refused = |error: io::Error| DiskError::refused("write into", folder, &error);
    match form {
        Form::Fixed { words: 1, bits } => {
            let spill = Some(on_disk::<[u64; 1], Exact>(folder).map_err(refused)?);
            let disk = OfSearch {
                journal,
                spill,
                from_bytes,
            };
            Search::new(model, form, options, Exact::new(bits)).run(disk)
        }
        Form::Fixed { .. } => {
            let spill = Some(on_disk::<[u64; 2], Stored<_, _>>(folder).map_err(refused)?);
            let disk = OfSearch {
                journal,
                spill,
                from_bytes,
            };
            Search::new(model, form, options, Stored::new(OfWords)).run(disk)
        }
        Form::Varying => {
            let spill = Some(on_disk::<Code, Stored<_, _>>(folder).map_err(refused)?);
            let disk = OfSearch {
                journal,
                spill,
                from_bytes,
            };
            let visited = Stored::new(OfAnyKind::default());
            Search::new(model, form, options, visited).run(disk)
        }
        Form::Whole => Err(DiskError::NotWritten),
    }
}
