//! The interface of a set of the states already reached, and what a search and a set tell each other.

use super::candidate::Candidate;
use super::partition::Partition;
use crate::walk::explore::graph::NodeId;
use crate::walk::explore::segments::SegmentedVec;

/// Result of a lookup: the state is there, and under this number if that is known, or it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::walk::explore) enum Lookup {
    Absent,
    Present(Option<NodeId>),
}

/// Receiver of what became of the candidates of a wave, in order.
pub(in crate::walk::explore) trait InsertSink {
    /// So many candidates of a list are new, and were added to the log. Lists come in order.
    fn added(&mut self, list: usize, count: usize);
    /// The next candidate has this number; none for lack of room. Told only where numbers are known.
    fn numbered(&mut self, number: Option<NodeId>);
}

/// The states reached, kept as `K`.
pub(in crate::walk::explore) trait Visited<K>: Sync {
    /// The most states that it can have.
    fn most(&self) -> u64 {
        u64::MAX
    }

    /// True if candidates are to be looked up before they are added. Keys of one hash are one key to a set for which they are not.
    fn looks_up_first(&self) -> bool {
        true
    }

    /// Hash by which a key is looked for.
    fn hash(&self, key: &K) -> u64;
    /// Number of bits, from the lowest on, that a hash may have.
    fn hash_bits(&self) -> u32 {
        u64::BITS
    }
    /// Asks for the memory at which the key of a hash would be.
    fn prefetch(&self, hash: u64);
    fn find(&self, log: &SegmentedVec<K>, hash: u64, key: &K) -> Lookup;
    /// Sorts the candidates of some lists of a wave, which one of the threads has met, if that helps to add
    /// them. `states` are those of the wave, and `threads` work through it.
    fn sort<'c>(
        &self,
        _states: usize,
        _threads: usize,
        _lists: impl Iterator<Item = (u32, &'c [Candidate<K>])> + Clone,
        _sorted: &mut Partition,
    ) where
        K: 'c,
    {
    }
    /// Adds the candidates that are not there to the set and, in order, to the log, as long as that
    /// has fewer than `room` entries; `sorted` is what each thread has made of those it met. Says whether there was
    /// room for all.
    fn add_all(
        &mut self,
        log: &mut SegmentedVec<K>,
        wave: Vec<Vec<Candidate<K>>>,
        sorted: &[&Partition],
        room: usize,
        met: &mut impl InsertSink,
    ) -> bool;
    /// True if there was no memory to grow. States may be missing then.
    fn is_starved(&self) -> bool;
    /// Bytes held.
    fn bytes(&self) -> u64;
}

/// A set that gives away what it has.
pub(in crate::walk::explore) trait Drain<K>: Visited<K> {
    /// Hands all keys with their hashes to `take`, in ascending order of these, some at a time, and all of one hash at once. The set is
    /// empty then.
    ///
    /// # Errors
    ///
    /// The first of `take`; what the set had is lost.
    fn drain<E>(&mut self, take: impl FnMut(&[(u64, K)]) -> Result<(), E>) -> Result<(), E>;
}
