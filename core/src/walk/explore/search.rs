//! The search: waves of states are expanded until no state is left.
//!
//! A wave is a run of consecutive states. Its states are expanded in parallel against what was
//! reached before the wave; what was not is then added in the order in which a sequential search
//! would meet it. So the numbers of the states, and all that follows from them, depend on neither the
//! number of threads nor their timing. The oldest states make the next
//! wave, and a wave never has states of two depths.
//!
//! A model may have each level [passed twice](super::Visitor::PASSES_TWICE). Steps that lead no farther then add to the level while it is passed first.

#[cfg(not(feature = "disk"))]
mod alone;
mod bounds;
#[cfg(feature = "disk")]
mod checkpoint;
mod chunk;
#[cfg(feature = "disk")]
mod exchange;
mod found;
#[cfg(feature = "disk")]
mod gather;
mod initial;
mod kept;
mod list;
mod meeting;
mod member;
mod new_states;
mod order;
#[cfg(feature = "disk")]
mod resume;
mod spilling;
mod state;

use std::time::{Duration, Instant};

#[cfg(not(feature = "disk"))]
use alone::{AT_FAULT, Resumed, add_key};
use bounds::BETWEEN_LOOKS;
#[cfg(feature = "disk")]
use checkpoint::{AT_FAULT, add_key};
use chunk::Successors;
use found::Ended;
pub(super) use found::Found;
use kept::KeptForCheckpoints;
use member::Together;
use new_states::NewStates;
#[cfg(feature = "disk")]
use resume::Resumed;
use spilling::{Chunks, spill_from};
pub(super) use state::StateSearch;
use state::Worker;

use super::duplicates::DuplicateFilter;
use super::expansion::{Keeps, Task};
use super::explored::End;
use super::filtered::Filtered;
use super::graph::Graph;
use super::keys::{Compared, Form};
use super::limits::Limit;
use super::no_outcome::NoOutcome;
use super::peers::{FIRST, Notice, Trouble};
use super::set::{Candidate, Visited};
use super::span::{Pass, Span};
use super::spill::OfSearch;
use crate::statement::asked::calls::Stage;
use crate::statement::asked::model_call::{catch, panic_again};
use crate::walk::parallel::run_in_parallel;
use crate::walk::work_ranges::WorkRanges;

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

