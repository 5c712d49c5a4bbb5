//! A hasher for states, which write many small numbers.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::{FixedState, FoldHasher};

/// Gathers what is written, and hashes it by the block.
///
/// PERF: a state of a model is dozens of bytes and enums, each written by itself; to gather them takes a few instructions
/// each, and to hash each of them five times as many.
pub(super) struct Gather<'a> {
    block: [u8; BLOCK],
    filled: usize,
    hasher: FoldHasher<'a>,
}

const BLOCK: usize = 64;
/// Says that a number of eight bytes follows.
const LARGE: u8 = u8::MAX;

impl Gather<'_> {
    pub fn new(state: &FixedState) -> Gather<'_> {
        Gather {
            block: [0; BLOCK],
            filled: 0,
            hasher: state.build_hasher(),
        }
    }

    #[inline(always)]
    fn gather<const N: usize>(&mut self, bytes: [u8; N]) {
        if self.filled + N > BLOCK {
            self.flush();
        }
        self.block[self.filled..self.filled + N].copy_from_slice(&bytes);
        self.filled += N;
    }

    /// Gathers `N` to 2 · `N` bytes: the first `N`, and the last.
    #[inline(always)]
    fn gather_ends<const N: usize>(&mut self, bytes: &[u8]) {
        let end = self.filled + bytes.len();
        if end > BLOCK {
            return self.gather_many(bytes);
        }
        let room = &mut self.block[self.filled..end];
        room[..N].copy_from_slice(&bytes[..N]);
        let last = bytes.len() - N;
        room[last..].copy_from_slice(&bytes[last..]);
        self.filled = end;
    }

    #[inline(never)]
    fn gather_many(&mut self, bytes: &[u8]) {
        let end = self.filled + bytes.len();
        if let Some(room) = self.block.get_mut(self.filled..end) {
            room.copy_from_slice(bytes);
            self.filled = end;
            return;
        }
        self.flush();
        self.hasher.write(bytes);
    }

    #[inline(never)]
    fn flush(&mut self) {
        self.hasher.write(&self.block[..self.filled]);
        self.filled = 0;
    }
}

impl Hasher for Gather<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        // PERF: to copy a few bytes by a call takes longer than to hash them.
        match bytes.len() {
            length @ 0..4 => bytes[..length].iter().for_each(|byte| self.gather([*byte])),
            4..8 => self.gather_ends::<4>(bytes),
            8..=16 => self.gather_ends::<8>(bytes),
            _ => self.gather_many(bytes),
        }
    }

    #[inline(always)]
    fn write_u8(&mut self, number: u8) {
        self.gather([number]);
    }

    #[inline(always)]
    fn write_u16(&mut self, number: u16) {
        self.gather(number.to_ne_bytes());
    }

    #[inline(always)]
    fn write_u32(&mut self, number: u32) {
        self.gather(number.to_ne_bytes());
    }

    #[inline(always)]
    fn write_u64(&mut self, number: u64) {
        self.gather(number.to_ne_bytes());
    }

    #[inline(always)]
    fn write_u128(&mut self, number: u128) {
        self.gather(number.to_ne_bytes());
    }

    /// Lengths and variants of enums are written so, and are small.
    #[inline(always)]
    fn write_usize(&mut self, number: usize) {
        match u8::try_from(number) {
            Ok(small) if small < LARGE => self.gather([small]),
            _ => {
                self.gather([LARGE]);
                self.gather(number.to_ne_bytes());
            }
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        let mut hasher = self.hasher.clone();
        hasher.write(&self.block[..self.filled]);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn hash(write: impl Fn(&mut Gather<'_>)) -> u64 {
        let state = FixedState::default();
        let mut gather = Gather::new(&state);
        write(&mut gather);
        gather.finish()
    }

    /// Each byte counts, wherever it is in a block or beyond one, however it was written.
    #[test]
    fn every_byte_counts() {
        for length in [1, 7, 63, 64, 65, 300] {
            let bytes: Vec<u8> = (0..length).map(|n| n as u8).collect();
            let mut seen = HashSet::new();
            for at in 0..length {
                let mut bytes = bytes.clone();
                bytes[at] ^= 1;
                assert!(seen.insert(hash(|to| bytes.iter().for_each(|n| to.write_u8(*n)))));
            }
            assert!(seen.insert(hash(|to| bytes.iter().for_each(|n| to.write_u8(*n)))));
        }
    }

    #[test]
    fn numbers_of_all_sizes_count() {
        let one_of_each = |flipped: u32| {
            let flip = |number: u32| u128::from(flipped == number);
            hash(|to| {
                to.write(&[1; 100]);
                to.write_u8(7 ^ flip(0) as u8);
                to.write_u16(7 ^ flip(1) as u16);
                to.write_u32(7 ^ flip(2) as u32);
                to.write_u64(7 ^ flip(3) as u64);
                to.write_u128(7 ^ flip(4));
                to.write_usize(7 ^ flip(5) as usize);
                to.write_i64(7 ^ flip(6) as i64);
                to.write(&[7 ^ flip(7) as u8; 200]);
            })
        };
        let seen: HashSet<_> = (0..9).map(one_of_each).collect();
        assert_eq!(seen.len(), 9);
    }
}
