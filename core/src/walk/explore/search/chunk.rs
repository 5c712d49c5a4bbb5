//! The expansion of some states of a wave: the model expands them batch by batch, and those of their targets that may be
//! new are found.
//!
//! Nothing is written but what the worker has for itself. PERF: the targets of many states are asked for before the
//! first of them is looked up, so that the memory asked for is there.

use std::mem::needs_drop;
use std::ops::Range;
use std::time::Instant;

use super::state::{StateSearch, Worker};
use crate::statement::asked::calls::Stage;
use crate::statement::asked::model_call::named;
use crate::walk::explore::StateId;
use crate::walk::explore::duplicates::{DuplicateFilter, Pending};
use crate::walk::explore::expansion::{Batch, Task};
use crate::walk::explore::graph::NodeId;
use crate::walk::explore::keys::{Compared, EQ, Form};
use crate::walk::explore::limits::Limit;
use crate::walk::explore::set::{Candidate, Lookup, Visited};
use crate::walk::explore::span::Span;

/// Targets that are asked for before the first of them is looked up. PERF: enough to overlap the
/// misses of the cache, few enough that what was asked for is still there. Of states that own memory, the targets of
/// one state: those that are there already give their memory to the next ones.
const BATCH: usize = 256;
/// States that a model expands at a time. PERF: so many that a call of it costs nothing, so few that where their steps lead
/// is still in the cache. One, if states own memory.
const AT_A_TIME: usize = 64;
/// Steps that are taken between two looks at the memory, each of which takes as long as a few hundred of them.
const MEMORY_STEPS: u64 = 1 << 20;

/// Findings of the expansion of a chunk.
pub(super) struct Successors<K> {
    /// The states; where they are only looked at, those for which there was time.
    pub sources: Range<u64>,
    /// Per expanded state, how many steps; only if the graph is recorded.
    pub degrees: Vec<u32>,
    /// Per step, its target unless that is a candidate, and its label; only if the graph is recorded.
    pub edges: Vec<(Option<NodeId>, u32)>,
    /// Targets that are new, or may be, in order.
    pub candidates: Vec<Candidate<K>>,
    /// Words of targets for each of the other processes, if there are any.
    pub foreign: Vec<Vec<u64>>,
    pub transitions: u64,
    pub incomplete: bool,
}

/// Targets that were asked for, and not looked up yet.
struct Asked<K> {
    candidates: Vec<Candidate<K>>,
    /// The labels of their steps; only if the graph is recorded.
    labels: Vec<u32>,
}

