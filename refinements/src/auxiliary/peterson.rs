//! Peterson's algorithm refines the lock.
//!
//! Source: TLA+ Examples, `locks_auxiliary_vars`, module `Peterson`, theorem `Refinement` and invariant `Inv`.

use refmap::AbstractSteps::{self, One, Stutter};
use refmap::{Invariant, Refinement};
use refmap_systems::auxiliary::lock::{self, Lock, PROCESSES, other};
use refmap_systems::auxiliary::peterson::{Action, Label, Peterson, State, Writes};

/// The refinement for an order of the writes.
pub struct PetersonRefinement {
    implementation: Peterson,
}

impl PetersonRefinement {
    /// The refinement for an order of the writes.
    pub fn new(writes: Writes) -> Self {
        let implementation = Peterson { writes };
        Self { implementation }
    }
}

/// A process has set `c` from its second step to its last one.
fn c_is_set() -> Invariant<Peterson> {
    Invariant::new("c_is_set", "Peterson, Inv, 1", |state: &State| {
        let entering = |label| matches!(label, Label::A2 | Label::A3) || Label::is_inside(label);
        (0..PROCESSES).all(|process| state.c[process] == entering(state.pc[process]))
    })
}

/// It is the turn of a process in its critical section, or the other one has not come to wait.
fn turn_is_given() -> Invariant<Peterson> {
    Invariant::new("turn_is_given", "Peterson, Inv, 2", |state: &State| {
        (0..PROCESSES).all(|process| {
            let waits = matches!(state.pc[other(process)], Label::A3 | Label::Cs | Label::A4);
            !state.pc[process].is_inside() || state.turn == process || !waits
        })
    })
}

/// At most one process is in its critical section.
fn mutex() -> Invariant<Peterson> {
    Invariant::new("mutex", "Peterson, Inv, 3", |state: &State| {
        !state.pc.into_iter().all(Label::is_inside)
    })
}

impl Refinement for PetersonRefinement {
    type Implementation = Peterson;
    type Specification = Lock;

    fn implementation(&self) -> &Peterson {
        &self.implementation
    }

    fn specification(&self) -> &Lock {
        &Lock
    }

    /// `pc_translation` and `lock_translation`.
    fn map(&self, state: &State) -> lock::State {
        let pc = state.pc.map(|label| match label {
            Label::A0 => lock::Label::L0,
            Label::A1 | Label::A2 | Label::A3 => lock::Label::L1,
            Label::Cs => lock::Label::Cs,
            Label::A4 => lock::Label::L2,
        });
        let is_taken = state.pc.into_iter().any(Label::is_inside);
        let lock = u8::from(!is_taken);
        lock::State { pc, lock }
    }

    fn abstract_steps(&self, _: &State, action: &Action, _: &State) -> AbstractSteps<lock::Action> {
        match *action {
            Action::A0(process) => One(lock::Action::L0(process)),
            Action::A1(_) | Action::A2(_) => Stutter,
            Action::A3(process) => One(lock::Action::L1(process)),
            Action::Cs(process) => One(lock::Action::Cs(process)),
            Action::A4(process) => One(lock::Action::L2(process)),
        }
    }

    fn invariants(&self) -> Vec<Invariant<Peterson>> {
        vec![c_is_set(), turn_is_given(), mutex()]
    }
}
