//! Keys in bytes, as they are in files without names.

use crate::state::Code;
use crate::walk::explore::keys::Compared;

/// Key that can be written to a file.
pub(in crate::walk::explore) trait FileKey: Compared {
    /// True if the hash of a key is told by no other key, so that it stands for it.
    const IS_HASH: bool;
    /// Adds its bytes.
    fn write(&self, bytes: &mut Vec<u8>);
    /// The key whose bytes begin at a place, which is moved behind them.
    fn read(bytes: &[u8], at: &mut usize) -> Self;
}

/// Adds words without the zeros at their end.
fn write_trimmed(words: &[u64], bytes: &mut Vec<u8>) {
    let zeros: u32 = match words.iter().rposition(|word| *word != 0) {
        Some(last) => (words.len() - 1 - last) as u32 * u64::BITS + words[last].leading_zeros(),
        None => words.len() as u32 * u64::BITS,
    };
    let len = size_of_val(words) - (zeros / u8::BITS) as usize;
    write_length(len as u64, bytes);
    let all = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.extend(all.take(len));
}

/// Reads words that were written so into words that are all 0.
fn read_trimmed(bytes: &[u8], at: &mut usize, words: &mut [u64]) {
    let len = read_length(bytes, at) as usize;
    let (own, all) = (&bytes[*at..*at + len], words);
    for (word, bytes) in all.iter_mut().zip(own.chunks(size_of::<u64>())) {
        let mut whole = [0; size_of::<u64>()];
        whole[..bytes.len()].copy_from_slice(bytes);
        *word = u64::from_le_bytes(whole);
    }
    *at += len;
}

/// Adds a length in as many bytes as it takes, seven bits each.
fn write_length(mut length: u64, bytes: &mut Vec<u8>) {
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
}

fn read_length(bytes: &[u8], at: &mut usize) -> u64 {
    let mut length = 0;
    for shift in (0..).step_by(7) {
        let byte = bytes[*at];
        *at += 1;
        length |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    length
}

impl<const N: usize> FileKey for [u64; N] {
    // Numbers of one word are mixed reversibly.
    const IS_HASH: bool = N == 1;

    fn write(&self, bytes: &mut Vec<u8>) {
        write_trimmed(self, bytes);
    }

    fn read(bytes: &[u8], at: &mut usize) -> Self {
        let mut words = [0; N];
        read_trimmed(bytes, at, &mut words);
        words
    }
}

impl FileKey for Code {
    const IS_HASH: bool = false;

    fn write(&self, bytes: &mut Vec<u8>) {
        write_length(self.words().len() as u64, bytes);
        write_trimmed(self.words(), bytes);
    }

    fn read(bytes: &[u8], at: &mut usize) -> Self {
        let mut words = vec![0; read_length(bytes, at) as usize];
        read_trimmed(bytes, at, &mut words);
        Self::of(&words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::random::Generator;

    fn words(generator: &mut Generator, count: usize) -> Vec<u64> {
        let word = |generator: &mut Generator| match generator.below(4) {
            0 => 0,
            1 => u64::MAX,
            _ => generator.bits() >> generator.below(64),
        };
        (0..count).map(|_| word(generator)).collect()
    }

    #[test]
    fn keys_are_read_as_they_were_written() {
        let mut generator = Generator::new(1);
        let mut bytes = Vec::new();
        let mut written: (Vec<[u64; 1]>, Vec<[u64; 2]>, Vec<Code>) = Default::default();
        for _ in 0..5000 {
            let one = words(&mut generator, 1).try_into().expect("it is one");
            let two = words(&mut generator, 2).try_into().expect("they are two");
            let count = generator.below(40);
            let code = Code::of(&words(&mut generator, count));
            <[u64; 1]>::write(&one, &mut bytes);
            <[u64; 2]>::write(&two, &mut bytes);
            code.write(&mut bytes);
            written.0.push(one);
            written.1.push(two);
            written.2.push(code);
        }
        let mut at = 0;
        for ((one, two), code) in written.0.iter().zip(&written.1).zip(&written.2) {
            assert_eq!(<[u64; 1]>::read(&bytes, &mut at), *one);
            assert_eq!(<[u64; 2]>::read(&bytes, &mut at), *two);
            assert!(Code::read(&bytes, &mut at) == *code);
        }
        assert_eq!(at, bytes.len());
    }
}
