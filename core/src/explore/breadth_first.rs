//! Breadth-first search, level by level and within a level in waves.
//!
//! A wave is a run of consecutive states. Its states are expanded in parallel against the store as
//! it was before the wave; what was not found there is then added in the order in which a
//! sequential search would meet it. So the numbers of the states, and all that follows from them,
//! depend on neither the number of threads nor their timing.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use super::guard::catch;
use super::memory::resident_bytes;
use super::store::{Parents, Store};
use super::{
    End, Explored, Graph, Limit, Limits, Place, Progress, Record, StateId, Visitor, Watch,
};
use crate::system::{StateOf, TransitionSystem};

/// States a wave. PERF: long enough to hide the start of the threads (tens of microseconds), short
/// enough that cancelling loses little.
const WAVE: u32 = 8192;
/// States a worker takes at a time.
const CHUNK: u32 = 128;
/// States between two looks at the clock.
const PATIENCE: u32 = 16;
/// A target with this bit is a candidate of the same chunk, not a state.
const CANDIDATE: u32 = 1 << 31;
/// More states than this cannot be numbered.
const MOST_STATES: u64 = CANDIDATE as u64 - 1;

/// Explores the reachable states of `system`, showing each state and step to `visitor`.
pub fn explore<S: TransitionSystem, V: Visitor<S>>(
    system: &S,
    visitor: &V,
    threads: usize,
    limits: Limits,
    watch: Watch<'_>,
    record: Record,
) -> Explored<S, V::Tally> {
    let search = Search {
        system,
        visitor,
        threads: threads.max(1),
        limits,
        watch,
        started: Instant::now(),
        store: Store::new(),
        parents: Parents::new(),
        graph: (record == Record::Graph).then(|| Graph {
            offsets: vec![0],
            targets: Vec::new(),
            labels: Vec::new(),
        }),
        tally: visitor.tally(),
        transitions: 0,
        depth: 0,
        full: false,
        holes: false,
        peak_memory_bytes: resident_bytes().unwrap_or(0),
    };
    search.run()
}

struct Search<'a, S: TransitionSystem, V: Visitor<S>> {
    system: &'a S,
    visitor: &'a V,
    threads: usize,
    limits: Limits,
    watch: Watch<'a>,
    started: Instant,
    store: Store<StateOf<S>>,
    parents: Parents,
    graph: Option<Graph>,
    tally: V::Tally,
    transitions: u64,
    /// The distance of the states being expanded.
    depth: u32,
    /// A state was left out because there was no room for it.
    full: bool,
    /// A panic left steps unknown.
    holes: bool,
    peak_memory_bytes: u64,
}

/// What the expansion of a chunk finds.
struct Expansion<T> {
    /// Per expanded state, how many steps; only if the graph is recorded.
    degrees: Vec<u32>,
    /// Per step, its target and its label; only if the graph is recorded.
    edges: Vec<(u32, u32)>,
    /// Targets that the store did not hold before the wave: hash, state, origin.
    candidates: Vec<(u32, T, StateId)>,
    transitions: u64,
    holes: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Task {
    Expand,
    ExamineOnly,
}

impl<S: TransitionSystem, V: Visitor<S>> Search<'_, S, V> {
    fn run(mut self) -> Explored<S, V::Tally> {
        let mut states = Vec::new();
        let initial_panic = catch(|| self.system.initial(&mut |state| states.push(state))).err();
        for state in states {
            self.add(self.store.hash(&state), state, None);
        }
        let initial_states = self.store.len() as u64;
        let mut end = self.levels();
        if self.holes || initial_panic.is_some() {
            end = match end {
                End::Complete => End::Panicked,
                other => other,
            };
        }
        Explored {
            graph: self.graph.take().filter(|_| end == End::Complete),
            tally: self.tally,
            end,
            initial_states,
            transitions: self.transitions,
            depth: self.depth,
            seconds: self.started.elapsed().as_secs_f64(),
            peak_memory_bytes: self.peak_memory_bytes,
            initial_panic,
            store: self.store,
            parents: self.parents,
        }
    }

