//! Keys as they are written: the words of one after the other, of codes their number first, in messages and in the lists of checkpoints.
//!
//! In files that only the search reads they are the same, in as few bytes as they take (`spill/key.rs`).

use super::keys::{Compared, Keys, NO_WORDS};
use crate::state::Code;

/// Words are none that were written by this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Garbled;

/// Words that are read one after the other.
pub(super) trait WordSource {
    type Error;
    /// True if all were read.
    fn is_at_end(&mut self) -> Result<bool, Self::Error>;
    /// The next words, so many.
    fn take(&mut self, count: u64) -> Result<&[u64], Self::Error>;
}

impl WordSource for &[u64] {
    type Error = Garbled;

    fn is_at_end(&mut self) -> Result<bool, Garbled> {
        Ok(self.is_empty())
    }

    #[inline]
    fn take(&mut self, count: u64) -> Result<&[u64], Garbled> {
        let count = usize::try_from(count).map_err(|_| Garbled)?;
        self.split_off(..count).ok_or(Garbled)
    }
}

/// Adds a key.
#[inline]
pub(super) fn push_key<K: Compared>(words: &mut impl Extend<u64>, key: &K) {
    push_keys(words, K::keys(std::slice::from_ref(key)));
}

/// Adds keys.
#[inline]
pub(super) fn push_keys(words: &mut impl Extend<u64>, keys: Keys<'_>) {
    match keys {
        Keys::Fixed { all, .. } => words.extend(all.iter().copied()),
        Keys::Varying(codes) => {
            for code in codes.iter().map(Code::words) {
                words.extend([code.len() as u64]);
                words.extend(code.iter().copied());
            }
        }
        Keys::Whole(_) => unreachable!("{NO_WORDS}"),
    }
}

/// Reads keys that were written so, at most so many, and adds them to others.
pub(super) fn read_keys<K: Compared, W: WordSource>(
    words: &mut W,
    most: usize,
    keys: &mut Vec<K>,
) -> Result<(), W::Error> {
    let end = keys.len().saturating_add(most);
    while keys.len() < end && !words.is_at_end()? {
        let count = match K::WORDS {
            Some(count) => count as u64,
            None => words.take(1)?[0],
        };
        keys.push(K::of_words(words.take(count)?));
    }
    Ok(())
}

/// The keys that a message has.
pub(super) fn take_keys<K: Compared>(mut words: &[u64]) -> Result<Vec<K>, Garbled> {
    let mut keys = Vec::new();
    read_keys(&mut words, usize::MAX, &mut keys)?;
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::random::Generator;

    /// Keys of a form are read as they were written, all at once and some at a time; and of words that are cut off, no more than whole
    /// keys.
    fn compare<K: Compared>(keys: &[K]) {
        let mut words = Vec::new();
        push_keys(&mut words, K::keys(keys));
        assert!(take_keys(&words) == Ok(keys.to_vec()));
        let (mut rest, mut some) = (&words[..], Vec::<K>::new());
        for most in [0, 1, 2, usize::MAX] {
            let before = some.len();
            assert_eq!(read_keys(&mut rest, most, &mut some), Ok(()));
            assert_eq!(some.len(), keys.len().min(before.saturating_add(most)));
        }
        assert!(some == keys);
        for end in 0..words.len() {
            match take_keys::<K>(&words[..end]) {
                Ok(some) => assert!(keys.starts_with(&some) && some.len() < keys.len()),
                Err(Garbled) => assert!(end > 0),
            }
        }
    }

    #[test]
    fn keys_are_read_as_they_were_written() {
        let mut generator = Generator::new(1);
        for count in [0, 1, 2, 5, 40] {
            let mut word = || generator.bits() >> (generator.bits() % 64);
            compare(&(0..count).map(|_| [word()]).collect::<Vec<_>>());
            compare(&(0..count).map(|_| [word(), word()]).collect::<Vec<_>>());
            let code = |place: usize| Code::of(&(0..place % 9).map(|_| word()).collect::<Vec<_>>());
            compare(&(0..count).map(code).collect::<Vec<_>>());
        }
    }

    /// Half of a pair, and codes of more words than there are.
    #[test]
    fn what_is_cut_off_is_garbled() {
        assert_eq!(take_keys::<[u64; 2]>(&[1, 2, 3]), Err(Garbled));
        assert!(take_keys::<Code>(&[3, 1, 2]).is_err());
        assert!(take_keys::<Code>(&[u64::MAX]).is_err());
    }
}
