//! Mover types of the steps, and their enabling conditions.

use refmap_processes::Location;

use super::super::colours::reach;
use super::super::label::{
    AnswerStep, FlipStep, Label, MarkLoopStep, MarkingStep, MutatorStep, RoundStep, SetFaStep,
    SweepStep, SysStep,
};
use super::super::request::{Place, Processes};
use super::super::scope::{Memory, Variant};
use super::super::stability::{Shared, Stability};
use super::super::state::{GC, Mutator, SYS, State, Store, Who, place_of};
use crate::heap::Objects as Refs;

/// Mover type of a step: how it commutes with steps of other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mover {
    Right,
    Both,
    Left,
    Neither,
    /// Both if the loaded value is stable, and neither otherwise (R4).
    Load(Shared),
    /// Both if no other mutator can reach the object, and neither otherwise (R4).
    LoadField,
    /// Right if objects are only marked, both if this one is marked, and neither otherwise (R10).
    LoadMark,
    /// Both if there is and will be nothing to free, and neither otherwise (R15).
    LoadSwept,
    /// Left, if no mutator is about to mark the object.
    Free,
    /// Both: the choice of what is stored (R11).
    Chooses,
    /// Begins a transaction: a choice of operations, or a step of the system.
    Begins,
}

impl Mover {
    pub(super) fn is_right(self) -> bool {
        matches!(self, Self::Right | Self::Both | Self::Chooses)
    }
}

/// Enabling condition of a step, beyond its own guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// R1.
    Unlocked,
    /// R6.
    AllAnswered,
}

/// Operation that a mutator at rest can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Discard,
    /// To answer a handshake.
    Answer,
    Alloc,
    Store,
    /// Another step: of a process that is not at rest, or without effect.
    Other,
}

impl Kind {
    fn of(label: Label) -> Self {
        match label {
            Label::Mutator(step) => match step {
                MutatorStep::ChooseLoad => Self::Load,
                MutatorStep::Discard => Self::Discard,
                MutatorStep::Alloc => Self::Alloc,
                MutatorStep::ChooseStore => Self::Store,
                MutatorStep::Load
                | MutatorStep::ChooseDst
                | MutatorStep::LoadDeleted
                | MutatorStep::RootsUnmarked
                | MutatorStep::TakeInserted
                | MutatorStep::Store
                | MutatorStep::Fence => Self::Other,
            },
            Label::Answer(step) => match step {
                AnswerStep::Poll => Self::Answer,
                AnswerStep::IsAsked
                | AnswerStep::Fence
                | AnswerStep::LoadType
                | AnswerStep::IsType(_)
                | AnswerStep::AllRoots
                | AnswerStep::RootToMark
                | AnswerStep::ChooseRoot
                | AnswerStep::RootMarked
                | AnswerStep::Done(_) => Self::Other,
            },
            Label::Round(..)
            | Label::Flip(_)
            | Label::SetFa(_)
            | Label::StorePhase(_)
            | Label::MarkLoop(_)
            | Label::Sweep(_)
            | Label::Marking(..)
            | Label::Sys(_) => Self::Other,
        }
    }
}

/// Lipton reduction: static facts on the steps at each location of each process.
pub(in super::super) struct LiptonReduction {
    steps: Vec<Vec<(Mover, When)>>,
    /// Their operations for a mutator at rest, in the order in which they are taken.
    kinds: Vec<Vec<Vec<Kind>>>,
    /// Of each step of the system, the process whose stores it commits.
    commits: Vec<Option<Who>>,
    stability: Stability,
    pub(super) variant: Variant,
}

impl LiptonReduction {
    pub fn new(processes: &Processes, variant: Variant) -> Self {
        let of = |process, location| {
            let labels: Vec<Label> = processes.labels(process, location).collect();
            match *labels {
                [label] if process != SYS => step(label, variant.memory),
                _ => (Mover::Begins, When::Always),
            }
        };
        let kinds = |process, location| {
            let labels = processes.labels(process, location);
            labels.map(Kind::of).collect()
        };
        let locations = |process| (0..processes.locations(process) as u16).map(Location);
        let all = 0..processes.processes();
        let steps = all.clone().map(|process| {
            let here = locations(process).map(|location| of(process, location));
            here.collect()
        });
        let kinds = all.map(|process| {
            let here = locations(process).map(|location| kinds(process, location));
            here.collect()
        });
        let commits = processes
            .labels(SYS, Location::default())
            .map(|label| match label {
                Label::Sys(SysStep::Commit(who)) => Some(who),
                Label::Sys(SysStep::Answer) => None,
                other => unreachable!("`{other}` is no step of the system"),
            });
        Self {
            stability: Stability::new(processes, variant),
            steps: steps.collect(),
            kinds: kinds.collect(),
            commits: commits.collect(),
            variant,
        }
    }

