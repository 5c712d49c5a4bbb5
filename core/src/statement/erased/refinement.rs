//! Refinements without the types of their systems.

use super::object::SystemObject;
use super::system::ErasedSystem;
use super::value::{ErasedAction, ErasedState};
use crate::statement::abstract_steps::AbstractSteps;
use crate::statement::asked::calls::{Function, Of, call};
use crate::statement::constraint::Constraint;
use crate::statement::invariant::Invariant;
use crate::statement::property::Property;
use crate::statement::refinement::{Refinement, Waiver};
use crate::statement::rule::Process;

/// The methods of a refinement, of whatever types; see [`Refinement`].
pub(crate) trait RefinementObject: Sync {
    fn implementation(&self) -> &dyn SystemObject;
    fn specification(&self) -> &dyn SystemObject;
    fn map(&self, state: &ErasedState) -> ErasedState;
    fn abstract_steps(
        &self,
        from: &ErasedState,
        action: &ErasedAction,
        to: &ErasedState,
    ) -> AbstractSteps<ErasedAction>;
    fn invariants<'x>(&self) -> Vec<Invariant<ErasedSystem<'x>>>;
    fn constraint<'x>(&self) -> Option<Constraint<ErasedSystem<'x>>>;
    fn liveness<'x>(&self) -> Vec<Property<ErasedSystem<'x>>>;
    fn environment(&self) -> &[Process];
    fn at_rest(&self, state: &ErasedState, process: Process) -> bool;
    fn acts_for(&self, process: Process) -> Process;
    fn waivers(&self) -> Vec<Waiver>;
}

/// A refinement of whatever types.
#[derive(Clone, Copy)]
pub(crate) struct ErasedRefinement<'a> {
    refinement: &'a dyn RefinementObject,
    implementation: ErasedSystem<'a>,
    specification: ErasedSystem<'a>,
}

impl<'a> ErasedRefinement<'a> {
    /// A refinement without its types.
    pub fn of(refinement: &'a dyn RefinementObject) -> Self {
        Self {
            refinement,
            implementation: ErasedSystem(refinement.implementation(), Of::Implementation),
            specification: ErasedSystem(refinement.specification(), Of::Specification),
        }
    }
}

impl<'a> Refinement for ErasedRefinement<'a> {
    type Implementation = ErasedSystem<'a>;
    type Specification = ErasedSystem<'a>;

    fn implementation(&self) -> &ErasedSystem<'a> {
        &self.implementation
    }

    fn specification(&self) -> &ErasedSystem<'a> {
        &self.specification
    }

    fn map(&self, state: &ErasedState) -> ErasedState {
        let map = || self.refinement.map(state);
        call(|| Function::named("`map`"), Some(state), map)
    }

    fn abstract_steps(
        &self,
        from: &ErasedState,
        action: &ErasedAction,
        to: &ErasedState,
    ) -> AbstractSteps<ErasedAction> {
        let steps = || self.refinement.abstract_steps(from, action, to);
        call(|| Function::named("`abstract_steps`"), Some(from), steps)
    }

    fn invariants(&self) -> Vec<Invariant<ErasedSystem<'a>>> {
        self.refinement.invariants()
    }

    fn constraint(&self) -> Option<Constraint<ErasedSystem<'a>>> {
        self.refinement.constraint()
    }

    fn liveness(&self) -> Vec<Property<ErasedSystem<'a>>> {
        self.refinement.liveness()
    }

    fn environment(&self) -> &[Process] {
        self.refinement.environment()
    }

    fn at_rest(&self, state: &ErasedState, process: Process) -> bool {
        let at_rest = || self.refinement.at_rest(state, process);
        call(|| Function::named("`at_rest`"), Some(state), at_rest)
    }

    fn acts_for(&self, process: Process) -> Process {
        let acts_for = || self.refinement.acts_for(process);
        call(|| Function::named("`acts_for`"), None, acts_for)
    }

    fn waivers(&self) -> Vec<Waiver> {
        let waivers = || self.refinement.waivers();
        call(|| Function::named("`waivers`"), None, waivers)
    }
}
