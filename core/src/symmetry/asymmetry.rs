//! Changes that a supposed symmetry makes after all.

use super::exchange::Exchange;

/// Change that a supposed symmetry makes after all: what [`asymmetry`](crate::asymmetry()) finds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Asymmetry {
    /// A function of the system or of the refinement does not commute with a permutation.
    #[error("{what} does not commute with {by}: {about}")]
    DoesNotCommute {
        /// The function.
        what: &'static str,
        /// The exchange.
        by: Exchange,
        /// The state or action it is wrong about, as `Debug` shows it.
        about: String,
    },
    /// Two members of a class have different representatives.
    #[error("the representative of {about} is not that of its image under {by}")]
    NotCanonical {
        /// The exchange.
        by: Exchange,
        /// The state, as `Debug` shows it.
        about: String,
    },
    /// The first permutation is not the one that exchanges nothing.
    #[error(
        "the first permutation exchanges something in {about}, and has to be the one that exchanges nothing"
    )]
    FirstExchanges {
        /// The state, as `Debug` shows it.
        about: String,
    },
    /// The representative of a state is no member of its class, so that the state itself is never looked at.
    #[error("the representative of {about} is {representative}, which no permutation makes of it")]
    NotAMember {
        /// The state, as `Debug` shows it.
        about: String,
        /// State that is said to stand for it.
        representative: String,
    },
    /// A state has members in rows of other lengths than the initial states, or of several lengths.
    #[error(
        "{about} has not {members} members in each of its symmetric fields, as the initial states have"
    )]
    OtherMembers {
        /// The state, as `Debug` shows it.
        about: String,
        /// Number of members.
        members: usize,
    },
    /// An initial state and its representative map to an initial state and to one that is not.
    #[error(
        "{about} is initial, and of it and its representative {representative} only one maps to an initial state"
    )]
    InitialChanges {
        /// The state, as `Debug` shows it.
        about: String,
        /// State that stands for it.
        representative: String,
    },
    /// Two states were identified, and no permutation exchanges one for the other: of a group there is one.
    #[error(
        "{from} stands for {to}, and no permutation makes this of it: the permutations are no group"
    )]
    NoGroup {
        /// The representative, as `Debug` shows it.
        from: String,
        /// The state that a behaviour has come to, as `Debug` shows it.
        to: String,
    },
    /// Not as many invariants hold in a state as in its image.
    #[error("{by} changes how many invariants hold in {about}")]
    InvariantsChange {
        /// The exchange.
        by: Exchange,
        /// The state, as `Debug` shows it.
        about: String,
    },
}
