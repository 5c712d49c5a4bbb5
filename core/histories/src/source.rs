//! Input that may be silent: a validator that waits for it keeps its limits, and can be cancelled.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::settings::Settings;
use refmap::explore::{Limit, Limits, Watch};

/// Size of a chunk, and number of chunks that are read ahead.
const CHUNK: usize = 1 << 16;
const AHEAD: usize = 2;
/// Time between two looks at the limits while there is nothing to read.
const PAUSE: Duration = Duration::from_millis(20);

/// Error: a limit was reached while there was nothing to read. It is the inner error of an [`io::Error`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{0} came before there was more to read")]
pub struct Interrupted(pub Limit);

impl Interrupted {
    /// The limit, if that is what the error says.
    pub fn in_error(error: &io::Error) -> Option<Limit> {
        let inner = error.get_ref()?.downcast_ref::<Self>();
        inner.map(|interrupted| interrupted.0)
    }
}

/// Reader of an input that another thread opens and reads, a pipe for instance. No system call that waits can be left,
/// so the reader waits for the other thread, and looks at the limits in between.
pub struct Source<'a> {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    read: usize,
    limits: Limits,
    watch: Watch<'a>,
    started: Instant,
}

impl<'a> Source<'a> {
    /// Opens an input, and waits until it is open.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or is not before a limit on time or cancellation ([`Interrupted`]).
    pub fn open<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        settings: &Settings<'a>,
    ) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(AHEAD);
        thread::Builder::new()
            .name("source".to_owned())
            .spawn(move || hand_over(open, &sender))?;
        let mut source = Self {
            chunks,
            chunk: Vec::new(),
            read: 0,
            limits: settings.limits,
            watch: settings.watch,
            started: Instant::now(),
        };
        // The first chunk is empty, and says that the input is open.
        source.wait()?;
        Ok(source)
    }

    /// What the input begins with: so many bytes at least, unless it has fewer. A pipe may hand over a part of a word at first.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is not there before a limit on time or cancellation.
    pub fn beginning(&mut self, least: usize) -> io::Result<&[u8]> {
        while self.chunk.len() - self.read < least {
            let more = self.wait()?;
            if more.is_empty() {
                break;
            }
            self.chunk.drain(..self.read);
            self.read = 0;
            self.chunk.extend(more);
        }
        Ok(&self.chunk[self.read..])
    }

    /// The next chunk; an empty one at the end.
    fn wait(&mut self) -> io::Result<Vec<u8>> {
        loop {
            match self.chunks.recv_timeout(PAUSE) {
                Ok(chunk) => return chunk,
                Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
                Err(RecvTimeoutError::Timeout) => (),
            }
            if let Some(limit) = self.limits.out_of_time(&self.watch, self.started) {
                return Err(io::Error::other(Interrupted(limit)));
            }
        }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.chunk.len() - self.read;
        f.debug_struct("Source")
            .field("rest", &rest)
            .finish_non_exhaustive()
    }
}

/// Opens and reads the input until its end, an error, or the end of the reader.
fn hand_over<R: Read>(
    open: impl FnOnce() -> io::Result<R>,
    chunks: &SyncSender<io::Result<Vec<u8>>>,
) {
    let mut input = match open() {
        Ok(input) => input,
        Err(error) => return drop(chunks.send(Err(error))),
    };
    let mut chunk = Vec::new();
    while chunks.send(Ok(chunk)).is_ok() {
        let mut buffer = vec![0; CHUNK];
        let read = loop {
            match input.read(&mut buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                read => break read,
            }
        };
        match read {
            Ok(0) => return,
            Ok(read) => buffer.truncate(read),
            Err(error) => return drop(chunks.send(Err(error))),
        }
        chunk = buffer;
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Source<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read == self.chunk.len() {
            self.chunk = self.wait()?;
            self.read = 0;
        }
        Ok(&self.chunk[self.read..])
    }

    fn consume(&mut self, amount: usize) {
        self.read += amount;
    }
}
