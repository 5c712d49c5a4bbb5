//! A copying protocol under a memory model refines one atomic register.
//!
//! Source: Ugawa, Abe & Maeda, *Model Checking Copy Phases of Concurrent Copying Garbage Collection
//! with Various Memory Models*, section 2: a mutator reads the last value written to the slot, or its initial value.
//! With several mutators: their reads together are those from a register on which their operations are
//! linearized.

mod progress;
mod register;

use refmap::AbstractSteps::{self, One};
use refmap::{Property, Refinement, TransitionSystem};
use refmap_programs::{
    Action as Access, Location, Machine, MemoryModel, Operand, Program, State as Running, Value,
};
use refmap_systems::copying::{self, Instance, Progress, ROOT, SERVED, TO_OBJECT};

pub use register::{Action, NotStated, Register, State};

/// A protocol under a memory model as a refinement of one atomic register.
#[derive(Debug)]
pub struct CopyingRefinement {
    implementation: Machine,
    specification: Register,
    root: Location,
    /// Of each mutator, the index of its thread, and that of the register that records which copy served its last
    /// operation.
    served: Vec<(usize, usize)>,
    /// The progress that is asked for.
    progress: Option<Progress>,
}

impl CopyingRefinement {
    /// The refinement for an instance.
    ///
    /// # Errors
    ///
    /// If there is no such instance, or none under the model: that progress is made takes loops without a bound, which have an
    /// end only where reads are ordered.
    pub fn new(instance: &Instance, model: MemoryModel) -> Result<Self, NotStated> {
        Self::of(copying::program(instance)?, instance, model)
    }

    /// The same for a `program` that differs from that of the instance, for example in its fences.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    ///
    /// # Panics
    ///
    /// If the program does not have the root and the mutators of the instance.
    pub fn of(
        program: Program,
        instance: &Instance,
        model: MemoryModel,
    ) -> Result<Self, NotStated> {
        let mut variables = program.variables.iter();
        let root = variables.position(|variable| variable.name == ROOT);
        let root = root.expect("every protocol has a root");
        let mut served = Vec::new();
        for (number, thread) in program.threads.iter().enumerate() {
            let mut registers = thread.registers.iter();
            if let Some(register) = registers.position(|register| register.name == SERVED) {
                served.push((number, register));
            }
        }
        assert_eq!(
            served.len(),
            usize::from(instance.mutators),
            "every mutator says which copy served it"
        );
        let implementation = match instance.progress {
            Some(_) if !model.orders_reads() => return Err(NotStated::Reordered { model }),
            Some(progress) => progress::assumed(Machine::new(program, model), progress),
            None => Machine::new(program, model),
        };
        Ok(Self {
            implementation,
            specification: Register::new(instance)?,
            root: Location(root as u16),
            served,
            progress: instance.progress,
        })
    }

    /// Whether all threads have ended after the flip, with the last operation of every mutator served by the to-space
    /// object.
    fn is_complete_in_copy(&self, state: &Running) -> bool {
        let moved = |held: Value| held == Value::Number(TO_OBJECT);
        let in_copy = |(thread, register): &(usize, usize)| {
            matches!(
                state.threads[*thread].registers[*register],
                Operand::Known(copy) if moved(copy)
            )
        };
        moved(state.memory[usize::from(self.root.0)])
            && self.served.iter().all(in_copy)
            && (0..state.threads.len()).all(|thread| self.implementation.has_ended(state, thread))
    }
}

impl Refinement for CopyingRefinement {
    between!(Machine, Register);

    fn liveness(&self) -> Vec<Property<Machine>> {
        let program = self.implementation.program();
        let asked = |progress| progress::properties(program, progress);
        self.progress.map(asked).unwrap_or_default()
    }

    /// The observation, and the ghost in final states.
    fn map(&self, state: &Running) -> State {
        State {
            shown: self.implementation.observe(state),
            in_copy: self.is_complete_in_copy(state),
        }
    }

    /// A step simulates its output; most steps are stutters.
    fn abstract_steps(&self, from: &Running, _: &Access, to: &Running) -> AbstractSteps<Action> {
        if self.is_complete_in_copy(to) {
            return One(Action::CompleteInCopy(self.implementation.observe(to)));
        }
        let shown = self.implementation.shown_by(from, to);
        shown.map(Action::Show).into()
    }
}
