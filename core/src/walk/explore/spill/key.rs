//! Keys in bytes, as they are in files without names.

use crate::walk::explore::keys::Compared;

/// Words up to which a key is read without memory of its own.
const FEW: usize = 3;

/// True if the hash of a key is told by no other key, so that it stands for it: numbers of one word are mixed reversibly.
pub(super) const fn is_told_by_hash<K: Compared>() -> bool {
    matches!(K::WORDS, Some(1))
}

/// Adds the bytes of a key.
pub(super) fn write<K: Compared>(key: &K, bytes: &mut Vec<u8>) {
    let words = key.words();
    if K::WORDS.is_none() {
        write_length(words.len() as u64, bytes);
    }
    write_trimmed(words, bytes);
}

/// The key whose bytes begin at a place, which is moved behind them.
pub(super) fn read<K: Compared>(bytes: &[u8], at: &mut usize) -> K {
    let count = match K::WORDS {
        Some(count) => count,
        None => read_length(bytes, at) as usize,
    };
    let (mut few, mut many) = ([0; FEW], Vec::new());
    let words = match few.get_mut(..count) {
        Some(few) => few,
        None => {
            many.resize(count, 0);
            &mut many
        }
    };
    read_trimmed(bytes, at, words);
    K::of_words(words)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Code;
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
            write(&one, &mut bytes);
            write(&two, &mut bytes);
            write(&code, &mut bytes);
            written.0.push(one);
            written.1.push(two);
            written.2.push(code);
        }
        let mut at = 0;
        for ((one, two), code) in written.0.iter().zip(&written.1).zip(&written.2) {
            assert_eq!(read::<[u64; 1]>(&bytes, &mut at), *one);
            assert_eq!(read::<[u64; 2]>(&bytes, &mut at), *two);
            assert!(read::<Code>(&bytes, &mut at) == *code);
        }
        assert_eq!(at, bytes.len());
    }
}
