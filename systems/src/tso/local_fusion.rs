//! Local fusion (granularity `coarse`): steps that are invisible to the other processes and to every invariant
//! are fused with a neighbouring step.
//!
//! A step is fused with its neighbour if it changes only registers of its own process that no other process
//! reads and no invariant mentions, and if its effect is the same before and after every step that another
//! process may take in between. A skipped state differs from a visited one only in those registers.
//!
//! - C1. A guard, or an assignment of loop variables, is fused with the previous step.
//! - C2. A choice of one value is fused with the next step, for which the value is chosen: the mutator to
//!   request or to poll, the object to trace, sweep, load or mark. The next step is enabled for
//!   every value or for none, or the composition panics.
//! - C3. The value that a mutator stores is chosen with the last step of its deletion barrier, which does not
//!   read it; the roots do not change until the store.
//! - C4. A fence with an empty buffer, which no other process fills, is fused with the previous step. So are
//!   the loads of C6 and C7 unless another process holds the bus lock, and the polls of C5.
//! - C5. The collector's polls, once every mutator has answered: pending bits stay cleared until the collector
//!   sets them.
//! - C6. Within a barrier, the load of `fM` and of the phase, if the value is stable until the mutator has
//!   moved: only the collector stores them, and it reaches no such store before it waits for that
//!   mutator, which cannot answer in the middle of another operation.
//! - C7. Within a barrier or the mark loop, the load of a mark that says marked, while objects are marked and
//!   never unmarked, and the collector is not about to free that object.
//!
//! Other loads are not fused although no process can disturb them (the collector's of `fM` and of the phase, those
//! of root marking, those under the lock): with a single mutator none would ever be a step by itself, and their
//! rules would count as never exercised.
//!
//! The reduction is exact for every obligation on states and on visible steps, in every variant; not for
//! `environment`, since a mutator that waits for the lock has not yet chosen. Never fused are a change of
//! a worklist, a ghost or the roots; the first step of a mutator's operation, except by C2; and one guard
//! of each loop that could otherwise cycle without any other step. A test compares the observable states and the
//! observable steps with those at fine granularity.

use refmap::{Action as _, RuleId};
use refmap_processes::Location;

use super::label::{AnswerStep, Label, Marker, MarkingStep, RoundStep};
use super::request::{Act, Processes};
use super::scope::Variant;
use super::stability::{Shared, Stability};
use super::state::{State, Who};

/// Local fusion for the processes of an instance.
pub(super) struct LocalFusion {
    stability: Stability,
    /// Of each location of each process, the step that may be fused with the previous one.
    fused: Vec<Vec<Option<FusedStep>>>,
}

/// A step that is fused with the previous one where its effect is stable.
#[derive(Clone, Copy)]
enum FusedStep {
    /// C4.
    Fence,
    /// C5.
    Poll,
    /// C6.
    Load(Shared),
    /// C7.
    LoadMark,
}

impl FusedStep {
    fn of(label: Label) -> Option<Self> {
        match label {
            Label::Round(_, step) => match step {
                RoundStep::Fence => Some(Self::Fence),
                RoundStep::ChooseWhomToPoll => Some(Self::Poll),
                RoundStep::SetType
                | RoundStep::AskAll
                | RoundStep::MoreToAsk
                | RoundStep::ChooseWhomToAsk
                | RoundStep::SetPending
                | RoundStep::Asked
                | RoundStep::WaitForAll
                | RoundStep::MoreToWaitFor
                | RoundStep::Poll
                | RoundStep::TakeWork => None,
            },
            Label::Answer(step) => match step {
                AnswerStep::Fence => Some(Self::Fence),
                AnswerStep::Poll
                | AnswerStep::IsAsked
                | AnswerStep::LoadType
                | AnswerStep::IsType(_)
                | AnswerStep::AllRoots
                | AnswerStep::RootToMark
                | AnswerStep::ChooseRoot
                | AnswerStep::RootMarked
                | AnswerStep::Done(_) => None,
            },
            Label::Marking(marker, step) => {
                let is_barrier = matches!(marker, Marker::Deletion | Marker::Insertion);
                match step {
                    MarkingStep::LoadFm if is_barrier => Some(Self::Load(Shared::FM)),
                    MarkingStep::LoadPhase if is_barrier => Some(Self::Load(Shared::Phase)),
                    MarkingStep::LoadMark if is_barrier || marker == Marker::MarkLoop => {
                        Some(Self::LoadMark)
                    }
                    MarkingStep::LoadFm
                    | MarkingStep::LoadPhase
                    | MarkingStep::LoadMark
                    | MarkingStep::IsRef
                    | MarkingStep::IsWhite
                    | MarkingStep::IsNotIdle
                    | MarkingStep::Lock
                    | MarkingStep::LoadMarkLocked
                    | MarkingStep::IsUnchanged
                    | MarkingStep::StoreMark
                    | MarkingStep::Unlock
                    | MarkingStep::HasWon
                    | MarkingStep::AddToW => None,
                }
            }
            Label::Flip(_)
            | Label::SetFa(_)
            | Label::StorePhase(_)
            | Label::MarkLoop(_)
            | Label::Sweep(_)
            | Label::Mutator(_)
            | Label::Sys(_) => None,
        }
    }
}

