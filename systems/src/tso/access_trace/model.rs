//! The model at fine granularity, whose steps accesses are composed of.

use refmap_processes::Location;
use tinyvec::ArrayVec;

use crate::heap::{Object as Ref, Objects as Refs};
use crate::tso::label::{AnswerStep, Label, SysStep};
use crate::tso::scope::{Granularity, Scope, ScopeError, Variant};
use crate::tso::state::{HandshakeType, SYS, State, Who};
use crate::tso::system::OnTheFly;

/// The model at the granularity of accesses.
pub struct AccessModel {
    pub(super) model: OnTheFly,
    /// Of each location of each process, whether its steps are local and without a choice (A1).
    pub(super) goes_on: Vec<Vec<bool>>,
}

impl AccessModel {
    /// The model for an instance, at fine granularity.
    ///
    /// # Errors
    ///
    /// If the instance is empty or too large.
    pub fn new(scope: Scope, variant: Variant) -> Result<Self, ScopeError> {
        let granularity = Granularity::Fine;
        let model = OnTheFly::new(
            Scope {
                granularity,
                ..scope
            },
            variant,
        )?;
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

    /// The underlying model.
    pub fn model(&self) -> &OnTheFly {
        &self.model
    }

    /// Visits the state in which the heap is empty and no mutator has a root.
    pub fn initial(&self, visit: &mut impl FnMut(State)) {
        let Scope { mutators, refs, .. } = self.model.scope;
        let heap: ArrayVec<_> = (0..refs).map(|_| None).collect();
        let roots = vec![Refs::default(); usize::from(mutators)];
        self.model.begin(heap, &roots, &mut |state| visit(state));
    }

    /// The state after the commit of the oldest pending store of a process.
    pub fn commit(&self, from: &State, of: Who) -> Option<State> {
        self.step(SYS, SysStep::Commit(of).into(), from, &|_| true)
    }

    /// The target of a step of a process with this label, the first that `is_meant` accepts.
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

    /// Label of the next step of a process, unless it has a choice of several.
    pub(super) fn next(&self, state: &State, process: usize) -> Option<Label> {
        let mut labels = self.model.processes.labels(process, state.at[process]);
        let first = labels.next()?;
        labels.next().is_none().then_some(first)
    }

    /// Whether a mutator in root marking has marked a root already: it holds the reference twice, and marking it
    /// again has no effect.
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
