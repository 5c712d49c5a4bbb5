//! Settings of a check.

use std::num::NonZero;
use std::sync::Arc;

use super::selection::Selection;
use crate::walk::explore::{Checkpoints, Limits, Peers, Spilling, Storage, Watch};
use crate::walk::random::{Samples, Walks};

/// Settings of a check. The defaults check everything, on all cores, without bounds.
#[derive(Clone)]
pub struct Settings<'a> {
    /// States that are looked at.
    pub search: Search,
    /// Data that an exhaustive search keeps of a state.
    pub storage: Storage,
    /// Choice whether states that differ only by a symmetry of the model are identified.
    pub symmetry: Symmetry,
    /// Workers; they change the speed and nothing else.
    pub threads: usize,
    /// Limits at which to end early.
    pub limits: Limits,
    /// Obligations to check.
    pub obligations: Selection,
    /// Obligations of these to leave out, by patterns as those of a [`Selection`]. What [`induction`](Self::induction) and
    /// [`liveness`](Self::liveness) add can be left out, too.
    pub without: Vec<String>,
    /// Choice whether `inductive:*` belongs to the default obligations.
    pub induction: Induction,
    /// Choice whether `fairness:*`, `leads-to:*` and the other liveness obligations belong to the default ones.
    pub liveness: Liveness,
    /// Choice whether to go on after a violation.
    pub until: Until,
    /// Choice whether a verdict that says less than it seems to is a failure.
    pub warnings: Warnings,
    /// Checkpoints, if the search is to outlast what ends it.
    pub checkpoints: Option<Checkpoints>,
    /// Disk for states for which there is no memory, if they may go there. It changes nothing of what is found; states have to be packed, and the search records no
    /// graph.
    pub spill: Option<Spilling>,
    /// Processes with which the search is made together: each expands the states that it owns, and each gets the report. States have to be
    /// packed, and the search records no graph. When it is over process 0 has the states of all: in memory as far as its limit allows, and
    /// else on disk, in the folder of `spill` or that of temporary files. Of checkpoints, those of process 0 count. Of the limits, those on memory and time hold for each
    /// process, and that on states for all, as soon as they find that it is passed. The violation that is shown of an obligation is that
    /// of the least packed state among the nearest, and not the first that one process would meet.
    pub peers: Option<Arc<dyn Peers>>,
    /// Cancellation and progress.
    pub watch: Watch<'a>,
}

/// Treatment of warnings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Warnings {
    /// The report tells them.
    #[default]
    Told,
    /// Each is a violation besides.
    Fail,
}

/// Choice whether a check of all obligations decides `inductive:*` as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Induction {
    /// No: it takes a pass over all type-correct states.
    Omitted,
    /// Yes.
    Included,
    /// Yes, from states that are drawn. What is not found so may be there nevertheless: nothing holds.
    Sampled(Samples),
}

/// Choice whether a check of all obligations decides what happens in the end as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// No: it takes the complete graph.
    Omitted,
    /// Yes.
    Included,
}

/// Choice whether states that differ only by a symmetry of the model are identified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Symmetry {
    /// No: every reachable state is one of its own.
    #[default]
    None,
    /// Yes: by all permutations of the [members](crate::State) of each group that its states have, and by shifts of their
    /// [counters](crate::Counter). Counts are those of the representatives.
    Full,
}

/// States that a check looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// All that can be reached, within the limits.
    #[default]
    Exhaustive,
    /// Those on random walks, which never make a check hold. Of the limits only those on time and
    /// memory mean anything here; the walks have bounds of their own.
    Walks(Walks),
    /// Those with every number of members that are alike, as views of so many of them leave them; by default of one member, two or three, in turn until one
    /// suffices. The model has to be a [crowd](crate::crowd). Of obligations those are decided that speak of a state or a step: observation, initiality,
    /// simulation, agency and invariants. The limit on states is one on views, and on the states of each instance with few members.
    AnyNumber {
        /// Members of a view.
        views: Option<usize>,
    },
}

/// Point up to which a check goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// To the end of the smallest depth at which an obligation is violated, or to the first random
    /// walk that violates one.
    FirstViolation,
    /// To the end, so that one run tells the fate of every obligation.
    End,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            search: Search::default(),
            storage: Storage::default(),
            symmetry: Symmetry::default(),
            threads: std::thread::available_parallelism().map_or(1, NonZero::get),
            limits: Limits::default(),
            obligations: Selection::Default,
            without: Vec::new(),
            induction: Induction::Omitted,
            liveness: Liveness::Omitted,
            until: Until::FirstViolation,
            warnings: Warnings::default(),
            checkpoints: None,
            spill: None,
            peers: None,
            watch: Watch::default(),
        }
    }
}
