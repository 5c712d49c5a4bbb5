//! The limits of a search: time, memory, and how many states can be numbered.

use super::member::EARLIER;
use super::state::StateSearch;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::limits::{Limit, OfPeers, Phase, Progress};
use crate::walk::explore::memory::{available_bytes, is_granted};
use crate::walk::explore::set::Visited;

/// States between two looks at the limits: the same for any number of threads, so that it does not
/// depend on that where a limit ends the search.
pub const BETWEEN_LOOKS: u64 = 1 << 16;
/// States between two questions of whether there is headroom. PERF: a question takes microseconds, as 10 states do.
const BETWEEN_GRANTS: u64 = 1024;
/// Bytes that have to be left before a wave of states is expanded, beside what such a wave takes; and the address space
/// that an allocator takes at a time for a thread. Of all of it only what is used is memory.
const HEADROOM: u64 = 64 << 20;
const HEADROOM_OF_THREAD: u64 = 64 << 20;
/// Bytes a state that deciding about a recorded graph takes beside it.
const TO_DECIDE: u64 = 20;
/// Deciding about the graph may take one of so many parts of the memory where a limit on that ended the search: beyond the
/// limit, so that the states need not make room for it.
const SHARE_OF_GRAPH: u64 = 64;

impl<K, I> StateSearch<'_, K, I>
where
    K: Compared,
    I: Visited<K>,
{
    pub fn most_states(&self) -> u64 {
        let limit = self.options.limits.states;
        limit.unwrap_or(u64::MAX).min(self.visited.most())
    }

    /// Number of states for which there is room in this process. What all of several processes have is limited where they meet, by
    /// keeping the least states: so here none may be left out, since it might be one of these.
    pub fn room(&self) -> usize {
        let most = match self.together {
            None => self.most_states(),
            Some(_) => self.visited.most().min(EARLIER),
        };
        most as usize
    }

    pub fn report(&self, depth: u32, frontier: u64) {
        if let Some(progress) = self.options.watch.progress {
            let (states, transitions, frontier) = match &self.together {
                None => (self.list.keys.len() as u64, self.transitions, frontier),
                Some(together) => together.totals(),
            };
            progress(&Progress {
                phase: Phase::Search,
                states,
                transitions,
                depth,
                frontier,
                elapsed: self.clock.started.elapsed(),
                work: None,
                disk: self.kept.as_ref().map(|kept| kept.journal.on_disk()),
                peers: self.together.as_ref().map(|together| OfPeers {
                    process: together.peers.process(),
                    processes: together.peers.processes(),
                    own_states: self.list.keys.len() as u64,
                    memory_bytes: together.memory_bytes(),
                }),
            });
        }
    }

    /// Bytes of the states and of what says how they were reached.
    pub fn store_bytes(&self) -> u64 {
        self.list.keys.bytes() + self.predecessors.bytes() + self.visited.bytes()
    }

    pub fn within_limits(&mut self) -> Result<(), Limit> {
        if let Some(limit) = self.clock.out_of_time() {
            return Err(limit);
        }
        let Some(held) = self.resident.look_again(self.store_bytes()) else {
            return Ok(());
        };
        let most = self.options.limits.memory_bytes;
        if self.make_room(held) {
            return Ok(());
        }
        match most {
            Some(most) if held >= most => Err(Limit::MemoryBytes(most)),
            _ => Ok(()),
        }
    }

    /// Keeps of the graph, if it is recorded, as much as there will be room to decide about, and at least so much that
    /// deciding takes a small share of the memory. Returns whether it gave something up.
    fn make_room(&mut self, held: u64) -> bool {
        let Some(graph) = &mut self.graph else {
            return false;
        };
        let most = self.options.limits.memory_bytes;
        let too_much = |states: usize| {
            let needed = held + TO_DECIDE * states as u64;
            match most {
                Some(most) => needed >= most,
                None => available_bytes().is_some_and(|left| left < needed / 8),
            }
        };
        if self.graph_too_large.is_none() {
            if !too_much(self.list.keys.len()) {
                return false;
            }
            self.graph_too_large = Some(graph.len() as u64);
        }
        let least = most.unwrap_or(0) / SHARE_OF_GRAPH / TO_DECIDE;
        let mut kept = graph.states();
        while kept as u64 > least && too_much(kept) {
            kept /= 2;
        }
        let gives_up = kept < graph.states();
        graph.truncate(kept);
        gives_up
    }

    /// True if the steps of the states that are expanded are recorded.
    pub fn is_recording(&self) -> bool {
        self.graph.is_some() && self.graph_too_large.is_none()
    }

    /// True if the operating system would grant what a wave of so many states may take, where it was not asked just
    /// before.
    pub fn has_headroom(&mut self, states: u64) -> Result<(), Limit> {
        self.since_grant = self.since_grant.saturating_add(states);
        if self.since_grant < BETWEEN_GRANTS {
            return Ok(());
        }
        self.since_grant = 0;
        let block = self.list.keys.block_bytes();
        let threads = HEADROOM_OF_THREAD * (self.options.threads as u64 + 1);
        let headroom = HEADROOM + threads + 2 * (self.wave_bytes + block);
        if is_granted(usize::try_from(headroom).unwrap_or(usize::MAX)) {
            Ok(())
        } else {
            Err(Limit::OutOfMemory)
        }
    }

    /// True if all states were added for which there was to be room, as far as the operating system goes.
    pub fn not_starved(&self) -> Result<(), Limit> {
        if self.visited.is_starved() {
            Err(Limit::OutOfMemory)
        } else {
            Ok(())
        }
    }
}