impl<'a, K, I> StateSearch<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Examines the states of a chunk and, if that is the task, visits their steps. If a limit is reached
    /// meanwhile, that is the answer.
    pub(super) fn chunk(
        &self,
        chunk: &Span,
        task: Task,
        worker: &mut Worker<'a, K>,
    ) -> Result<Successors<K>, Limit> {
        let mut found = Successors {
            sources: chunk.states.clone(),
            degrees: Vec::new(),
            edges: Vec::new(),
            candidates: Vec::new(),
            foreign: Vec::new(),
            transitions: 0,
            incomplete: false,
        };
        let mut asked = Asked {
            candidates: Vec::new(),
            labels: Vec::new(),
        };
        let at_a_time = if needs_drop::<K>() { 1 } else { AT_A_TIME };
        let places = chunk.states.start as usize..chunk.states.end as usize;
        for (first, keys) in self.list.keys.runs(places) {
            for start in (0..keys.len()).step_by(at_a_time) {
                let state = StateId((first + start) as u64);
                match task {
                    Task::Expand => self.look_at_memory(&mut worker.unlooked)?,
                    Task::ExamineOnly if self.is_grace_over() => {
                        found.sources.end = state.0;
                        return Ok(found);
                    }
                    Task::ExamineOnly => (),
                }
                let batch = Batch {
                    task,
                    first: state,
                    length: chunk.length,
                    pass: chunk.pass,
                    keys: K::keys(&keys[start..keys.len().min(start + at_a_time)]),
                    clock: &self.clock,
                };
                worker.expander.expand(&batch, &mut worker.expanded)?;
                // The model hashes and compares states that are kept whole.
                if self.form == Form::Whole {
                    worker.expander.set_stage(Stage::Writing);
                }
                worker.keys.clear();
                K::take(&mut worker.expanded.keys, &mut worker.keys);
                self.sort_out(&mut asked, worker, &mut found);
            }
        }
        self.look_up(&mut asked, &mut worker.pending, &mut found);
        worker.passed.give(&mut found.candidates);
        if let Some(together) = &self.together {
            let Successors {
                candidates,
                foreign,
                ..
            } = &mut found;
            together.part(candidates, foreign, &mut worker.sent);
        }
        Ok(found)
    }

    /// True if a limit on memory is reached; it is looked at after many steps.
    fn look_at_memory(&self, unlooked: &mut u64) -> Result<(), Limit> {
        if *unlooked < MEMORY_STEPS {
            return Ok(());
        }
        *unlooked = 0;
        self.clock.out_of_time_or_memory().map_or(Ok(()), Err)
    }

    fn is_grace_over(&self) -> bool {
        self.grace.is_some_and(|until| Instant::now() >= until)
    }

    /// Passes on what the expansion of a batch has found.
    fn sort_out(
        &self,
        asked: &mut Asked<K>,
        worker: &mut Worker<'a, K>,
        found: &mut Successors<K>,
    ) {
        let mut targets = std::mem::take(&mut worker.keys);
        let expanded = &worker.expanded;
        found.incomplete |= expanded.incomplete;
        found.transitions += targets.len() as u64;
        worker.unlooked += targets.len() as u64;
        if self.is_recording() {
            found.degrees.extend_from_slice(&expanded.degrees);
            asked.labels.extend_from_slice(&expanded.labels);
        }
        if self.visited.looks_up_first() {
            self.ask(targets.drain(..), asked, &mut worker.pending, found);
        } else {
            self.pass_on(&targets, worker);
        }
        worker.keys = targets;
    }

    /// Asks for the memory at which targets would be, and looks up those for which there has been time since.
    fn ask(
        &self,
        targets: impl Iterator<Item = K>,
        asked: &mut Asked<K>,
        pending: &mut Pending,
        found: &mut Successors<K>,
    ) {
        for key in targets {
            let hash = self.visited.hash(&key);
            self.visited.prefetch(hash);
            asked.candidates.push(Candidate { key, hash });
            if !needs_drop::<K>() && asked.candidates.len() >= BATCH {
                self.look_up(asked, pending, found);
            }
        }
        if needs_drop::<K>() {
            self.look_up(asked, pending, found);
        }
    }

    /// Keeps all targets but those just met, to be looked up when they are added.
    #[inline(always)]
    fn pass_on(&self, targets: &[K], worker: &mut Worker<'a, K>) {
        let Worker {
            in_order,
            recent,
            passed,
            ..
        } = worker;
        let candidates = targets.iter().map(|key| Candidate {
            key: key.clone(),
            hash: self.visited.hash(key),
        });
        // PERF: how long a hash is, is asked once for all.
        match (in_order, recent) {
            (false, _) => passed.sift(candidates, |_| true),
            (true, DuplicateFilter::Short(met)) => {
                passed.sift(candidates, |one| met.meet(one.hash))
            }
            (true, DuplicateFilter::Long(met)) => passed.sift(candidates, |one| met.meet(one.hash)),
        }
    }

    /// Keeps of the targets asked for those that are not there. Of some the labels may be among those of targets that
    /// are not asked for yet.
    fn look_up(&self, asked: &mut Asked<K>, pending: &mut Pending, found: &mut Successors<K>) {
        let Asked { candidates, labels } = asked;
        let recording = self.is_recording();
        let count = candidates.len();
        for (place, candidate) in candidates.drain(..).enumerate() {
            let known = self
                .visited
                .find(&self.list.keys, candidate.hash, &candidate.key);
            let number = match known {
                Lookup::Present(number) => number,
                Lookup::Absent => {
                    // Where the graph is recorded each candidate is numbered.
                    let slot = pending.slot(candidate.hash);
                    let is_same = |other: &Candidate<K>| {
                        other.hash == candidate.hash && named(EQ, || other.key == candidate.key)
                    };
                    let earlier = found.candidates.get(*slot as usize);
                    if recording || !earlier.is_some_and(is_same) {
                        *slot = found.candidates.len() as u32;
                        found.candidates.push(candidate);
                    }
                    None
                }
            };
            if recording {
                found.edges.push((number, labels[place]));
            }
        }
        if recording {
            labels.drain(..count);
        }
    }
}
