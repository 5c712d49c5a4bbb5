//! The order of the states of all processes: that of their levels and, in each, of their keys.
//!
//! Each process has the states of a level in sorted runs. They are passed in rounds, in each of which the processes agree on a key: what is
//! not greater comes next, and is not much of any process.

use std::ops::Range;

use super::list::List;
use super::state::StateSearch;
use crate::walk::explore::disk::DiskError;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::limits::Limit;
use crate::walk::explore::no_outcome::NoOutcome;
use crate::walk::explore::peers::{Peers, PeersError, Trouble, to_all};
use crate::walk::explore::segments::BLOCK;
use crate::walk::explore::set::Visited;
use crate::walk::explore::words::{Garbled, push_key, take_keys};

/// Takes from runs of a level the states that come next in the order of all processes, and has them in memory; none if none is left of any
/// process.
pub(super) fn next_in_order<K: Compared, I>(
    peers: &dyn Peers,
    list: &mut List<K, I>,
    runs: &mut [Range<u64>],
) -> Result<Option<Vec<Range<u64>>>, NoOutcome> {
    let most = (peers.most_words() / peers.processes()).clamp(1, BLOCK) as u64;
    let each = (most / runs.len().max(1) as u64).max(1);
    let next = |run: &Range<u64>| run.start..run.end.min(run.start + each);
    load_next(list, runs.iter().map(next))
        .map_err(|error| DiskError::refused("read states in", &list.folder, &error))?;
    let keys = &list.keys;
    let longer = runs.iter().filter(|run| next(run).end < run.end);
    let last = longer.map(|run| keys.get((run.start + each) as usize - 1));
    let mut words = Vec::new();
    if let Some(bound) = last.min_by(|one, other| one.order(other)) {
        push_key(&mut words, bound);
    }
    words.push(runs.iter().map(|run| run.end - run.start).sum());
    let (mut bound, mut left): (Option<K>, _) = (None, 0);
    let told = peers.exchange(to_all(peers, &words))?;
    for (process, mut words) in told.into_iter().enumerate() {
        let garbled = |_| Garbled.of(process);
        left += words.pop().ok_or(Garbled).map_err(garbled)?;
        let own = take_keys(&words).map_err(garbled)?;
        bound = bound.into_iter().chain(own).min_by(K::order);
    }
    if left == 0 {
        return Ok(None);
    }
    let passed = |run: &mut Range<u64>| {
        let places = next(run);
        let end = match &bound {
            None => run.end,
            Some(bound) => place_after(list, places, |key| key.order(bound).is_le()),
        };
        let passed = run.start..end;
        run.start = end;
        passed
    };
    Ok(Some(runs.iter_mut().map(passed).collect()))
}

/// Has the states in memory that come next, and those before them on disk alone if they are there.
fn load_next<K: Compared, I>(
    list: &mut List<K, I>,
    next: impl Iterator<Item = Range<u64>> + Clone,
) -> std::io::Result<()> {
    if list.is_on_disk() {
        for places in next.clone() {
            let earlier = (places.start as usize).saturating_sub(BLOCK);
            list.unload(earlier..places.start as usize)?;
        }
    }
    next.into_iter().try_for_each(|places| list.load(&places))
}

/// The place after those of some sorted states in memory whose keys pass a test.
fn place_after<K: Compared, I>(
    list: &List<K, I>,
    places: Range<u64>,
    test: impl Fn(&K) -> bool,
) -> u64 {
    let Range { mut start, mut end } = places;
    while start < end {
        let middle = start + (end - start) / 2;
        if test(list.keys.get(middle as usize)) {
            start = middle + 1;
        } else {
            end = middle;
        }
    }
    start
}

impl<'a, K, I> StateSearch<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Forgets the greatest states of the last level, if several processes have more than the limit allows.
    pub(super) fn cut_if_too_many(&mut self, trouble: Trouble) -> Result<(), NoOutcome> {
        match (trouble, self.options.limits.states) {
            (Trouble::Limit(Limit::States(_)), Some(most)) if self.together.is_some() => {
                self.cut(most)
            }
            _ => Ok(()),
        }
    }

    fn cut(&mut self, most: u64) -> Result<(), NoOutcome> {
        let together = self.together.as_mut().expect("there are peers");
        let peers = &*together.peers;
        let last = together.levels().saturating_sub(1);
        let mut level: Vec<_> = together.runs.iter_mut().collect();
        let first = level.partition_point(|run| run.level < last);
        let older: u64 = level[..first].iter().map(|run| run.len()).sum();
        let level = &mut level[first..];
        let mut left: Vec<_> = level.iter().map(|run| run.states.clone()).collect();
        let mut room = most.saturating_sub(sum_of(peers, older)?);
        let list = &mut self.list;
        while let Some(next) = next_in_order(peers, list, &mut left)? {
            let count = next.iter().map(|places| places.end - places.start).sum();
            let all = sum_of(peers, count)?;
            if all <= room {
                room -= all;
                continue;
            }
            // The first that is left out is among these, and it is here that all of this process end.
            let mut words = Vec::new();
            for places in &next {
                for place in places.clone() {
                    push_key(&mut words, list.keys.get(place as usize));
                }
            }
            let told = peers.exchange(to_all(peers, &words))?;
            let mut keys: Vec<K> = keys_of_all(&told)?;
            keys.sort_unstable_by(K::order);
            let bound = &keys[room as usize];
            for (run, places) in level.iter_mut().zip(next) {
                run.states.end = place_after(list, places, |key| key.order(bound).is_lt());
            }
            break;
        }
        Ok(())
    }
}

/// Keys that the processes tell.
pub(super) fn keys_of_all<K: Compared>(told: &[Vec<u64>]) -> Result<Vec<K>, PeersError> {
    let mut keys = Vec::new();
    for (process, words) in told.iter().enumerate() {
        keys.extend(take_keys(words).map_err(|garbled| garbled.of(process))?);
    }
    Ok(keys)
}

/// Sum of what all processes tell.
fn sum_of(peers: &dyn Peers, own: u64) -> Result<u64, NoOutcome> {
    let mut sum = 0;
    let told = peers.exchange(to_all(peers, &[own]))?;
    for (process, words) in told.iter().enumerate() {
        sum += words.first().ok_or(Garbled.of(process))?;
    }
    Ok(sum)
}
