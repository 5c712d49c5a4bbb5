//! Places: the states of a search, and their steps.

use serde::{Deserialize, Serialize};

/// The number of a state, in the order in which a sequential search first meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StateId(pub u64);

/// A state, or one of its steps. Places are ordered by the length of the shortest trace that shows
/// them, then by the order of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// The length of a shortest trace that ends with the state, or with the step.
    pub length: u32,
    /// The state, or the one from which the step is taken.
    pub state: StateId,
    /// Number of one of its steps, in the order of `next`; `None` for the state itself.
    pub step: Option<u32>,
}

impl Place {
    /// The place of a step of the state at this place.
    pub(crate) fn of_step(self, position: u32) -> Self {
        Self {
            length: self.length + 1,
            state: self.state,
            step: Some(position),
        }
    }
}
