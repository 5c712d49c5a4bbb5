//! The search of several processes, each of which expands the states that it owns.
//!
//! Processes meet whenever each has expanded so much that it has a bounded number of words for the others, or all of its level. What they tell
//! each other then decides for all of them alike how it goes on.

mod gather;
mod keep;
mod resume;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::bounds::BETWEEN_LOOKS;
use super::checkpoint::AT_FAULT;
use super::chunk::Successors;
use super::initial::CutShort;
use super::resume::Added;
use super::state::{Search, Worker};
use crate::explore::expansion::Task;
use crate::explore::exploration::NoOutcome;
use crate::explore::explored::End;
use crate::explore::frontier::Span;
use crate::explore::keys::Compared;
use crate::explore::limits::Limit;
use crate::explore::memory::resident_bytes;
use crate::explore::peers::{
    FIRST, Garbled, Notice, Party, Peers, PeersError, Run, Trouble, meet, push_keys, push_text,
    take_keys, take_text, to_all,
};
use crate::explore::set::{Candidate, Fingerprinted, Predecessor, Visited};
use crate::model_call::{Panic, catch};
use crate::parallel::run_in_parallel;
use crate::random::generator::mix;
pub(super) use keep::Listed;

/// Words that are under way between all processes, at most: 64 MiB.
const WORDS: usize = 1 << 23;
/// Number from which on states are those at which something was found before the search went on from a checkpoint.
const EARLIER: u32 = 1 << 31;
/// Shards of the states: each belongs to a process as a whole.
const SHARDS: u64 = 1 << 10;
/// Targets sent last of which a worker knows. PERF: they fit into a processor's second cache.
const SENT: usize = 1 << 13;
/// Targets of others that are added at a time, by a thread.
const LIST: usize = 1 << 12;

/// Data that a search has beside itself where it is one of several.
pub(super) struct Together {
    pub peers: Arc<dyn Peers>,
    party: Party,
    /// Words of targets for each process.
    outgoing: Vec<Vec<u64>>,
    /// Runs of the states, of which each is sorted.
    pub runs: Vec<Run>,
    /// Number of these that the last checkpoint has.
    kept_runs: usize,
    /// Number of states that are sorted.
    sorted: u32,
    /// Last notices of all.
    pub notices: Vec<Notice>,
    /// Reason why this process expands no more states.
    trouble: Option<Trouble>,
    /// Panic of a function of the model that was not called for a state or a step.
    pub panic: Option<Panic>,
}

impl Together {
    pub fn new(party: Party) -> Self {
        let peers = Arc::clone(&party.peers);
        Self {
            outgoing: vec![Vec::new(); peers.processes()],
            peers,
            party,
            runs: Vec::new(),
            kept_runs: 0,
            sorted: 0,
            notices: Vec::new(),
            trouble: None,
            panic: None,
        }
    }

    /// No words for each process.
    fn nothing(&self) -> Vec<Vec<u64>> {
        vec![Vec::new(); self.outgoing.len()]
    }

    /// Number of the process to which a state belongs.
    fn owner(&self, key: &impl Fingerprinted) -> usize {
        // Sets go by other bits of other hashes, so that their parts are as full in each process.
        let shard = mix(key.fingerprint()) % SHARDS;
        (shard * self.peers.processes() as u64 / SHARDS) as usize
    }

    /// True if a state belongs to another process.
    pub fn is_foreign(&self, key: &impl Fingerprinted) -> bool {
        self.owner(key) != self.peers.process()
    }

