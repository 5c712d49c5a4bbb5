//! Refinements whose functions are closures.

use refmap::{
    AbstractSteps, ActionOf, Constraint, Invariant, ObservationOf, Process, Property, Refinement,
    StateOf, TransitionSystem, Waiver,
};

use crate::machine::Machine;

/// A refinement by a mapping and the abstract steps of each step, without an environment or invariants until they are set.
pub struct Mapped<C: TransitionSystem, A: TransitionSystem> {
    pub implementation: C,
    pub specification: A,
    pub map: Box<Image<C, A>>,
    pub abstract_steps: Box<Steps<C, A>>,
    pub environment: Vec<Process>,
    pub at_rest: Box<AtRest<C>>,
    pub acts_for: fn(Process) -> Process,
    pub invariants: Vec<Invariant<C>>,
    pub constraint: Option<Constraint<C>>,
    pub liveness: Vec<Property<C>>,
    pub waivers: Vec<Waiver>,
}

/// A refinement between systems whose parts are functions.
pub type Via<C, A> = Mapped<Machine<C>, Machine<A>>;

type Image<C, A> = dyn Fn(&StateOf<C>) -> StateOf<A> + Send + Sync;

type Steps<C, A> =
    dyn Fn(&StateOf<C>, &ActionOf<C>, &StateOf<C>) -> AbstractSteps<ActionOf<A>> + Send + Sync;

type AtRest<C> = dyn Fn(&StateOf<C>, Process) -> bool + Send + Sync;

/// A refinement of `specification`, by a mapping and an answer to each step.
pub fn mapped<C: TransitionSystem, A: TransitionSystem>(
    implementation: C,
    specification: A,
    map: impl Fn(&StateOf<C>) -> StateOf<A> + Send + Sync + 'static,
    abstract_steps: impl Fn(&StateOf<C>, &ActionOf<C>, &StateOf<C>) -> AbstractSteps<ActionOf<A>>
    + Send
    + Sync
    + 'static,
) -> Mapped<C, A> {
    Mapped {
        implementation,
        specification,
        map: Box::new(map),
        abstract_steps: Box::new(abstract_steps),
        environment: Vec::new(),
        at_rest: Box::new(|_, _| true),
        acts_for: |process| process,
        invariants: Vec::new(),
        constraint: None,
        liveness: Vec::new(),
        waivers: Vec::new(),
    }
}

/// A system as an implementation of another instance of it: each state is mapped to itself, and each step is one abstract step.
pub fn alike<S: TransitionSystem>(implementation: S, specification: S) -> Mapped<S, S> {
    let one = |_: &_, action: &ActionOf<S>, _: &_| AbstractSteps::One(action.clone());
    mapped(implementation, specification, Clone::clone, one)
}

/// The specification as an implementation of itself.
pub fn itself<S: TransitionSystem + Clone>(specification: S) -> Mapped<S, S> {
    alike(specification.clone(), specification)
}

impl<C, A> Refinement for Mapped<C, A>
where
    C: TransitionSystem,
    A: TransitionSystem<Observation = ObservationOf<C>>,
{
    type Implementation = C;
    type Specification = A;

    fn implementation(&self) -> &C {
        &self.implementation
    }

    fn specification(&self) -> &A {
        &self.specification
    }

    fn map(&self, state: &StateOf<C>) -> StateOf<A> {
        (self.map)(state)
    }

    fn abstract_steps(
        &self,
        from: &StateOf<C>,
        action: &ActionOf<C>,
        to: &StateOf<C>,
    ) -> AbstractSteps<ActionOf<A>> {
        (self.abstract_steps)(from, action, to)
    }

    fn invariants(&self) -> Vec<Invariant<C>> {
        self.invariants.clone()
    }

    fn constraint(&self) -> Option<Constraint<C>> {
        self.constraint.clone()
    }

    fn liveness(&self) -> Vec<Property<C>> {
        self.liveness.clone()
    }

    fn environment(&self) -> &[Process] {
        &self.environment
    }

    fn at_rest(&self, state: &StateOf<C>, process: Process) -> bool {
        (self.at_rest)(state, process)
    }

    fn acts_for(&self, process: Process) -> Process {
        (self.acts_for)(process)
    }

    fn waivers(&self) -> Vec<Waiver> {
        self.waivers.clone()
    }
}
