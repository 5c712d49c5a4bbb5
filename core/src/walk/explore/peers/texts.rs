//! Texts in messages, behind the keys.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::PeersError;
use crate::walk::explore::words::Garbled;

impl Garbled {
    /// Error that names the process.
    pub fn of(self, process: usize) -> PeersError {
        PeersError::Garbled { process }
    }
}

const BYTES: usize = size_of::<u64>();

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
    fn texts_are_read_as_they_were_written() {
        for text in ["", "a", "eight by", "more than eight bytes: ü"] {
            let mut words = vec![7, 9];
            push_text(&mut words, text);
            assert_eq!(take_text(&mut words).as_deref(), Ok(text));
            assert_eq!(words, [7, 9]);
        }
    }

    #[test]
    fn what_is_cut_off_is_garbled() {
        let mut words = Vec::new();
        push_text(&mut words, "a text of some words");
        for len in 0..words.len() {
            // The last word that is left is part of the text, and too long a length.
            assert_eq!(take_text(&mut words[..len].to_vec()), Err(Garbled));
        }
    }
}