    /// Takes out of what a chunk has led to the targets that belong to others, but for those that the worker has sent lately.
    pub fn part<K: Compared>(
        &self,
        found: &mut Successors<K>,
        sent: &mut Vec<Option<K>>,
        is_same: impl Fn(&K, &K) -> bool,
    ) {
        sent.resize(SENT, None);
        found.foreign.resize(self.outgoing.len(), Vec::new());
        let own = self.peers.process();
        found.candidates.retain(|candidate| {
            let owner = self.owner(&candidate.key);
            if owner == own {
                return true;
            }
            let slot = &mut sent[candidate.hash as usize % SENT];
            let is_sent = slot
                .as_ref()
                .is_some_and(|sent| is_same(sent, &candidate.key));
            if !is_sent {
                let words = &mut found.foreign[owner];
                push_keys(words, K::keys(std::slice::from_ref(&candidate.key)));
                *slot = Some(candidate.key.clone());
            }
            false
        });
    }

    /// States, transitions, and states of the level that are not expanded, of all processes when they last met.
    pub fn totals(&self) -> (u64, u64, u64) {
        let sum = |of: fn(&Notice) -> u64| Notice::sum(&self.notices, of);
        (
            sum(|notice| notice.states),
            sum(|notice| notice.transitions),
            sum(|notice| notice.left),
        )
    }

    /// Bytes of memory that all processes held when they last met.
    pub fn memory_bytes(&self) -> u64 {
        Notice::sum(&self.notices, |notice| notice.memory_bytes)
    }

    /// Adds words for the others.
    pub fn send(&mut self, foreign: Vec<Vec<u64>>) {
        for (outgoing, mut words) in self.outgoing.iter_mut().zip(foreign) {
            outgoing.append(&mut words);
        }
    }

    /// True if there are as many words for the others as may be under way.
    fn is_full(&self) -> bool {
        let words: usize = self.outgoing.iter().map(Vec::len).sum();
        words >= WORDS / self.outgoing.len()
    }

    fn limit(&mut self, limit: Limit) {
        self.trouble.get_or_insert(Trouble::Limit(limit));
    }

    /// Tests that all processes search the same.
    fn test_search(&self) -> Result<(), PeersError> {
        let mut words = Vec::new();
        let identity = serde_json::to_string(&self.party.identity).expect("values have a text");
        push_text(&mut words, &identity);
        let received = self.peers.exchange(to_all(&*self.peers, &words))?;
        let mut all = Vec::new();
        for (process, mut words) in received.into_iter().enumerate() {
            let text = take_text(&mut words);
            let read = text.and_then(|text| serde_json::from_str(&text).map_err(|_| Garbled));
            let identity: Map<String, Value> = read.map_err(|garbled| garbled.of(process))?;
            all.push(identity);
        }
        for (process, identity) in all.iter().enumerate() {
            for (what, first) in &all[FIRST] {
                let there = identity.get(what).unwrap_or(&Value::Null);
                if there != first {
                    return Err(PeersError::Other {
                        process,
                        what: what.clone(),
                        there: there.to_string(),
                        first: first.to_string(),
                    });
                }
            }
        }
        Ok(())
    }
}

/// Place after the last state of a run, of so many states.
fn end_of(runs: &[Run], number: usize, states: usize) -> usize {
    let next = runs.get(number + 1);
    next.map_or(states, |next| next.first as usize)
}

/// End of a search of several processes.
pub(super) struct Ended {
    pub end: End,
    /// Distinct initial states of this process.
    pub initial_states: u64,
    /// Number of levels of which all states were expanded.
    pub levels: u32,
}

