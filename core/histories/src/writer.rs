//! Writer of a history.

use std::io::{self, Write};

use serde::Serialize;

use super::event::{End, Event, Header};

/// Writes a history, line by line.
///
/// [`finish`](Self::finish) writes the line that ends it. A writer that is dropped before, by a panic or a crash of its
/// program, leaves a history without an end, and its validation says so.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    events: u64,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    ///
    /// If the output fails.
    pub fn new(output: W, header: &Header) -> io::Result<Self> {
        let mut writer = Self { output, events: 0 };
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
        self.line(event)?;
        self.events += 1;
        Ok(())
    }

    /// Writes the line that ends the history, flushes and returns the output. Call it when every event that has begun was
    /// written: a validator takes the history for whole.
    ///
    /// # Errors
    ///
    /// If the output fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.line(&End::after(self.events))?;
        self.suspend()
    }

    /// Flushes and returns the output without ending the history: more lines follow.
    ///
    /// # Errors
    ///
    /// If the output fails.
    pub fn suspend(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }

    fn line(&mut self, line: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.output, line)?;
        self.output.write_all(b"\n")
    }
}
