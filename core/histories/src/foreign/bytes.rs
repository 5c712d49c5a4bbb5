//! Input by bytes, with positions and bounded operations.

use std::io::{self, BufRead, BufReader};

use super::problem::{ForeignError, ForeignProblem};
use crate::history::LONGEST_LINE;

/// Input by bytes, with the position of the next one and the length of the operation that is being read.
pub(super) struct Bytes<'a> {
    /// PERF: a buffer of its own. To ask that of an input behind a pointer takes two calls a byte.
    input: BufReader<&'a mut dyn BufRead>,
    /// Line of the next byte, from 1.
    pub line: u64,
    /// Column of the next byte in characters, from 1.
    pub column: u64,
    /// Bytes of the current operation; none between operations.
    length: Option<usize>,
}

impl<'a> Bytes<'a> {
    pub fn new(input: &'a mut dyn BufRead) -> Self {
        Self {
            input: BufReader::new(input),
            line: 1,
            column: 1,
            length: None,
        }
    }

    /// Input that begins at a position within another one.
    pub fn at(input: &'a mut dyn BufRead, line: u64, column: u64) -> Self {
        Self {
            line,
            column,
            ..Self::new(input)
        }
    }

    /// Begins to count the bytes of an operation.
    pub fn begin(&mut self) {
        self.length = Some(0);
    }

    /// Ends the operation.
    pub fn end(&mut self) {
        self.length = None;
    }

    #[inline]
    pub fn peek(&mut self) -> Result<Option<u8>, ForeignError> {
        loop {
            match self.input.fill_buf() {
                Ok(buffer) => return Ok(buffer.first().copied()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) => return Err(self.error(error.into())),
            }
        }
    }

    /// Takes the byte that [`Self::peek`] showed.
    #[inline]
    pub fn take(&mut self, byte: u8) -> Result<(), ForeignError> {
        if let Some(length) = &mut self.length {
            *length += 1;
            if *length > LONGEST_LINE {
                return Err(self.error(ForeignProblem::TooLong));
            }
        }
        self.input.consume(1);
        match byte {
            b'\n' => (self.line, self.column) = (self.line + 1, 1),
            // Every byte but the first of a character.
            0x80..=0xbf => (),
            _ => self.column += 1,
        }
        Ok(())
    }

    pub fn next(&mut self) -> Result<Option<u8>, ForeignError> {
        let next = self.peek()?;
        if let Some(byte) = next {
            self.take(byte)?;
        }
        Ok(next)
    }

    /// Reads a line into the buffer, without its line break; returns whether there is one.
    pub fn read_line(&mut self, buffer: &mut Vec<u8>) -> Result<bool, ForeignError> {
        buffer.clear();
        if self.peek()?.is_none() {
            return Ok(false);
        }
        self.begin();
        while let Some(byte) = self.next()? {
            if byte == b'\n' {
                break;
            }
            buffer.push(byte);
        }
        Ok(true)
    }

    /// Error on the line of the next byte.
    pub fn error(&self, problem: ForeignProblem) -> ForeignError {
        let line = self.line;
        ForeignError { line, problem }
    }
}