    /// Expands level after level; `self.depth` ends as the greatest distance reached.
    fn levels(&mut self) -> End {
        let mut level = 0..self.store.len() as u32;
        loop {
            let limit = if level.is_empty() {
                self.depth = self.depth.saturating_sub(1);
                return End::Complete;
            } else if self.limits.depth == Some(self.depth) {
                Err((level.start, Limit::Depth(self.depth)))
            } else {
                self.expand_level(level.clone())
            };
            let next = level.end..self.store.len() as u32;
            if let Err((unexpanded, limit)) = limit {
                self.examine(unexpanded..level.end);
                self.depth += u32::from(!next.is_empty());
                self.examine(next);
                return End::Limit(limit);
            }
            let stop = self.visitor.stop(&self.tally);
            self.depth += 1;
            if let Some(length) = stop {
                if length >= self.depth {
                    // What is wrong with the states just reached is shown by traces as short.
                    self.examine(next.clone());
                }
                self.depth -= u32::from(next.is_empty());
                return End::Stopped;
            }
            level = next;
        }
    }

    /// Expands the states of a level, or says with which state a limit stopped it.
    fn expand_level(&mut self, level: Range<u32>) -> Result<(), (u32, Limit)> {
        let mut start = level.start;
        while start < level.end {
            let wave = start..level.end.min(start.saturating_add(WAVE));
            self.within_limits().map_err(|limit| (start, limit))?;
            self.wave(wave.clone(), Task::Expand)
                .map_err(|limit| (start, limit))?;
            self.report(u64::from(level.end - wave.end));
            start = wave.end;
            if self.full {
                return Err((start, Limit::States(self.most_states())));
            }
        }
        Ok(())
    }

    fn examine(&mut self, states: Range<u32>) {
        let mut start = states.start;
        while start < states.end {
            let wave = start..states.end.min(start.saturating_add(WAVE));
            start = wave.end;
            self.wave(wave, Task::ExamineOnly)
                .expect("looking at states already reached is not cut short");
        }
    }

    fn most_states(&self) -> u64 {
        self.limits.states.unwrap_or(MOST_STATES).min(MOST_STATES)
    }

    fn report(&self, rest_of_level: u64) {
        if let Some(progress) = self.watch.progress {
            progress(&Progress {
                states: self.store.len() as u64,
                transitions: self.transitions,
                depth: self.depth,
                frontier: rest_of_level,
                elapsed: self.started.elapsed(),
            });
        }
    }

    fn out_of_time(&self) -> Option<Limit> {
        self.limits.out_of_time(&self.watch, self.started)
    }

    fn within_limits(&mut self) -> Result<(), Limit> {
        let held = resident_bytes().unwrap_or_else(|| self.store.bytes());
        self.peak_memory_bytes = self.peak_memory_bytes.max(held);
        if let Some(limit) = self.out_of_time() {
            return Err(limit);
        }
        match self.limits.memory_bytes {
            Some(most) if held >= most => Err(Limit::MemoryBytes(most)),
            _ => Ok(()),
        }
    }

    /// Works through a wave. When the time is up before it is done, all of it is forgotten, so that
    /// what is reported speaks of whole waves.
    fn wave(&mut self, wave: Range<u32>, task: Task) -> Result<(), Limit> {
        let chunks = (wave.end - wave.start).div_ceil(CHUNK) as usize;
        let next_chunk = AtomicUsize::new(0);
        let aborted = AtomicBool::new(false);
        let work = || {
            let mut tally = self.visitor.tally();
            let mut done = Vec::new();
            loop {
                let chunk = next_chunk.fetch_add(1, Ordering::Relaxed);
                if chunk >= chunks || aborted.load(Ordering::Relaxed) {
                    return (tally, done);
                }
                let start = wave.start + chunk as u32 * CHUNK;
                let states = start..wave.end.min(start + CHUNK);
                match self.chunk(states, task, &mut tally) {
                    Some(expansion) => done.push((chunk, expansion)),
                    None => aborted.store(true, Ordering::Relaxed),
                }
            }
        };
        let results = std::thread::scope(|scope| {
            let helpers = self.threads.min(chunks) - 1;
            let helpers: Vec<_> = (0..helpers).map(|_| scope.spawn(work)).collect();
            let mut results = vec![work()];
            for helper in helpers {
                results.push(helper.join().expect("panics of the model are caught"));
            }
            results
        });
        if aborted.into_inner() {
            // The clock only moves forward, and a cancellation stays.
            return Err(self.out_of_time().unwrap_or(Limit::Cancelled));
        }
        let mut expansions = Vec::with_capacity(chunks);
        for (tally, done) in results {
            self.visitor.merge(&mut self.tally, tally);
            expansions.extend(done);
        }
        expansions.sort_unstable_by_key(|(chunk, _)| *chunk);
        for (_, expansion) in expansions {
            self.take_in(expansion);
        }
        Ok(())
    }

