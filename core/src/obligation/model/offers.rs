//! The actions that a state has offered so far: whether one is offered twice.

use std::hash::{Hash, Hasher};

/// A hash that only says which actions to compare.
///
/// PERF: it is computed at every step, and a good one takes as long as half of a cheap rule.
#[derive(Default)]
struct Mixer(u64);

impl Mixer {
    #[inline]
    pub fn mix<A: Hash>(action: &A) -> u64 {
        let mut mixer = Self::default();
        action.hash(&mut mixer);
        // The upper bits are mixed best.
        mixer.0 >> 48
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

/// Bits of the hashes of the actions that a state has offered so far.
///
/// PERF: so many tell the actions of one state apart nearly always; where they do not, the actions
/// themselves are compared.
#[derive(Default)]
pub(in crate::obligation) struct Offers([u64; 16]);

impl Offers {
    /// Notes an action, and says whether it was perhaps offered before.
    #[inline(always)]
    pub fn note<A: Hash>(&mut self, action: &A) -> bool {
        let hash = Mixer::mix(action);
        let bit = 1 << (hash & 63);
        let word = &mut self.0[(hash >> 6) as usize & 15];
        let perhaps = *word & bit != 0;
        *word |= bit;
        perhaps
    }
}
