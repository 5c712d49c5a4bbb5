//! Writer of a history.

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
    /// If the output fails.
    pub fn new(output: W, header: &Header) -> io::Result<Self> {
        let mut writer = Self { output };
        writer.line(&header.line())?;
        Ok(writer)
    }

    /// Writes an event. Events must come in the order of their start times, and those of a thread in its order: the
    /// reader rejects any other order.
    ///
    /// # Errors
    ///
    /// If the output fails.
    pub fn write<E: Serialize>(&mut self, event: &Event<E>) -> io::Result<()> {
        self.line(event)
    }

    /// Flushes and returns the output.
    ///
    /// # Errors
    ///
    /// If the output fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.output, line)?;
        self.output.write_all(b"\n")
    }
}
