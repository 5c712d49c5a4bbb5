//! Lines of a file, of bounded length.

use std::io::{self, BufRead, Read};

/// The most bytes of a line.
pub const LONGEST_LINE: u64 = 256 << 20;

/// The most bytes that are passed over of one that is longer.
const LONGEST_SKIPPED: u64 = 1 << 30;

/// The lines of a reader, each with its number, those left out that have nothing but blanks.
pub struct Lines<R> {
    reader: R,
    number: u64,
    longest: u64,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `reader`; `longest` is the most bytes that one may have.
    pub fn new(reader: R, longest: u64) -> Self {
        Self {
            reader,
            number: 0,
            longest,
        }
    }

    /// Passes over the rest of a line, if it has an end.
    fn skip_line(&mut self) -> io::Result<()> {
        let mut passed = 0;
        loop {
            if passed > LONGEST_SKIPPED {
                let reason = format!("a line goes on for more than {LONGEST_SKIPPED} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            let buffer = self.reader.fill_buf()?;
            let (read, ended) = match buffer.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.reader.consume(read);
            passed += read as u64;
            if ended {
                return Ok(());
            }
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    /// The number of a line, and its bytes, none where it is too long; or the number of the one that cannot be read.
    type Item = Result<(u64, Option<Vec<u8>>), (u64, io::Error)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut line = Vec::new();
            let mut part = self.reader.by_ref().take(self.longest + 1);
            match part.read_until(b'\n', &mut line) {
                Err(error) => return Some(Err((self.number + 1, error))),
                Ok(0) => return None,
                Ok(_) => self.number += 1,
            }
            if line.len() as u64 > self.longest && line.last() != Some(&b'\n') {
                drop(line);
                let skipped = self.skip_line();
                let number = self.number;
                return Some(match skipped {
                    Ok(()) => Ok((number, None)),
                    Err(error) => Err((number, error)),
                });
            }
            if !line.iter().all(u8::is_ascii_whitespace) {
                return Some(Ok((self.number, Some(line))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let text = "one\n\n  \nfour is long\nfive\r\nseven is long";
        let some = |text: &str| Some(text.as_bytes().to_vec());
        let expected = [
            (1, some("one\n")),
            (4, None),
            (5, some("five\r\n")),
            (6, None),
        ];
        // Of however many buffers a line is.
        for capacity in 1..=text.len() {
            let reader = BufReader::with_capacity(capacity, text.as_bytes());
            let lines = Lines::new(reader, 5).map(|line| line.unwrap());
            assert_eq!(lines.collect::<Vec<_>>(), expected, "{capacity}");
        }
    }
}
