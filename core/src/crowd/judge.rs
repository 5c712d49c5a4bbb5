//! Instances of a crowd, and what is asked of their states and steps.

use crate::erased::{ErasedState, ErasedStep, ErasedSystem};

/// Judge of single states and steps.
pub(crate) trait Judge {
    /// The obligations that are false of a state, which may be an initial one, by their names.
    fn of_state(&self, state: &ErasedState, is_initial: bool) -> Vec<String>;
    /// The obligations that are false of a step from a state.
    fn of_step(&self, from: &ErasedState, step: &ErasedStep) -> Vec<String>;
}

/// The instance of a crowd with some number of members.
pub(crate) struct FewMembers<'a> {
    /// Its implementation.
    pub system: ErasedSystem<'a>,
    /// Judge of its states and steps.
    pub judge: &'a dyn Judge,
}
