//! The meetings of processes that search together. One that is alone meets nobody.
//!
//! Processes meet whenever each has expanded so much that it has a bounded number of words for the others, or all of its level. What they tell
//! each other then decides for all of them alike how the search goes on.

use super::AT_FAULT;
use super::bounds::BETWEEN_LOOKS;
use super::initial::CutShort;
use super::member::{Run, Together};
use super::state::StateSearch;
use crate::statement::asked::model_call::catch;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::limits::{Clock, Limit};
use crate::walk::explore::peers::{FIRST, Notice, PeersError, Trouble};
use crate::walk::explore::set::Visited;
use crate::walk::explore::span::Span;

impl<'a, K, I> StateSearch<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    pub(super) fn together(&mut self) -> &mut Together {
        self.together.as_mut().expect("there are peers")
    }

    /// Does something that calls the model where it has no guard of its own: of several processes none leaves the others.
    pub(super) fn guarded<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.together.is_none() {
            return Some(work(self));
        }
        match catch(|| work(self)) {
            Ok(done) => Some(done),
            Err(panic) => {
                self.panic.get_or_insert(panic);
                self.trouble = Some(Trouble::Panicked);
                None
            }
        }
    }

    /// Has the limits hold while this process waits for others, too.
    pub(super) fn attend(&mut self) {
        let Clock {
            limits, started, ..
        } = self.clock;
        if let Some(together) = &self.together {
            together.attended.begin(limits, started);
        }
    }

    /// The initial states.
    pub(super) fn begin(&mut self) -> Result<Span, PeersError> {
        let most = self.options.limits.states.unwrap_or(u64::MAX);
        // Each process is shown all initial states. Where there may be more than the limit allows, how many places are looked at is said by all of
        // them, so that it is the same however many they are; the limit then keeps the least states.
        let mut places = match &self.together {
            None => 0..u64::MAX,
            Some(_) => 0..most.saturating_add(1).max(BETWEEN_LOOKS),
        };
        loop {
            let cut_short = self.guarded(|search| search.add_initial(&places));
            let has_more = cut_short.as_ref().is_some_and(|cut| cut.has_more);
            if let Some(CutShort { limit, panic, .. }) = cut_short {
                if let Some(kept) = self.kept.as_mut().filter(|_| panic.is_some()) {
                    // A search that goes on would not know of it.
                    kept.journal.end(AT_FAULT);
                }
                // A panic of `initial` is one of all processes, and what was shown before it is searched.
                self.panic = self.panic.take().or(panic);
                if let Some(together) = &mut self.together {
                    together.is_cut |= limit.is_some();
                }
                limit.into_iter().for_each(|limit| self.limit(limit));
            }
            if self.together.is_none() || self.has_enough_initial(has_more, most)? {
                break;
            }
            places = places.end..places.end.saturating_mul(2);
        }
        if self.together.is_some() || self.list.keys.len() == 0 {
            self.note_capacity();
        }
        let level = self.begin_level(0, 0);
        self.initial_states = level.len();
        #[cfg(test)]
        self.list
            .keys
            .leave_gap(crate::walk::explore::tests::GAP.get());
        Ok(level)
    }

    /// Takes note that states found no room, if some did not.
    fn note_capacity(&mut self) {
        if self.at_capacity {
            self.limit(Limit::States(self.room() as u64));
        }
    }

    /// The next level: the states from the one of a number on.
    pub(super) fn begin_level(&mut self, first: u64, length: u32) -> Span {
        // Where a limit has ended the expansion, too, what is perhaps new has been reached.
        if let Err(limit) = self.settle(length) {
            self.limit(limit);
        }
        self.end_run(length);
        Span {
            states: first..self.list.keys.len() as u64,
            length,
            pass: self.first_pass(),
        }
    }

    /// Sorts the states of a level that have come since the last run, if there are several processes; they are the next one.
    pub(super) fn end_run(&mut self, level: u32) {
        let states = self.list.keys.len() as u64;
        if let Some(together) = &mut self.together {
            let first = together.unsorted();
            together.runs.push(Run {
                level,
                states: first..states,
            });
            self.list.keys.sort_from(first as usize, K::order);
        }
    }

    /// The states of a level, which may be fewer than they were.
    pub(super) fn spans_of(&self, level: Span) -> Vec<Span> {
        let Some(together) = &self.together else {
            return vec![level];
        };
        let runs = together.runs_of(level.length).into_iter();
        runs.map(|states| Span {
            states,
            ..level.clone()
        })
        .collect()
    }

    /// Takes note of a limit that has ended something, unless that of another process has.
    pub(super) fn limit(&mut self, limit: Limit) {
        let is_own = match &self.together {
            Some(together) if limit == Limit::Cancelled => together.attended.is_cancelled(),
            _ => true,
        };
        if is_own {
            self.trouble.get_or_insert(Trouble::Limit(limit));
        }
    }

    /// Reason why no process expands more states, and a process that tells it.
    pub(super) fn trouble(&self) -> Option<(usize, Trouble)> {
        let Some(together) = &self.together else {
            return self.trouble.map(|trouble| (FIRST, trouble));
        };
        let most = self.options.limits.states;
        let states = Notice::sum(&together.notices, |notice| notice.states);
        let exceeded = most.filter(|most| states > *most);
        let exceeded = exceeded.map(|most| (FIRST, Trouble::Limit(Limit::States(most))));
        Notice::trouble(&together.notices).or(exceeded)
    }

    /// Meets the others, if there are any, and finds out what can be known then.
    pub(super) fn meet(&mut self, left: &Span) -> Result<(), PeersError> {
        if self.together.is_some() {
            self.exchange(left)?;
            if let Err(limit) = self.make_room_on_disk(left.states.start, left.leads_to()) {
                self.limit(limit);
            }
        }
        if self.trouble.is_none()
            && let Err(limit) = self.settle_in_time(left)
        {
            self.limit(limit);
        }
        // Of several processes it is told when all meet next, before anything is decided.
        if let Err(limit) = self.not_starved() {
            self.limit(limit);
        }
        self.note_capacity();
        let states = self.list.keys.len() as u64;
        self.report(left.length, states.saturating_sub(left.states.start));
        Ok(())
    }
}
