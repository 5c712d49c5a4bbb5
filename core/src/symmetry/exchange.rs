//! A change of a state that is to change nothing that matters.

use std::fmt::{self, Display, Formatter};

/// Exchange of identities: a change of a state that is to change nothing that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// A permutation of the members of a state: of each group, the place to which each goes.
    Members(Vec<(u8, Vec<usize>)>),
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
            Self::Members(groups) => {
                f.write_str("the permutation of")?;
                let is_moved =
                    |places: &[usize]| places.iter().enumerate().any(|(at, to)| at != *to);
                let mut between = "";
                for (group, places) in groups.iter().filter(|(_, places)| is_moved(places)) {
                    match group {
                        0 => write!(f, "{between} members to {places:?}")?,
                        group => write!(f, "{between} members of group {group} to {places:?}")?,
                    }
                    between = " and of";
                }
                Ok(())
            }
            Self::Shift { group: 0, by } => write!(f, "a shift of all counters by {by}"),
            Self::Shift { group, by } => {
                write!(f, "a shift of all counters of group {group} by {by}")
            }
        }
    }
}
