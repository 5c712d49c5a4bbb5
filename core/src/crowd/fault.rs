//! Faults of crowds: what is claimed by declaring one, and is not so.

use std::fmt::Debug;

use super::declaration::{Crowd, CrowdParts};
use crate::model_call::Panic;

/// Reason why a system is no crowd, or not one that can be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrowdFault<Shared: Debug, Member: Debug> {
    /// A state is not the one that its parts are assembled to.
    #[error(
        "a state with the parts {parts:?} is another one when it is assembled from them, or has not {members} members"
    )]
    OtherParts {
        /// Its parts.
        parts: CrowdParts<Shared, Member>,
        /// Number of members of the instance.
        members: usize,
    },
    /// Two members are not alike.
    #[error("members {one} and {other} are not alike: exchanged in {state:?}, they change {what}")]
    NotAlike {
        /// Their numbers.
        one: usize,
        /// The other's.
        other: usize,
        /// Parts of the state in which they were exchanged.
        state: CrowdParts<Shared, Member>,
        /// Difference that it makes.
        what: &'static str,
    },
    /// A step changes the parts of several members.
    #[error("a step from {from:?} to {to:?} changes the parts of several members, or their number")]
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
    /// There is no invariant to be asked about, or views have no members.
    #[error("there is nothing to decide: no invariant, or views of no members")]
    NothingAsked,
    /// There are no initial states.
    #[error("there are no initial states, of which everything is true")]
    NoInitialStates,
    /// The refinement has a constraint.
    #[error("the refinement has a constraint: of what lies beyond it nothing is known")]
    Constrained,
    /// A function of the model panicked where the initial states were enumerated.
    #[error("the initial states are not known: {}", .0.message)]
    Panicked(Panic),
}

/// Faults of a crowd.
pub type FaultOf<C> = CrowdFault<<C as Crowd>::Shared, <C as Crowd>::Member>;
