//! Execution of an access: the steps of its process in the model.

use super::access::Access;
use super::model::AccessModel;
use crate::heap::{Object as Ref, Objects as Refs};
use crate::tso::handshake_round::HandshakeRound;
use crate::tso::label::{
    AnswerStep, FlipStep, Label, MarkLoopStep, Marker, MarkingStep, MutatorStep, RoundStep,
    SetFaStep, SweepStep,
};
use crate::tso::request::Place;
use crate::tso::state::{Mark, Marking, Phase, State, Who};

impl AccessModel {
    /// The state after an access, if the model allows it.
    pub fn take(&self, from: &State, by: Who, access: Access) -> Option<State> {
        let run = Execution {
            model: self,
            who: by,
            process: by.process(),
            state: *from,
        };
        run.access(access).map(|run| run.state)
    }
}

/// A partial execution of one process.
#[derive(Clone, Copy)]
struct Execution<'a> {
    model: &'a AccessModel,
    who: Who,
    process: usize,
    state: State,
}

impl Execution<'_> {
    fn next(&self) -> Option<Label> {
        self.model.next(&self.state, self.process)
    }

    fn is_next(&self, label: impl Into<Label>) -> bool {
        self.next() == Some(label.into())
    }

    fn marking(&self) -> &Marking {
        self.state.marking(self.who)
    }

    /// Takes the step of the process with this label whose target `is_meant` accepts.
    fn to(mut self, label: impl Into<Label>, is_meant: impl Fn(&State) -> bool) -> Option<Self> {
        let step = self
            .model
            .step(self.process, label.into(), &self.state, &is_meant);
        self.state = step?;
        Some(self)
    }

    /// Takes the step with this label, with any target.
    fn any(self, label: impl Into<Label>) -> Option<Self> {
        self.to(label, |_| true)
    }

    /// A1: takes local steps.
    fn go_on(mut self) -> Self {
        let processes = &self.model.model.processes;
        let goes_on = &self.model.goes_on[self.process];
        while goes_on[usize::from(self.state.at[self.process].0)] {
            let mut from = self.state;
            processes.steps_of(self.process, &|_| true, &mut from, &mut |_, to| {
                self.state = *to;
            });
        }
        self
    }

    fn when(self, holds: bool) -> Option<Self> {
        holds.then_some(self)
    }

    fn access(self, access: Access) -> Option<Self> {
        match self.who {
            Who::Gc => self.of_collector(access),
            Who::Mutator(me) => self.of_mutator(me, access),
        }
        .map(Self::go_on)
    }

    fn of_mutator(self, me: u8, access: Access) -> Option<Self> {
        let local = *self.state.mutator(me);
        let place = usize::from(me);
        match access {
            Access::Alloc { reference, mark } => {
                let is_free = self.state.sys.object(reference).is_none();
                self.when(is_free)?.to(MutatorStep::Alloc, |to| {
                    let object = to.sys.object(reference);
                    object.is_some_and(|object| mark.is_none_or(|mark| object.mark == mark))
                })
            }
            Access::Discard { reference } => {
                let kept = local.roots.without(Refs::one(reference));
                self.when(local.roots.contains(reference))?
                    .to(MutatorStep::Discard, |to| to.mutators[place].roots == kept)
            }
            Access::Load { src, field, value } => {
                let read = self.state.sys.load(self.who, Place::Field(src, field));
                self.when(local.roots.contains(src) && read.reference() == value)?
                    .to(MutatorStep::ChooseLoad, |to| {
                        let local = &to.mutators[place];
                        (local.src, local.field) == (src, field)
                    })?
                    .any(MutatorStep::Load)
            }
            Access::Overwrite {
                src,
                field,
                was,
                value,
            } => self
                .to(MutatorStep::ChooseStore, |to| {
                    let local = &to.mutators[place];
                    (local.src, local.field, local.dst) == (src, field, value)
                })?
                .to(MutatorStep::LoadDeleted, |to| {
                    to.mutators[place].marking.reference == was
                }),
            Access::Store { src, field, value } => self
                .when((local.src, local.field, local.dst) == (src, field, value))?
                .any(MutatorStep::Store),
            Access::Asked(round) => {
                let is_asked = self.state.sys.pending.contains(me);
                self.when(is_asked && round.is_current(&self.state))?
                    .any(AnswerStep::Poll)
            }
            Access::Fence => self.any(AnswerStep::Fence)?.any(AnswerStep::LoadType),
            Access::Done(round) => self
                .when(round.is_current(&self.state))?
                .any(AnswerStep::Done(round.handshake())),
            other => self.marks(other),
        }
    }

    /// Accesses of marking, of the collector and of mutators [Fig. 5].
    fn marks(mut self, access: Access) -> Option<Self> {
        match access {
            Access::LoadFm { reference, fm } => {
                if self.is_next(AnswerStep::ChooseRoot) {
                    let who = self.who;
                    self = self
                        .to(AnswerStep::ChooseRoot, |to| {
                            to.marking(who).reference == Some(reference)
                        })?
                        .go_on();
                }
                let run = self.marking_step(reference, MarkingStep::LoadFm)?;
                let loaded = run.marking().fm;
                run.when(loaded == Some(fm))
            }
            Access::LoadMark { reference, mark } => {
                let run = self.marking_step(reference, MarkingStep::LoadMark)?;
                let loaded = run.marking().mark;
                run.when(loaded == Some(mark))
            }
            Access::LoadPhase { reference, phase } => {
                let run = self.marking_step(reference, MarkingStep::LoadPhase)?;
                let loaded = run.marking().phase;
                run.when(loaded == phase)
            }
            Access::Cas {
                reference,
                won,
                mark,
            } => self.cas(reference, won, mark),
            _ => None,
        }
    }

    /// Takes a step of marking `reference`, by any caller of marking.
    fn marking_step(self, reference: Ref, step: MarkingStep) -> Option<Self> {
        let marker = self.marker()?;
        let is_meant = self.marking().reference == Some(reference);
        self.when(is_meant)?.any(Label::Marking(marker, step))
    }

    /// The caller of marking, if the next step is one of marking.
    fn marker(&self) -> Option<Marker> {
        match self.next()? {
            Label::Marking(marker, _) => Some(marker),
            _ => None,
        }
    }

    /// A4: the CAS.
    fn cas(self, reference: Ref, won: bool, mark: Option<Mark>) -> Option<Self> {
        let marker = self.marker()?;
        let on = |step| Label::Marking(marker, step);
        let is_pending = !self.state.sys.pending_stores(self.who).is_empty();
        let is_meant = mark.is_none() || mark == self.marking().fm;
        let mut run = self
            .when(is_meant && !is_pending)?
            .marking_step(reference, MarkingStep::Lock)?
            .any(on(MarkingStep::LoadMarkLocked))?
            .go_on();
        let store = on(MarkingStep::StoreMark);
        let is_unchanged = run.is_next(store);
        if is_unchanged {
            run = run.any(store)?;
            run.state = run.model.commit(&run.state, run.who)?;
        }
        run.when(is_unchanged == won)?.any(on(MarkingStep::Unlock))
    }

    fn of_collector(self, access: Access) -> Option<Self> {
        match access {
            Access::Fence => {
                let is_fence = |label: &Label| matches!(label, Label::Round(_, RoundStep::Fence));
                let fence = self.next().filter(is_fence)?;
                self.any(fence)
            }
            Access::Ask(round) => self.ask(round),
            Access::Answered(round) => self.answered(round),
            Access::SetFm(fm) => self
                .any(FlipStep::LoadFm)?
                .go_on()
                .to(FlipStep::StoreFm, |to| to.gc.marking.fm == Some(fm)),
            Access::SetFa(fa) => self
                .any(SetFaStep::LoadFm)?
                .to(SetFaStep::StoreFa, |to| to.gc.marking.fm == Some(fa)),
            Access::SetPhase(phase) => {
                let run = match phase {
                    Phase::Idle => self.sweep_the_rest()?,
                    _ => self,
                };
                let run = run.any(Label::StorePhase(phase))?;
                match phase {
                    Phase::Sweep => run.any(SweepStep::LoadFm),
                    _ => Some(run),
                }
            }
            Access::Trace { reference } => {
                self.to(MarkLoopStep::ChooseSrc, |to| to.gc.src == reference)
            }
            Access::Scan { src, field, value } => {
                let is_traced = self.state.gc.src == src;
                self.when(is_traced)?
                    .to(MarkLoopStep::ChooseField, |to| to.gc.field == field)?
                    .to(MarkLoopStep::LoadField, |to| {
                        to.gc.marking.reference == value
                    })
            }
            Access::Free { reference } => self
                .to(SweepStep::ChooseRef, |to| to.gc.src == reference)?
                .any(SweepStep::LoadMark)?
                .go_on()
                .any(SweepStep::Free),
            other => self.marks(other),
        }
    }

    /// A5: sweeps the objects that are left.
    fn sweep_the_rest(mut self) -> Option<Self> {
        while self.is_next(SweepStep::ChooseRef) {
            self = self
                .any(SweepStep::ChooseRef)?
                .any(SweepStep::LoadMark)?
                .go_on();
        }
        Some(self)
    }

    /// A2: requests a handshake of all mutators.
    fn ask(self, round: HandshakeRound) -> Option<Self> {
        let on = |step| Label::Round(round, step);
        let mut run = self.any(on(RoundStep::SetType))?.go_on();
        while run.is_next(on(RoundStep::ChooseWhomToAsk)) {
            run = run
                .any(on(RoundStep::ChooseWhomToAsk))?
                .any(on(RoundStep::SetPending))?
                .go_on();
        }
        Some(run)
    }

    /// A3: polls all answers.
    fn answered(self, round: HandshakeRound) -> Option<Self> {
        let on = |step| Label::Round(round, step);
        let choose = on(RoundStep::ChooseWhomToPoll);
        let is_waiting = self.is_next(choose);
        let mut run = self.when(is_waiting)?;
        while run.is_next(choose) {
            run = run.any(choose)?;
            let polled = run.state.gc.mutator;
            let has_answered = !run.state.sys.pending.contains(polled);
            run = run.when(has_answered)?.any(on(RoundStep::Poll))?.go_on();
        }
        match round {
            HandshakeRound::GetRoots | HandshakeRound::GetWork => run.any(on(RoundStep::TakeWork)),
            _ => Some(run),
        }
    }
}
