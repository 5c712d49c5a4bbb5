//! The steps of the model at fine granularity, one process at a time.

use refmap_processes::{DeadRegisters, Location};
use tinyvec::ArrayVec;

use crate::heap::{Object as Ref, Objects as Refs};
use crate::tso::label::{AnswerStep, Label, SysStep};
use crate::tso::scope::{Granularity, Initial, Scope, ScopeError, Variant};
use crate::tso::state::{HandshakeType, SYS, State, Who};
use crate::tso::system::OnTheFly;

/// The model, by accesses.
pub struct ByAccess {
    pub(super) model: OnTheFly,
    /// Of each location of each process, whether the process goes on from there by itself (A1).
    pub(super) goes_on: Vec<Vec<bool>>,
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

    /// The oldest pending store of a process goes to memory.
    pub fn commit(&self, from: &State, of: Who) -> Option<State> {
        self.step(SYS, SysStep::Commit(of).into(), from, &|_| true)
    }

    /// The step of a process that is labelled so, and whose result is meant.
    pub(super) fn step(
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
    pub(super) fn next(&self, state: &State, process: usize) -> Option<Label> {
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
