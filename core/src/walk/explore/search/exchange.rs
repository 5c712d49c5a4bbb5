//! The exchange of targets between processes that search together.

use std::sync::Arc;

use super::resume::Added;
use super::spilling::Chunks;
use super::state::{StateSearch, Worker};
use crate::walk::explore::keys::Compared;
use crate::walk::explore::memory::resident_bytes;
use crate::walk::explore::peers::{Notice, PeersError, meet, to_all};
use crate::walk::explore::set::{Candidate, Visited};
use crate::walk::explore::span::Span;
use crate::walk::explore::words::{Garbled, take_keys};
use crate::walk::parallel::run_in_parallel;

/// Targets of others that are added at a time, by a thread.
const LIST: usize = 1 << 12;

impl<'a, K, I> StateSearch<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// True if all processes together have more states than the limit allows, or none has a place left at which one may be.
    pub(super) fn has_enough_initial(
        &mut self,
        has_more: bool,
        most: u64,
    ) -> Result<bool, PeersError> {
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

    /// Sends the others the targets that are theirs, and adds those that they have sent.
    pub(super) fn exchange(&mut self, left: &Span) -> Result<(), PeersError> {
        let reached = self.together().attended.limit();
        reached.into_iter().for_each(|limit| self.limit(limit));
        let notice = Notice {
            left: left.len() + u64::from(self.together().is_cut),
            states: self.list.keys.len() as u64,
            transitions: self.transitions,
            memory_bytes: resident_bytes().unwrap_or(0),
            stop: self.model.stop(),
            trouble: self.trouble,
            keeps: self.kept.as_ref().is_some_and(|kept| kept.is_due()),
            is_kept: self.kept.as_ref().is_some_and(|kept| kept.goes_on()),
            is_at_fault: self.incomplete || self.model.is_at_fault(),
        };
        let together = self.together();
        let nothing = together.nothing();
        let outgoing = std::mem::replace(&mut together.outgoing, nothing);
        let received = meet(&*together.peers, outgoing, &notice)?;
        let mut all = Vec::new();
        together.notices.clear();
        for (process, (notice, words)) in received.into_iter().enumerate() {
            together.notices.push(notice);
            let keys = take_keys::<K>(&words).map_err(|garbled| garbled.of(process))?;
            all.push(keys);
        }
        self.guarded(|search| search.add_received(all));
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
        if self.has_runs() {
            let mut met = Chunks {
                sources: &[],
                chunks: &mut self.tentative.chunks,
            };
            let keys = &mut self.tentative.keys;
            self.visited
                .add_all(keys, lists, &sorted, usize::MAX, &mut met);
            return;
        }
        let room = self.room();
        let fits = self
            .visited
            .add_all(&mut self.list.keys, lists, &sorted, room, &mut Added(0));
        self.at_capacity |= !fits;
    }
}
