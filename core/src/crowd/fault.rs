//! Faults of crowds: what is claimed by declaring one, and is not so.

/// Reason why a system is no crowd, or not one that can be asked. States are shown by their parts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CrowdFault {
    /// A state is not the one that its parts are assembled to, or has parts of another number of members.
    #[error(
        "{state} is taken apart to {parts}, of which another state is assembled, or which are not those of {count} members: the parts have to be all of a state"
    )]
    OtherParts {
        /// The state.
        state: String,
        /// Its parts.
        parts: String,
        /// Number of members of the instance.
        count: usize,
    },
    /// Two members are not alike.
    #[error("members {one} and {other} are not alike: to exchange them in {state} changes {what}")]
    NotAlike {
        /// Number of one of them, from 0 on.
        one: usize,
        /// Number of the other.
        other: usize,
        /// The state in which they were exchanged.
        state: String,
        /// Difference that it makes.
        what: &'static str,
    },
    /// A step changes the parts of several members, of which some are kept by their kinds.
    #[error(
        "a step from {from} to {to} changes the parts of several members, and there are kinds of these for which steps wait"
    )]
    MovesSeveral {
        /// Source of the step.
        from: String,
        /// Its target.
        to: String,
    },
    /// A step needs members that it does not move.
    #[error(
        "a step from {from} to {to} is none any more where some of the members that it does not move are left out, or others of their kinds are in the \
         place of those that stay: what it waits for is no kind of members ({kinds} of them are declared)"
    )]
    NeedsOthers {
        /// Source of the step.
        from: String,
        /// Its target.
        to: String,
        /// Number of kinds.
        kinds: u32,
    },
    /// A kind of members has a number that is not below that of the kinds.
    #[error("a member has kind {kind}, of {kinds} from 0 on")]
    Kind {
        /// Kind of the member.
        kind: u32,
        /// Number of kinds.
        kinds: u32,
    },
    /// There are more kinds of members than can be kept apart.
    #[error("there are {kinds} kinds of members for which steps wait: views keep {most} apart")]
    Kinds {
        /// Number of kinds.
        kinds: u32,
        /// The most that there may be.
        most: u32,
    },
    /// An initial state needs a member.
    #[error("{state} is initial, and not so without its last member")]
    InitialNeedsOthers {
        /// The state.
        state: String,
    },
    /// An obligation speaks of more members than it is said to.
    #[error(
        "{obligation} is false of {state}, and whichever member is left out it is not: it speaks of more than {members}"
    )]
    SpeaksOfMore {
        /// Name of the obligation.
        obligation: String,
        /// The state of which it is false, or from which the step is taken.
        state: String,
        /// Members of which it is said to speak.
        members: usize,
    },
    /// Views are too small for an obligation.
    #[error("{obligation} speaks of {members} members: views of {size} do not show them")]
    TooWide {
        /// Name of the obligation.
        obligation: String,
        /// Members of which it speaks.
        members: usize,
        /// Number of members of a view.
        size: usize,
    },
    /// An instance has other invariants than the others.
    #[error("with {members} members there are other obligations than with {others}")]
    OtherObligations {
        /// Number of its members.
        members: usize,
        /// Number of members with which there are those that were asked about.
        others: usize,
    },
    /// Views need larger instances than there are.
    #[error(
        "views of {size} members need instances of {needed}, and an instance has {most} at most"
    )]
    Most {
        /// Number of members of a view.
        size: usize,
        /// Members of the largest instance that is needed.
        needed: usize,
        /// The most that an instance can have.
        most: usize,
    },
    /// Views are of a number of members that cannot be.
    #[error("views of {size} members are not searched: it takes 1 to {most}")]
    Size {
        /// Number of members.
        size: usize,
        /// The most that there may be.
        most: usize,
    },
    /// An instance has a constraint, or its implementation a bound.
    #[error("there is a bound, `{bound}`: of what lies beyond it nothing is known")]
    Bounded {
        /// Name of the constraint, or the bound.
        bound: String,
    },
}
