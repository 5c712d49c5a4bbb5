//! A change of a state that is to change nothing that matters.

use std::fmt::{self, Display, Formatter};

/// Exchange of identities: a change of a state that is to change nothing that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// A permutation of the model, by its number, counted from 0.
    Permutation(usize),
    /// A permutation of the members of a state: the place to which each goes.
    Members(Vec<usize>),
    /// All counters of a group come so much further.
    Shift {
        /// Number of the group.
        group: u8,
        /// Steps.
        by: u64,
    },
}

impl Display for Exchange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Permutation(number) => write!(f, "permutation {number}"),
            Self::Members(places) => write!(f, "the permutation of members to {places:?}"),
            Self::Shift { group: 0, by } => write!(f, "a shift of all counters by {by}"),
            Self::Shift { group, by } => {
                write!(f, "a shift of all counters of group {group} by {by}")
            }
        }
    }
}
