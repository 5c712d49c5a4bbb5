//! A filter of duplicates: the hashes of the targets that a worker met last.
//!
//! Most steps lead where another one has just led: independent steps commute, and states that were
//! reached together are expanded together. Such a target is known without asking the set, which would
//! cost a miss of the cache.

/// Hashes that were met, each until another one needs its place.
pub(super) enum DuplicateFilter {
    /// Hashes of no more bits than fit beside those of a place: those of most packed states.
    Short(Places<u32>),
    /// Hashes of up to 64 bits.
    Long(Places<u64>),
}

/// The lower bits of a hash say which place is its own.
const BITS: u32 = 15;
/// The places. PERF: on Ben-Ari's level 3 at (5,1,1) more than half of all targets are found in so many, and
/// the second cache of a processor has room for them; in half of it, so that others find room too, if
/// what is left of a hash takes 32 bits.
const PLACES: usize = 1 << BITS;

impl DuplicateFilter {
    /// Empty filter for hashes of `bits` bits.
    pub fn new(bits: u32) -> Self {
        // What is left of a hash is less than the number that says that there is none.
        if bits < BITS + u32::BITS {
            Self::Short(Places::new(u32::MAX))
        } else {
            Self::Long(Places::new(u64::MAX))
        }
    }
}

/// Rest of the hash that was met last at each place.
pub(super) struct Places<T>(Box<[T; PLACES]>);

impl<T: Copy> Places<T> {
    fn new(none: T) -> Self {
        // Too many for the stack of a thread.
        let places = vec![none; PLACES].into_boxed_slice();
        match places.try_into() {
            Ok(places) => Self(places),
            Err(_) => unreachable!("there are as many"),
        }
    }
}

impl Places<u32> {
    /// Notes a hash, and says whether it is met for the first time, as far as is remembered.
    #[inline(always)]
    pub fn meet(&mut self, hash: u64) -> bool {
        self.note(hash, (hash >> BITS) as u32)
    }
}

impl Places<u64> {
    /// Notes a hash, and says whether it is met for the first time, as far as is remembered.
    #[inline(always)]
    pub fn meet(&mut self, hash: u64) -> bool {
        self.note(hash, hash >> BITS)
    }
}

impl<T: PartialEq> Places<T> {
    #[inline(always)]
    fn note(&mut self, hash: u64, rest: T) -> bool {
        let place = &mut self.0[hash as usize & (PLACES - 1)];
        let new = *place != rest;
        *place = rest;
        new
    }
}

/// The places of a list's candidates, by their hashes: of those of one hash, and of one slot, the last.
///
/// PERF: most candidates come again within the list. They are in the cache then, and compared there; later each would
/// be looked up again.
pub(super) struct Pending(Box<[u32; SLOTS]>);

/// PERF: several times as many as a list has candidates, and few enough for the first cache.
const SLOTS: usize = 1 << 12;

impl Pending {
    pub fn new() -> Self {
        Self(Box::new([u32::MAX; SLOTS]))
    }

    /// The slot of a hash: where a candidate that has it may be.
    #[inline(always)]
    pub fn slot(&mut self, hash: u64) -> &mut u32 {
        &mut self.0[hash as usize % SLOTS]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::walk::random::Generator;

    impl DuplicateFilter {
        fn meet(&mut self, hash: u64) -> bool {
            match self {
                Self::Short(places) => places.meet(hash),
                Self::Long(places) => places.meet(hash),
            }
        }
    }

    /// At every width it says of random hashes, of few places, what a map from places to the last hash says.
    #[test]
    fn it_remembers_what_a_map_remembers() {
        for bits in 1..=64u32 {
            let largest = u64::MAX >> (64 - bits);
            let mut generator = Generator::new(bits.into());
            let mut recent = DuplicateFilter::new(bits);
            let mut plain = HashMap::new();
            for _ in 0..3000 {
                // Few places, the last one among them, and hashes that differ at both ends of what is left of them.
                let last = (generator.bits() & 1) * (PLACES as u64 - 4);
                let place = last + (generator.bits() & 3);
                let rest = match generator.bits() & 3 {
                    0 => generator.bits(),
                    1 => u64::MAX << BITS,
                    _ => {
                        1 << (BITS
                            + (generator.bits() % u64::from(bits.max(BITS + 1) - BITS)) as u32)
                    }
                };
                let hash = (place | rest >> BITS << BITS) & largest;
                let new = plain.insert(hash & (PLACES as u64 - 1), hash) != Some(hash);
                assert_eq!(recent.meet(hash), new, "{hash:#x} of {bits} bits");
            }
        }
    }

    /// A hash is known only if it was met, the first of all places and the largest hash of so many bits included.
    #[test]
    fn only_what_was_met_is_known() {
        for bits in [16, 45, 46, 47, 48, 63, 64] {
            let largest = u64::MAX >> (64 - bits);
            for hash in [0, 1, PLACES as u64, PLACES as u64 + 1, largest] {
                let mut recent = DuplicateFilter::new(bits);
                assert!(recent.meet(hash), "{hash} of {bits} bits");
                assert!(!recent.meet(hash), "{hash} of {bits} bits");
                for bit in 0..bits {
                    let other = hash ^ 1 << bit;
                    assert!(recent.meet(other), "{other} of {bits} bits");
                    assert_eq!(recent.meet(hash), bit >= BITS, "{hash} of {bits} bits");
                }
            }
        }
    }
}