    /// Mover type of the next step of a process, and its enabling condition.
    ///
    /// # Panics
    ///
    /// If it frees an object that a mutator is about to mark and no program can reach: the reduction is not exact then.
    pub(super) fn at(&self, state: &State, process: usize) -> (Mover, When) {
        let (mover, when) = self.steps[process][usize::from(state.at[process].0)];
        let or_neither = |moves, mover| if moves { mover } else { Mover::Neither };
        let mover = match mover {
            Mover::Load(_) | Mover::LoadField | Mover::LoadMark
                if self.stability.stays_idle(state, process) =>
            {
                Mover::Both
            }
            Mover::Load(shared) if self.stability.is_stable(state, process, shared) => Mover::Both,
            Mover::LoadField if is_private(state, process) => Mover::Both,
            Mover::Load(_) | Mover::LoadField => {
                or_neither(self.loaded(state, process).is_some(), Mover::Right)
            }
            Mover::LoadMark if self.stability.stays_marked(state, process) => Mover::Both,
            Mover::LoadMark => {
                let moves = self.stability.only_marks(state, process)
                    || self.stability.stays_marked_until_flip(state, process);
                or_neither(moves, Mover::Right)
            }
            Mover::LoadSwept => or_neither(self.stability.stays_swept(state), Mover::Both),
            Mover::Free => {
                if let Some(mutator) = loses(state) {
                    panic!(
                        "object {} is freed while mutator {mutator} is about to mark it: what follows is \
                         not decided at granularity `reduced`, but at `coarse`",
                        state.gc.src
                    );
                }
                Mover::Left
            }
            other => other,
        };
        (mover, when)
    }

    /// The place that a mutator loads next, if others can change it only by a commit (R18).
    pub(super) fn loaded(&self, state: &State, process: usize) -> Option<Place> {
        let (Some(Who::Mutator(mutator)), Memory::Tso | Memory::Pso) =
            (Who::at(process), self.variant.memory)
        else {
            return None;
        };
        let (mover, _) = self.steps[process][usize::from(state.at[process].0)];
        let Mutator { src, field, .. } = *state.mutator(mutator);
        match mover {
            Mover::Load(Shared::FM) => Some(Place::FM),
            Mover::Load(Shared::Phase) => Some(Place::Phase),
            Mover::LoadField if state.sys.object(src).is_some() => Some(Place::Field(src, field)),
            _ => None,
        }
    }

    /// Predicate: the steps of a process in a state that begin an operation of this kind.
    pub(super) fn of_kind(
        &self,
        state: &State,
        process: usize,
        kind: Kind,
    ) -> impl Fn(usize) -> bool + use<'_> {
        let kinds = &self.kinds[process][usize::from(state.at[process].0)];
        move |step| kinds[step] == kind
    }

    /// The process whose store a step of the system commits.
    pub(super) fn committed_by(&self, step: usize) -> Option<Who> {
        self.commits[step]
    }

    /// Predicate: the steps of the system that commit a pending store of a state.
    pub(super) fn pending(&self, state: &State) -> impl Fn(usize) -> bool + use<'_> {
        let buffers = state.sys.buffers;
        move |step: usize| self.commits[step].is_some_and(|who| !buffers[who.index()].is_empty())
    }
}

/// A mutator that is about to mark the object that the collector is about to free, if no program can reach it.
fn loses(state: &State) -> Option<u8> {
    let freed = state.gc.src;
    let is_freed = |mutator: &u8| state.mutator(*mutator).marking.reference == Some(freed);
    let mutator = state.numbers().find(is_freed)?;
    let is_reachable = state.program().reachable().contains(freed);
    (!is_reachable).then_some(mutator)
}

/// Whether the object from which a process loads next exists and is unreachable for every other mutator, even with
/// all pending stores committed.
fn is_private(state: &State, process: usize) -> bool {
    let (src, published) = match process {
        GC => (state.gc.src, Refs::default()),
        _ => {
            let mutator = (process - place_of(0)) as u8;
            let pending = state.sys.pending_stores(Who::Mutator(mutator)).iter();
            let published = pending.fold(Refs::default(), |all, store| match store {
                Store::Field(_, _, dst) => all.with(*dst),
                _ => all,
            });
            (state.mutator(mutator).src, published)
        }
    };
    if state.sys.object(src).is_none() {
        return false;
    }
    let mut others = state.numbers().filter(|other| place_of(*other) != process);
    let Some(first) = others.next() else {
        return true;
    };
    let held = others.fold(published.and(state.roots(first)), |all, other| {
        all.and(state.roots(other))
    });
    !reach(&state.sys.heap, held).0.contains(src)
}

