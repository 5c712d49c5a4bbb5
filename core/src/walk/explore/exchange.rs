//! A change of a state that is to change nothing that matters.

use std::fmt::{self, Display, Formatter};

/// Exchange of members: a change of a state that is to change nothing that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The place to which each member goes, of each group by its number.
    pub places: Vec<(u8, Vec<usize>)>,
}

impl Display for Exchange {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("the permutation of")?;
        let is_moved = |places: &[usize]| places.iter().enumerate().any(|(at, to)| at != *to);
        let mut between = "";
        for (group, places) in self.places.iter().filter(|(_, places)| is_moved(places)) {
            match group {
                0 => write!(f, "{between} members to {places:?}")?,
                group => write!(f, "{between} members of group {group} to {places:?}")?,
            }
            between = " and of";
        }
        Ok(())
    }
}
