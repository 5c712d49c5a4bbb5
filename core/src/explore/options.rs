//! Options of an exploration.

use std::sync::atomic::AtomicU64;

use super::limits::{Limits, Watch};
use crate::statement::system::TransitionSystem;
use crate::symmetry::Quotienting;

/// Options of an exploration. None of them changes what is true of the system, and only
/// [`Storage::Fingerprints`] and `limits` change what can be said of it.
pub struct Options<'a, S: TransitionSystem> {
    /// Workers. What is found does not depend on their number.
    pub threads: usize,
    /// Limits at which to end early.
    pub limits: Limits,
    /// Cancellation and progress.
    pub watch: Watch<'a>,
    /// Choice whether the steps are kept.
    pub record: Record,
    /// Choice of the state that is expanded next.
    pub order: Order,
    /// Data that are kept of a state.
    pub storage: Storage,
    /// The symmetry by which states are identified, if they are.
    pub symmetry: Option<&'a dyn Quotienting<S>>,
}

impl<'a, S: TransitionSystem> Options<'a, S> {
    /// Options that do not speak of the system.
    pub(super) fn plain(&self) -> PlainOptions<'a> {
        PlainOptions {
            threads: self.threads.max(1),
            limits: self.limits,
            watch: self.watch,
            record: self.record,
            order: self.order,
            storage: self.storage,
            uncounted: None,
        }
    }
}

/// Options of a search that knows nothing of the system; see [`Options`].
#[derive(Clone, Copy)]
pub(super) struct PlainOptions<'a> {
    pub threads: usize,
    pub limits: Limits,
    pub watch: Watch<'a>,
    pub record: Record,
    pub order: Order,
    pub storage: Storage,
    /// Place where the time is noted, in microseconds, that it took to read a checkpoint, which is not counted against the limit.
    pub uncounted: Option<&'a AtomicU64>,
}

impl<S: TransitionSystem> Default for Options<'_, S> {
    fn default() -> Self {
        Self {
            threads: 1,
            limits: Limits::default(),
            watch: Watch::default(),
            record: Record::States,
            order: Order::default(),
            storage: Storage::default(),
            symmetry: None,
        }
    }
}

/// Choice whether the steps are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// States only.
    States,
    /// States and the steps between them, at 3 to 4 bytes a step; as long as there is room for them.
    Graph,
}

/// Choice of the state that is expanded next, of those reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// One of those nearest to the initial states: counterexamples are shortest.
    #[default]
    BreadthFirst,
    /// One of those reached last: a violation far from the initial states may turn up sooner. The
    /// lengths of paths, `depth` among them, are those of the paths found.
    DepthFirst,
}

/// Data that are kept of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Its variables, packed into bits, where its type says how; otherwise all of it.
    #[default]
    Packed,
    /// All of it.
    Whole,
    /// 64 bits of a hash, and the step that led to the state; until it is expanded, its variables or all
    /// of it besides. Two states may have the same bits, and then one of them is taken for seen: the
    /// report says how likely that is at most. Where states are packed into a word, packed ones take
    /// less memory and time and leave none out, and a check refuses fingerprints.
    Fingerprints,
}
