//! Faults of crowds: what is claimed by declaring one, and is not so.

use std::fmt::Debug;

use super::declaration::{MemberOf, SharedOf};
use super::parts::CrowdParts;
use crate::model_call::Panic;

/// Reason why a system is no crowd, or not one that can be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrowdFault<Shared: Debug, Member: Debug> {
    /// A state is not the one that its parts are assembled to, or has parts of another number of members.
    #[error(
        "{state} is taken apart to {parts:?}, of which another state is assembled, or which are not those of {count} members: the parts have to be all of a state"
    )]
    OtherParts {
        /// The state.
        state: String,
        /// Its parts.
        parts: CrowdParts<Shared, Member>,
        /// Number of members of the instance.
        count: usize,
    },
    /// Two members are not alike.
    #[error(
        "members {one} and {other} are not alike: to exchange them in {state:?} changes {what}"
    )]
    NotAlike {
        /// Number of one of them, from 0 on.
        one: usize,
        /// Number of the other.
        other: usize,
        /// Parts of the state in which they were exchanged.
        state: CrowdParts<Shared, Member>,
        /// Difference that it makes.
        what: &'static str,
    },
    /// A step changes the parts of several members.
    #[error("a step from {from:?} to {to:?} changes the parts of several members")]
    MovesSeveral {
        /// Source of the step.
        from: CrowdParts<Shared, Member>,
        /// Its target.
        to: CrowdParts<Shared, Member>,
    },
    /// A step needs a member that it does not move.
    #[error(
        "a step from {from:?} to {to:?} is none any more where some of the members that it does not move are left out"
    )]
    NeedsOthers {
        /// Source of the step.
        from: CrowdParts<Shared, Member>,
        /// Its target.
        to: CrowdParts<Shared, Member>,
    },
    /// An initial state needs a member.
    #[error("{state:?} is initial, and not so without its last member")]
    InitialNeedsOthers {
        /// The state.
        state: CrowdParts<Shared, Member>,
    },
    /// An invariant speaks of more members than it is said to.
    #[error(
        "invariant `{invariant}` is false of {state:?}, and of no {members} of its members alone"
    )]
    SpeaksOfMore {
        /// Name of the invariant.
        invariant: String,
        /// Parts of the state of which it is false.
        state: CrowdParts<Shared, Member>,
        /// Members of which it is said to speak.
        members: usize,
    },
    /// Views are smaller than an invariant is wide.
    #[error(
        "invariant `{invariant}` speaks of {members} members: views of {size} do not show them"
    )]
    TooWide {
        /// Name of the invariant.
        invariant: String,
        /// Members of which it speaks.
        members: usize,
        /// Number of members of a view.
        size: usize,
    },
    /// There is no invariant to be asked about.
    #[error("there is nothing to decide: the instances have no invariant")]
    NothingAsked,
    /// An instance has other invariants than the others.
    #[error("with {members} members there are other invariants than with {others}")]
    OtherInvariants {
        /// Number of its members.
        members: usize,
        /// Number of members with which there are those that were asked about.
        others: usize,
    },
    /// Views are of a number of members that cannot be.
    #[error("views of {size} members are not searched: it takes 1 to {most}")]
    Size {
        /// Number of members.
        size: usize,
        /// The most that there may be.
        most: usize,
    },
    /// There are no initial states.
    #[error("there are no initial states, of which everything is true")]
    NoInitialStates,
    /// An instance has a constraint, or its implementation a bound.
    #[error("there is a bound, `{bound}`: of what lies beyond it nothing is known")]
    Bounded {
        /// Name of the constraint, or the bound.
        bound: String,
    },
    /// A function of the model panicked where the initial states were enumerated.
    #[error("the initial states are not known: {}", .0.message)]
    Panicked(Panic),
}

/// Faults of a crowd.
pub type FaultOf<C> = CrowdFault<SharedOf<C>, MemberOf<C>>;
