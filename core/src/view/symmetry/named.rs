//! States with names, of whatever type.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use crate::state::{NameVisitor, State};
use crate::statement::erased::{ErasedState, ErasedSystem};
use crate::statement::system::{StateOf, TransitionSystem};

/// A state with names.
pub(super) trait HasNames {
    /// Visits the names.
    fn visit(&mut self, visit: &mut dyn NameVisitor);
    /// A hash of the state, the same whether its type is known or not.
    fn hash(&self) -> u64;
    /// Visits the names of a clone of it.
    fn visit_copy(&self, visit: &mut dyn NameVisitor);
}

/// A state of the system `S`.
pub(super) struct NamedState<S: TransitionSystem>(pub StateOf<S>);

impl<S: TransitionSystem> HasNames for NamedState<S> {
    fn visit(&mut self, visit: &mut dyn NameVisitor) {
        self.0.visit_names(visit);
    }

    fn hash(&self) -> u64 {
        FixedState::default().hash_one(&self.0)
    }

    fn visit_copy(&self, visit: &mut dyn NameVisitor) {
        self.0.clone().visit_names(visit);
    }
}

/// A state without its type, and its system.
pub(super) struct NamedErased<'s, 'x>(pub ErasedState, pub &'s ErasedSystem<'x>);

impl HasNames for NamedErased<'_, '_> {
    fn visit(&mut self, visit: &mut dyn NameVisitor) {
        self.1.0.visit_names(&mut self.0, visit);
    }

    fn hash(&self) -> u64 {
        FixedState::default().hash_one(self.0.parts())
    }

    fn visit_copy(&self, visit: &mut dyn NameVisitor) {
        NamedErased(self.0.clone(), self.1).visit(visit);
    }
}
