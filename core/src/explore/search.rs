//! The search: waves of states are expanded until no state is left.
//!
//! A wave is a run of consecutive states. Its states are expanded in parallel against what was
//! reached before the wave; what was not is then added in the order in which a sequential search
//! would meet it. So the numbers of the states, and all that follows from them, depend on neither the
//! number of threads nor their timing. Which states make the next wave is the order's to say: the
//! oldest for breadth first, and then a wave never has states of two depths; the newest for depth
//! first.

mod arrivals;
mod chunk;
mod initial;

use std::time::{Duration, Instant};

use arrivals::Arrivals;
use chunk::Successors;
use initial::CutShort;

use super::End;
use super::expansion::{Expand, Expanded, Expander, Keeps, Task};
use super::frontier::{Frontier, Span};
use super::graph::Graph;
use super::limits::{Clock, Limit, Phase, Progress};
use super::log::Log;
use super::memory::{Resident, available_bytes, is_granted};
use super::options::{Order, PlainOptions, Record, Storage};
use super::origins::{Origins, Steps};
use super::recent::Recent;
use super::sieve::Sieve;
use super::visited::{Bins, Candidate, Visited};
use crate::model_call::Panic;
use crate::stretches::Stretches;
use crate::workers::together;

/// States a wave, breadth first. PERF: so many that each region of a large set is touched several times by
/// the candidates of a wave, so few that cancelling loses little.
const WAVE: u32 = 1 << 15;
/// The same where there are several threads. PERF: what each has to do with is then no more than what one has, and
/// threads are started half as often.
const WAVE_OF_SEVERAL: u32 = 1 << 16;
/// The same where candidates are looked up first. PERF: long enough to hide the start of the threads (tens
/// of microseconds),
const WAVE_LOOKED_UP: u32 = 8192;
/// and where there is one thread. PERF: the part of the set in which states were looked up is still in
/// the cache when they are added, which takes a tenth off a large search.
const WAVE_OF_ONE: u32 = 1024;
/// States between two looks at the limits: the same for any number of threads, so that it does not
/// depend on that where a limit ends the search.
const BETWEEN_LOOKS: u32 = 1 << 16;
/// Initial states between two looks at the clock.
const PATIENCE: usize = 16;
/// How long, after the time is up, states are looked at that were reached already: so long, or a tenth of what the
/// search took.
const GRACE: Duration = Duration::from_secs(1);
/// States between two questions of whether there is headroom. PERF: a question takes microseconds, as 10 states do.
const BETWEEN_GRANTS: u32 = WAVE_OF_ONE;
/// Bytes that have to be left before a wave of states is expanded, beside what such a wave takes; and the address space
/// that an allocator takes at a time for a thread. Of all of it only what is used is memory.
const HEADROOM: u64 = 64 << 20;
const HEADROOM_OF_THREAD: u64 = 64 << 20;
/// States a wave, depth first: few, so that the search is deep.
const SHORT_WAVE: u32 = 512;
/// States a worker takes at a time, of a wave and of a short wave. PERF: a level of no more states is
/// not worth the start of a thread.
const CHUNK: u32 = 256;
const SHORT_CHUNK: u32 = 64;
/// Bytes that the known steps of parts may take while there are few states; later it is half of what the
/// states take.
const MEMORY_FOR_FEW: u64 = 16 << 20;
/// More states than this cannot be numbered: the last number means none.
const MOST_STATES: u64 = u32::MAX as u64;