/// Mover type and enabling condition of a step by its label; the module states the reasons.
fn step(label: Label, memory: Memory) -> (Mover, When) {
    let mover = match label {
        Label::Round(_, step) => return of_round(step),
        Label::Marking(_, step) => return of_marking(step, memory),
        Label::Flip(step) => match step {
            FlipStep::LoadFm => Mover::Load(Shared::FM),
            FlipStep::Invert => Mover::Both,
            FlipStep::StoreFm => of_store(memory),
        },
        Label::SetFa(step) => match step {
            SetFaStep::LoadFm => Mover::Load(Shared::FM),
            SetFaStep::StoreFa => of_store(memory),
        },
        Label::StorePhase(_) => of_store(memory),
        Label::MarkLoop(step) => match step {
            MarkLoopStep::LoadField => Mover::LoadField,
            MarkLoopStep::Work | MarkLoopStep::Blacken => Mover::Both,
            // Fused with the previous step.
            MarkLoopStep::OwnWork
            | MarkLoopStep::ChooseSrc
            | MarkLoopStep::AllFields
            | MarkLoopStep::FieldToTrace
            | MarkLoopStep::ChooseField
            | MarkLoopStep::FieldTraced => Mover::Neither,
        },
        Label::Sweep(step) => match step {
            SweepStep::LoadFm => Mover::Load(Shared::FM),
            SweepStep::LoadMark => Mover::LoadSwept,
            SweepStep::Free => Mover::Free,
            // Fused with the previous step.
            SweepStep::AllRefs
            | SweepStep::RefToLookAt
            | SweepStep::ChooseRef
            | SweepStep::IsWhite
            | SweepStep::RefDone => Mover::Neither,
        },
        Label::Mutator(step) => match step {
            MutatorStep::ChooseDst => Mover::Chooses,
            MutatorStep::LoadDeleted => Mover::LoadField,
            MutatorStep::Store => of_store(memory),
            MutatorStep::Fence => Mover::Right,
            // First steps of an operation, the load, and steps fused with the previous one.
            MutatorStep::Alloc
            | MutatorStep::Discard
            | MutatorStep::ChooseLoad
            | MutatorStep::Load
            | MutatorStep::ChooseStore
            | MutatorStep::RootsUnmarked
            | MutatorStep::TakeInserted => Mover::Neither,
        },
        Label::Answer(step) => match step {
            AnswerStep::Poll | AnswerStep::Fence => Mover::Right,
            AnswerStep::LoadType | AnswerStep::RootToMark => Mover::Both,
            AnswerStep::Done(_) => Mover::Left,
            // Fused with the previous step.
            AnswerStep::IsAsked
            | AnswerStep::IsType(_)
            | AnswerStep::AllRoots
            | AnswerStep::ChooseRoot
            | AnswerStep::RootMarked => Mover::Neither,
        },
        Label::Sys(_) => unreachable!("the system begins its steps"),
    };
    (mover, When::Always)
}

fn of_round(step: RoundStep) -> (Mover, When) {
    match step {
        RoundStep::Fence => (Mover::Right, When::Always),
        RoundStep::SetType | RoundStep::SetPending => (Mover::Left, When::Always),
        RoundStep::Poll => (Mover::Right, When::AllAnswered),
        RoundStep::TakeWork => (Mover::Both, When::Always),
        // Fused with the previous step.
        RoundStep::AskAll
        | RoundStep::MoreToAsk
        | RoundStep::ChooseWhomToAsk
        | RoundStep::Asked
        | RoundStep::WaitForAll
        | RoundStep::MoreToWaitFor
        | RoundStep::ChooseWhomToPoll => (Mover::Neither, When::Always),
    }
}

fn of_marking(step: MarkingStep, memory: Memory) -> (Mover, When) {
    let mover = match step {
        MarkingStep::LoadMark => Mover::LoadMark,
        MarkingStep::LoadFm => Mover::Load(Shared::FM),
        MarkingStep::LoadPhase => Mover::Load(Shared::Phase),
        MarkingStep::Lock => return (Mover::Neither, When::Unlocked),
        MarkingStep::StoreMark => of_store(memory),
        MarkingStep::AddToW => Mover::Both,
        // Fused with the previous step, or under the lock, where no transaction begins.
        MarkingStep::IsRef
        | MarkingStep::IsWhite
        | MarkingStep::IsNotIdle
        | MarkingStep::LoadMarkLocked
        | MarkingStep::IsUnchanged
        | MarkingStep::Unlock
        | MarkingStep::HasWon => Mover::Neither,
    };
    (mover, When::Always)
}

/// R3.
fn of_store(memory: Memory) -> Mover {
    match memory {
        Memory::Sc => Mover::Neither,
        Memory::Tso | Memory::Pso => Mover::Left,
    }
}

pub(super) fn is_due(state: &State, process: usize, when: When) -> bool {
    match when {
        When::Always => true,
        When::AllAnswered => state.sys.pending.is_empty(),
        When::Unlocked => {
            let is_empty = |who| state.sys.pending_stores(who).is_empty();
            state.sys.lock.is_none() && Who::at(process).is_none_or(is_empty)
        }
    }
}
