//! States taken apart.

use super::declaration::{Crowd, CrowdState, PartsOf};
use super::fault::FaultOf;
use super::members::Members;

/// Parts of a state of the instance with so many members.
///
/// # Errors
///
/// If they are not all of it, so that two states would be taken for one.
pub(super) fn apart<C: Crowd>(
    state: &CrowdState<C>,
    count: usize,
) -> Result<PartsOf<C>, FaultOf<C>> {
    let parts = state.apart();
    if parts.members.len() == count && assembled::<C>(&parts) == *state {
        return Ok(parts);
    }
    Err(FaultOf::<C>::OtherParts {
        state: format!("{state:?}"),
        parts,
        count,
    })
}

/// The state of which these are the parts.
pub(super) fn assembled<C: Crowd>(parts: &PartsOf<C>) -> CrowdState<C> {
    CrowdState::<C>::assembled(&parts.shared, &parts.members)
}
