//! Stability of loads: whether the value that a process loads next stays the same until the process has moved,
//! whatever the other processes do.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use refmap_processes::Location;

use super::handshake_round::HandshakeRound;
use super::label::{FlipStep, Label, MarkingStep, RoundStep, SweepStep};
use super::request::{Place, Processes};
use super::scope::{Allocate, LoadOrder, Part, Variant};
use super::state::{GC, Mark, Marking, Phase, State, Store, Who, place_of};
use crate::heap::Object as Ref;

/// A control variable that the collector stores and mutators load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shared {
    FM,
    Phase,
}

/// Kinds of steps that the collector may take.
#[derive(Clone, Copy, Debug, Default)]
struct Ahead {
    stores_fm: bool,
    stores_phase: bool,
    marks: bool,
}

impl Ahead {
    /// Adds a step of the collector.
    fn add(&mut self, label: Label) {
        match label {
            Label::Flip(FlipStep::StoreFm) => self.stores_fm = true,
            Label::StorePhase(_) => self.stores_phase = true,
            Label::Marking(_, MarkingStep::StoreMark) => self.marks = true,
            Label::Flip(FlipStep::LoadFm | FlipStep::Invert)
            | Label::Marking(
                _,
                MarkingStep::IsRef
                | MarkingStep::LoadMark
                | MarkingStep::LoadFm
                | MarkingStep::IsWhite
                | MarkingStep::LoadPhase
                | MarkingStep::IsNotIdle
                | MarkingStep::Lock
                | MarkingStep::LoadMarkLocked
                | MarkingStep::IsUnchanged
                | MarkingStep::Unlock
                | MarkingStep::HasWon
                | MarkingStep::AddToW,
            )
            | Label::Round(..)
            | Label::SetFa(_)
            | Label::MarkLoop(_)
            | Label::Sweep(_)
            | Label::Mutator(_)
            | Label::Answer(_)
            | Label::Sys(_) => (),
        }
    }
}

/// Static analysis of the collector's future stores.
pub(super) struct Stability {
    /// Of each location of the collector, whether it is within a handshake: begun, and not all answers polled.
    is_asking: Vec<bool>,
    /// Of each location, the steps before it next waits for a handshake that it has not begun there.
    ahead: Vec<Ahead>,
    /// Of each location of the collector, whether its next step frees an object.
    frees: Vec<bool>,
    variant: Variant,
}

impl Stability {
    pub fn new(processes: &Processes, variant: Variant) -> Self {
        let locations = (0..processes.locations(GC) as u16).map(Location);
        let asking = locations
            .clone()
            .map(|at| round_begun(processes, at).is_some());
        let ahead = locations.clone().map(|at| before_waiting(processes, at));
        let frees = locations.map(|at| {
            let mut labels = processes.labels(GC, at);
            labels.any(|label| label == SweepStep::Free.into())
        });
        Self {
            is_asking: asking.collect(),
            ahead: ahead.collect(),
            frees: frees.collect(),
            variant,
        }
    }

    /// Whether a load of `shared` is stable until `process` has moved: only the collector stores it, and
    /// a mutator in the middle of an operation answers no handshake.
    pub fn is_stable(&self, state: &State, process: usize, shared: Shared) -> bool {
        if process == GC {
            return true;
        }
        let mut pending = state.sys.pending_stores(Who::Gc).iter();
        let is_pending = match shared {
            Shared::FM => pending.any(|store| matches!(store, Store::FM(_))),
            Shared::Phase => pending.any(|store| matches!(store, Store::Phase(_))),
        };
        if is_pending {
            return false;
        }
        let ahead = self.ahead_of(state, process);
        match shared {
            Shared::FM => !ahead.stores_fm,
            Shared::Phase => !ahead.stores_phase,
        }
    }

    /// Steps that the collector may take before it waits for an answer of `process`, a mutator within an operation.
    fn ahead_of(&self, state: &State, process: usize) -> Ahead {
        let at = usize::from(state.at[GC].0);
        let is_asked = state.sys.pending.contains((process - place_of(0)) as u8);
        if self.is_asking[at] && is_asked {
            Ahead::default()
        } else {
            self.ahead[at]
        }
    }

    /// Whether objects are only marked, and never unmarked, until `process` has moved: every process that marks
    /// uses the sense in memory.
    pub fn only_marks(&self, state: &State, process: usize) -> bool {
        self.variant.has(Part::Cas)
            && self.is_stable(state, process, Shared::FM)
            && state.buffer_owners().all(|who| {
                let pending = state.sys.pending_stores(who);
                marks_with(state.sys.fm, state.marking(who), pending)
            })
    }

