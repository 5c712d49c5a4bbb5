//! Fingerprints of states, the set of them, and what they may cost.
//!
//! Source: Stern & Dill, *Improved Probabilistic Verification by Hash Compaction*, CHARME 1995.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::candidate::Candidate;
use super::compact::CompactSet;
use super::insert::{add_to_compact_set, sort_for_compact_set};
use super::partition::Partition;
use super::visited::{InsertSink, Lookup, Visited};
use crate::explore::segments::SegmentedVec;
use crate::statement::asked::model_call::named;

/// The bits of a fingerprint. The set of them keeps all, so that what is said of an omission is right.
pub(crate) const FINGERPRINT_BITS: u32 = 64;

/// The bits of a hash of `state`.
///
/// The hash is SipHash, which keeps its promise of evenness whatever the states are; a faster one
/// need not, and then the probability below would say too little. Its key is fixed, so that a search
/// finds the same twice.
pub(crate) fn fingerprint<T: Hash>(state: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    named("`hash` of a state", || state.hash(&mut hasher));
    hasher.finish()
}

/// Key that has a fingerprint.
pub(in crate::explore) trait Fingerprinted {
    fn fingerprint(&self) -> u64;
}

impl<const N: usize> Fingerprinted for [u64; N] {
    fn fingerprint(&self) -> u64 {
        fingerprint(self)
    }
}

/// The most likely it can be that of so many states two or more have the same fingerprint, so that
/// one of them was left out: the number of pairs of states, divided by the number of fingerprints.
pub(crate) fn omission_probability(states: u64) -> f64 {
    let states = states as f64;
    let pairs = states * (states - 1.0).max(0.0) / 2.0;
    (pairs / 2f64.powi(FINGERPRINT_BITS as i32)).min(1.0)
}

/// 64 bits of a hash in the place of a state, which may leave states out.
pub(in crate::explore) struct Fingerprints(CompactSet);

impl Fingerprints {
    pub fn new() -> Self {
        Self(CompactSet::new(FINGERPRINT_BITS))
    }
}

impl<T: Fingerprinted + Clone + Send + Sync> Visited<T> for Fingerprints {
    fn hashes_are_keys(&self) -> bool {
        true
    }

    fn is_same(&self, _: &T, _: &T) -> bool {
        true
    }

    fn hash(&self, key: &T) -> u64 {
        key.fingerprint()
    }

    fn prefetch(&self, hash: u64) {
        self.0.prefetch(hash);
    }

    fn find(&self, _log: &SegmentedVec<T>, hash: u64, _key: &T) -> Lookup {
        if self.0.contains(hash) {
            Lookup::Present(None)
        } else {
            Lookup::Absent
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
        sort_for_compact_set(&self.0, states, threads, lists, sorted);
    }

    fn add_all(
        &mut self,
        log: &mut SegmentedVec<T>,
        wave: Vec<Vec<Candidate<T>>>,
        sorted: &[&Partition],
        room: usize,
        met: &mut impl InsertSink,
    ) -> bool {
        add_to_compact_set(&mut self.0, log, wave, sorted, room, met)
    }

    fn is_starved(&self) -> bool {
        self.0.is_starved()
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_states_are_more_likely_to_collide() {
        assert_eq!(omission_probability(0), 0.0);
        assert_eq!(omission_probability(1), 0.0);
        assert_eq!(omission_probability(2), 2f64.powi(-64));
        let millions = omission_probability(12_365_444);
        assert!((4.1e-6..4.2e-6).contains(&millions), "{millions}");
        assert_eq!(omission_probability(u64::MAX), 1.0);
    }
}
