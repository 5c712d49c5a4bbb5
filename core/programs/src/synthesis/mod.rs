//! Fence synthesis: finds the places of a program at which fences are needed.
//!
//! A program declares where a fence may stand ([`fence_at`](super::ThreadBuilder::fence_at)), and *scenarios* state
//! the required properties: that the program refines a specification, that it is robust, or any other property that
//! [`check`](refmap::check) can decide. [`synthesise`] finds *every* minimal set of places at which fences make all
//! scenarios hold under a memory model. For each fence of such a set it gives a counterexample to the check without
//! that fence, which shows that the set is minimal.
//!
//! A fence without a place ([`fence`](super::ThreadBuilder::fence)) always stands; the stated presence of one with
//! a place is ignored. Places of one name, in several threads or scenarios, are one place: their fences stand or
//! fall together. So a protocol of identical threads can be synthesised symmetrically, with shared names, or
//! asymmetrically, with a name per thread.
//!
//! # Fences of several kinds
//!
//! A place has one kind of fence. Where the kind is open, there is one place per kind, one behind the other
//! ([`fence_kinds_at`](super::ThreadBuilder::fence_kinds_at)). A full fence has the effect of an acquire and a
//! release fence. So a set with a full fence where a weaker one suffices is not minimal, even if none of its fences
//! can be left out, and it is not in the answer. For a full fence in a minimal set, the counterexample shows that
//! even both weaker ones in its place do not suffice. Places that are stated separately are never compared like
//! this, whatever their fences.
//!
//! # Why not all sets have to be tested
//!
//! **Lemma.** Let F and G be sets of places, F a subset of G. Every behaviour of a program with fences at G is a
//! behaviour of the program with fences at F.
//!
//! *Reason.* Erase from each state of the former the pending fences that stand at G but not at F. The result is a
//! state of the latter with the same observation, and it is initial if the former was. A fence only waits, and
//! makes later accesses wait: fetching continues past it, and every access that is enabled behind it is enabled
//! without it. With the fence, an access may have to wait for a pending store of its own thread from which it could
//! read without the fence; the latter program may also wait, and then reads the stored value. So each step is a
//! step of the other program, by the same instruction with the same effect. A fence does not block a thread either:
//! if anything is pending, the first of it is enabled, so a state is terminal if and only if its image is. This is
//! a refinement mapping, and a test checks it on random programs.
//!
//! Therefore, if `observation`, `initiality`, `simulation`, `agency`, `invariant:NAME` and `deadlock` hold with
//! fences at F, they hold with fences at G, provided that the mapping, the abstract actions and the invariants do
//! not depend on pending fences. `coverage` is monotone in the other direction, since it requires that something
//! happens: if it holds at G, it holds at F. So a set that is minimal for the former obligations and fails the
//! latter is a subset of no set that satisfies both; the result lists such sets separately, as *vacuous*. (Every
//! behaviour under SC is possible with any fences, so a scenario that is exercised under SC has no vacuous sets.)
//! `environment:RULE` and `inductive:NAME` are monotone in neither direction, and a scenario that evaluates one of
//! them is rejected.

mod places;
mod refenced;
mod scenario;
mod search;
mod text;

use serde::Serialize;

pub use scenario::Scenario;
pub use search::synthesise;
pub use text::SynthesisText;

use super::model::MemoryModel;
use super::program::Fence;
use refmap::explore::Limit;
use refmap::obligation::CheckError;
use refmap::report::Counterexample;

/// Greatest number of places from which fences are chosen.
pub const MOST_PLACES: usize = places::Places::MOST;

/// Result of a synthesis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Synthesis {
    /// The memory model.
    pub memory: MemoryModel,
    /// Names of the scenarios.
    pub scenarios: Vec<String>,
    /// The places, in the order in which the programs name them.
    pub places: Vec<PlaceOfFences>,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
    /// Number of checks.
    pub checks: u64,
    /// Number of states of all checks together.
    pub states: u64,
    /// Threads that the bound on backward jumps cut off in some check; the result does not cover their further
    /// behaviour.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut_off: Vec<String>,
    /// Time taken.
    pub seconds: f64,
}

/// Place for a fence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceOfFences {
    /// Name.
    pub name: String,
    /// Kinds of its fences: one, unless several fences of different kinds share the name.
    pub fences: Vec<Fence>,
    /// Places at the same point with a weaker fence, which this fence makes redundant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weaker: Vec<String>,
}

