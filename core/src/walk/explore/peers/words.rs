//! Words of messages: keys one after the other, and texts behind them.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::PeersError;
use crate::state::Code;
use crate::walk::explore::keys::{Compared, Form, KeyList, Keys};

/// A message is none that a process of this version sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::walk::explore) struct Garbled;

impl Garbled {
    /// Error that names the process.
    pub fn of(self, process: usize) -> PeersError {
        PeersError::Garbled { process }
    }
}

const BYTES: usize = size_of::<u64>();

/// Adds keys: of codes, their number of words first.
pub(in crate::walk::explore) fn push_keys(words: &mut Vec<u64>, keys: Keys<'_>) {
    match keys {
        Keys::Fixed { all, .. } => words.extend_from_slice(all),
        Keys::Varying(codes) => {
            for code in codes.iter().map(Code::words) {
                words.push(code.len() as u64);
                words.extend_from_slice(code);
            }
        }
        Keys::Whole(_) => unreachable!("processes that search together pack their states"),
    }
}

/// Adds one key.
pub(in crate::walk::explore) fn push_key<K: Compared>(words: &mut Vec<u64>, key: &K) {
    push_keys(words, K::keys(std::slice::from_ref(key)));
}

/// The keys that were written so.
pub(in crate::walk::explore) fn take_keys<K: Compared>(
    form: Form,
    mut words: &[u64],
) -> Result<Vec<K>, Garbled> {
    let mut list = KeyList::new(form);
    match &mut list {
        KeyList::Fixed { all, words: each } => {
            if !words.len().is_multiple_of(*each) {
                return Err(Garbled);
            }
            all.extend_from_slice(words);
        }
        KeyList::Varying(all) => {
            while let Some((len, rest)) = words.split_first() {
                let len = usize::try_from(*len).map_err(|_| Garbled)?;
                let (code, rest) = rest.split_at_checked(len).ok_or(Garbled)?;
                all.push(Code::of(code));
                words = rest;
            }
        }
        KeyList::Whole(_) => return Err(Garbled),
    }
    let mut keys = Vec::new();
    K::take(&mut list, &mut keys);
    Ok(keys)
}

/// Adds a text, and its length behind it.
pub(in crate::walk::explore) fn push_text(words: &mut Vec<u64>, text: &str) {
    for bytes in text.as_bytes().chunks(BYTES) {
        let mut word = [0; BYTES];
        word[..bytes.len()].copy_from_slice(bytes);
        words.push(u64::from_le_bytes(word));
    }
    words.push(text.len() as u64);
}

/// Takes the text that was added last.
pub(in crate::walk::explore) fn take_text(words: &mut Vec<u64>) -> Result<String, Garbled> {
    let len = words.pop().and_then(|len| usize::try_from(len).ok());
    let len = len.ok_or(Garbled)?;
    let start = words.len().checked_sub(len.div_ceil(BYTES));
    let of_text = words.split_off(start.ok_or(Garbled)?);
    let bytes = of_text.into_iter().flat_map(u64::to_le_bytes);
    String::from_utf8(bytes.take(len).collect()).map_err(|_| Garbled)
}

/// Adds a value, as a text.
pub(in crate::walk::explore) fn push_value(words: &mut Vec<u64>, value: &impl Serialize) {
    push_text(words, &serde_json::to_string(value).expect("it has a text"));
}

/// Takes the value that was added last.
pub(in crate::walk::explore) fn take_value<T: DeserializeOwned>(
    words: &mut Vec<u64>,
) -> Result<T, Garbled> {
    serde_json::from_str(&take_text(words)?).map_err(|_| Garbled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_keys_are_read_as_they_were_written() {
        let codes: Vec<_> = [&[][..], &[1], &[0, 0], &[7; 9]].map(Code::of).into();
        for text in ["", "a", "eight by", "more than eight bytes: ü"] {
            let mut words = Vec::new();
            push_keys(&mut words, Code::keys(&codes));
            push_text(&mut words, text);
            assert_eq!(take_text(&mut words).as_deref(), Ok(text));
            let keys: Vec<Code> = take_keys(Form::Varying, &words).expect("they are whole");
            assert!(keys == codes);
        }
        let pairs = [[1, 2], [3, 4]];
        let mut words = Vec::new();
        push_keys(&mut words, <[u64; 2]>::keys(&pairs));
        let form = Form::Fixed {
            words: 2,
            bits: 128,
        };
        assert_eq!(take_keys(form, &words), Ok(pairs.to_vec()));
        assert_eq!(take_keys::<[u64; 2]>(form, &words[1..]), Err(Garbled));
    }

    #[test]
    fn what_is_cut_off_is_garbled() {
        let mut words = Vec::new();
        push_text(&mut words, "a text of some words");
        for len in 0..words.len() {
            // The last word that is left is part of the text, and too long a length.
            assert_eq!(take_text(&mut words[..len].to_vec()), Err(Garbled));
        }
        let words = [3, 1, 2];
        assert!(take_keys::<Code>(Form::Varying, &words).is_err());
        assert!(take_keys::<Code>(Form::Varying, &[u64::MAX]).is_err());
    }
}
