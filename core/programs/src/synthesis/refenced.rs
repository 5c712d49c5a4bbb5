//! Refinement of a program, with other fences at its places and under another model.

use super::super::machine::Machine;
use super::super::model::MemoryModel;
use super::super::program::Program;

use refmap::{AbstractSteps, ActionOf, Constraint, Invariant, Process, Property, StateOf};
use refmap::{Refinement, Waiver};

/// Refinement that applies `stated` to another machine. The programs differ only in which fences stand, so states
/// and actions have the same meaning in both.
pub(super) struct Refenced<'a, R> {
    machine: Machine,
    stated: &'a R,
}

impl<'a, R: Refinement<Implementation = Machine>> Refenced<'a, R> {
    pub fn new(stated: &'a R, program: Program, model: MemoryModel) -> Self {
        Self {
            machine: Machine::new(program, model),
            stated,
        }
    }
}

impl<R: Refinement<Implementation = Machine>> Refinement for Refenced<'_, R> {
    type Implementation = Machine;
    type Specification = R::Specification;

    fn implementation(&self) -> &Machine {
        &self.machine
    }

    fn specification(&self) -> &R::Specification {
        self.stated.specification()
    }

    fn map(&self, state: &StateOf<Machine>) -> StateOf<R::Specification> {
        self.stated.map(state)
    }

    fn abstract_steps(
        &self,
        from: &StateOf<Machine>,
        action: &ActionOf<Machine>,
        to: &StateOf<Machine>,
    ) -> AbstractSteps<ActionOf<R::Specification>> {
        self.stated.abstract_steps(from, action, to)
    }

    fn constraint(&self) -> Option<Constraint<Machine>> {
        self.stated.constraint()
    }

    fn liveness(&self) -> Vec<Property<Machine>> {
        self.stated.liveness()
    }

    fn invariants(&self) -> Vec<Invariant<Machine>> {
        self.stated.invariants()
    }

    fn environment(&self) -> &[Process] {
        self.stated.environment()
    }

    fn at_rest(&self, state: &StateOf<Machine>, process: Process) -> bool {
        self.stated.at_rest(state, process)
    }

    fn acts_for(&self, process: Process) -> Process {
        self.stated.acts_for(process)
    }

    fn waivers(&self) -> Vec<Waiver> {
        self.stated.waivers()
    }
}
