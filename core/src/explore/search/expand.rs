//! The expansion of some states of a wave: their steps are taken and looked at, and those of their
//! targets that were not there before the wave are found.
//!
//! Nothing is written but what the worker has for itself. What is done with a step is done in loops of
//! its own, each over many steps: the model takes all steps of a state, these are looked at, their
//! targets are written down and asked for, and at last the targets of many states are looked up. PERF:
//! done step by step, what all of it needs finds no room in the registers, and the memory asked for
//! comes too late.

use std::cell::Cell;
use std::ops::Range;

use super::{Search, Task, Worker};
use crate::explore::frontier::Span;
use crate::explore::guard::{Panic, catch};
use crate::explore::keep::{Care, Keeper};
use crate::explore::recall::Recall;
use crate::explore::recent::Recent;
use crate::explore::visited::{Candidate, Lookup, Origin, Visited};
use crate::explore::{Place, StateId, Visitor};
use crate::system::{ActionOf, StateOf, TransitionSystem};

/// Targets that are asked for before the first of them is looked up. PERF: enough to overlap the
/// misses of the cache, few enough that what was asked for is still there.
const BATCH: usize = 256;
/// States between two looks at the clock.
const PATIENCE: u32 = 16;
/// States, from the first on, of which each packed target is read back; and of how many later ones
/// it is one.
const READ_BACK: u32 = 1 << 13;
const READ_BACK_ONE_IN: u32 = 64;

/// States, from the first on, of which the steps recalled are compared with those that the model takes; and
/// of how many later ones it is one.
const COMPARED: u32 = 1 << 10;
const COMPARED_ONE_IN: u32 = 256;
/// How many states ahead the memory of their parts is asked for.
const AHEAD: u32 = 8;

/// Whether the steps of a state are compared with those recalled.
fn is_compared(StateId(id): StateId) -> bool {
    id < COMPARED || id.is_multiple_of(COMPARED_ONE_IN)
}

/// What the expansion of a chunk finds.
pub(super) struct Expansion<K> {
    pub sources: Range<u32>,
    /// Per expanded state, how many steps; only if the graph is recorded.
    pub degrees: Vec<u32>,
    /// Per step, its target unless that is a candidate, and its label; only if the graph is recorded.
    pub edges: Vec<(Option<StateId>, u32)>,
    /// Targets that were not there before the wave, in order.
    pub candidates: Vec<Candidate<K>>,
    pub transitions: u64,
    pub holes: bool,
}

/// Targets met and not looked up yet.
struct Targets<S: TransitionSystem, K> {
    /// The steps of the state being expanded.
    actions: Vec<ActionOf<S>>,
    /// Where they lead, until that is written down,
    targets: Vec<StateOf<S>>,
    /// and then, until it is asked for.
    keys: Vec<K>,
    /// Those asked for, of this state and of some before.
    asked: Vec<Candidate<K>>,
    /// Per target asked for or about to be, the label of its step; only if the graph is recorded.
    labels: Vec<u32>,
}

impl<S: TransitionSystem, K> Targets<S, K> {
    fn new() -> Self {
        Self {
            actions: Vec::new(),
            targets: Vec::new(),
            keys: Vec::new(),
            asked: Vec::with_capacity(2 * BATCH),
            labels: Vec::new(),
        }
    }
}

