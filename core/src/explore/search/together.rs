//! The search of several processes, each of which expands the states that it owns.
//!
//! Processes meet whenever each has expanded so much that it has a bounded number of words for the others, or all of its level. What they tell
//! each other then decides for all of them alike how it goes on.

mod gather;
mod keep;
mod order;
mod resume;

use std::sync::Arc;

use super::bounds::BETWEEN_LOOKS;
use super::checkpoint::AT_FAULT;
use super::found::Found;
use super::initial::CutShort;
use super::kept::Kept;
use super::member::{EARLIER, Run, Together};
use super::resume::Added;
use super::state::{Search, Worker};
use crate::explore::disk::Journal;
use crate::explore::expansion::Task;
use crate::explore::explored::End;
use crate::explore::keys::Compared;
use crate::explore::limits::{Clock, Limit};
use crate::explore::memory::resident_bytes;
use crate::explore::no_outcome::NoOutcome;
use crate::explore::peers::{
    FIRST, Garbled, Notice, Party, PeersError, Trouble, meet, take_keys, to_all,
};
use crate::explore::set::{Candidate, Visited};
use crate::explore::span::Span;
use crate::explore::spill::OpenDisk;
use crate::parallel::run_in_parallel;
use crate::statement::asked::model_call::catch;

/// Targets of others that are added at a time, by a thread.
const LIST: usize = 1 << 12;

/// End of a search of several processes.
pub(super) struct Ended {
    pub end: End,
    /// Number of the process whose limit that is, unless it is one on all of them.
    pub limit_process: Option<usize>,
    /// Number of levels of which all states were expanded.
    pub levels: u32,
}

