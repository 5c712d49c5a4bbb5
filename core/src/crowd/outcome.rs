//! Outcome of a search of views.

use super::declaration::{MemberOf, SharedOf};
use super::parts::CrowdParts;
use crate::explore::Limit;
use crate::model_call::Panic;

/// Outcome of a search of views.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyNumber<Shared, Member> {
    /// Number of members of a view.
    pub size: usize,
    /// Views that were found,
    pub views: u64,
    /// configurations that were made from them,
    pub configurations: u64,
    /// and their steps.
    pub transitions: u64,
    /// Account of the test of the crowd.
    pub tested: TestedCrowd,
    /// Answer to what was asked.
    pub answer: CrowdAnswer<Shared, Member>,
}

/// Account of the test of a crowd: of reachable states with one member, two, and so on, up to one more than a view has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TestedCrowd {
    /// Number of states.
    pub states: u64,
    /// Number of members up to which these were all that are reachable.
    pub members: usize,
}

/// Answer to the question whether invariants hold for every number of members.
#[derive(Clone, Debug, PartialEq)]
pub enum CrowdAnswer<Shared, Member> {
    /// They do, if the crowd is one: that it is was tested with few members.
    Holds,
    /// An invariant is false of a view. Whether it is one of a reachable state is not known: larger views may tell, and the ordinary search of
    /// an instance does.
    Unknown {
        /// Name of the invariant.
        invariant: String,
        /// The view.
        view: CrowdParts<Shared, Member>,
        /// The configuration a step of which led to it; none if it is initial.
        from: Option<CrowdParts<Shared, Member>>,
    },
    /// No view satisfies the premise of an invariant: it says nothing of any.
    Untested {
        /// Name of the invariant.
        invariant: String,
    },
    /// An invariant is false with fewer members than a view has.
    FewMembers {
        /// Name of the invariant.
        invariant: String,
        /// The state.
        state: CrowdParts<Shared, Member>,
    },
    /// A function of the model panicked in a configuration.
    Panicked {
        /// The configuration.
        at: CrowdParts<Shared, Member>,
        /// The panic.
        panic: Panic,
    },
    /// A limit came first.
    Limit(Limit),
}

/// Answers about a crowd.
pub type AnswerOf<C> = CrowdAnswer<SharedOf<C>, MemberOf<C>>;
