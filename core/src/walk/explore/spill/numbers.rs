//! Ascending numbers in few bytes: the differences of neighbours, in as many bytes as each takes.
//!
//! Source: Dean, *Challenges in Building Large-Scale Information Retrieval Systems*, WSDM 2009, for groups of four numbers whose
//! lengths are in one byte.

/// Bytes of a difference, by the two bits that say so. PERF: of evenly spread numbers, as hashes are, most take 2 or 3.
const LENGTHS: [usize; 4] = [2, 3, 4, 8];
const MASKS: [u64; 4] = [0xFFFF, 0xFF_FFFF, 0xFFFF_FFFF, u64::MAX];
/// Bytes that are read at a time, so that so many have to come after the last difference.
const WORD: usize = 8;
const GROUP: usize = 4;

/// Adds the bytes of ascending numbers, of which some may be equal.
pub(super) fn write(numbers: &[u64], bytes: &mut Vec<u8>) {
    let mut before = 0;
    for group in numbers.chunks(GROUP) {
        let at = bytes.len();
        bytes.push(0);
        let mut lengths = 0;
        for (place, number) in group.iter().enumerate() {
            let difference = number - before;
            before = *number;
            let code = MASKS.iter().position(|mask| difference <= *mask);
            let code = code.expect("the last mask has all bits");
            lengths |= (code as u8) << (2 * place);
            bytes.extend_from_slice(&difference.to_le_bytes()[..LENGTHS[code]]);
        }
        bytes[at] = lengths;
    }
    bytes.extend_from_slice(&[0; WORD]);
}

/// Reads so many numbers into an empty list, and says how many bytes they take.
pub(super) fn read(bytes: &[u8], count: usize, numbers: &mut Vec<u64>) -> usize {
    numbers.clear();
    numbers.reserve(count + GROUP);
    let mut at = 0;
    let mut number = 0u64;
    while numbers.len() < count {
        let mut lengths = bytes[at] as usize;
        at += 1;
        for _ in 0..GROUP.min(count - numbers.len()) {
            let code = lengths & 3;
            lengths >>= 2;
            let word = bytes[at..at + WORD].try_into().expect("it is a word");
            number += u64::from_le_bytes(word) & MASKS[code];
            at += LENGTHS[code];
            numbers.push(number);
        }
    }
    at + WORD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::random::Generator;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let mut generator = Generator::new(3);
        for case in 0..2000 {
            let count = generator.below(300);
            let bits = 1 + generator.below(64) as u32;
            let mut numbers: Vec<u64> = (0..count)
                .map(|_| generator.bits() >> (64 - bits))
                .collect();
            if case % 3 == 0 {
                numbers.extend([0, u64::MAX, u64::MAX]);
            }
            numbers.sort_unstable();
            let mut bytes = vec![7; 3];
            write(&numbers, &mut bytes);
            let len = bytes.len() - 3;
            bytes.push(9);
            let mut found = vec![1, 2];
            assert_eq!(read(&bytes[3..], numbers.len(), &mut found), len);
            assert_eq!(found, numbers);
        }
    }

    /// A hundred million states of 45 bits take three bytes each.
    #[test]
    fn evenly_spread_numbers_take_few_bytes() {
        let mut generator = Generator::new(5);
        let mut number = 0;
        let numbers: Vec<u64> = (0..100_000)
            .map(|_| {
                number += generator.bits() % (2 << 18);
                number
            })
            .collect();
        let mut bytes = Vec::new();
        write(&numbers, &mut bytes);
        let each = bytes.len() as f64 / numbers.len() as f64;
        assert!(each < 3.3, "{each}");
    }
}
