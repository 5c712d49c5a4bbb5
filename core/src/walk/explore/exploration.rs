//! Explorations: which search is run, for each form in which states are kept.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;

use super::codec::form;
use super::disk::{DiskError, Journal};
use super::expansion::{Expand, Expansion};
use super::explored::Explored;
use super::keys::{Compared, Form};
use super::no_outcome::NoOutcome;
use super::options::{Options, PlainOptions, Record};
use super::peers::Party;
use super::search::{Found, StateSearch};
#[cfg(feature = "disk")]
use super::set::{Drain, Stored};
use super::set::{ExactSet, NumberedSet, OfAnyKind, OfWords, Visited};
#[cfg(feature = "disk")]
use super::spill::on_disk;
use super::spill::{OfSearch, Spilling};
use super::visitor::Visitor;
use crate::state::Code;
use crate::statement::erased::ErasedState;
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
    let is_plain = !records && options.symmetry.is_none() && means.party.is_none();
    assert!(
        is_plain || !V::PASSES_TWICE,
        "levels are passed twice by one process, without a symmetry, and no graph is recorded"
    );
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
    let options = PlainOptions {
        uncounted: means.uncounted,
        ..options
    };
    #[cfg(not(feature = "disk"))]
    if means.party.is_some() || means.spill.is_some() || means.journal.is_some() {
        return Err(DiskError::MissingFeature.into());
    }
    #[cfg(feature = "disk")]
    if means.party.is_some() || means.spill.is_some() {
        return search_on_disk(model, form, options, means);
    }
    match form {
        // The steps of a graph lead to numbers, which the exact set does not know.
        Form::Fixed { words: 1, bits } if options.record == Record::States => {
            run::<[u64; 1], _>(model, form, options, ExactSet::new(bits), means)
        }
        Form::Fixed { words: 1, .. } => {
            run::<[u64; 1], _>(model, form, options, NumberedSet::new(OfWords), means)
        }
        Form::Fixed { .. } => {
            run::<[u64; 2], _>(model, form, options, NumberedSet::new(OfWords), means)
        }
        Form::Varying => {
            let visited = NumberedSet::new(OfAnyKind::default());
            run::<Code, _>(model, form, options, visited, means)
        }
        Form::Whole => {
            let visited = NumberedSet::new(OfAnyKind::default());
            run::<ErasedState, _>(model, form, options, visited, means)
        }
    }
}

/// The search that keeps all in memory.
fn run<K: Compared, I: Visited<K>>(
    model: &dyn Expand,
    form: Form,
    options: PlainOptions<'_>,
    visited: I,
    means: Means<'_>,
) -> Result<Found, NoOutcome> {
    StateSearch::<K, _>::new(model, form, options, visited).run(OfSearch {
        journal: means.journal,
        party: None,
        folder: PathBuf::new(),
        disk: None,
        from_bytes: None,
        open: None,
    })
}

/// The search whose states may go to disk: when memory is short, or, of several processes, when process 0 has those of all.
#[cfg(feature = "disk")]
fn search_on_disk(
    model: &dyn Expand,
    form: Form,
    options: PlainOptions<'_>,
    means: Means<'_>,
) -> Result<Found, NoOutcome> {
    match form {
        Form::Fixed { words: 1, bits } => {
            run_on_disk::<[u64; 1], _>(model, form, options, ExactSet::new(bits), means)
        }
        Form::Fixed { .. } => {
            run_on_disk::<[u64; 2], _>(model, form, options, Stored::new(OfWords), means)
        }
        Form::Varying => {
            let visited = Stored::new(OfAnyKind::default());
            run_on_disk::<Code, _>(model, form, options, visited, means)
        }
        Form::Whole => Err(DiskError::NotWritten.into()),
    }
}

#[cfg(feature = "disk")]
fn run_on_disk<K: Compared, I: Drain<K>>(
    model: &dyn Expand,
    form: Form,
    options: PlainOptions<'_>,
    visited: I,
    means: Means<'_>,
) -> Result<Found, NoOutcome> {
    let folder = means.spill.map(|spilling| spilling.folder.clone());
    let disk = match &folder {
        Some(folder) => Some(
            on_disk::<K, I>(folder)
                .map_err(|error| DiskError::refused("write into", folder, &error))?,
        ),
        None => None,
    };
    StateSearch::new(model, form, options, visited).run(OfSearch {
        journal: means.journal,
        party: means.party,
        folder: folder.unwrap_or_else(std::env::temp_dir),
        disk,
        from_bytes: means.spill.and_then(|spilling| spilling.from_bytes),
        open: Some(on_disk::<K, I>),
    })
}