/// A search of the states of a model, which are kept as `K`. It knows nothing else of the model.
pub(super) struct Search<'a, K, I> {
    model: &'a dyn Expand<K>,
    options: PlainOptions<'a>,
    clock: Clock<'a>,
    log: Log<K>,
    visited: I,
    origins: Origins,
    workers: Vec<Worker<'a, K>>,
    graph: Option<Graph>,
    /// The steps that there were when they took too much memory.
    graph_too_large: Option<u64>,
    transitions: u64,
    /// The greatest length of a path to a state reached.
    depth: u32,
    /// Bytes that the largest wave took beside what it added.
    wave_bytes: u64,
    /// The states expanded since the operating system was asked whether there is headroom.
    since_grant: u32,
    /// A state was left out because there was no room for it.
    full: bool,
    /// A panic, or a state that cannot be packed, left steps unknown.
    holes: bool,
    /// Until when states are looked at that were reached before the time was up.
    grace: Option<Instant>,
    /// The states reached that are not looked at, for lack of time.
    unexamined: u64,
    resident: Resident,
}

/// What a worker remembers from wave to wave. PERF: on lines of the cache of its own.
#[repr(align(128))]
struct Worker<'a, K> {
    /// Expands the states.
    expander: Box<dyn Expander<K> + 'a>,
    /// Where the steps of the last batch led.
    expanded: Expanded<K>,
    /// Whether the chunk follows all those of the wave that it has worked through. If not, a target met in one of those
    /// may be met here first, in order.
    in_order: bool,
    /// The targets that it met last, in order,
    recent: Recent,
    /// and those of the chunk that were not among them.
    passed: Sieve<Candidate<K>>,
    /// The candidates of all its chunks of the wave, if they were sorted.
    sorted: Bins,
    /// Steps taken since it looked at the memory.
    unlooked: u64,
}

/// What a search has found: the states, and how it went. Of what was found of them the model knows.
pub(super) struct Found<K> {
    pub log: Log<K>,
    pub origins: Origins,
    /// How many initial states there are, if the log keeps no others.
    pub initial_only: Option<usize>,
    pub end: End,
    pub initial_states: u64,
    pub unexamined: u64,
    pub transitions: u64,
    pub depth: u32,
    pub seconds: f64,
    pub peak_memory_bytes: u64,
    pub store_bytes: u64,
    pub set_bytes: u64,
    pub graph: Option<Graph>,
    pub graph_too_large: Option<u64>,
    pub initial_panic: Option<Panic>,
}

