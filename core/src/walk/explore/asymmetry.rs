//! Changes that a supposed symmetry makes after all.

use super::exchange::Exchange;

/// Change that a supposed symmetry makes after all: what [`asymmetry`](crate::asymmetry()) finds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Asymmetry {
    /// A function of the system or of the refinement does not commute with an exchange.
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
    /// A state whose names are visited, and stay what they are, is another one.
    #[error("{about} is another state after its names were visited and left as they are")]
    ChangedByVisit {
        /// The state, as `Debug` shows it.
        about: String,
    },
    /// The representative of a state is no member of its class, so that the state itself is never looked at.
    #[error(
        "the representative of {about} is {representative}, which no exchange of names makes of it"
    )]
    NotAMember {
        /// The state, as `Debug` shows it.
        about: String,
        /// State that is said to stand for it.
        representative: String,
    },
    /// A state has members in rows of other lengths than the initial states, or of several lengths.
    #[error(
        "{about} has not {} members in each of its symmetric fields, as the initial states have",
        .members.iter().map(usize::to_string).collect::<Vec<_>>().join(" and ")
    )]
    OtherMembers {
        /// The state, as `Debug` shows it.
        about: String,
        /// Number of members of each group.
        members: Vec<usize>,
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
    /// Two states were identified, and no exchange of names makes one of the other.
    #[error("{from} stands for {to}, and no exchange of names makes this of it")]
    NoExchange {
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
