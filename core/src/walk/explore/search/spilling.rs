//! A search whose states go to disk when memory is short.

use std::io;
use std::ops::Range;

use super::state::StateSearch;
use crate::walk::explore::disk::DiskError;
use crate::walk::explore::graph::NodeId;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::limits::Limit;
use crate::walk::explore::segments::BLOCK;
use crate::walk::explore::set::{InsertSink, Visited};
use crate::walk::explore::span::Span;
use crate::walk::explore::spill::Tentative;

/// Shares of the memory allowed: what the search itself may hold before states go to disk, and what the process may hold.
const OWN: (u64, u64) = (9, 16);
const HELD: (u64, u64) = (15, 16);
/// Shares of what the search may hold: what is worth writing, and what states may take that are perhaps new, before it is found out.
const WORTH: (u64, u64) = (1, 8);
const TENTATIVE: (u64, u64) = (1, 4);
/// Bytes of such a state beside its key: as it is sorted by its hash, and where it is then.
const BESIDE: usize = 2 * 16 + 1;

fn share(bytes: u64, (some, of): (u64, u64)) -> u64 {
    bytes / of * some
}

/// Bytes of a search with which its states go to disk, where the process may hold so many.
pub(super) fn spill_from(most: u64) -> u64 {
    share(most, OWN)
}

/// Notes the chunks of states that are perhaps new.
pub(super) struct Chunks<'a> {
    /// Per list of candidates, the states that led to them.
    pub sources: &'a [Range<u64>],
    pub chunks: &'a mut Vec<(Range<u64>, usize)>,
}

impl InsertSink for Chunks<'_> {
    fn added(&mut self, list: usize, count: usize) {
        if count == 0 {
            return;
        }
        // What led to those of other processes is not known here.
        let sources = self.sources.get(list).cloned().unwrap_or_default();
        match self.chunks.last_mut() {
            Some((last, met)) if *last == sources => *met += count,
            _ => self.chunks.push((sources, count)),
        }
    }

    fn numbered(&mut self, _: Option<NodeId>) {
        unreachable!("a search that spills records no graph");
    }
}

impl<'a, K, I> StateSearch<'a, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    /// Ends the search with the reason: a file cannot be written, or read.
    pub(super) fn disk<T>(&mut self, done: io::Result<T>) -> Result<T, Limit> {
        done.map_err(|error| {
            self.unwritten.get_or_insert_with(|| error.to_string());
            Limit::Disk
        })
    }

    /// Error: states on disk cannot be read.
    pub(super) fn unreadable(&self, error: &io::Error) -> DiskError {
        DiskError::refused("read states in", &self.list.folder, error)
    }

    /// True if states are on disk that the set in memory does not have.
    pub(super) fn has_runs(&self) -> bool {
        self.list
            .disk
            .as_ref()
            .is_some_and(|spill| spill.has_runs())
    }

    /// Writes states to disk where memory is short. Those before `start` have been expanded, and those that are perhaps new, or in no run
    /// yet, have a path of `length`.
    pub(super) fn make_room_on_disk(&mut self, start: u64, length: u32) -> Result<(), Limit> {
        let Some(spill) = &self.list.disk else {
            return Ok(());
        };
        let own = self.store_bytes() + self.tentative.keys.bytes() + spill.memory_bytes();
        let most = self.options.limits.memory_bytes.unwrap_or(u64::MAX);
        let is_short = own >= self.spill_from
            || self
                .resident
                .look_again(own)
                .is_some_and(|held| held >= share(most, HELD));
        let worth = share(self.spill_from, WORTH);
        if is_short && own >= worth {
            self.settle(length)?;
            if self.visited.bytes() >= worth {
                let spill = self.list.disk.as_mut().expect("it is there");
                let drained = spill.drain(&mut self.visited);
                self.disk(drained)?;
            }
            if (self.together.as_ref())
                .is_some_and(|one| one.unsorted() < self.list.keys.len() as u64)
            {
                self.end_run(length);
            }
            let all = self.list.keys.len();
            let unloaded = self.list.unload(0..all);
            self.disk(unloaded)
        } else if spill.blocks() > 0 {
            let unloaded = self.list.unload(0..start as usize);
            self.disk(unloaded)
        } else {
            Ok(())
        }
    }

    /// Finds out which of the states that are perhaps new are, and adds these, if one process has expanded the level, or is to write a
    /// checkpoint, or there are many of them.
    pub(super) fn settle_in_time(&mut self, left: &Span) -> Result<(), Limit> {
        let is_due = self.kept.as_ref().is_some_and(|kept| kept.journal.is_due());
        if self.together.is_none() && (is_due || left.len() == 0) {
            self.settle(left.leads_to())
        } else {
            self.settle_if_many(left.leads_to())
        }
    }

    /// The same if there are so many of them.
    fn settle_if_many(&mut self, length: u32) -> Result<(), Limit> {
        let each = (size_of::<K>() + BESIDE) as u64;
        let most = share(self.spill_from, TENTATIVE);
        let many = self.tentative.keys.len() as u64;
        // A limit on states ends a search at the look at which it would in memory.
        let may_be_enough = self.list.keys.len() as u64 + many >= self.most_states();
        if many.saturating_mul(each) < most && !may_be_enough {
            return Ok(());
        }
        self.settle(length)
    }

    /// Finds out which of the states that are perhaps new are, and adds these.
    pub(super) fn settle(&mut self, length: u32) -> Result<(), Limit> {
        if self.tentative.keys.len() == 0 {
            return Ok(());
        }
        let Tentative { keys, chunks } = std::mem::replace(&mut self.tentative, Tentative::new());
        let threads = if keys.len() < BLOCK {
            1
        } else {
            self.options.threads
        };
        let spill = self.list.disk.as_ref().expect("states are on disk");
        let found = spill.find(&self.visited, &keys, threads);
        let found = self.disk(found)?;
        let room = self.room();
        let mut places = found.into_iter().enumerate();
        for (sources, count) in chunks {
            let first = self.list.keys.len();
            for (place, is_found) in places.by_ref().take(count) {
                if is_found {
                    continue;
                }
                if self.list.keys.len() >= room {
                    self.at_capacity = true;
                    break;
                }
                self.list.keys.push(keys.get(place).clone());
            }
            if self.list.keys.len() > first && self.together.is_none() {
                self.predecessors.begin(first as u64, sources, length);
            }
        }
        Ok(())
    }
}
