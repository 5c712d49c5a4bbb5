//! Output that tolerates a closed pipe.

use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Writer that preserves the verdict's exit status on a broken pipe. If the reader, such as `head`, closes the
/// pipe, further output counts as written, `cancel` is set so that running work ends, and the command ends with the
/// status of what it decided.
pub(super) struct Tolerant<'a> {
    output: &'a mut dyn Write,
    cancel: &'a AtomicBool,
}

impl<'a> Tolerant<'a> {
    pub(super) fn new(output: &'a mut dyn Write, cancel: &'a AtomicBool) -> Self {
        Self { output, cancel }
    }

    fn unless_gone<T>(&self, written: io::Result<T>, unread: T) -> io::Result<T> {
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.cancel.store(true, Ordering::Relaxed);
                Ok(unread)
            }
            written => written,
        }
    }
}

impl Write for Tolerant<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes);
        self.unless_gone(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.output.flush();
        self.unless_gone(written, ())
    }
}
