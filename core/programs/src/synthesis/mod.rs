//! Fence synthesis: at which of the places of a program fences have to stand.
//!
//! A program says where a fence may stand ([`fence_at`](super::ThreadBuilder::fence_at)), and
//! *scenarios* say what has to hold of it: it refines a specification, or it is robust, or whatever
//! else [`check`](refmap::check) can decide. [`synthesise`] finds *every* minimal set of places at
//! which fences make all scenarios hold under a memory model, and shows each to be minimal: for each
//! of its fences there is a counterexample to the check without it.
//!
//! A fence that a program states without a place ([`fence`](super::ThreadBuilder::fence)) always
//! stands, and whether one of those with a place is present at first plays no part. Places of one
//! name, in several threads or several scenarios, are one place: their fences stand or fall together.
//! So a protocol whose threads are alike can be asked for a mending that keeps them alike, and with a
//! name of its own for each thread for any mending.
//!
//! # Fences of several kinds
//!
//! A place has one kind of fence. Where it is open which kind will do, there is a place for each, one
//! behind the other ([`fence_kinds_at`](super::ThreadBuilder::fence_kinds_at)). A full fence does what
//! an acquire and a release fence do; so a set that has one where a weaker one is enough is not
//! minimal, though none of its fences can be left out, and it is not in the answer. And what is shown
//! of a full fence in a minimal set is that even both weaker ones in its place are not enough. Places
//! that are stated apart are never compared like this, whatever their fences.
//!
//! # Why not all sets have to be looked at
//!
//! **Lemma.** Let F and G be sets of places, F within G. Whatever a program with fences at G can do
//! it can do with fences at F.
//!
//! *Reason.* Erase from each state of the one the pending fences that stand at G alone. What is left
//! is a state of the other, that shows the same; an initial one, if it was. A fence is waited for and
//! waits, and does nothing else: fetching goes on past it, and whatever may be performed behind it may
//! be performed where it is not. An access that had to wait for a pending store of its own thread, and
//! might have taken its value from it without the fence, may also wait, and then reads what was
//! stored. So each step is a step of the other program, by the same instruction with the same effect.
//! Nor does a fence stop a thread: if something is pending, what is first may be performed, so a
//! state has no step if and only if what is left of it has none. That is a refinement mapping, and a
//! test has it checked on random programs.
//!
//! Therefore, if `observation`, `initiality`, `simulation`, `agency`, `invariant:NAME` and `deadlock`
//! hold with fences at F they hold with fences at G, as long as the mapping, the answers and the
//! invariants do not look at pending fences. The other way round for `coverage`, which asks for
//! something to happen: if it holds at G it holds at F. So what is minimal for the former and fails
//! the latter is within no set that passes both; such sets are told apart from the answer as
//! *vacuous*. (What happens under SC happens with any fences, so a scenario that is exercised under
//! SC has no vacuous sets.) For `environment:RULE` and `inductive:NAME` neither direction is true, and
//! a scenario that evaluates one of them is refused.

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

/// The most places among which fences are chosen.
pub const MOST_PLACES: usize = places::Places::MOST;

/// What became of a synthesis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Synthesis {
    /// The memory model.
    pub memory: MemoryModel,
    /// The names of the scenarios.
    pub scenarios: Vec<String>,
    /// The places, in the order in which the programs name them.
    pub places: Vec<PlaceOfFences>,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
    /// How many refinements were checked.
    pub checks: u64,
    /// How many states these had in all.
    pub states: u64,
    /// The threads that their bound on backward jumps has stopped in some check: what they would have
    /// done besides is not looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut_off: Vec<String>,
    /// Time taken.
    pub seconds: f64,
}

/// A place, and what may stand there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceOfFences {
    /// Its name.
    pub name: String,
    /// The kinds of its fences: one, unless the name is used for several.
    pub fences: Vec<Fence>,
    /// The places at the same point with a weaker fence, which its own makes superfluous.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weaker: Vec<String>,
}

