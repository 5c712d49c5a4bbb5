//! The initial state for which a representative stands.

use crate::statement::asked::model_call::{break_off, until_enough};
use crate::statement::asked::visit::visit_initial;
use crate::statement::system::{StateOf, TransitionSystem};
use crate::walk::explore::Quotienting;

/// The first initial state that `representative` stands for: it need not be initial itself. It is, if there is none.
pub(super) fn initial_of<S: TransitionSystem>(
    quotient: &impl Quotienting<S>,
    system: &S,
    representative: &StateOf<S>,
) -> StateOf<S> {
    let mut initial = None;
    until_enough(|| {
        visit_initial(system, &mut |state| {
            if quotient.canonical(system, &state) == *representative {
                initial = Some(state);
                break_off();
            }
        });
    });
    initial.unwrap_or_else(|| representative.clone())
}
