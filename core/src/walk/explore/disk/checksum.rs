//! A checksum of words, which is part of the format of the files.

use serde::{Deserialize, Serialize};

const FACTOR: u64 = 0xD6E8_FEB8_6659_FD93;

/// Checksum of the words added so far, in their order. Each word changes all bits that come after it; no defence against anybody who
/// means harm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::walk::explore) struct Checksum(u64);

impl Checksum {
    /// Checksum of nothing. It is not zero, which a zero would leave as it is.
    pub const NOTHING: Self = Self(FACTOR);

    /// Adds a word.
    #[inline]
    pub fn add(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(FACTOR);
        // The word is added once more, so that the step can be undone for every word: no state of it swallows what comes.
        self.0 = (product as u64 ^ (product >> u64::BITS) as u64)
            .rotate_left(23)
            .wrapping_add(word);
    }

    /// Adds bytes, of which the last word is filled with zeros, and their number.
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.add(u64::from_le_bytes(last));
        }
        self.add(bytes.len() as u64);
    }
}

impl Extend<u64> for Checksum {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, words: I) {
        words.into_iter().for_each(|word| self.add(word));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn of(words: &[u64]) -> Checksum {
        let mut checksum = Checksum::NOTHING;
        words.iter().for_each(|word| checksum.add(*word));
        checksum
    }

    /// A word that is changed, exchanged, left out or added shows.
    #[test]
    fn words_and_their_order_show() {
        let words: Vec<u64> = (0..64).map(|n| n * n).collect();
        let mut seen = HashSet::from([of(&words).0]);
        for place in 0..words.len() {
            for bit in [0, 1, 31, 63] {
                let mut changed = words.clone();
                changed[place] ^= 1 << bit;
                assert!(seen.insert(of(&changed).0), "{place} {bit}");
            }
            let mut without = words.clone();
            without.remove(place);
            assert!(seen.insert(of(&without).0), "{place}");
            let mut exchanged = words.clone();
            exchanged.swap(place, (place + 1) % words.len());
            assert!(seen.insert(of(&exchanged).0), "{place}");
        }
        assert_ne!(of(&[0]), of(&[0, 0]));
        let bytes = |bytes: &[u8]| {
            let mut checksum = Checksum::NOTHING;
            checksum.add_bytes(bytes);
            checksum
        };
        assert_ne!(bytes(b"abc"), bytes(b"abc\0"));
        let mut text = vec![b'x'; 100_003];
        let unchanged = bytes(&text);
        for place in (0..text.len()).step_by(1_111).chain([text.len() - 1]) {
            text[place] = b'y';
            assert_ne!(bytes(&text), unchanged, "{place}");
            text[place] = b'x';
        }
    }
}
