//! Writing a history.

use std::io::{self, Write};

use serde::Serialize;

use super::event::{Event, Header};

/// Writes a history, line by line.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn new(output: W, header: &Header) -> io::Result<Self> {
        let mut writer = Self { output };
        writer.line(&header.line())?;
        Ok(writer)
    }

    /// Writes an event. They have to come in the order in which they begin, and those of a thread in
    /// its order: whoever reads the history insists on it.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write<E: Serialize>(&mut self, event: &Event<E>) -> io::Result<()> {
        self.line(event)
    }

    /// Writes what is still held back, and gives the output back.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.output, line)?;
        self.output.write_all(b"\n")
    }
}
