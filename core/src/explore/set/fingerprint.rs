//! Fingerprints of states, and what they may cost.
//!
//! Source: Stern & Dill, *Improved Probabilistic Verification by Hash Compaction*, CHARME 1995.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The bits of a fingerprint. The set of them keeps all, so that what is said of an omission is right.
pub(crate) const BITS: u32 = 64;

/// The bits of a hash of `state`.
///
/// The hash is SipHash, which keeps its promise of evenness whatever the states are; a faster one
/// need not, and then the probability below would say too little. Its key is fixed, so that a search
/// finds the same twice.
pub(crate) fn fingerprint<T: Hash>(state: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

/// The most likely it can be that of so many states two or more have the same fingerprint, so that
/// one of them was left out: the number of pairs of states, divided by the number of fingerprints.
pub(crate) fn omission_probability(states: u64) -> f64 {
    let states = states as f64;
    let pairs = states * (states - 1.0).max(0.0) / 2.0;
    (pairs / 2f64.powi(BITS as i32)).min(1.0)
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
