//! The set of states that do not fit into a word.

use std::hash::Hash;

use super::candidate::Candidate;
use super::fingerprints::{Fingerprinted, Fingerprints};
use super::numbered::{Numbered, OfAnyKind};
use super::partition::Partition;
use super::visited::{InsertSink, Lookup, Visited};
use crate::explore::segments::SegmentedVec;

/// Keys that do not fit into a word, remembered exactly or by their fingerprints.
///
/// One type for both, so that the search is compiled once for a system and a size of its keys.
pub(in crate::explore) enum Hashed {
    Exact(Numbered<OfAnyKind>),
    Fingerprints(Fingerprints),
}

impl<T: Fingerprinted + Clone + Eq + Hash + Send + Sync> Visited<T> for Hashed {
    fn most(&self) -> u64 {
        match self {
            Self::Exact(set) => Visited::<T>::most(set),
            Self::Fingerprints(set) => Visited::<T>::most(set),
        }
    }

    fn hashes_are_keys(&self) -> bool {
        matches!(self, Self::Fingerprints(_))
    }

    fn is_same(&self, one: &T, other: &T) -> bool {
        match self {
            Self::Exact(set) => set.is_same(one, other),
            Self::Fingerprints(set) => set.is_same(one, other),
        }
    }

    fn hash(&self, key: &T) -> u64 {
        match self {
            Self::Exact(set) => set.hash(key),
            Self::Fingerprints(set) => set.hash(key),
        }
    }

    fn prefetch(&self, hash: u64) {
        match self {
            Self::Exact(set) => Visited::<T>::prefetch(set, hash),
            Self::Fingerprints(set) => Visited::<T>::prefetch(set, hash),
        }
    }

    fn find(&self, log: &SegmentedVec<T>, hash: u64, key: &T) -> Lookup {
        match self {
            Self::Exact(set) => set.find(log, hash, key),
            Self::Fingerprints(set) => set.find(log, hash, key),
        }
    }

    fn sort<'c>(
        &self,
        states: usize,
        threads: usize,
        lists: impl Iterator<Item = (u32, &'c [Candidate<T>])> + Clone,
        sorted: &mut Partition,
    ) where
        T: 'c,
    {
        match self {
            Self::Exact(set) => set.sort(states, threads, lists, sorted),
            Self::Fingerprints(set) => set.sort(states, threads, lists, sorted),
        }
    }

    fn add_all(
        &mut self,
        log: &mut SegmentedVec<T>,
        wave: Vec<Vec<Candidate<T>>>,
        sorted: &[&Partition],
        room: usize,
        met: &mut impl InsertSink,
    ) -> bool {
        match self {
            Self::Exact(set) => set.add_all(log, wave, sorted, room, met),
            Self::Fingerprints(set) => set.add_all(log, wave, sorted, room, met),
        }
    }

    fn is_starved(&self) -> bool {
        match self {
            Self::Exact(set) => Visited::<T>::is_starved(set),
            Self::Fingerprints(set) => Visited::<T>::is_starved(set),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Exact(set) => Visited::<T>::bytes(set),
            Self::Fingerprints(set) => Visited::<T>::bytes(set),
        }
    }
}
