//! The search: waves of states are expanded until no state is left.
//!
//! A wave is a run of consecutive states. Its states are expanded in parallel against what was
//! reached before the wave; what was not is then added in the order in which a sequential search
//! would meet it. So the numbers of the states, and all that follows from them, depend on neither the
//! number of threads nor their timing. The oldest states make the next
//! wave, and a wave never has states of two depths.

mod bounds;
mod checkpoint;
mod chunk;
mod found;
mod initial;
mod kept;
mod list;
mod member;
mod new_states;
mod resume;
mod spilling;
mod state;
mod together;

use std::time::{Duration, Instant};

use bounds::BETWEEN_LOOKS;
use checkpoint::{AT_FAULT, Moment, When};
use chunk::Successors;
pub(super) use found::Found;
use kept::Kept;
use new_states::NewStates;
use spilling::{Chunks, spill_from};
pub(super) use state::Search;
use state::Worker;

use super::disk::DiskError;
use super::duplicates::DuplicateFilter;
use super::expansion::{Keeps, Task};
use super::explored::End;
use super::filtered::Filtered;
use super::graph::Graph;
use super::keys::{Compared, Form};
use super::limits::Limit;
use super::set::{Candidate, Visited};
use super::span::Span;
use super::spill::{OfSearch, Spilled};
use crate::parallel::run_in_parallel;
use crate::statement::asked::calls::Stage;
use crate::statement::asked::model_call::{catch, panic_again};
use crate::work_ranges::WorkRanges;

/// States a wave. PERF: so many that each region of a large set is touched several times by
/// the candidates of a wave, so few that cancelling loses little.
const WAVE: u64 = 1 << 15;
/// The same where there are several threads. PERF: what each has to do with is then no more than what one has, and
/// threads are started half as often.
const WAVE_OF_SEVERAL: u64 = 1 << 16;
/// The same where candidates are looked up first. PERF: long enough to hide the start of the threads (tens
/// of microseconds),
const WAVE_LOOKED_UP: u64 = 8192;
/// and where there is one thread. PERF: the part of the set in which states were looked up is still in
/// the cache when they are added, which takes a tenth off a large search.
const WAVE_OF_ONE: u64 = 1024;
/// Time for which states that were reached already are looked at after the time is up: so long, or a tenth of what the
/// search took.
const GRACE: Duration = Duration::from_secs(1);
/// States a worker takes at a time. PERF: a level of no more states is not worth the start of a thread.
const CHUNK: u64 = 256;

