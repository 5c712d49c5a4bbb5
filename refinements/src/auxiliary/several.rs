//! As many abstract steps as there are.

use refmap::AbstractSteps::{self, One, Several, Stutter};

/// The steps of these actions: a stutter, one, or several.
pub fn steps<A>(mut actions: Vec<A>) -> AbstractSteps<A> {
    match actions.len() {
        0 => Stutter,
        1 => One(actions.remove(0)),
        _ => Several(actions),
    }
}