/// Which sets of fences suffice.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Answer {
    /// These are all the minimal ones.
    Mended {
        /// The sets, those of the fewest fences first. The empty one, alone, if no fence is needed.
        sets: Vec<MinimalSet>,
        /// Sets with which nothing goes wrong because something that was to happen never does.
        #[serde(rename = "hollow")]
        vacuous: Vec<VacuousSet>,
    },
    /// Something goes wrong whatever fences stand, or does not but for want of anything happening.
    Unmendable {
        /// What goes wrong with fences at all places; nothing if all minimal sets are vacuous.
        failure: Option<Failure>,
        /// The minimal sets, if they are vacuous.
        #[serde(rename = "hollow")]
        vacuous: Vec<VacuousSet>,
    },
    /// A check ended before it was decided, so nothing is claimed.
    Incomplete(Undecided),
}

/// A minimal set of places.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MinimalSet {
    /// The places, in the order of [`Synthesis::places`].
    pub fences: Vec<String>,
    /// Of each scenario, how many states were explored for it to hold.
    pub holds: Vec<Held>,
    /// Of each fence, why it cannot be left out.
    pub without: Vec<Without>,
}

/// A scenario that holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Held {
    /// Its name.
    pub scenario: String,
    /// How many states it has.
    pub states: u64,
    /// How many steps.
    pub transitions: u64,
}

/// What happens without a fence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Without {
    /// The place of the fence.
    pub fence: String,
    /// The weaker fences that stand there instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<String>,
    /// What goes wrong.
    #[serde(flatten)]
    pub failure: Failure,
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// In which scenario.
    pub scenario: String,
    /// How.
    pub counterexample: Counterexample,
}

/// A minimal set with which nothing goes wrong because something that was to happen never does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VacuousSet {
    /// The places.
    pub fences: Vec<String>,
    /// The scenario in which it does not happen.
    pub scenario: String,
    /// The obligation that says so.
    pub obligation: String,
    /// What it says.
    pub note: Option<String>,
}

/// A check that was not decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Undecided {
    /// Where fences stood.
    pub fences: Vec<String>,
    /// Of which scenario.
    pub scenario: String,
    /// What ended it.
    pub limit: Option<Limit>,
}

/// Why fences cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SynthesisError {
    /// There is nothing that has to hold.
    #[error("there is no scenario, so that there is nothing that fences could mend")]
    NoScenario,
    /// Two scenarios that could not be told apart.
    #[error("two scenarios are named {name:?}")]
    DuplicateScenario {
        /// The name.
        name: String,
    },
    /// More places than fit.
    #[error("the programs have {given} places for fences, and at most {MOST_PLACES} are searched")]
    TooManyPlaces {
        /// How many there are.
        given: usize,
    },
    /// A check that decides nothing, since no obligation is chosen or it walks at random.
    #[error("the check of scenario {scenario:?} {why}, so that it cannot hold")]
    NothingDecided {
        /// The scenario.
        scenario: String,
        /// Why not.
        why: &'static str,
    },
    /// An obligation of which it is not known what a further fence does to it.
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
    /// A check contradicts the lemma: it depends on the fences in another way than by what they order.
    #[error(
        "scenario {scenario:?} fails with fences at {more}, and holds with those at {fewer}: its \
         check depends on the fences themselves, and not only on what they keep in order"
    )]
    Contradiction {
        /// The scenario.
        scenario: String,
        /// Where fences stand when it fails.
        more: String,
        /// Where when it holds.
        fewer: String,
    },
    /// A scenario that cannot be checked.
    #[error("scenario {scenario:?}: {error}")]
    Check {
        /// The scenario.
        scenario: String,
        /// Why not.
        error: CheckError,
    },
}

impl Synthesis {
    /// The minimal sets; nothing if there is none, or if nothing is claimed.
    pub fn sets(&self) -> &[MinimalSet] {
        match &self.answer {
            Answer::Mended { sets, .. } => sets,
            Answer::Unmendable { .. } | Answer::Incomplete(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests;
