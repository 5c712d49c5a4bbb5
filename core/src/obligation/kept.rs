//! States that a search kept, read back.

use crate::statement::asked::model_call::catch;
use crate::statement::refinement::Refinement;
use crate::statement::system::StateOf;
use crate::walk::explore::{Panic, StateId, States};

/// A state at which a function of the model panicked, the name of the function, and with what.
pub(super) type PanickedAt = (StateId, &'static str, Panic);

/// A state of an exploration that kept its states.
pub(super) fn kept<R: Refinement>(
    refinement: &R,
    reached: &dyn States<R::Implementation>,
    id: StateId,
) -> Result<StateOf<R::Implementation>, PanickedAt> {
    let read = catch(|| reached.state(refinement.implementation(), id));
    let state = read.map_err(|panic| {
        (
            id,
            "`fields` or `clone` of a state, reading it back,",
            panic,
        )
    })?;
    Ok(state.expect("where a graph is recorded, states are kept"))
}
