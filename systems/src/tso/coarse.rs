//! Granularity `coarse`: steps that nobody else can tell apart run together, and every invariant stays in sight.
//!
//! A step is run together with its neighbour if it changes only registers of its own process, which
//! nobody else reads and no invariant mentions, and if what it does is the same before and after
//! anything that the others may do in between. The states that are passed over differ from one that
//! is not in those registers alone.
//!
//! - C1. A guard or a change of loop variables is run with the step before it.
//! - C2. A choice of one value among several is run with the step behind it, for which it is made:
//!   whom to ask or to poll, what to trace, to sweep, to load, to mark. Whether that step can be taken
//!   does not depend on what is chosen, or the composition panics.
//! - C3. What a mutator stores is chosen with the last step of its deletion barrier, which does not look at
//!   it; its roots are the same until the store.
//! - C4. A fence with an empty buffer, which nobody else fills, is run with the step before it. So are
//!   the loads of C6 and C7, as far as nobody has the memory locked, and the polls of C5.
//! - C5. The collector's polls, once everybody has answered: bits stay cleared until it sets them.
//! - C6. Within a barrier, the load of `fM` and of the phase, where the value is the same until the mutator has
//!   moved: the collector alone stores them, and comes to no such store before it waits for that
//!   mutator, which cannot answer in the midst of something else.
//! - C7. Within a barrier or the mark loop, the load of a mark that says marked, while objects are marked and
//!   not unmarked, and the collector is not about to free that one.
//!
//! Other loads that nobody can disturb are left as they are (the collector's of `fM` and of the phase, those of
//! root marking, those that are locked): with a lone mutator none would ever be a step by itself, and their
//! rules would count as never exercised.
//!
//! Exact for all that is decided of states and of what steps show, in whatever variant; not for
//! `environment`, since a mutator that waits for the lock has not chosen. Not run together are: whatever
//! changes a worklist, a ghost or the roots; what a mutator does first at its top-level choice, but for C2;
//! and one guard of each loop that could otherwise go round without any other step. Tested is, by comparison
//! with fine granularity, that just the same can be seen of states, and of the steps that change it.

use refmap::RuleId;
use refmap_processes::Location;

use super::label::{AnswerStep, Label, Marker, MarkingStep, RoundStep};
use super::request::{Act, Processes};
use super::scope::Variant;
use super::stability::{Shared, Stability};
use super::state::{State, Who};

/// The joining of steps that nobody sees.
pub(super) struct Joining {
    stability: Stability,
    /// Of each location of each process, the step that may go unseen.
    unseen: Vec<Vec<Option<Unseen>>>,
}

/// A step that goes unseen where nobody can come in between.
#[derive(Clone, Copy)]
enum Unseen {
    /// C4.
    Fence,
    /// C5.
    Poll,
    /// C6.
    Load(Shared),
    /// C7.
    LoadMark,
}

impl Unseen {
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

impl Joining {
    pub fn new(processes: &Processes, variant: Variant) -> Self {
        let locations = |process| (0..processes.locations(process) as u16).map(Location);
        let label = |process, at| {
            let mut labels = processes.labels(process, at);
            let first = labels.next()?;
            labels.next().is_none().then_some(first)
        };
        let unseen = (0..processes.processes()).map(|process| {
            let here = locations(process).map(|at| Unseen::of(label(process, at)?));
            here.collect()
        });
        Self {
            stability: Stability::new(processes, variant),
            unseen: unseen.collect(),
        }
    }

    /// Visits the steps from a state, each with what goes unseen behind it.
    pub fn next(&self, processes: &Processes, from: &State, visit: &mut dyn FnMut(Act, State)) {
        let mut state = *from;
        // Per rule, how many of its results have been told.
        let mut told: Vec<(RuleId, u16)> = Vec::new();
        for process in 0..processes.processes() {
            told.clear();
            processes.steps_of(process, &|_| true, &mut state, &mut |mut act, to| {
                self.go_on(processes, to, process, &mut |to| {
                    let place = told.iter().position(|(rule, _)| *rule == act.rule());
                    let place = place.unwrap_or_else(|| {
                        told.push((act.rule(), 0));
                        told.len() - 1
                    });
                    act.choice = told[place].1;
                    told[place].1 += 1;
                    visit(act, *to);
                });
            });
        }
    }

    /// Visits where a process that has just moved comes to unseen.
    fn go_on(
        &self,
        processes: &Processes,
        state: &mut State,
        process: usize,
        visit: &mut dyn FnMut(&State),
    ) {
        let Some(step) = self.next_unseen(state, process) else {
            return visit(state);
        };
        let mut is_first = true;
        processes.steps_of(process, &|_| true, state, &mut |_, to| {
            // It does not matter who is polled first, since all have answered.
            if is_first || !matches!(step, Unseen::Poll) {
                self.go_on(processes, to, process, visit);
            }
            is_first = false;
        });
    }

    /// The next step of a process, if it goes unseen.
    fn next_unseen(&self, state: &State, process: usize) -> Option<Unseen> {
        let step = self.unseen[process][usize::from(state.at[process].0)]?;
        let who = Who::at(process)?;
        let is_unlocked = state.sys.lock.is_none_or(|by| by == who);
        let goes_unseen = match step {
            Unseen::Fence => state.sys.pending_stores(who).is_empty(),
            Unseen::Poll => state.sys.pending.is_empty(),
            Unseen::Load(shared) => is_unlocked && self.stability.is_stable(state, process, shared),
            Unseen::LoadMark => is_unlocked && self.stability.stays_marked(state, process),
        };
        goes_unseen.then_some(step)
    }
}