/// Result of a synthesis: the sufficient sets of fences.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Answer {
    /// All minimal sets.
    Mended {
        /// The sets, smaller ones first. If no fence is needed, only the empty set.
        sets: Vec<MinimalSet>,
        /// Minimal sets with which every scenario holds, but only vacuously: a coverage obligation fails.
        #[serde(rename = "hollow")]
        vacuous: Vec<VacuousSet>,
    },
    /// No set of fences suffices, except vacuously.
    Unmendable {
        /// Failure with fences at all places; `None` if all minimal sets are vacuous.
        failure: Option<Box<Failure>>,
        /// The vacuous minimal sets.
        #[serde(rename = "hollow")]
        vacuous: Vec<VacuousSet>,
    },
    /// A limit stopped a check, so nothing is claimed.
    Incomplete(Undecided),
}

/// Minimal sufficient set of places.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MinimalSet {
    /// The places, in the order of [`Synthesis::places`].
    pub fences: Vec<String>,
    /// Number of states explored, per scenario.
    pub holds: Vec<Held>,
    /// Counterexample without each fence.
    pub without: Vec<Without>,
    /// Sentences that say where the set may not be enough: the loads that only a branch keeps in order with these fences, since no model
    /// speculates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Scenario that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Held {
    /// Name of the scenario.
    pub scenario: String,
    /// Number of states.
    pub states: u64,
    /// Number of transitions.
    pub transitions: u64,
}

/// Failure without one fence of a minimal set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Without {
    /// Place of the fence.
    pub fence: String,
    /// Weaker fences that stand there instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<String>,
    /// The failure.
    #[serde(flatten)]
    pub failure: Failure,
}

/// Failure of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// Name of the scenario.
    pub scenario: String,
    /// Counterexample.
    pub counterexample: Counterexample,
}

/// Minimal set with which every scenario holds, but only vacuously: a coverage obligation fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VacuousSet {
    /// The places.
    pub fences: Vec<String>,
    /// Scenario whose coverage fails.
    pub scenario: String,
    /// The failing obligation.
    pub obligation: String,
    /// Note of that obligation.
    pub note: Option<String>,
}

/// Check that a limit stopped.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Undecided {
    /// Places of the fences in that check.
    pub fences: Vec<String>,
    /// Name of the scenario; empty if all checks had been made, or it is not known which it was.
    pub scenario: String,
    /// The limit.
    pub limit: Option<Limit>,
}

/// Error: a synthesis is not possible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SynthesisError {
    /// There is no scenario.
    #[error("there is no scenario, so that there is nothing that fences could mend")]
    NoScenario,
    /// Two scenarios have the same name.
    #[error("two scenarios are named {name:?}")]
    DuplicateScenario {
        /// The name.
        name: String,
    },
    /// There are too many places.
    #[error("the programs have {given} places for fences, and at most {MOST_PLACES} are searched")]
    TooManyPlaces {
        /// Number of places.
        given: usize,
    },
    /// The check of a scenario decides nothing: it evaluates no obligation, or walks at random.
    #[error("the check of scenario {scenario:?} {why}, so that it cannot hold")]
    NothingDecided {
        /// The scenario.
        scenario: String,
        /// Reason.
        why: &'static str,
    },
    /// A scenario evaluates an obligation that is not known to be monotone in the set of fences.
    #[error(
        "scenario {scenario:?} has the obligation {obligation}, of which it is not known whether it \
         goes on to hold when a fence is added: choose others"
    )]
    NotMonotone {
        /// The scenario.
        scenario: String,
        /// The obligation.
        obligation: String,
    },
    /// A check contradicts the lemma: it depends on the fences other than through the order that they enforce.
    #[error(
        "scenario {scenario:?} fails with fences at {more}, and holds with those at {fewer}: its \
         check depends on the fences themselves, and not only on what they keep in order"
    )]
    Contradiction {
        /// The scenario.
        scenario: String,
        /// Places of the fences with which it fails.
        more: String,
        /// Places of the fences with which it holds.
        fewer: String,
    },
    /// A scenario cannot be checked.
    #[error("scenario {scenario:?}: {error}")]
    Check {
        /// The scenario.
        scenario: String,
        /// The error.
        error: CheckError,
    },
}

impl Synthesis {
    /// The minimal sufficient sets; none if there is no such set, or if nothing is claimed.
    pub fn sets(&self) -> &[MinimalSet] {
        match &self.answer {
            Answer::Mended { sets, .. } => sets,
            Answer::Unmendable { .. } | Answer::Incomplete(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests;