impl LocalFusion {
    pub fn new(processes: &Processes, variant: Variant) -> Self {
        let locations = |process| (0..processes.locations(process) as u16).map(Location);
        let label = |process, at| {
            let mut labels = processes.labels(process, at);
            let first = labels.next()?;
            labels.next().is_none().then_some(first)
        };
        let fused = (0..processes.processes()).map(|process| {
            let here = locations(process).map(|at| FusedStep::of(label(process, at)?));
            here.collect()
        });
        Self {
            stability: Stability::new(processes, variant),
            fused: fused.collect(),
        }
    }

    /// Visits the steps from a state, each with the steps fused to it.
    pub fn next(&self, processes: &Processes, from: &State, visit: &mut dyn FnMut(Act, &State)) {
        for process in 0..processes.processes() {
            self.steps_of(processes, process, from, visit);
        }
    }

    /// Visits those that a process begins.
    pub fn steps_of(
        &self,
        processes: &Processes,
        process: usize,
        from: &State,
        visit: &mut dyn FnMut(Act, &State),
    ) {
        let mut state = *from;
        // Per rule, the number of targets visited.
        let mut visited: Vec<(RuleId, u16)> = Vec::new();
        processes.steps_of(process, &|_| true, &mut state, &mut |mut act, to| {
            let taken = act.rule(processes);
            self.go_on(processes, to, process, &mut |to| {
                let place = visited.iter().position(|(rule, _)| *rule == taken);
                let place = place.unwrap_or_else(|| {
                    visited.push((taken, 0));
                    visited.len() - 1
                });
                act.choice = visited[place].1;
                visited[place].1 += 1;
                visit(act, to);
            });
        });
    }

    /// Visits the targets after the fused steps of a process that has just moved.
    fn go_on(
        &self,
        processes: &Processes,
        state: &mut State,
        process: usize,
        visit: &mut dyn FnMut(&State),
    ) {
        let Some(step) = self.next_fused(state, process) else {
            return visit(state);
        };
        let mut is_first = true;
        processes.steps_of(process, &|_| true, state, &mut |_, to| {
            // The order of the polls is irrelevant, since every mutator has answered.
            if is_first || !matches!(step, FusedStep::Poll) {
                self.go_on(processes, to, process, visit);
            }
            is_first = false;
        });
    }

    /// The next step of a process, if it is fused.
    fn next_fused(&self, state: &State, process: usize) -> Option<FusedStep> {
        let step = self.fused[process][usize::from(state.at[process].0)]?;
        let who = Who::at(process)?;
        let is_unlocked = state.sys.lock.is_none_or(|by| by == who);
        let is_fused = match step {
            FusedStep::Fence => state.sys.pending_stores(who).is_empty(),
            FusedStep::Poll => state.sys.pending.is_empty(),
            FusedStep::Load(shared) => {
                is_unlocked && self.stability.is_stable(state, process, shared)
            }
            FusedStep::LoadMark => is_unlocked && self.stability.stays_marked(state, process),
        };
        is_fused.then_some(step)
    }
}