    /// Examines the states of a chunk and, if that is the task, visits their steps. `None` if the
    /// time is up.
    fn chunk(
        &self,
        states: Range<u32>,
        task: Task,
        tally: &mut V::Tally,
    ) -> Option<Expansion<StateOf<S>>> {
        let mut found = Expansion {
            degrees: Vec::new(),
            edges: Vec::new(),
            candidates: Vec::new(),
            transitions: 0,
            holes: false,
        };
        for (looked_at, id) in states.enumerate() {
            if task == Task::Expand
                && (looked_at as u32).is_multiple_of(PATIENCE)
                && self.out_of_time().is_some()
            {
                return None;
            }
            let id = StateId(id);
            let from = self.store.get(id);
            let place = Place {
                length: self.depth,
                state: id,
                step: None,
            };
            let stepping = Cell::new(None);
            let mut steps = 0;
            let outcome = catch(|| {
                let image = self.visitor.examine(tally, place, from);
                if task == Task::ExamineOnly {
                    return;
                }
                self.system.next(from, &mut |action, to| {
                    let step = Place {
                        length: self.depth + 1,
                        state: id,
                        step: Some(steps),
                    };
                    stepping.set(Some(step));
                    self.visitor.offered(tally, &action);
                    let label = self.visitor.step(tally, step, (from, &image), &action, &to);
                    stepping.set(None);
                    steps += 1;
                    let hash = self.store.hash(&to);
                    let known = self.store.find(hash, &to);
                    if self.graph.is_some() {
                        let candidate = CANDIDATE | found.candidates.len() as u32;
                        found
                            .edges
                            .push((known.map_or(candidate, |target| target.0), label));
                    }
                    if known.is_none() {
                        found.candidates.push((hash, to, id));
                    }
                });
                self.visitor.leave(tally, place, from, steps);
            });
            if let Err(panic) = outcome {
                found.holes = true;
                self.visitor
                    .panicked(tally, stepping.get().unwrap_or(place), panic);
            }
            found.transitions += u64::from(steps);
            found.degrees.push(steps);
        }
        Some(found)
    }

    /// Adds the new states of a chunk, and its steps, to what is known.
    fn take_in(&mut self, found: Expansion<StateOf<S>>) {
        self.transitions += found.transitions;
        self.holes |= found.holes;
        let mut numbers = Vec::new();
        for (hash, state, from) in found.candidates {
            let number = self
                .store
                .find(hash, &state)
                .or_else(|| self.add(hash, state, Some(from)));
            if self.graph.is_some() {
                // Where a state found no room the graph is not used.
                numbers.push(number.map_or(0, |number| number.0));
            }
        }
        let Some(graph) = &mut self.graph else { return };
        for degree in found.degrees {
            let last = graph.offsets[graph.offsets.len() - 1];
            graph.offsets.push(last + u64::from(degree));
        }
        for (target, label) in found.edges {
            let target = match target & CANDIDATE {
                0 => target,
                _ => numbers[(target & !CANDIDATE) as usize],
            };
            graph.targets.push(target);
            graph.labels.push(label);
        }
    }

    /// Adds a state unless it is there or there is no room.
    fn add(&mut self, hash: u32, state: StateOf<S>, parent: Option<StateId>) -> Option<StateId> {
        if let Some(known) = self.store.find(hash, &state) {
            return Some(known);
        }
        if self.store.len() as u64 >= self.most_states() {
            self.full = true;
            return None;
        }
        let id = self.store.push(hash, state);
        self.parents.push(parent);
        Some(id)
    }
}