impl<'a, K, I> Search<'a, K, I>
where
    K: Clone + Send + Sync,
    I: Visited<K>,
{
    pub fn new(model: &'a dyn Expand<K>, options: PlainOptions<'a>, visited: I) -> Self {
        let steps = match options.storage {
            Storage::Fingerprints => Steps::Kept,
            Storage::Packed | Storage::Whole => Steps::Found,
        };
        Self {
            model,
            options,
            clock: Clock {
                limits: options.limits,
                watch: options.watch,
                started: Instant::now(),
            },
            log: Log::new(),
            origins: Origins::new(steps),
            workers: (0..options.threads)
                .map(|_| Worker {
                    expander: model.worker(),
                    expanded: Expanded::default(),
                    in_order: true,
                    recent: Recent::new(visited.mark_bits()),
                    passed: Sieve::new(),
                    sorted: Bins::default(),
                    unlooked: 0,
                })
                .collect(),
            // Without the numbers of targets there are no edges.
            graph: (options.record == Record::Graph && !visited.marks_are_keys()).then(Graph::new),
            visited,
            graph_too_large: None,
            transitions: 0,
            depth: 0,
            wave_bytes: 0,
            since_grant: 0,
            full: false,
            holes: false,
            grace: None,
            unexamined: 0,
            resident: Resident::default(),
        }
    }

    pub fn run(mut self) -> Found<K> {
        let CutShort { limit, panic } = self.add_initial();
        let initial_states = self.log.len();
        if self.options.storage == Storage::Fingerprints {
            self.log.keep_first(initial_states);
        }
        let mut end = self.search(limit);
        if (self.holes || panic.is_some()) && end == End::Complete {
            end = End::Panicked;
        }
        let store_bytes = self.store_bytes();
        self.resident.look(store_bytes);
        Found {
            initial_states: initial_states as u64,
            unexamined: self.unexamined,
            transitions: self.transitions,
            depth: self.depth,
            seconds: self.clock.started.elapsed().as_secs_f64(),
            peak_memory_bytes: self.resident.peak(),
            store_bytes,
            set_bytes: self.visited.bytes(),
            graph: self.graph.take().filter(|_| end == End::Complete),
            graph_too_large: self.graph_too_large,
            initial_panic: panic,
            initial_only: match self.options.storage {
                Storage::Fingerprints => Some(initial_states),
                Storage::Packed | Storage::Whole => None,
            },
            end,
            log: self.log,
            origins: self.origins,
        }
    }

    /// Expands span after span, unless a limit was reached before.
    fn search(&mut self, limit: Option<Limit>) -> End {
        let mut frontier = Frontier::new(self.options.order, SHORT_WAVE);
        frontier.push(0..self.log.len() as u32, 0);
        if let Some(limit) = limit {
            self.examine_rest(frontier.rest(), limit);
            return End::Limit(limit);
        }
        if self.full && self.log.len() == 0 {
            // There is nothing to look at, and there are states.
            return End::Limit(Limit::States(self.most_states()));
        }
        let mut too_deep = None;
        while let Some(span) = frontier.next() {
            let before = self.log.len() as u32;
            let outcome = match self.options.limits.depth {
                Some(most) if most == span.length => match self.options.order {
                    Order::BreadthFirst => Err((span.states.start, Limit::Depth(most))),
                    Order::DepthFirst => {
                        too_deep = Some(Limit::Depth(most));
                        self.examine(&span);
                        continue;
                    }
                },
                _ => self.expand(&span),
            };
            let new = Span {
                states: before..self.log.len() as u32,
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
                let rest = [unexpanded, new].into_iter().chain(frontier.rest());
                self.examine_rest(rest, limit);
                return End::Limit(limit);
            }
            if let Some(length) = self.model.stop() {
                if self.options.order == Order::BreadthFirst && length >= new.length {
                    // What is wrong with the states just reached is shown by traces as short.
                    self.examine(&new);
                }
                return End::Stopped;
            }
            frontier.push(new.states, new.length);
        }
        too_deep.map_or(End::Complete, End::Limit)
    }

    /// Expands the states of a span, or says with which state a limit stopped it.
    fn expand(&mut self, span: &Span) -> Result<(), (u32, Limit)> {
        let wave = match self.visited.looks_up_first() {
            true if self.options.threads <= 1 => WAVE_OF_ONE,
            true => WAVE_LOOKED_UP,
            false if self.options.threads <= 1 => WAVE,
            false => WAVE_OF_SEVERAL,
        };
        let mut start = span.states.start;
        for part in span.parts(BETWEEN_LOOKS) {
            self.within_limits().map_err(|limit| (start, limit))?;
            for wave in part.parts(wave) {
                let states = wave.states.len() as u32;
                self.has_headroom(states).map_err(|limit| (start, limit))?;
                self.wave(&wave, Task::Expand)
                    .map_err(|limit| (start, limit))?;
                start = wave.states.end;
            }
            self.report(span.length, (self.log.len() as u32).saturating_sub(start));
            if self.options.storage == Storage::Fingerprints {
                self.log.forget_before(start as usize);
            }
            self.not_starved().map_err(|limit| (start, limit))?;
            if self.full {
                return Err((start, Limit::States(self.most_states())));
            }
        }
        Ok(())
    }

    /// Looks at the states that a limit leaves unexpanded. Where the time is up, or memory is, that is
    /// not to take long either.
    fn examine_rest(&mut self, rest: impl Iterator<Item = Span>, limit: Limit) {
        self.grace = match limit {
            Limit::States(_) | Limit::Depth(_) => None,
            Limit::Seconds(_) | Limit::MemoryBytes(_) | Limit::OutOfMemory | Limit::Cancelled => {
                Some(Instant::now() + GRACE.max(self.clock.started.elapsed() / 10))
            }
        };
        rest.for_each(|span| self.examine(&span));
    }

    fn examine(&mut self, span: &Span) {
        for wave in span.parts(WAVE) {
            // What is left out is counted.
            let _ = self.wave(&wave, Task::ExamineOnly);
        }
    }

    fn most_states(&self) -> u64 {
        let limit = self.options.limits.states;
        limit.unwrap_or(MOST_STATES).min(MOST_STATES)
    }

    fn report(&self, depth: u32, frontier: u32) {
        if let Some(progress) = self.options.watch.progress {
            progress(&Progress {
                phase: Phase::Search,
                states: self.log.len() as u64,
                transitions: self.transitions,
                depth,
                frontier: frontier.into(),
                elapsed: self.clock.started.elapsed(),
            });
        }
    }

    /// Bytes of the states and of what says how they were reached.
    fn store_bytes(&self) -> u64 {
        self.log.bytes() + self.origins.bytes() + self.visited.bytes()
    }

    fn within_limits(&mut self) -> Result<(), Limit> {
        if let Some(limit) = self.clock.out_of_time() {
            return Err(limit);
        }
        let Some(held) = self.resident.look_again(self.store_bytes()) else {
            return Ok(());
        };
        let most = self.options.limits.memory_bytes;
        if let Some(graph) = &self.graph {
            // Beside the steps, deciding about them takes some 20 bytes a state.
            let needed = held + 20 * self.log.len() as u64;
            let too_much = match most {
                Some(most) => needed >= most,
                None => available_bytes().is_some_and(|left| left < needed / 8),
            };
            if too_much {
                self.graph_too_large = Some(graph.len() as u64);
                self.graph = None;
                return Ok(());
            }
        }
        match most {
            Some(most) if held >= most => Err(Limit::MemoryBytes(most)),
            _ => Ok(()),
        }
    }

    /// Whether the operating system would grant what a wave of so many states may take, where it was not asked just
    /// before.
    fn has_headroom(&mut self, states: u32) -> Result<(), Limit> {
        self.since_grant = self.since_grant.saturating_add(states);
        if self.since_grant < BETWEEN_GRANTS {
            return Ok(());
        }
        self.since_grant = 0;
        let block = self.log.block_bytes();
        let threads = HEADROOM_OF_THREAD * (self.options.threads as u64 + 1);
        let headroom = HEADROOM + threads + 2 * (self.wave_bytes + block);
        match is_granted(usize::try_from(headroom).unwrap_or(usize::MAX)) {
            true => Ok(()),
            false => Err(Limit::OutOfMemory),
        }
    }

    /// Whether all states were added for which there was to be room, as far as the operating system goes.
    fn not_starved(&self) -> Result<(), Limit> {
        match self.visited.is_starved() {
            true => Err(Limit::OutOfMemory),
            false => Ok(()),
        }
    }

    /// Works through a wave. When the time is up before all its states are expanded, all of it is
    /// forgotten, so that what is reported speaks of whole waves. What was looked at stays so.
    fn wave(&mut self, wave: &Span, task: Task) -> Result<(), Limit> {
        let states = wave.states.len() as u32;
        let chunk_size = match self.options.order {
            Order::BreadthFirst => CHUNK,
            Order::DepthFirst => SHORT_CHUNK,
        };
        let chunks = states.div_ceil(chunk_size);
        let threads = self.workers.len().min(chunks as usize);
        let shares = Stretches::new(chunks, threads);
        let mut workers = std::mem::take(&mut self.workers);
        let work = |(number, worker): (usize, &mut Worker<'a, K>)| {
            let mut done = Vec::new();
            let mut limit = None;
            while let Some(share) = shares.take(number) {
                let start = wave.states.start + share.number * chunk_size;
                let chunk = Span {
                    states: start..wave.states.end.min(start + chunk_size),
                    ..*wave
                };
                worker.in_order = share.in_order;
                match self.chunk(&chunk, task, worker) {
                    Ok(expansion) => done.push(expansion),
                    Err(reached) => {
                        limit = Some(reached);
                        shares.stop();
                    }
                }
            }
            worker.sorted.clear();
            done.sort_unstable_by_key(|expansion: &Successors<_>| expansion.sources.start);
            if task == Task::Expand {
                let lists = done.iter().map(|expansion| {
                    let chunk = (expansion.sources.start - wave.states.start) / chunk_size;
                    (chunk, &*expansion.candidates)
                });
                let of = (states as usize, threads);
                self.visited.sort(of, lists, &mut worker.sorted);
            }
            (done, limit)
        };
        let results = together(workers.iter_mut().enumerate().take(threads), work);
        self.workers = workers;
        let is_forgotten = shares.is_stopped() && task == Task::Expand;
        let keeps = match is_forgotten {
            true => Keeps::Nothing,
            false => Keeps::Found,
        };
        for worker in &mut self.workers[..threads] {
            worker.expander.end_of_wave(keeps);
        }
        let known = self.log.bytes() + self.visited.bytes();
        self.model.limit_memory(MEMORY_FOR_FEW.max(known / 2));
        if is_forgotten {
            // What was met is forgotten with the wave.
            for worker in &mut self.workers {
                worker.recent = Recent::new(self.visited.mark_bits());
                worker.passed = Sieve::new();
            }
            let mut limits = results.iter().filter_map(|(_, limit)| *limit);
            return Err(limits.next().expect("a limit has stopped the wave"));
        }
        let mut expansions = Vec::with_capacity(chunks as usize);
        for (done, _) in results {
            expansions.extend(done);
        }
        if task == Task::Expand {
            expansions.sort_unstable_by_key(|expansion| expansion.sources.start);
            self.take_in(expansions, threads, wave.length + 1);
        } else {
            let examined = expansions.iter().map(|one| one.sources.len() as u64);
            self.unexamined += u64::from(states) - examined.sum::<u64>();
        }
        Ok(())
    }

    /// Adds the new states of a wave, and its steps, to what is known.
    fn take_in(&mut self, mut wave: Vec<Successors<K>>, threads: usize, length: u32) {
        let candidates: Vec<_> = wave
            .iter_mut()
            .map(|expansion| std::mem::take(&mut expansion.candidates))
            .collect();
        // Each is there once more while lists grow, and its mark once more where it is sorted.
        let count: usize = candidates.iter().map(Vec::len).sum();
        let bytes = 3 * count * size_of::<Candidate<K>>();
        self.wave_bytes = self.wave_bytes.max(bytes as u64);
        let sources: Vec<_> = wave.iter().map(|one| one.sources.clone()).collect();
        let sorted = self.workers[..threads].iter();
        let sorted: Vec<_> = sorted.map(|worker| &worker.sorted).collect();
        let room = self.most_states() as usize;
        let mut arrivals = Arrivals {
            next: self.log.len() as u32,
            origins: &mut self.origins,
            sources: &sources,
            length,
            list: None,
            numbers: self.graph.is_some().then(Vec::new),
        };
        let fits = self
            .visited
            .add_all(&mut self.log, candidates, &sorted, room, &mut arrivals);
        let numbers = arrivals.numbers.unwrap_or_default();
        self.full |= !fits;
        let mut numbers = numbers.into_iter();
        for expansion in wave {
            self.transitions += expansion.transitions;
            self.holes |= expansion.holes;
            let Some(graph) = &mut self.graph else {
                continue;
            };
            for (target, label) in expansion.edges {
                let target = target.or_else(|| numbers.next());
                graph.push(target.expect("each candidate has been met"), label);
            }
            for degree in expansion.degrees {
                graph.close(degree);
            }
        }
    }
}
