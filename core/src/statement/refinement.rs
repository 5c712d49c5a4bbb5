//! Refinement mappings and the correspondence of steps.
//!
//! Source: Havelund & Shankar, Definition 6 and section 6.1.2.

use crate::statement::abstract_steps::AbstractSteps;
use crate::statement::constraint::Constraint;
use crate::statement::invariant::Invariant;
use crate::statement::property::Property;
use crate::statement::rule::Process;
use crate::statement::system::{ActionOf, ObservationOf, StateOf, TransitionSystem};

/// Argument that the implementation refines the specification: a refinement mapping, the abstract step that
/// each concrete step simulates, and the invariants that make the mapping work.
///
/// Nothing said here is trusted: [`check`](crate::check) tests all of it.
pub trait Refinement: Sync {
    /// The implementation.
    type Implementation: TransitionSystem;
    /// The specification; it shows exactly what the implementation shows.
    type Specification: TransitionSystem<Observation = ObservationOf<Self::Implementation>>;

    /// The instance of the implementation.
    fn implementation(&self) -> &Self::Implementation;
    /// The instance of the specification.
    fn specification(&self) -> &Self::Specification;

    /// The refinement mapping f.
    fn map(&self, state: &StateOf<Self::Implementation>) -> StateOf<Self::Specification>;

    /// The abstract steps that the step simulates, by their actions: a stutter, one, or several. One arm a concrete
    /// rule, so that it reads like the case analysis of the proof.
    fn abstract_steps(
        &self,
        from: &StateOf<Self::Implementation>,
        action: &ActionOf<Self::Implementation>,
        to: &StateOf<Self::Implementation>,
    ) -> AbstractSteps<ActionOf<Self::Specification>>;

    /// The implementation invariant P, as named conjuncts in the order of their source.
    fn invariants(&self) -> Vec<Invariant<Self::Implementation>> {
        Vec::new()
    }

    /// The constraint that bounds exploration: only from states that satisfy it steps are taken. None, by default.
    ///
    /// It is part of the instance: a verdict names it, with how many states outside of it were reached and not expanded.
    fn constraint(&self) -> Option<Constraint<Self::Implementation>> {
        None
    }

    /// Properties of what happens in the end, if the implementation meets its fairness conditions: its own, or those of the
    /// specification [pulled back](Property::pull_back). None, by default.
    fn liveness(&self) -> Vec<Property<Self::Implementation>> {
        Vec::new()
    }

    /// The processes of the specification that the implementation may not restrict. None by
    /// default, and then the report says that none was declared.
    fn environment(&self) -> &[Process] {
        &[]
    }

    /// True if the environment process is between two operations. Always, by default.
    fn at_rest(&self, _state: &StateOf<Self::Implementation>, _process: Process) -> bool {
        true
    }

    /// The process on whose behalf `process` takes its steps: itself, by default. A store buffer
    /// that commits a store of a mutator acts for that mutator. A process of the environment acts
    /// only for itself.
    fn acts_for(&self, process: Process) -> Process {
        process
    }

    /// Rules of the specification that the implementation never simulates, and why that is right.
    fn waivers(&self) -> Vec<Waiver> {
        Vec::new()
    }
}

/// Leave for a rule of the specification never to be simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// The name of the rule.
    pub rule: &'static str,
    /// Reason why the implementation need not simulate it.
    pub reason: &'static str,
}