impl<'a, K, I> Search<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Searches, with checkpoints in a journal if there is one.
    ///
    /// # Errors
    ///
    /// If the checkpoint that is resumed is damaged, or one of another model.
    pub fn run(mut self, disk: OfSearch<K, I>) -> Result<Found, DiskError> {
        let OfSearch {
            journal,
            spill,
            from_bytes,
        } = disk;
        self.list.disk = spill;
        let most = self.options.limits.memory_bytes;
        self.spill_from = from_bytes.or(most.map(spill_from)).unwrap_or(u64::MAX);
        self.kept = journal.map(|journal| Box::new(Kept::new(journal)));
        // What the model does with a state as it is expanded has guards of its own. Where it panics as states are compared, or
        // what was counted of them is added up, the search ends.
        let mut initial_states = 0;
        let mut panic = None;
        let mut refused = None;
        let searched = catch(|| {
            match self.resume(self.form) {
                Ok(None) => (),
                Ok(Some(resumed)) => {
                    initial_states = resumed.initial;
                    return self.search(resumed.unexpanded, Some(resumed.before), None);
                }
                Err(error) => {
                    if let DiskError::Interrupted { limit, .. } = error {
                        self.forget_read(&error.to_string());
                        return End::Limit(limit);
                    }
                    refused = Some(error);
                    return End::Stopped;
                }
            }
            let added = self.add_initial(&(0..u64::MAX));
            panic = added.panic;
            initial_states = self.list.keys.len();
            #[cfg(test)]
            self.list.keys.leave_gap(super::tests::GAP.get());
            if let Some(kept) = &mut self.kept {
                kept.initial = initial_states;
                if panic.is_some() {
                    // A search that goes on would not know of it.
                    kept.journal.end(AT_FAULT);
                }
            }
            let initial = Span {
                states: 0..initial_states as u64,
                length: 0,
            };
            self.search(initial, None, added.limit)
        });
        if let Some(refused) = refused {
            return Err(refused);
        }
        let mut end = searched.unwrap_or_else(|found| {
            panic.get_or_insert(found);
            End::Panicked
        });
        let panicked = self.incomplete || panic.is_some();
        if panicked && end == End::Complete {
            end = End::Panicked;
        }
        self.graph.iter_mut().for_each(Graph::finish);
        let store_bytes = self.store_bytes();
        self.resident.look(store_bytes);
        let earlier = self.kept.as_ref();
        let earlier_seconds = earlier.map_or(0.0, |kept| kept.journal.earlier_seconds);
        Ok(Found {
            limit_process: None,
            initial_states: initial_states as u64,
            unexamined: self.unexamined,
            transitions: self.transitions,
            depth: self.depth,
            seconds: earlier_seconds + self.clock.started.elapsed().as_secs_f64(),
            peak_memory_bytes: self.resident.peak(),
            store_bytes,
            set_bytes: self.visited.bytes(),
            // Where something panicked it is not known of which states steps are missing.
            graph: self.graph.take().filter(|_| !panicked),
            graph_too_large: self.graph_too_large,
            panic,
            written: self.kept.map(|kept| kept.journal.written),
            end,
            spilled: self.list.disk.as_ref().map(|spill| Spilled {
                bytes: spill.bytes(),
                ended: self.unwritten,
            }),
            store: Box::new(self.list.store(self.predecessors)),
        })
    }

    /// Expands level after level, unless a limit was reached before. `begun` is the first state to which the first one has led, if some
    /// of it was expanded before.
    fn search(&mut self, unexpanded: Span, begun: Option<u64>, limit: Option<Limit>) -> End {
        if let Some(limit) = limit {
            self.examine_rest([unexpanded], limit);
            return End::Limit(limit);
        }
        if self.at_capacity && self.list.keys.len() == 0 {
            // There is nothing to look at, and there are states.
            return End::Limit(Limit::States(self.most_states()));
        }
        let mut begun = begun;
        let mut span = unexpanded;
        while begun.is_some() || span.len() > 0 {
            let before = begun.take().unwrap_or(self.list.keys.len() as u64);
            let outcome = match self.options.limits.depth {
                Some(most) if most == span.length => Err((span.states.start, Limit::Depth(most))),
                _ => self.expand(&span, before),
            };
            // Where a limit ended the expansion, too, what is perhaps new has been reached. That a file cannot be read is known.
            let _ = self.settle(span.length + 1);
            let new = Span {
                states: before..self.list.keys.len() as u64,
                length: span.length + 1,
            };
            if !new.states.is_empty() {
                self.depth = self.depth.max(new.length);
            }
            if let Err((unexpanded, limit)) = outcome {
                let unexpanded = Span {
                    states: unexpanded..span.states.end,
                    ..span
                };
                // That a file cannot be written is told in the account of the checkpoints.
                if let Some(extent) = self.before_full.take() {
                    let wave = Span {
                        states: extent.next..unexpanded.states.end,
                        ..unexpanded
                    };
                    self.keep_before_full(extent, &wave, before);
                }
                let moment = Moment {
                    unexpanded: &unexpanded,
                    before,
                };
                let _ = self.keep(moment, When::Now);
                self.examine_rest([unexpanded, new], limit);
                return End::Limit(limit);
            }
            if let Some(length) = self.model.stop() {
                // Which states are outside of the constraint is known of those that were looked at; and what is wrong with the
                // states just reached is shown by traces as short.
                if self.model.is_constrained() || length >= new.length {
                    self.examine(&new);
                }
                return End::Stopped;
            }
            span = new;
        }
        End::Complete
    }

    /// Expands the states of a span, or says with which state a limit stopped it.
    /// The states to which it has led are those from `before` on.
    fn expand(&mut self, span: &Span, before: u64) -> Result<(), (u64, Limit)> {
        let wave = self.states_a_wave();
        let mut start = span.states.start;
        for part in span.parts(BETWEEN_LOOKS) {
            let at = |limit| (start, limit);
            self.make_room_on_disk(start, span.length + 1).map_err(at)?;
            self.within_limits().map_err(at)?;
            let loaded = self.list.load(&part.states);
            self.disk(loaded).map_err(at)?;
            for wave in part.parts(wave) {
                let states = wave.len();
                self.has_headroom(states).map_err(|limit| (start, limit))?;
                self.wave(&wave, Task::Expand)
                    .map_err(|limit| (start, limit))?;
                start = wave.states.end;
            }
            self.report(
                span.length,
                (self.list.keys.len() as u64).saturating_sub(start),
            );
            let at = |limit| (start, limit);
            let is_due = self.kept.as_ref().is_some_and(|kept| kept.journal.is_due());
            if is_due || start == span.states.end {
                self.settle(span.length + 1).map_err(at)?;
            } else {
                self.settle_if_many(span.length + 1).map_err(at)?;
            }
            if self.kept.is_some() {
                let moment = Moment {
                    unexpanded: &Span {
                        states: start..span.states.end,
                        ..*span
                    },
                    before,
                };
                self.keep(moment, When::Due)
                    .map_err(|limit| (start, limit))?;
            }
            self.not_starved().map_err(|limit| (start, limit))?;
            if self.at_capacity {
                return Err((start, Limit::States(self.most_states())));
            }
        }
        Ok(())
    }

    /// States of a wave.
    fn states_a_wave(&self) -> u64 {
        match (self.visited.looks_up_first(), self.options.threads) {
            (true, ..=1) => WAVE_OF_ONE,
            (true, _) => WAVE_LOOKED_UP,
            (false, ..=1) => WAVE,
            (false, _) => WAVE_OF_SEVERAL,
        }
    }

    /// Looks at the states that a limit leaves unexpanded. Where the time is up, or memory is, that is
    /// not to take long either.
    fn examine_rest(&mut self, rest: impl IntoIterator<Item = Span>, limit: Limit) {
        self.grace = match limit {
            Limit::States(_) | Limit::Depth(_) => None,
            Limit::Seconds(_)
            | Limit::MemoryBytes(_)
            | Limit::OutOfMemory
            | Limit::Disk
            | Limit::Cancelled => {
                Some(Instant::now() + GRACE.max(self.clock.started.elapsed() / 10))
            }
        };
        rest.into_iter().for_each(|span| self.examine(&span));
    }

    fn examine(&mut self, span: &Span) {
        for wave in span.parts(WAVE) {
            // What is left out is counted.
            let loaded = self.list.load(&wave.states);
            match self.disk(loaded) {
                Ok(()) => drop(self.wave(&wave, Task::ExamineOnly)),
                Err(_) => self.unexamined += wave.len(),
            }
            if self.list.is_on_disk() {
                let unloaded = self.list.unload(0..wave.states.end as usize);
                let _ = self.disk(unloaded);
            }
        }
    }

    /// Works through a wave. When the time is up before all its states are expanded, all of it is
    /// forgotten, so that what is reported speaks of whole waves. What was looked at stays so.
    fn wave(&mut self, wave: &Span, task: Task) -> Result<(), Limit> {
        let states = wave.len();
        let chunks = states.div_ceil(CHUNK) as u32;
        let threads = self.workers.len().min(chunks as usize);
        let shares = WorkRanges::new(chunks, threads);
        let mut workers = std::mem::take(&mut self.workers);
        let work = |(number, worker): (usize, &mut Worker<'a, K>)| {
            let mut done = Vec::new();
            let mut limit = None;
            let mut panicked = Vec::new();
            while let Some(share) = shares.take(number) {
                let start = wave.states.start + u64::from(share.number) * CHUNK;
                let chunk = Span {
                    states: start..wave.states.end.min(start + CHUNK),
                    ..*wave
                };
                worker.in_order = share.in_order;
                let expanded = catch(|| self.chunk(&chunk, task, worker));
                worker.expander.set_stage(Stage::Idle);
                match expanded {
                    Ok(Ok(expansion)) => done.push(expansion),
                    Ok(Err(reached)) => {
                        limit = Some(reached);
                        shares.stop();
                    }
                    // The others go on, so that the first panic is the same whatever the threads.
                    Err(panic) => panicked.push((chunk.states.start, panic)),
                }
            }
            let first = panicked.into_iter().min_by_key(|(start, _)| *start);
            worker.sorted.clear();
            done.sort_unstable_by_key(|expansion: &Successors<_>| expansion.sources.start);
            if task == Task::Expand {
                let lists = done.iter().map(|expansion| {
                    let chunk = (expansion.sources.start - wave.states.start) / CHUNK;
                    (chunk as u32, &*expansion.candidates)
                });
                let sorted = &mut worker.sorted;
                self.visited.sort(states as usize, threads, lists, sorted);
            }
            (done, limit, first)
        };
        let results = run_in_parallel(workers.iter_mut().enumerate().take(threads), work);
        self.workers = workers;
        let panics = results
            .iter()
            .filter_map(|(_, _, panicked)| panicked.as_ref());
        if let Some((_, panic)) = panics.min_by_key(|(start, _)| *start) {
            panic_again(panic.clone());
        }
        let is_forgotten = shares.is_stopped() && task == Task::Expand;
        let keeps = if is_forgotten {
            Keeps::Nothing
        } else {
            Keeps::Found
        };
        if task == Task::Expand && !is_forgotten && self.kept.is_some() && !self.at_capacity {
            // An upper bound of the states that are new.
            let lists = results.iter().flat_map(|(done, ..)| done);
            let candidates = lists.map(|one| one.candidates.len()).sum::<usize>();
            let is_perhaps_full = candidates > self.room().saturating_sub(self.list.keys.len());
            // Where states are on disk it is not known yet which are new.
            let extent = || self.extent(wave.states.start);
            self.before_full = (is_perhaps_full && !self.has_runs()).then(extent);
        }
        for worker in &mut self.workers[..threads] {
            worker.expander.end_of_wave(keeps);
        }
        if is_forgotten {
            // What was met is forgotten with the wave.
            for worker in &mut self.workers {
                worker.recent = DuplicateFilter::new(self.visited.hash_bits());
                worker.passed = Filtered::new();
                worker.sent.clear();
            }
            let mut limits = results.iter().filter_map(|(_, limit, _)| *limit);
            return Err(limits.next().expect("a limit has stopped the wave"));
        }
        let mut expansions = Vec::with_capacity(chunks as usize);
        for (done, ..) in results {
            expansions.extend(done);
        }
        if task == Task::Expand {
            expansions.sort_unstable_by_key(|expansion| expansion.sources.start);
            self.take_in(expansions, threads, wave.length + 1);
        } else {
            let examined = expansions
                .iter()
                .map(|one| one.sources.end - one.sources.start);
            self.unexamined += states - examined.sum::<u64>();
        }
        Ok(())
    }

    /// Adds the new states of a wave, and its steps, to what is known.
    fn take_in(&mut self, mut wave: Vec<Successors<K>>, threads: usize, length: u32) {
        let candidates: Vec<_> = wave
            .iter_mut()
            .map(|expansion| std::mem::take(&mut expansion.candidates))
            .collect();
        // Each is there once more while lists grow, and its hash once more where it is sorted.
        let count: usize = candidates.iter().map(Vec::len).sum();
        let bytes = 3 * count * size_of::<Candidate<K>>();
        self.wave_bytes = self.wave_bytes.max(bytes as u64);
        if let Some(together) = &mut self.together {
            let foreign = wave.iter_mut().map(|one| std::mem::take(&mut one.foreign));
            foreign.for_each(|words| together.send(words));
        }
        let sources: Vec<_> = wave.iter().map(|one| one.sources.clone()).collect();
        let sorted = self.workers[..threads].iter();
        let sorted: Vec<_> = sorted.map(|worker| &worker.sorted).collect();
        if self.has_runs() {
            let mut met = Chunks {
                sources: &sources,
                chunks: &mut self.tentative.chunks,
            };
            let keys = &mut self.tentative.keys;
            self.visited
                .add_all(keys, candidates, &sorted, usize::MAX, &mut met);
            for expansion in wave {
                self.transitions += expansion.transitions;
                self.incomplete |= expansion.incomplete;
            }
            return;
        }
        let room = self.room();
        let recording = self.is_recording();
        let compares_states = self.form == Form::Whole;
        let mut new_states = NewStates {
            next: self.list.keys.len() as u64,
            predecessors: &mut self.predecessors,
            sources: &sources,
            length,
            list: None,
            numbers: recording.then(Vec::new),
        };
        let adder = &self.workers[0].expander;
        if compares_states {
            adder.set_stage(Stage::Adding);
        }
        let fits = self.visited.add_all(
            &mut self.list.keys,
            candidates,
            &sorted,
            room,
            &mut new_states,
        );
        adder.set_stage(Stage::Idle);
        let numbers = new_states.numbers.unwrap_or_default();
        self.at_capacity |= !fits;
        if !self.at_capacity {
            self.before_full = None;
        }
        let mut numbers = numbers.into_iter();
        for expansion in wave {
            self.transitions += expansion.transitions;
            self.incomplete |= expansion.incomplete;
            let Some(graph) = self.graph.as_mut().filter(|_| recording) else {
                continue;
            };
            let mut edges = expansion.edges.into_iter();
            for degree in expansion.degrees {
                for (target, label) in edges.by_ref().take(degree as usize) {
                    let target = target.or_else(|| numbers.next());
                    graph.push(target.expect("each candidate has been met"), label);
                }
                graph.close();
            }
        }
    }
}
