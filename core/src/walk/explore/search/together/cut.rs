//! The cut at a limit on states: of the states that a level has led to, those with the least keys are kept.
//!
//! A level is sorted in each process. Which keys are the least of all is found as a median is: of a run of keys in which the boundary lies,
//! one in the middle of the longest is compared with all.

use std::ops::Range;
use std::sync::Arc;

use super::Search;
use crate::walk::explore::frontier::Span;
use crate::walk::explore::keys::{Compared, Form};
use crate::walk::explore::limits::Limit;
use crate::walk::explore::peers::{
    Garbled, Peers, PeersError, Trouble, push_key, take_keys, to_all,
};
use crate::walk::explore::set::Visited;

impl<'a, K, I> Search<'a, K, I>
where
    K: Compared + Ord,
    I: Visited<K>,
{
    /// Forgets the greatest states of the last level, if all processes have more than the limit allows.
    pub(super) fn cut_if_too_many(
        &mut self,
        level: &mut Span,
        trouble: Trouble,
    ) -> Result<(), PeersError> {
        match (trouble, self.options.limits.states) {
            (Trouble::Limit(Limit::States(_)), Some(most)) => self.cut(level, most),
            _ => Ok(()),
        }
    }

    fn cut(&mut self, level: &mut Span, most: u64) -> Result<(), PeersError> {
        let peers = Arc::clone(&self.together().peers);
        let form = self.form;
        let Range { start, end } = level.states;
        // Where the search went on in the midst of the level before there are two runs.
        self.log.sort_from(start as usize);
        let mut room = most;
        for (process, words) in peers
            .exchange(to_all(&*peers, &[start]))?
            .iter()
            .enumerate()
        {
            let older = words.first().ok_or(Garbled.of(process))?;
            room = room.saturating_sub(*older);
        }
        let key = |place: u64| self.log.get(place as usize);
        let end = least(&*peers, form, start..end, room, key)?;
        self.log.truncate(end as usize);
        level.states.end = end;
        let together = self.together();
        together.sorted = end;
        for run in &mut together.runs {
            run.first = run.first.min(end);
        }
        Ok(())
    }
}

/// The end of those of a process's keys, which are sorted, that are among so many least ones of all. No two processes have the same key.
fn least<'k, K: Compared + Ord + 'k>(
    peers: &dyn Peers,
    form: Form,
    places: Range<u64>,
    mut count: u64,
    key: impl Fn(u64) -> &'k K,
) -> Result<u64, PeersError> {
    let Range { mut start, mut end } = places;
    loop {
        let middle = start + (end - start) / 2;
        let mut words = Vec::new();
        if start < end {
            push_key(&mut words, key(middle));
        }
        words.push(end - start);
        let mut longest = (0, 0, None);
        let mut left = 0;
        for (process, mut words) in peers
            .exchange(to_all(peers, &words))?
            .into_iter()
            .enumerate()
        {
            let garbled = || Garbled.of(process);
            let length = words.pop().ok_or_else(garbled)?;
            left += length;
            if length > longest.0 {
                let keys = take_keys::<K>(form, &words);
                let of = keys.map_err(|_| garbled())?.pop();
                longest = (length, process, Some(of.ok_or_else(garbled)?));
            }
        }
        let (_, owner, Some(pivot)) = longest else {
            return Ok(end);
        };
        if left <= count {
            return Ok(end);
        }
        if count == 0 {
            return Ok(start);
        }
        // The pivot is the first that is not less where it is.
        let mut less = start;
        let mut behind = end;
        while less < behind {
            let at = less + (behind - less) / 2;
            if *key(at) < pivot {
                less = at + 1;
            } else {
                behind = at;
            }
        }
        let mut before = 0;
        for (process, words) in peers
            .exchange(to_all(peers, &[less - start]))?
            .iter()
            .enumerate()
        {
            before += words.first().ok_or(Garbled.of(process))?;
        }
        if count > before {
            // All before the pivot are among them, and the pivot.
            start = less + u64::from(owner == peers.process());
            count -= before + 1;
        } else {
            end = less;
        }
    }
}