impl<S, V, P, I, R> Search<'_, S, V, P, I, R>
where
    S: TransitionSystem,
    V: Visitor<S>,
    P: Keeper<S>,
    I: Visited<P::Key>,
    R: Recall<S, V, P::Key>,
{
    /// Examines the states of a chunk and, if that is the task, visits their steps. `None` if the
    /// time is up.
    pub(super) fn chunk(
        &self,
        chunk: &Span,
        task: Task,
        tally: &mut V::Tally,
        worker: &mut Worker<R::Memory>,
    ) -> Option<Expansion<P::Key>> {
        let mut found = Expansion {
            sources: chunk.states.clone(),
            degrees: Vec::new(),
            edges: Vec::new(),
            candidates: Vec::new(),
            transitions: 0,
            holes: false,
        };
        let mut met = Targets::new();
        for (looked_at, id) in chunk.states.clone().enumerate() {
            if task == Task::Expand
                && (looked_at as u32).is_multiple_of(PATIENCE)
                && self.out_of_time().is_some()
            {
                return None;
            }
            if task == Task::Expand && id + AHEAD < chunk.states.end {
                let key = self.log.get((id + AHEAD) as usize);
                self.recall.ask(&worker.memory, key);
            }
            let place = Place {
                length: chunk.length,
                state: StateId(id),
                step: None,
            };
            let taken = self.take_steps(place, task, tally, &mut met, &mut worker.memory);
            let written = self.write_down(place, &mut met);
            for (place, panic) in [taken, written].into_iter().filter_map(Result::err) {
                found.holes = true;
                self.visitor.panicked(tally, place, panic);
            }
            let steps = met.keys.len() as u32;
            found.transitions += u64::from(steps);
            if self.graph.is_some() {
                found.degrees.push(steps);
            }
            self.ask(place.state, &mut met, &mut worker.recent);
            if met.asked.len() >= BATCH {
                self.look_up(&mut met, &mut found);
            }
        }
        self.look_up(&mut met, &mut found);
        Some(found)
    }

    /// Examines a state and, if that is the task, has the model take its steps and looks at each. If
    /// something panics, says where; the targets are then those of the steps before.
    fn take_steps(
        &self,
        place: Place,
        task: Task,
        tally: &mut V::Tally,
        met: &mut Targets<S, P::Key>,
        memory: &mut R::Memory,
    ) -> Result<(), (Place, Panic)> {
        let Targets {
            actions,
            targets,
            keys,
            labels,
            ..
        } = met;
        let key = self.log.get(place.state.0 as usize);
        let judgement = match task == Task::Expand {
            true => self
                .recall
                .part((self.system, self.visitor), memory, key, keys),
            false => None,
        };
        let recalled = keys.len() as u32;
        // The step being looked at.
        let looking_at = Cell::new(None);
        let expand = |from: &StateOf<S>| {
            let image = self.visitor.examine(tally, place, from);
            self.recall
                .examine(self.visitor, tally, (place, from, &image));
            if task == Task::ExamineOnly {
                return Ok(());
            }
            let mut visit = |action, to| {
                actions.push(action);
                targets.push(to);
            };
            let stepped = match judgement {
                None => catch(|| self.system.next(from, &mut visit)),
                Some(judgement) => {
                    self.recall.count(self.visitor, memory, tally, judgement);
                    if is_compared(place.state) {
                        let recalled = &keys[..];
                        self.recall.compare(
                            (self.system, self.visitor),
                            tally,
                            (place, from),
                            recalled,
                        );
                    }
                    catch(|| self.recall.next_of_rest(self.system, from, &mut visit))
                }
            };
            if !self.visitor.looks_at_steps() {
                for (position, action) in (recalled..).zip(&*actions) {
                    looking_at.set(Some(position));
                    self.visitor.taken(tally, action);
                }
                if self.graph.is_some() {
                    labels.resize(labels.len() + targets.len(), 0);
                }
            } else {
                for (position, (action, to)) in (recalled..).zip(actions.iter().zip(&*targets)) {
                    looking_at.set(Some(position));
                    self.visitor.offered(tally, action);
                    let place = place.of_step(position);
                    let label = self.visitor.step(tally, place, (from, &image), action, to);
                    if self.graph.is_some() {
                        labels.push(label);
                    }
                }
            }
            looking_at.set(None);
            stepped?;
            let steps = recalled + targets.len() as u32;
            self.visitor.leave(tally, place, from, steps);
            Ok(())
        };
        let expanded = catch(|| self.keeper.with(self.system, key, expand)).flatten();
        actions.clear();
        expanded.map_err(|panic| match looking_at.get() {
            None => (place, panic),
            Some(position) => {
                // A step that could not be looked at is none.
                targets.truncate((position - recalled) as usize);
                (place.of_step(position), panic)
            }
        })
    }

    /// Turns the targets of the state at `place` into what is kept of them. If something panics, says at
    /// which step; the keys are then those of the targets before.
    fn write_down(&self, place: Place, met: &mut Targets<S, P::Key>) -> Result<(), (Place, Panic)> {
        let Targets {
            targets,
            keys,
            labels,
            asked,
            ..
        } = met;
        let StateId(id) = place.state;
        let care = match id < READ_BACK || id.is_multiple_of(READ_BACK_ONE_IN) {
            true => Care::ReadBack,
            false => Care::InRange,
        };
        let written = catch(|| match self.options.symmetry {
            None => self.keeper.keys(self.system, targets, care, keys),
            Some(symmetry) => {
                for to in &*targets {
                    let to = symmetry.canonical(self.system, to);
                    keys.push(self.keeper.key(self.system, &to, care));
                }
            }
        });
        targets.clear();
        labels.truncate(asked.len() + keys.len());
        let position = keys.len() as u32;
        written.map_err(|panic| (place.of_step(position), panic))
    }

    /// Asks for the memory at which the targets of `source` would be.
    fn ask(&self, source: StateId, met: &mut Targets<S, P::Key>, recent: &mut Recent) {
        // A target met before is known, or is among the candidates already; a graph needs its number.
        let filtering = self.visited.marks_are_keys() && self.graph.is_none();
        for (step, key) in (0..).zip(met.keys.drain(..)) {
            let mark = self.visited.mark(&key);
            if filtering && !recent.meet(mark) {
                continue;
            }
            self.visited.prefetch(mark);
            let origin = Origin { source, step };
            met.asked.push(Candidate { key, mark, origin });
        }
    }

    /// Keeps of the targets asked for those that are not there.
    fn look_up(&self, met: &mut Targets<S, P::Key>, found: &mut Expansion<P::Key>) {
        let Targets { labels, asked, .. } = met;
        let recording = self.graph.is_some();
        for (place, candidate) in asked.drain(..).enumerate() {
            let known = self.visited.find(&self.log, candidate.mark, &candidate.key);
            let number = match known {
                Lookup::Present(number) => number,
                Lookup::Absent => {
                    found.candidates.push(candidate);
                    None
                }
            };
            if recording {
                found.edges.push((number, labels[place]));
            }
        }
        labels.clear();
    }
}
