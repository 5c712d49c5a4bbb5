//! States taken apart.

use super::declaration::{Crowd, CrowdState, PartsOf};
use super::fault::FaultOf;
use super::parts::CrowdParts;

/// Parts of a state of the instance with so many members.
///
/// # Errors
///
/// If they are not all of it, so that two states would be taken for one.
pub(super) fn apart<C: Crowd>(
    crowd: &C,
    state: &CrowdState<C>,
    count: usize,
) -> Result<PartsOf<C>, FaultOf<C>> {
    let (shared, members) = crowd.apart(state);
    let parts = CrowdParts { shared, members };
    if parts.members.len() == count && crowd.assembled(&parts.shared, &parts.members) == *state {
        return Ok(parts);
    }
    Err(FaultOf::<C>::OtherParts {
        state: format!("{state:?}"),
        parts,
        count,
    })
}