impl<'a, K, I> StateSearch<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Searches, alone or with others. Of several processes, process 0 has the outcome, and the others get its report.
    ///
    /// # Errors
    ///
    /// If the checkpoint that is resumed is damaged, or one of another model; if the processes do not search the same, or one was lost; and
    /// where another process has the outcome.
    pub fn run(mut self, means: OfSearch<K, I>) -> Result<Found, NoOutcome> {
        let OfSearch {
            journal,
            party,
            folder,
            disk,
            from_bytes,
            open,
        } = means;
        self.list.disk = disk;
        self.list.folder = folder;
        let most = self.options.limits.memory_bytes;
        self.spill_from = from_bytes.or(most.map(spill_from)).unwrap_or(u64::MAX);
        self.kept = journal.map(|journal| Box::new(KeptForCheckpoints::new(journal)));
        self.together = party.map(|party| Box::new(Together::new(party)));
        let ended = match &self.together {
            Some(_) => self.search()?,
            // What the model does with a state as it is expanded has guards of its own. Where it panics as states are compared, or
            // what was counted of them is added up, the search ends.
            None => catch(|| self.search()).unwrap_or_else(|panic| {
                self.panic.get_or_insert(panic);
                Ok(Ended::of_all(End::Panicked))
            })?,
        };
        self.graph.iter_mut().for_each(Graph::finish);
        let record = self.record();
        match open.filter(|_| self.together.is_some()) {
            Some(open) => self.gather(ended, record, open),
            None => Ok(self.found(ended, record)),
        }
    }

    /// Expands level after level, until none is left or something ends it.
    fn search(&mut self) -> Result<Ended, NoOutcome> {
        self.attend();
        if let Some(together) = &self.together {
            together.test_search()?;
        }
        let resumed = self.resume()?;
        // A checkpoint that is resumed need not be written once more, and a level in whose midst the search goes on has begun.
        let (mut is_new, mut is_begun) = (resumed.is_none(), false);
        let mut left = match resumed {
            None => self.begin()?,
            Some(Resumed {
                limit: Some((process, limit)),
                ..
            }) => return Ok(self.ended_by(process, limit)),
            Some(resumed) => {
                self.attend();
                is_begun = resumed.is_begun;
                resumed.left
            }
        };
        loop {
            if let Some(together) = &mut self.together {
                together.level = left.length;
            }
            if !is_begun {
                self.before = self.list.keys.len() as u64;
                if self.together.is_some() {
                    self.meet(&left)?;
                }
                if let Some(ended) = self.decide(&left)? {
                    return Ok(ended);
                }
                if is_new && self.together.is_some() {
                    self.keep_if_due(&left)?;
                }
            }
            (is_new, is_begun) = (true, false);
            let trouble = self.pass(&mut left)?;
            let new = self.begin_level(self.before, left.leads_to());
            if let Some((process, trouble)) = trouble {
                let at = self.moment_at_limit(&left);
                self.keep_at_limit(at, trouble)?;
                self.cut_if_too_many(trouble)?;
                let left = self.not_looked_at(left);
                let rest = [left].into_iter().chain(self.spans_of(new));
                return Ok(self.end_early(process, trouble, rest.collect()));
            }
            left = new;
        }
    }

    /// Pass in which a level begins.
    fn first_pass(&self) -> Pass {
        if self.model.passes_twice() {
            Pass::First
        } else {
            Pass::Last
        }
    }

    /// Passes a level, or what is left of it: where that is done twice, first until no step leads to a new state of it.
    fn pass(&mut self, left: &mut Span) -> Result<Option<(usize, Trouble)>, NoOutcome> {
        while left.pass == Pass::First {
            let trouble = self.expand(left)?;
            self.before = self.begin_level(self.before, left.length).states.end;
            left.states.end = self.before;
            if trouble.is_some() {
                return Ok(trouble);
            }
            if left.len() == 0 {
                *left = self.not_looked_at(left.clone());
            }
        }
        self.expand(left)
    }

    /// The states that are left, or, in a first pass, all of the level: none was looked at yet.
    fn not_looked_at(&self, left: Span) -> Span {
        match left.pass {
            Pass::Last => left,
            Pass::First => {
                let states = self.list.keys.len() as u64;
                Span {
                    states: self.predecessors.level(left.length, states),
                    pass: Pass::Last,
                    ..left
                }
            }
        }
    }

    /// Expands the states of a level that are left, until a reason to end is told.
    fn expand(&mut self, left: &mut Span) -> Result<Option<(usize, Trouble)>, NoOutcome> {
        loop {
            let begun = left.states.start;
            if let Some(Err(limit)) = self.guarded(|search| search.expand_some(left)) {
                self.limit(limit);
            }
            self.meet(left)?;
            if self.together.is_none() && left.states.start > begun {
                self.keep_if_due(left)?;
            }
            let trouble = self.trouble();
            let is_expanded = match &self.together {
                None => left.len() == 0,
                Some(together) => Notice::sum(&together.notices, |one| one.left) == 0,
            };
            let is_full = matches!(trouble, Some((_, Trouble::Limit(Limit::States(_)))));
            if is_expanded && is_full && self.together.is_some() {
                // Whichever process has the states, the next level tells that there are too many.
                return Ok(None);
            }
            if is_expanded || trouble.is_some() {
                return Ok(trouble);
            }
        }
    }

    /// Expands states of a level: of one process until it looks at the limits, of several until there are enough words for the others.
    fn expand_some(&mut self, left: &mut Span) -> Result<(), Limit> {
        let wave = self.states_a_wave();
        for part in left.clone().parts(BETWEEN_LOOKS) {
            self.make_room_on_disk(part.states.start, left.leads_to())?;
            self.within_limits()?;
            let loaded = self.list.load(&part.states);
            self.disk(loaded)?;
            for wave in part.parts(wave) {
                if self.together.as_ref().is_some_and(|one| one.is_full()) {
                    return Ok(());
                }
                self.has_headroom(wave.len())?;
                self.wave(&wave, Task::Expand)?;
                left.states.start = wave.states.end;
            }
            if self.together.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Decides whether the search ends where a level begins, and why.
    fn decide(&mut self, level: &Span) -> Result<Option<Ended>, NoOutcome> {
        if let Some((process, trouble)) = self.trouble() {
            let at = match trouble {
                // It has more states than the limit allows.
                Trouble::Limit(Limit::States(_)) => self.earlier.take(),
                // Initial states may be missing.
                _ if level.length == 0 => None,
                _ => self.moment(level.clone()),
            };
            self.keep_at_limit(at, trouble)?;
            self.cut_if_too_many(trouble)?;
            let rest = self.spans_of(level.clone());
            return Ok(Some(self.end_early(process, trouble, rest)));
        }
        let (stop, left) = match &self.together {
            None => (self.model.stop(), level.len()),
            Some(together) => {
                let notices = &together.notices;
                let stop = notices.iter().filter_map(|notice| notice.stop).min();
                (stop, Notice::sum(notices, |notice| notice.left))
            }
        };
        if let Some(length) = stop {
            // Which states are outside of the constraint is known of those that were looked at; and what is wrong with the states just
            // reached is shown by traces as short.
            if self.model.is_constrained() || length >= level.length {
                self.guarded(|search| search.examine(level));
            }
            return Ok(Some(Ended::of_all(End::Stopped)));
        }
        if left == 0 {
            return Ok(Some(Ended::of_all(End::Complete)));
        }
        let depth = self.options.limits.depth;
        let Some(most) = depth.filter(|most| *most == level.length) else {
            return Ok(None);
        };
        let limit = Trouble::Limit(Limit::Depth(most));
        let at = if self.together.is_none() || level.length > 0 {
            self.moment(level.clone())
        } else {
            None
        };
        self.keep_at_limit(at, limit)?;
        Ok(Some(self.end_early(FIRST, limit, vec![level.clone()])))
    }

    /// Ends the search as a process has told to, with a look at the states that are not expanded.
    fn end_early(&mut self, process: usize, trouble: Trouble, rest: Vec<Span>) -> Ended {
        let Trouble::Limit(limit) = trouble else {
            return Ended::of_all(End::Panicked);
        };
        self.guarded(|search| search.examine_rest(rest, limit));
        self.ended_by(process, limit)
    }

    /// End by a limit, which a process has told.
    fn ended_by(&self, process: usize, limit: Limit) -> Ended {
        let is_of_all = matches!(limit, Limit::States(_) | Limit::Depth(_));
        Ended {
            end: End::Limit(limit),
            limit_process: (self.together.is_some() && !is_of_all).then_some(process),
        }
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
        let last = Span {
            pass: Pass::Last,
            ..span.clone()
        };
        for wave in last.parts(WAVE) {
            // What is left out is counted.
            if self.look_at(&wave).is_err() {
                self.unexamined += wave.len();
            }
            if self.list.is_on_disk() {
                let unloaded = self.list.unload(0..wave.states.end as usize);
                let _ = self.disk(unloaded);
            }
        }
    }

    /// Has the model look at states, in the first pass to meet them, and take no steps.
    fn look_at(&mut self, wave: &Span) -> Result<(), Limit> {
        let loaded = self.list.load(&wave.states);
        self.disk(loaded)?;
        self.wave(wave, Task::ExamineOnly)
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
                    ..wave.clone()
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
        let is_kept = self.together.is_none() && self.kept.is_some() && !self.at_capacity;
        if is_kept && task == Task::Expand && !is_forgotten {
            // An upper bound of the states that are new.
            let lists = results.iter().flat_map(|(done, ..)| done);
            let candidates = lists.map(|one| one.candidates.len()).sum::<usize>();
            let is_perhaps_full = candidates > self.room().saturating_sub(self.list.keys.len());
            // Where states are on disk it is not known yet which are new.
            let left = Span {
                states: wave.states.start..self.before,
                ..wave.clone()
            };
            self.earlier = if is_perhaps_full && !self.has_runs() {
                self.moment(left)
            } else {
                None
            };
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
            self.take_in(expansions, threads, wave.leads_to());
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
            predecessors: self.together.is_none().then_some(&mut self.predecessors),
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
        if !self.at_capacity && self.together.is_none() {
            self.earlier = None;
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
