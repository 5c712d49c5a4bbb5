//! Tests that damaged texts are read or rejected without a panic.

use refmap_programs::litmus::read;

use crate::litmus::answers::texts;

/// SplitMix64, so that every run damages the same.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % most.max(1) as u64) as usize
    }
}

/// Tokens that are significant somewhere.
const WORDS: [&str; 24] = [
    "{",
    "}",
    ";",
    "|",
    "(",
    ")",
    "(*",
    "*)",
    "[",
    "]",
    "exists",
    "~",
    "/\\",
    "=>",
    "forall",
    "LOCK",
    "P0",
    "0:EAX",
    "99999999999999999999",
    "-",
    ":",
    "\"",
    "locations",
    "\u{e9}",
];

fn damaged(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let to = (at + random.below(20)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..to)),
            2 => {
                let copy = bytes[at..to].to_vec();
                let into = random.below(bytes.len());
                bytes.splice(into..into, copy);
            }
            3 if !bytes.is_empty() => {
                let other = random.below(bytes.len());
                bytes.swap(at, other);
            }
            4 if !bytes.is_empty() => bytes[at] = random.below(256) as u8,
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_tests_are_read_or_refused() {
    let mut random = Random(1);
    let (mut read_anyway, mut refused) = (0, 0);
    for text in texts().values() {
        for _ in 0..150 {
            let damaged = damaged(text, &mut random);
            match read(&damaged) {
                Ok(_) => read_anyway += 1,
                Err(error) => {
                    refused += 1;
                    assert!(error.line >= 1 && error.line <= damaged.lines().count() + 1);
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    // The test has value only if some damage is noticed and some is not.
    assert!(
        read_anyway > 1000 && refused > 1000,
        "{read_anyway} {refused}"
    );
}

#[test]
fn the_beginnings_of_a_test_are_read_or_refused() {
    for text in texts().values().step_by(20) {
        for end in 0..text.len() {
            let _ = text.get(..end).map(read);
        }
    }
}
