//! The model access by access: which of its steps answer to what a thread of the collector's code is seen
//! to do.
//!
//! An [`Access`] is what one thread does at one moment, with what it read or wrote: it loads `fM`, it wins
//! a race to mark, it asks for a handshake. To take it is to take some steps of that thread's process one
//! after the other, those of the model at [`Granularity::Fine`], with what is the process's own behind
//! them. So whatever is reached by accesses and commits is reached by the model; there are runs of the
//! model that are none of accesses, because something came between those steps.
//!
//! What is taken together, and why that loses nothing that a thread shows:
//!
//! - A1. Guards, choices and changes of a process's own variables are taken with the access before them, or
//!   with the one after them that says what is chosen.
//! - A2. Asking for a handshake is one access. Whoever is asked early and answers at once could as well have
//!   been asked with the last one; who looks and is not asked shows nothing.
//! - A3. That all have answered is one access, with the taking over of their work: nobody is asked again
//!   before it.
//! - A4. A CAS is one access, from the lock to the unlock, and comes when nothing is pending: what is
//!   pending would be committed before the unlock with nobody able to look in between.
//! - A5. What the sweep looks at and does not free is looked at when it ends. By then it is marked, as it
//!   was: in this phase nothing is unmarked.
//! - A6. A load whose value is not told (of `fM`, by the collector, which alone writes it) is taken with the
//!   access next to it.

mod access;
mod refusal;
mod run;

pub use access::Access;

use refmap_processes::{DeadRegisters, Location};
use tinyvec::ArrayVec;

use self::run::Run;
use super::label::{AnswerStep, Label, SysStep};
use super::scope::{Granularity, Initial, Scope, Variant};
use super::state::{HandshakeType, SYS, State, Who};
use super::system::{OnTheFly, ScopeError};
use crate::heap::{Object as Ref, Objects as Refs};

/// The model, by accesses.
pub struct ByAccess {
    model: OnTheFly,
    /// Of each location of each process, whether the process goes on from there by itself (A1).
    goes_on: Vec<Vec<bool>>,
}

/// How large an instance is that is taken by accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How many mutators there are.
    pub mutators: u8,
    /// How many references there are.
    pub refs: u8,
    /// How many fields an object has.
    pub fields: u8,
    /// How many stores each buffer holds, the collector's too.
    pub buffer: u8,
}

impl ByAccess {
    /// The model of that size.
    ///
    /// # Errors
    ///
    /// If there is no such instance.
    pub fn new(size: Size, variant: Variant) -> Result<Self, ScopeError> {
        let scope = Scope {
            mutators: size.mutators,
            refs: size.refs,
            fields: size.fields,
            buffer: size.buffer,
            collector_buffer: size.buffer,
            initial: Initial::Canonical,
            granularity: Granularity::Fine,
            registers: DeadRegisters::Cleared,
        };
        let model = OnTheFly::new(scope, variant)?;
        let processes = &model.processes;
        let goes_on = |process| {
            let locations = 0..processes.locations(process) as u16;
            let goes_on = locations
                .map(Location)
                .map(|at| processes.is_alone(process, at) && !processes.is_choice(process, at));
            goes_on.collect()
        };
        Ok(Self {
            goes_on: (0..processes.processes()).map(goes_on).collect(),
            model,
        })
    }

    /// The model itself.
    pub fn model(&self) -> &OnTheFly {
        &self.model
    }

    /// Visits the state in which the heap is empty and nobody holds anything.
    pub fn initial(&self, visit: &mut impl FnMut(State)) {
        let Scope { mutators, refs, .. } = self.model.scope;
        let heap: ArrayVec<_> = (0..refs).map(|_| None).collect();
        let roots = vec![Refs::default(); usize::from(mutators)];
        self.model.begin(heap, &roots, &mut |state| visit(state));
    }

    /// Where an access leads, if the model allows it.
    pub fn take(&self, from: &State, by: Who, access: Access) -> Option<State> {
        let run = Run {
            by_access: self,
            who: by,
            process: by.process(),
            state: *from,
        };
        run.access(access).map(|run| run.state)
    }

    /// The oldest pending store of a process goes to memory.
    pub fn commit(&self, from: &State, of: Who) -> Option<State> {
        self.step(SYS, SysStep::Commit(of).into(), from, &|_| true)
    }

    /// The step of a process that is labelled so, and whose result is meant.
    fn step(
        &self,
        process: usize,
        label: Label,
        from: &State,
        is_meant: &dyn Fn(&State) -> bool,
    ) -> Option<State> {
        let processes = &self.model.processes;
        let mut labels = processes.labels(process, from.at[process]);
        let place = labels.position(|offered| offered == label)?;
        let (mut state, mut found) = (*from, None);
        processes.steps_of(process, &|step| step == place, &mut state, &mut |_, to| {
            if found.is_none() && is_meant(to) {
                found = Some(*to);
            }
        });
        found
    }

    /// What a process takes next, where it does not choose among several things.
    fn next(&self, state: &State, process: usize) -> Option<Label> {
        let mut labels = self.model.processes.labels(process, state.at[process]);
        let first = labels.next()?;
        labels.next().is_none().then_some(first)
    }

    /// Whether a mutator that marks its roots is done with a root that it also holds by another name, so
    /// that to look at it again is nothing: it is marked.
    pub fn is_marked_root(&self, state: &State, mutator: u8, reference: Ref) -> bool {
        let who = Who::Mutator(mutator);
        let local = state.mutator(mutator);
        let next = self.next(state, who.process());
        matches!(
            next,
            Some(Label::Answer(
                AnswerStep::ChooseRoot | AnswerStep::Done(HandshakeType::GetRoots)
            ))
        ) && local.roots.contains(reference)
            && !local.refs.contains(reference)
    }
}
