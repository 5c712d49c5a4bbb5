//! Criteria: the orders of a history's events that count.

use std::fmt;

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};

/// Criterion: which orders of a history's events count.
///
/// Left out: guarantees of a session, as that a client reads its own writes. They are stated of reads and writes, and say nothing of an
/// arbitrary specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, Texts)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// An event that ended before another one began precedes it, and the order of each thread is kept.
    ///
    /// Source: Herlihy & Wing, *Linearizability: a correctness condition for concurrent objects*, TOPLAS 12(3), 1990.
    #[default]
    Linearizable,
    /// The order of each thread is kept, and nothing else: no order of time between threads.
    ///
    /// It is not local: a history of several objects may have no order though that of each object has one. All events are under way
    /// until the end of the history, and held in memory; of a history without an end, nothing is refused.
    ///
    /// Source: Lamport, *How to make a multiprocessor computer that correctly executes multiprocess programs*, 1979; Herlihy & Shavit,
    /// *The Art of Multiprocessor Programming*, section 3.4.
    Sequential,
    /// An event precedes another one if there is a time between the two at which no event is under way. Nothing else is kept, not
    /// the order of a thread.
    ///
    /// If one event ends exactly when another one begins, there is no such time between them. An event without an end is under way
    /// for ever. A delayed effect comes at any time after its event begins, as no later event of its thread need follow it. The events
    /// are those of one object: of several, each has its own quiescent times. The events between two such times are held in memory.
    ///
    /// Source: Aspnes, Herlihy & Shavit, *Counting networks*, JACM 41(5), 1994; Herlihy & Shavit, section 3.3.
    Quiescent,
}

impl Criterion {
    /// All criteria, the default first.
    pub const ALL: [Self; 3] = [Self::Linearizable, Self::Sequential, Self::Quiescent];

    /// Name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linearizable => "linearizable",
            Self::Sequential => "sequential",
            Self::Quiescent => "quiescent",
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Linearizable => "linearizable",
            Self::Sequential => "sequentially consistent",
            Self::Quiescent => "quiescently consistent",
        })
    }
}
