//! Every bit of a packed word counts.

use super::candidate::Candidate;
use super::exact::ExactSet;
use super::visited::{InsertSink, Lookup, Visited};
use crate::walk::explore::graph::NodeId;
use crate::walk::explore::segments::SegmentedVec;

/// A sink that drops what is added to a set.
struct Untold;

impl InsertSink for Untold {
    fn added(&mut self, _: usize, _: usize) {}

    fn numbered(&mut self, _: Option<NodeId>) {}
}

/// Hashes that differ in one bit are two, whichever bit it is: none of those that a set asks for is left out.
#[test]
fn every_bit_of_a_packed_word_counts() {
    let key = [0];
    for bits in 1..=64 {
        let most = u64::MAX >> (64 - bits);
        for hash in [0, most, 0x0123_4567_89AB_CDEF & most] {
            let (mut set, mut log) = (ExactSet::new(bits), SegmentedVec::new());
            assert_eq!(set.hash_bits(), bits);
            let mut add = |set: &mut ExactSet, hash| {
                let before = log.len();
                let wave = vec![vec![Candidate { key, hash }]];
                assert!(set.add_all(&mut log, wave, &[], usize::MAX, &mut Untold));
                log.len() > before
            };
            let has =
                |set: &ExactSet, hash| set.find(&SegmentedVec::new(), hash, &key) != Lookup::Absent;
            assert!(add(&mut set, hash), "{hash:#x}");
            for bit in 0..bits {
                let other = hash ^ 1 << bit;
                assert!(!has(&set, other), "bit {bit} of {hash:#x}");
                assert!(add(&mut set, other), "bit {bit} of {hash:#x}");
                assert!(has(&set, other) && has(&set, hash));
            }
        }
    }
}
