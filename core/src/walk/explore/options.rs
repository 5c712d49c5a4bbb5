//! Options of an exploration.

use std::sync::atomic::AtomicU64;

use super::limits::{Limits, Watch};
use crate::statement::system::TransitionSystem;
use crate::walk::explore::Quotienting;

/// Options of an exploration. None of them changes what is true of the system, and only
/// `limits` change what can be said of it.
pub struct Options<'a, S: TransitionSystem> {
    /// Workers. What is found does not depend on their number.
    pub threads: usize,
    /// Limits at which to end early.
    pub limits: Limits,
    /// Cancellation and progress.
    pub watch: Watch<'a>,
    /// Choice whether the steps are kept.
    pub record: Record,
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

/// Data that are kept of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Storage {
    /// Its variables, packed into bits, where its type says how; otherwise all of it.
    #[default]
    Packed,
    /// All of it.
    Whole,
}