impl<'a, K, I> Search<'a, K, I>
where
    K: Compared + Ord,
    I: Visited<K>,
{
    fn together(&mut self) -> &mut Together {
        self.together.as_mut().expect("there are peers")
    }

    /// Does something that calls the model where it has no guard of its own.
    fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        match catch(|| work(self)) {
            Ok(done) => Some(done),
            Err(panic) => {
                let together = self.together();
                together.panic.get_or_insert(panic);
                together.trouble = Some(Trouble::Panicked);
                None
            }
        }
    }

    /// Searches until the processes find that it is over.
    pub(super) fn search_together(&mut self) -> Result<Ended, NoOutcome> {
        self.together().test_search()?;
        let resumed = self.resume_together()?;
        let mut initial_states = 0;
        // A level in whose midst the search goes on has begun.
        let mut begun = None;
        // A checkpoint that is resumed need not be written once more.
        let mut is_new = true;
        let mut level = match resumed {
            Some(resumed) => {
                initial_states = resumed.initial_states;
                let before = resumed.before(self.log.len() as u32);
                begun = resumed.is_begun.then_some((resumed.left, before));
                is_new = false;
                resumed.level
            }
            None => {
                let level = self.begin();
                initial_states += level.states.len() as u64;
                level
            }
        };
        let end = loop {
            if begun.is_none() {
                self.meet(&level)?;
                if let Some(end) = self.decide(&level) {
                    break end;
                }
                if is_new {
                    self.keep_together(&level)?;
                }
            }
            is_new = true;
            let all = || (level.clone(), self.log.len() as u32);
            let (mut left, before) = begun.take().unwrap_or_else(all);
            let trouble = loop {
                self.expand_some(&mut left);
                self.meet(&left)?;
                let trouble = self.trouble();
                let notices = &self.together().notices;
                if trouble.is_some() || Notice::sum(notices, |one| one.left) == 0 {
                    break trouble;
                }
            };
            let new = self.begin_level(before, level.length + 1);
            if let Some(trouble) = trouble {
                break self.end_early(trouble, &[left, new]);
            }
            level = new;
        };
        Ok(Ended {
            end,
            initial_states,
            levels: level.length,
        })
    }

    /// The initial states.
    fn begin(&mut self) -> Span {
        if let Some(CutShort { limit, panic }) = self.guarded(Self::add_initial) {
            if let Some(kept) = self.kept.as_mut().filter(|_| panic.is_some()) {
                // A search that goes on would not know of it.
                kept.journal.end(AT_FAULT);
            }
            // A panic of `initial` is one of all processes, and what was shown before it is searched.
            let together = self.together();
            together.panic = panic;
            limit.into_iter().for_each(|limit| together.limit(limit));
        }
        self.begin_level(0, 0)
    }

    /// Sorts the states that a level has led to, from the one of a number on; they are the next level.
    fn begin_level(&mut self, first: u32, length: u32) -> Span {
        let states = self.log.len() as u32;
        let together = self.together();
        let sorted = std::mem::replace(&mut together.sorted, states);
        together.runs.push(Run {
            level: length,
            first: sorted,
        });
        self.log.sort_from(sorted as usize);
        Span {
            states: first..self.log.len() as u32,
            length,
        }
    }

    /// Reason why no process expands more states.
    fn trouble(&mut self) -> Option<Trouble> {
        let most = self.most_states();
        let notices = &self.together().notices;
        let states = Notice::sum(notices, |notice| notice.states);
        let too_many = states > most;
        Notice::trouble(notices).or_else(|| too_many.then_some(Trouble::Limit(Limit::States(most))))
    }

    /// Decides whether the search ends where a level begins.
    fn decide(&mut self, level: &Span) -> Option<End> {
        if let Some(trouble) = self.trouble() {
            return Some(self.end_early(trouble, std::slice::from_ref(level)));
        }
        let is_constrained = self.model.is_constrained();
        let depth = self.options.limits.depth;
        let notices = &self.together().notices;
        let stop = notices.iter().filter_map(|notice| notice.stop).min();
        if let Some(length) = stop {
            // As in one process: which states are outside of the constraint, and what is wrong with the states just reached.
            if is_constrained || length >= level.length {
                self.guarded(|search| search.examine(level));
            }
            return Some(End::Stopped);
        }
        if Notice::sum(notices, |notice| notice.left) == 0 {
            return Some(End::Complete);
        }
        let most = depth.filter(|most| *most == level.length)?;
        let limit = Trouble::Limit(Limit::Depth(most));
        Some(self.end_early(limit, std::slice::from_ref(level)))
    }

    fn end_early(&mut self, trouble: Trouble, rest: &[Span]) -> End {
        match trouble {
            Trouble::Panicked => End::Panicked,
            Trouble::Limit(limit) => {
                let rest = rest.iter().cloned();
                self.guarded(|search| search.examine_rest(rest, limit));
                End::Limit(limit)
            }
        }
    }

    /// Expands states of a level until there are enough words for the others, or none is left.
    fn expand_some(&mut self, left: &mut Span) {
        if let Some(Err(limit)) = self.guarded(|search| search.expand_until_full(left)) {
            self.together().limit(limit);
        }
    }

    fn expand_until_full(&mut self, left: &mut Span) -> Result<(), Limit> {
        let wave = self.states_a_wave();
        for part in left.clone().parts(BETWEEN_LOOKS) {
            self.within_limits()?;
            for wave in part.parts(wave) {
                if self.together().is_full() {
                    return Ok(());
                }
                self.has_headroom(wave.states.len() as u32)?;
                self.wave(&wave, Task::Expand)?;
                left.states.start = wave.states.end;
            }
            self.not_starved()?;
            if self.at_capacity {
                return Err(Limit::States(self.most_states()));
            }
        }
        Ok(())
    }

    /// Sends the others the targets that are theirs, and adds those that they have sent.
    fn meet(&mut self, left: &Span) -> Result<(), PeersError> {
        let notice = Notice {
            left: left.states.len() as u64,
            states: self.log.len() as u64,
            transitions: self.transitions,
            memory_bytes: resident_bytes().unwrap_or(0),
            stop: self.model.stop(),
            trouble: self.together().trouble,
            keeps: self.kept.as_ref().is_some_and(|kept| kept.journal.is_due()),
            is_at_fault: self.incomplete || self.model.is_at_fault(),
        };
        let form = self.form;
        let together = self.together();
        let nothing = together.nothing();
        let outgoing = std::mem::replace(&mut together.outgoing, nothing);
        let received = meet(&*together.peers, outgoing, &notice)?;
        let mut all = Vec::new();
        together.notices.clear();
        for (process, (notice, words)) in received.into_iter().enumerate() {
            together.notices.push(notice);
            let keys = take_keys::<K>(form, &words).map_err(|garbled| garbled.of(process))?;
            all.push(keys);
        }
        if self.guarded(|search| search.add_received(all)).is_some()
            && let Err(limit) = self.not_starved()
        {
            self.together().limit(limit);
        }
        self.report(left.length, 0);
        Ok(())
    }

    /// Adds targets of the steps of others.
    fn add_received(&mut self, all: Vec<Vec<K>>) {
        let mut lists = Vec::new();
        for keys in all {
            let candidates = keys.into_iter().map(|key| Candidate {
                hash: self.visited.hash(&key),
                key,
                predecessor: Predecessor::NONE,
            });
            let mut candidates = candidates.peekable();
            while candidates.peek().is_some() {
                lists.push(candidates.by_ref().take(LIST).collect::<Vec<_>>());
            }
        }
        let count = lists.iter().map(Vec::len).sum();
        let threads = self.workers.len().min(lists.len());
        if threads == 0 {
            return;
        }
        let each = lists.len().div_ceil(threads);
        let visited = &self.visited;
        let sort = |(first, worker): (usize, &mut Worker<'a, K>)| {
            let own = (0..).zip(&lists).skip(first * each).take(each);
            let own = own.map(|(number, list)| (number, &**list));
            worker.sorted.clear();
            visited.sort(count, threads, own, &mut worker.sorted);
        };
        run_in_parallel(self.workers[..threads].iter_mut().enumerate(), sort);
        let sorted = self.workers[..threads].iter();
        let sorted: Vec<_> = sorted.map(|worker| &worker.sorted).collect();
        let room = self.room();
        let fits = self
            .visited
            .add_all(&mut self.log, lists, &sorted, room, &mut Added(0));
        self.at_capacity |= !fits;
    }
}