    /// Whether the object that a process is about to mark is marked, and stays so until the process has moved.
    pub fn stays_marked(&self, state: &State, process: usize) -> bool {
        let Some(who) = Who::at(process) else {
            return false;
        };
        let Some(reference) = state.marking(who).reference else {
            return false;
        };
        let is_freed = self.frees[usize::from(state.at[GC].0)] && state.gc.src == reference;
        !is_freed && self.is_marked(state, process, reference)
    }

    fn is_marked(&self, state: &State, process: usize, reference: Ref) -> bool {
        let mark = Who::at(process).map(|who| state.sys.load(who, Place::Mark(reference)).mark());
        mark == Some(Some(state.sys.fm)) && self.only_marks(state, process)
    }

    /// Whether the object that a mutator is about to mark is marked, and stays so until the sense of marks has
    /// changed, after which it can be marked with the new sense, and stays so too. This requires that no process which
    /// has loaded it as white marks it with the old sense by then, as one that loads the sense first might.
    pub fn stays_marked_until_flip(&self, state: &State, process: usize) -> bool {
        let Some(who @ Who::Mutator(_)) = Who::at(process) else {
            return false;
        };
        let Some(reference) = state.marking(who).reference else {
            return false;
        };
        let sense = Some(state.sys.fm);
        let is_freed = self.frees[usize::from(state.at[GC].0)] && state.gc.src == reference;
        let none_or_of_sense = |mark: Option<Mark>| mark.is_none() || mark == sense;
        let keeps = |other: &Marking| {
            let has_seen = [other.mark, other.cas_mark].map(none_or_of_sense);
            other.reference != Some(reference) || has_seen == [true; 2]
        };
        let mut mutators = state.mutators.iter();
        let pending = state.sys.buffers.iter().flatten();
        self.variant.has(Part::Cas)
            && self.variant.load_order == LoadOrder::MarkFirst
            && state.sys.load(who, Place::Mark(reference)).mark() == sense
            && !is_freed
            && (state.gc.marking.fm == sense || !self.ahead_of(state, process).marks)
            && mutators.all(|other| none_or_of_sense(other.marking.fm) && keeps(&other.marking))
            && pending.into_iter().all(|store| match store {
                Store::Mark(_, mark) => Some(*mark) == sense,
                _ => true,
            })
    }

    /// Whether a mutator marks nothing until it has moved, since the phase is and stays idle.
    pub fn stays_idle(&self, state: &State, process: usize) -> bool {
        let has_test = process != GC && self.variant.has(Part::PhaseTest);
        has_test && state.sys.phase == Phase::Idle && self.is_stable(state, process, Shared::Phase)
    }

    /// Whether the object to be swept next is marked, or would be if it were allocated now, and stays so until the
    /// collector has moved.
    pub fn stays_swept(&self, state: &State) -> bool {
        if state.sys.object(state.gc.src).is_some() {
            return self.is_marked(state, GC, state.gc.src);
        }
        let mut pending = state.sys.pending_stores(Who::Gc).iter();
        let is_pending = pending.any(|store| matches!(store, Store::FA(_)));
        let is_of_sense = self.variant.allocate == Allocate::Fa && state.sys.fa == state.sys.fm;
        is_of_sense && !is_pending && self.only_marks(state, GC)
    }
}

/// True if a process with these registers and pending stores marks with no other sense, and does not change it.
pub(super) fn marks_with(sense: Mark, marking: &Marking, pending: &[Store]) -> bool {
    marking.fm.is_none_or(|own| own == sense)
        && pending.iter().all(|store| match store {
            Store::Mark(_, mark) => *mark == sense,
            Store::FM(_) => false,
            Store::Field(..) | Store::FA(_) | Store::Phase(_) => true,
        })
}

/// The handshake round that the collector is within at a location.
fn round_begun(processes: &Processes, at: Location) -> Option<HandshakeRound> {
    processes.labels(GC, at).find_map(|label| match label {
        Label::Round(round, step) => step.is_behind_type().then_some(round),
        _ => None,
    })
}

/// Steps of the collector from a location until it waits for a handshake that it has not begun there; a mutator may
/// already have answered one that it has begun.
fn before_waiting(processes: &Processes, from: Location) -> Ahead {
    let waits = |at| {
        processes.labels(GC, at).find_map(|label| match label {
            Label::Round(round, RoundStep::MoreToWaitFor) => Some(round),
            _ => None,
        })
    };
    let begun = round_begun(processes, from);
    let mut ahead = Ahead::default();
    let mut seen = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if waits(at).is_some() && waits(at) != begun {
            continue;
        }
        for label in processes.labels(GC, at) {
            ahead.add(label);
        }
        let targets = processes.targets(GC, at).into_iter();
        open.extend(targets.filter(|to| seen.insert(*to)));
    }
    ahead
}