impl<'a, K, I> Search<'a, K, I>
where
    K: Compared,
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

    /// Has the limits hold while this process waits for others, too.
    fn attend(&mut self) {
        let Clock {
            limits, started, ..
        } = self.clock;
        self.together().attended.begin(limits, started);
    }

    /// Searches as one of several processes. Process 0 has the outcome; the others serve it until it has judged, and get its report.
    ///
    /// # Errors
    ///
    /// If the processes do not search the same, or one was lost; and where another process has the outcome.
    pub fn run_together(
        mut self,
        party: Party,
        journal: Option<Journal>,
        open: OpenDisk<K, I>,
    ) -> Result<Found, NoOutcome> {
        self.together = Some(Box::new(Together::new(party)));
        self.kept = journal.map(|journal| Box::new(Kept::new(journal)));
        self.list.folder = std::env::temp_dir();
        let ended = self.search_together()?;
        if !matches!(ended.end, End::Limit(_)) {
            // What is found is told, though it take longer.
            self.together().attended.end();
        }
        self.gather(ended, open)
    }

    /// Searches until the processes find that it is over.
    pub(super) fn search_together(&mut self) -> Result<Ended, NoOutcome> {
        self.attend();
        self.together().test_search()?;
        let resumed = self.resume_together()?;
        if let Some(resumed) = &resumed {
            self.count_from_now();
            if let Some((process, limit)) = resumed.limit {
                return Ok(Ended {
                    end: End::Limit(limit),
                    limit_process: Some(process),
                    levels: 0,
                });
            }
            self.attend();
        }
        // A level in whose midst the search goes on has begun.
        let mut begun = None;
        // A checkpoint that is resumed need not be written once more.
        let mut is_new = true;
        let mut level = match resumed {
            Some(resumed) => {
                let before = resumed.before(self.list.keys.len() as u64);
                begun = resumed.is_begun.then_some((resumed.left, before));
                is_new = false;
                resumed.level
            }
            None => self.begin()?,
        };
        let (end, limit_process) = loop {
            if begun.is_none() {
                self.meet(&level)?;
                if let Some(end) = self.decide(&level)? {
                    break end;
                }
                if is_new {
                    self.keep_together(&level)?;
                }
            }
            is_new = true;
            let all = || (level.clone(), self.list.keys.len() as u64);
            let (mut left, before) = begun.take().unwrap_or_else(all);
            let trouble = loop {
                self.expand_some(&mut left);
                self.meet(&left)?;
                let trouble = self.trouble();
                let notices = &self.together().notices;
                let is_expanded = Notice::sum(notices, |one| one.left) == 0;
                if is_expanded && matches!(trouble, Some((_, Trouble::Limit(Limit::States(_))))) {
                    // Whichever process has the states, the next level tells that there are too many.
                    break None;
                }
                if is_expanded || trouble.is_some() {
                    break trouble;
                }
            };
            let new = self.begin_level(before, level.length + 1);
            if let Some((process, trouble)) = trouble {
                self.keep_at_limit(None, trouble)?;
                self.cut_if_too_many(trouble)?;
                let rest = [left].into_iter().chain(self.spans_of(new.length));
                break self.end_early(process, trouble, rest.collect());
            }
            level = new;
        };
        Ok(Ended {
            end,
            limit_process,
            levels: level.length,
        })
    }

    /// The initial states.
    fn begin(&mut self) -> Result<Span, PeersError> {
        let most = self.options.limits.states.unwrap_or(u64::MAX);
        // Each process is shown all initial states. Where there may be more than the limit allows, how many places are looked at is said by all of
        // them, so that it is the same however many they are; the limit then keeps the least states.
        let mut places = 0..most.saturating_add(1).max(BETWEEN_LOOKS);
        loop {
            let cut_short = self.guarded(|search| search.add_initial(&places));
            let has_more = cut_short.as_ref().is_some_and(|cut| cut.has_more);
            if let Some(CutShort { limit, panic, .. }) = cut_short {
                if let Some(kept) = self.kept.as_mut().filter(|_| panic.is_some()) {
                    // A search that goes on would not know of it.
                    kept.journal.end(AT_FAULT);
                }
                // A panic of `initial` is one of all processes, and what was shown before it is searched.
                let together = self.together();
                together.panic = together.panic.take().or(panic);
                together.is_cut |= limit.is_some();
                self.limit(limit);
            }
            if self.has_enough_initial(has_more, most)? {
                break;
            }
            places = places.end..places.end.saturating_mul(2);
        }
        self.note_capacity();
        Ok(self.begin_level(0, 0))
    }

    /// True if all processes together have more states than the limit allows, or none has a place left at which one may be.
    fn has_enough_initial(&mut self, has_more: bool, most: u64) -> Result<bool, PeersError> {
        let peers = Arc::clone(&self.together().peers);
        let words = [self.list.keys.len() as u64, u64::from(has_more)];
        let told = peers.exchange(to_all(&*peers, &words))?;
        let (mut states, mut have_more) = (0, false);
        for (process, words) in told.iter().enumerate() {
            let [own, has_more] = words[..] else {
                return Err(Garbled.of(process));
            };
            states += own;
            have_more |= has_more == 1;
        }
        Ok(!have_more || states > most)
    }

    /// Takes note that states found no room, if some did not.
    fn note_capacity(&mut self) {
        if self.at_capacity {
            let room = self.room() as u64;
            self.together().limit(Limit::States(room));
        }
    }

    /// Sorts the states that a level has led to, from the one of a number on; they are the next level.
    fn begin_level(&mut self, first: u64, length: u32) -> Span {
        let states = self.list.keys.len() as u64;
        let together = self.together();
        let sorted = std::mem::replace(&mut together.sorted, states);
        together.runs.push(Run {
            level: length,
            states: sorted..states,
        });
        self.list.keys.sort_from(sorted as usize, K::order);
        Span {
            states: first..self.list.keys.len() as u64,
            length,
        }
    }

    /// Takes note of a limit that has ended something, unless that of another process has.
    fn limit(&mut self, limit: Option<Limit>) {
        let together = self.together();
        let is_own = |limit: &Limit| *limit != Limit::Cancelled || together.attended.is_cancelled();
        if let Some(limit) = limit.filter(is_own) {
            together.limit(limit);
        }
    }

    /// Reason why no process expands more states, and a process that tells it.
    fn trouble(&mut self) -> Option<(usize, Trouble)> {
        let most = self.options.limits.states;
        let notices = &self.together().notices;
        let states = Notice::sum(notices, |notice| notice.states);
        let exceeded = most.filter(|most| states > *most);
        let exceeded = exceeded.map(|most| (FIRST, Trouble::Limit(Limit::States(most))));
        Notice::trouble(notices).or(exceeded)
    }

    /// Decides whether the search ends where a level begins, and of whose limit.
    fn decide(&mut self, level: &Span) -> Result<Option<(End, Option<usize>)>, NoOutcome> {
        if let Some((process, trouble)) = self.trouble() {
            self.keep_at_limit(Some(level), trouble)?;
            self.cut_if_too_many(trouble)?;
            let rest = self.spans_of(level.length).collect();
            return Ok(Some(self.end_early(process, trouble, rest)));
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
            return Ok(Some((End::Stopped, None)));
        }
        if Notice::sum(notices, |notice| notice.left) == 0 {
            return Ok(Some((End::Complete, None)));
        }
        let Some(most) = depth.filter(|most| *most == level.length) else {
            return Ok(None);
        };
        let limit = Trouble::Limit(Limit::Depth(most));
        self.keep_at_limit(Some(level), limit)?;
        Ok(Some(self.end_early(FIRST, limit, vec![level.clone()])))
    }

    /// The states of a level.
    fn spans_of(&mut self, length: u32) -> impl Iterator<Item = Span> + use<K, I> {
        let runs = self.together().runs_of(length).into_iter();
        runs.map(move |states| Span { states, length })
    }

    /// Ends the search as a process has told to. Says whose limit it is that ends it, unless it is one on all of them.
    fn end_early(
        &mut self,
        process: usize,
        trouble: Trouble,
        rest: Vec<Span>,
    ) -> (End, Option<usize>) {
        let Trouble::Limit(limit) = trouble else {
            return (End::Panicked, None);
        };
        self.guarded(|search| search.examine_rest(rest.into_iter(), limit));
        let is_of_all = matches!(limit, Limit::States(_) | Limit::Depth(_));
        (End::Limit(limit), (!is_of_all).then_some(process))
    }

    /// Expands states of a level until there are enough words for the others, or none is left.
    fn expand_some(&mut self, left: &mut Span) {
        if let Some(Err(limit)) = self.guarded(|search| search.expand_until_full(left)) {
            self.limit(Some(limit));
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
                self.has_headroom(wave.len())?;
                self.wave(&wave, Task::Expand)?;
                left.states.start = wave.states.end;
            }
        }
        Ok(())
    }

    /// Sends the others the targets that are theirs, and adds those that they have sent.
    fn meet(&mut self, left: &Span) -> Result<(), PeersError> {
        let reached = self.together().attended.limit();
        self.limit(reached);
        let notice = Notice {
            left: left.len() + u64::from(self.together().is_cut),
            states: self.list.keys.len() as u64,
            transitions: self.transitions,
            memory_bytes: resident_bytes().unwrap_or(0),
            stop: self.model.stop(),
            trouble: self.together().trouble,
            keeps: self.kept.as_ref().is_some_and(|kept| kept.is_due()),
            is_kept: self.kept.is_some(),
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
        self.guarded(|search| search.add_received(all));
        // States that found no room, of this process's steps or of others', are told when all meet next, before anything is decided.
        self.note_capacity();
        if let Err(limit) = self.not_starved() {
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
            .add_all(&mut self.list.keys, lists, &sorted, room, &mut Added(0));
        self.at_capacity |= !fits;
    }
}
