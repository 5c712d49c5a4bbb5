//! The actions that a state has offered so far: whether one is offered twice.

use std::hash::{Hash, Hasher};

/// A hash that only says which actions to compare.
///
/// PERF: it is computed at every step, and a good one takes as long as half of a cheap rule.
struct Mixer(u64);

/// The hash of nothing. It is not zero, which a zero would leave as it is: then a variant's number 0 would be no part of the hash.
const NOTHING: u64 = 0xA076_1D64_78BD_642F;

impl Mixer {
    #[inline]
    pub fn mix<A: Hash>(action: &A) -> u64 {
        let mut mixer = Self(NOTHING);
        action.hash(&mut mixer);
        // Without this, small numbers collide with one another again and again.
        (mixer.0 ^ (mixer.0 >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }
}

impl Hasher for Mixer {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u8(*byte);
        }
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

/// Bits of the hashes of the actions that a state has offered so far, two of each.
///
/// PERF: so many tell the actions of one state apart nearly always; where they do not, the steps are taken once more, and the actions
/// themselves are compared.
#[derive(Default)]
pub(in crate::obligation) struct OfferFilter([u64; WORDS]);

const WORDS: usize = 32;

impl OfferFilter {
    /// Notes an action, and says whether it was perhaps offered before.
    #[inline(always)]
    pub fn note<A: Hash>(&mut self, action: &A) -> bool {
        let hash = Mixer::mix(action);
        // The upper bits are mixed best.
        let is_first = self.set(hash >> 53);
        let is_second = self.set(hash >> 42);
        is_first && is_second
    }

    /// Sets a bit, and says whether it was set.
    #[inline(always)]
    fn set(&mut self, place: u64) -> bool {
        let bit = 1 << (place & 63);
        let word = &mut self.0[(place >> 6) as usize % WORDS];
        let was_set = *word & bit != 0;
        *word |= bit;
        was_set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::random::Generator;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    enum Act {
        Send { from: usize, to: usize },
        Receive(usize),
        Stop(usize),
        Pass(u8),
        Begin(u8),
        Write { at: u8, value: Option<u32> },
    }

    /// Actions of small models: their arguments are below 12.
    fn acts() -> Vec<Act> {
        let mut acts = Vec::new();
        for n in 0..12 {
            let small = n as u8;
            acts.extend([
                Act::Receive(n),
                Act::Stop(n),
                Act::Pass(small),
                Act::Begin(small),
            ]);
            acts.extend((0..12).map(|to| Act::Send { from: n, to }));
            let values = (0..12).map(Some).chain([None]);
            acts.extend(values.map(|value| Act::Write { at: small, value }));
        }
        acts
    }

    #[test]
    fn what_is_offered_twice_is_noted() {
        let mut offers = OfferFilter::default();
        for act in acts() {
            offers.note(&act);
        }
        assert!(acts().iter().all(|act| offers.note(act)));
    }

    /// No two of them are taken for one wherever both are offered.
    #[test]
    fn two_small_actions_are_told_apart() {
        let acts = acts();
        assert!(acts.len() > 300);
        for (place, one) in acts.iter().enumerate() {
            for other in &acts[..place] {
                let mut offers = OfferFilter::default();
                assert!(!offers.note(one));
                assert!(!offers.note(other), "{one:?}, {other:?}");
            }
        }
    }

    /// Of states that offer many the actions are seldom compared.
    #[test]
    fn many_actions_are_mostly_told_apart() {
        let acts = acts();
        let generator = &mut Generator::new(2);
        for (count, most) in [(8, 5), (20, 20), (60, 150)] {
            let mut compared = 0;
            for _ in 0..1000 {
                let mut offers = OfferFilter::default();
                let first = generator.below(acts.len());
                let some = acts.iter().cycle().skip(first).step_by(7).take(count);
                compared += u32::from(some.fold(false, |twice, act| twice | offers.note(act)));
            }
            assert!(compared <= most, "{compared} of 1000 with {count}");
        }
    }
}
