//! Damage to the text of a reader's corpus.

use crate::Random;

/// Bytes that mean something to some reader, and some that mean nothing to any.
const WORDS: [&[u8]; 40] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"\"",
    b"\\",
    b":",
    b",",
    b";",
    b"#",
    b"|",
    b"=",
    b"-",
    b".",
    b"/",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"0",
    b"-1",
    b"1e9",
    b"null",
    b"true",
    b"\\u0000",
    b"\\ud800",
    b"99999999999999999999",
    b"4294967296",
    b"18446744073709551615",
    b"1.5",
    b"\0",
    b"\x7f",
    b"\xff",
    b"\xc3",
    b"\xef\xbb\xbf",
    "é".as_bytes(),
    "\u{202e}".as_bytes(),
    b"history",
];

/// A text with some places changed: bytes that are others, are missing or there twice, words put in, parts of it or of another text
/// moved in, or its end cut off.
pub fn damaged(text: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        let length = random.below(12).min(bytes.len() - at);
        match random.below(8) {
            0 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let part = bytes[at..at + length].to_vec();
                bytes.splice(at..at, part.repeat(1 + random.below(3)));
            }
            3 | 4 => drop(bytes.splice(at..at, random.pick(&WORDS).to_vec())),
            5 => drop(bytes.splice(at..at + length, random.pick(&WORDS).to_vec())),
            6 if !other.is_empty() => {
                let from = random.below(other.len());
                let to = from + random.below(other.len() - from + 1);
                bytes.splice(at..at + length, other[from..to].to_vec());
            }
            7 if random.percent(20) => bytes.truncate(at),
            // Lines in another order.
            _ => {
                let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
                let [one, another] =
                    [lines.len(), lines.len()].map(|count| random.below(count.max(1)));
                if !lines.is_empty() {
                    lines.swap(one, another);
                }
                bytes = lines.concat();
            }
        }
    }
    bytes
}
