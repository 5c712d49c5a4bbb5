//! Input of a command: text that may be long, silent or without an end, read within limits.
//!
//! Whatever reads a file asks a [`Source`] for it. No system call that waits can be left, so a thread of its own opens and reads the
//! input, and the reader waits for that one with its [`Clock`]: before each block it looks at its limits on time and memory, and at
//! cancellation. A parser that has its whole text in memory reads it through [`LimitedReader`], which looks at them between blocks.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::statement::shown::number::grouped;
use crate::walk::explore::{Clock, Limit};

/// Size of a block, and number of blocks that are read ahead.
const BLOCK: usize = 1 << 16;
const AHEAD: usize = 2;
/// Time between two looks at the limits while there is nothing to read.
const PAUSE: Duration = Duration::from_millis(20);
/// Bytes by which an encoding is recognised.
const MARK: usize = 4;
/// Bytes of the first block, if there are so many: a pipe may hand over a part of a word, by which no format is told.
const BEGINNING: usize = 32;

/// Error: a limit was reached before an input was read to its end. It is the inner error of an [`io::Error`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{limit} came {}", how_far(*.bytes))]
pub struct Interrupted {
    /// The limit.
    pub limit: Limit,
    /// Bytes that had been read.
    pub bytes: u64,
}

fn how_far(bytes: u64) -> String {
    match bytes {
        0 => "before there was anything to read".to_owned(),
        bytes => format!("when {} bytes were read", grouped(bytes)),
    }
}

impl Interrupted {
    /// The interruption, if that is what the error says.
    pub fn in_error(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref::<Self>().copied()
    }
}

/// Error: the bytes of an input are no text in UTF-8, and it is known what they are. It is the inner error of an [`io::Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoText {
    /// Text in another encoding of Unicode.
    #[error("the text is in {0}, and only UTF-8 is read: `iconv -f {0} -t UTF-8` converts it")]
    Encoded(&'static str),
    /// Compressed text.
    #[error("the file is compressed by gzip, and only text is read: `gzip -dc` unpacks it")]
    Gzip,
}

/// Number of bytes at the beginning of an input that are no part of its text: those of a byte order mark.
///
/// # Errors
///
/// If the input is recognised as something else than text in UTF-8.
fn mark(beginning: &[u8]) -> Result<usize, NoText> {
    match beginning {
        [0xef, 0xbb, 0xbf, ..] => Ok(3),
        [0x1f, 0x8b, ..] => Err(NoText::Gzip),
        [0xff, 0xfe, 0, 0] | [1..=255, 0, 0, 0] | [0, 0, 0xfe, 0xff] | [0, 0, 0, 1..=255] => {
            Err(NoText::Encoded("UTF-32"))
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Err(NoText::Encoded("UTF-16")),
        [1..=255, 0, 1..=255, 0] | [1..=255, 0] => Err(NoText::Encoded("UTF-16LE")),
        [0, 1..=255, 0, 1..=255] | [0, 1..=255] => Err(NoText::Encoded("UTF-16BE")),
        _ => Ok(0),
    }
}

/// Reader of an input that another thread opens and reads. A byte order mark at its beginning is passed over.
pub struct Source<'a> {
    blocks: Receiver<io::Result<Option<Vec<u8>>>>,
    has_ended: bool,
    block: Vec<u8>,
    /// Bytes of the block that were handed on.
    read: usize,
    /// Bytes of the blocks before it.
    before: u64,
    clock: Clock<'a>,
}

impl<'a> Source<'a> {
    /// Opens an input, and waits until it is open.
    ///
    /// # Errors
    ///
    /// If it cannot be opened, or is not before a limit is reached ([`Interrupted`]).
    pub fn open<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        clock: Clock<'a>,
    ) -> io::Result<Self> {
        let (sender, blocks) = sync_channel(AHEAD);
        thread::Builder::new()
            .name("source".to_owned())
            .spawn(move || {
                if let Err(error) = hand_over(open, &sender) {
                    drop(sender.send(Err(error)));
                }
            })?;
        let mut source = Self {
            blocks,
            has_ended: false,
            block: Vec::new(),
            read: 0,
            before: 0,
            clock,
        };
        // The first block is empty, and says that the input is open.
        source.wait()?;
        Ok(source)
    }

    /// Opens a file, which may be a pipe or a device.
    ///
    /// # Errors
    ///
    /// As of [`Self::open`], and if it is a directory.
    pub fn file(path: &Path, clock: Clock<'a>) -> io::Result<Self> {
        let path = path.to_owned();
        let open = move || {
            let file = File::open(path)?;
            if file.metadata()?.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            Ok(file)
        };
        Self::open(open, clock)
    }

    /// Beginning of the rest: so many bytes at least, unless it has fewer. A pipe may hand over a part of a word at first.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or a limit is reached before ([`Interrupted`]).
    pub fn beginning(&mut self, least: usize) -> io::Result<&[u8]> {
        while self.block.len() - self.read < least {
            let more = self.wait()?;
            if more.is_empty() {
                break;
            }
            self.before += self.read as u64;
            self.block.drain(..self.read);
            self.read = 0;
            self.block.extend(more);
        }
        Ok(&self.block[self.read..])
    }

    /// The next block; an empty one at the end.
    fn wait(&mut self) -> io::Result<Vec<u8>> {
        while !self.has_ended {
            match self.blocks.recv_timeout(PAUSE) {
                Ok(block) => match block? {
                    Some(block) => return Ok(block),
                    None => self.has_ended = true,
                },
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("its reader has failed before its end"));
                }
                Err(RecvTimeoutError::Timeout) => within(&self.clock, self.before)?,
            }
        }
        Ok(Vec::new())
    }
}

/// Looks at the limits of work that has read so many bytes.
fn within(clock: &Clock<'_>, bytes: u64) -> io::Result<()> {
    match clock.out_of_time_or_memory() {
        Some(limit) => Err(io::Error::other(Interrupted { limit, bytes })),
        None => Ok(()),
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.block.len() - self.read;
        f.debug_struct("Source")
            .field("rest", &rest)
            .finish_non_exhaustive()
    }
}

/// Opens and reads the input until its end, an error, or the end of the reader.
fn hand_over<R: Read>(
    open: impl FnOnce() -> io::Result<R>,
    blocks: &SyncSender<io::Result<Option<Vec<u8>>>>,
) -> io::Result<()> {
    let mut input = open()?;
    if blocks.send(Ok(Some(Vec::new()))).is_err() {
        return Ok(());
    }
    let mut block = filled(&mut input, BEGINNING)?;
    let beginning = &block[..block.len().min(MARK)];
    let mark = mark(beginning).map_err(|what| io::Error::new(io::ErrorKind::InvalidData, what))?;
    block.drain(..mark);
    while !block.is_empty() && blocks.send(Ok(Some(block))).is_ok() {
        block = filled(&mut input, 1)?;
    }
    // A thread that panics ends the blocks, too, and its input is not read.
    let _ = blocks.send(Ok(None));
    Ok(())
}

/// A block of at least so many bytes; fewer at the end.
fn filled(input: &mut impl Read, least: usize) -> io::Result<Vec<u8>> {
    let mut block = vec![0; BLOCK];
    let mut filled = 0;
    while filled < least {
        match input.read(&mut block[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
    block.truncate(filled);
    Ok(block)
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
        if self.read == self.block.len() {
            self.before += self.read as u64;
            (self.block, self.read) = (Vec::new(), 0);
            within(&self.clock, self.before)?;
            self.block = self.wait()?;
        }
        Ok(&self.block[self.read..])
    }

    fn consume(&mut self, amount: usize) {
        self.read += amount;
    }
}

/// Reader that looks at its limits between blocks, of bytes that are there already.
pub struct LimitedReader<'a, R> {
    input: R,
    bytes: u64,
    clock: Clock<'a>,
}

impl<'a, R: Read> LimitedReader<'a, R> {
    /// A reader of an input, buffered.
    pub fn reading(input: R, clock: Clock<'a>) -> BufReader<Self> {
        let bytes = 0;
        let asked = Self {
            input,
            bytes,
            clock,
        };
        BufReader::with_capacity(BLOCK, asked)
    }
}

impl<R> fmt::Debug for LimitedReader<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl<R: Read> Read for LimitedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // PERF: to ask for the memory takes longer than to read a short text, which whoever has read it has asked for.
        if self.bytes > 0 {
            within(&self.clock, self.bytes)?;
        }
        let most = buffer.len().min(BLOCK);
        let read = self.input.read(&mut buffer[..most])?;
        self.bytes += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use super::*;
    use crate::walk::explore::{Limits, Watch};

    /// More than several blocks, of a length that is no multiple of one.
    const LONG: usize = 5 * BLOCK + 3;

    fn unbounded() -> Clock<'static> {
        Clock::new(Limits::default(), Watch::default())
    }

    fn within_seconds(seconds: f64) -> Clock<'static> {
        let seconds = Some(seconds);
        let limits = Limits {
            seconds,
            ..Limits::default()
        };
        Clock::new(limits, Watch::default())
    }

    fn source<'a>(input: impl Read + Send + 'static, clock: Clock<'a>) -> Source<'a> {
        Source::open(move || Ok(input), clock).expect("it is open")
    }

    fn interrupted(error: &io::Error) -> Interrupted {
        Interrupted::in_error(error).unwrap_or_else(|| panic!("{error}"))
    }

    /// Input that hands over a byte at a time.
    struct Trickle(io::Cursor<Vec<u8>>);

    impl Read for Trickle {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let one = buffer.len().min(1);
            self.0.read(&mut buffer[..one])
        }
    }

    #[test]
    fn a_beginning_is_of_as_many_bytes_as_there_are() {
        let bytes: Vec<u8> = (0..40).collect();
        let mut source = source(Trickle(io::Cursor::new(bytes.clone())), unbounded());
        assert!(source.beginning(16).expect("it is there").len() >= 16);
        source.consume(5);
        let beginning = source.beginning(20).expect("it is there");
        assert!(beginning.len() >= 20 && bytes[5..].starts_with(beginning));
        assert_eq!(source.beginning(99).expect("it has an end"), &bytes[5..]);
        let mut rest = Vec::new();
        source.read_to_end(&mut rest).expect("it has an end");
        assert_eq!(rest, &bytes[5..]);
        assert!(source.beginning(1).expect("it has an end").is_empty());
    }

    #[test]
    fn what_is_there_is_read_whole() {
        let bytes: Vec<u8> = (0..LONG).map(|number| (number % 251) as u8).collect();
        for most in [1, 7, BLOCK - 1, 3 * BLOCK] {
            let mut source = source(io::Cursor::new(bytes.clone()), unbounded());
            let (mut read, mut buffer) = (Vec::new(), vec![0; most]);
            loop {
                match source.read(&mut buffer).expect("it has an end") {
                    0 => break,
                    more => read.extend_from_slice(&buffer[..more]),
                }
            }
            assert!(read == bytes, "{most} at a time");
            // Its end stays.
            assert_eq!(source.read(&mut buffer).expect("it has an end"), 0);
        }
        let folder = std::env::temp_dir();
        let error = Source::file(&folder, unbounded()).expect_err("it is a folder");
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    }

    /// Input that panics, without a message, when its bytes were read.
    struct Panicking(io::Cursor<Vec<u8>>);

    impl Read for Panicking {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => std::panic::resume_unwind(Box::new("no end")),
                read => Ok(read),
            }
        }
    }

    #[test]
    fn an_input_whose_reader_panics_has_no_end() {
        let panics = "its reader has failed before its end";
        let mut source = source(Panicking(io::Cursor::new(vec![7; BLOCK])), unbounded());
        let mut read = Vec::new();
        for _ in 0..2 {
            let error = source.read_to_end(&mut read).expect_err("no end");
            assert_eq!(error.to_string(), panics);
        }
        assert_eq!(read, [7; BLOCK]);
        let open = || -> io::Result<io::Empty> { std::panic::resume_unwind(Box::new("unopened")) };
        let error = Source::open(open, unbounded()).expect_err("it is never open");
        assert_eq!(error.to_string(), panics);
    }

    /// Input that cannot be read any further after so many bytes, and is interrupted before each of its parts.
    struct Failing {
        left: usize,
        is_interrupted: bool,
    }

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.is_interrupted = !self.is_interrupted;
            if self.is_interrupted {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let most = buffer.len().min(self.left);
            if most == 0 {
                return Err(io::ErrorKind::ConnectionReset.into());
            }
            buffer[..most].fill(b'x');
            self.left -= most;
            Ok(most)
        }
    }

    /// An error of reading is told wherever it comes, after all that was read before.
    #[test]
    fn an_error_of_reading_is_told_wherever_it_comes() {
        for bytes in [
            0,
            1,
            BEGINNING - 1,
            BEGINNING,
            BLOCK - 1,
            BLOCK,
            BLOCK + 1,
            2 * BLOCK,
            LONG,
        ] {
            let failing = || {
                let input = Failing {
                    left: bytes,
                    is_interrupted: false,
                };
                source(input, unbounded())
            };
            let mut read = Vec::new();
            let error = failing().read_to_end(&mut read).expect_err("it fails");
            assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "{bytes}");
            // What cannot be told from something else is not handed over.
            let expected = if bytes < BEGINNING { 0 } else { bytes };
            assert_eq!(read.len(), expected, "{bytes}");
            let beginning = failing().beginning(LONG + 1).map(<[u8]>::len);
            let error = beginning.expect_err("it fails");
            assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "{bytes}");
        }
    }

    /// Before it is open, while it is silent, and while it goes on for ever.
    #[test]
    fn an_input_that_does_not_end_is_left_at_a_limit() {
        let (never, waits) = mpsc::channel::<()>();
        let open = move || {
            let _ = waits.recv();
            Ok(io::empty())
        };
        let error = Source::open(open, within_seconds(0.05)).expect_err("it is never open");
        assert_eq!(interrupted(&error).bytes, 0);
        assert_eq!(
            error.to_string(),
            "the limit of 0.05 seconds came before there was anything to read"
        );
        drop(never);
        let (reader, mut writer) = io::pipe().expect("there are pipes");
        // More than is waited for at the beginning.
        let text = "seven…".repeat(5);
        writer.write_all(text.as_bytes()).expect("it is read");
        // The clock begins when the input is open, however long that takes.
        let mut silent = source(reader, unbounded());
        silent.clock = within_seconds(0.05);
        let error = silent.read_to_end(&mut Vec::new()).expect_err("no end");
        assert_eq!(interrupted(&error).limit, Limit::Seconds(0.05));
        assert_eq!(
            error.to_string(),
            "the limit of 0.05 seconds came when 40 bytes were read"
        );
        let mut endless = source(io::repeat(0), unbounded());
        endless.read_exact(&mut [0; BLOCK]).expect("it goes on");
        endless.clock = within_seconds(0.05);
        let error = io::copy(&mut endless, &mut io::sink()).expect_err("no end");
        let Interrupted { limit, bytes } = interrupted(&error);
        assert_eq!((limit, bytes % BLOCK as u64), (Limit::Seconds(0.05), 0));
        assert!(bytes > 0);
        let cancel = AtomicBool::new(false);
        let watch = Watch {
            cancel: Some(&cancel),
            ..Watch::default()
        };
        let mut endless = source(io::repeat(0), Clock::new(Limits::default(), watch));
        endless
            .read_exact(&mut vec![0; 3 * BLOCK])
            .expect("it goes on");
        cancel.store(true, Ordering::Relaxed);
        let error = io::copy(&mut endless, &mut io::sink()).expect_err("no end");
        let cancelled = Interrupted {
            limit: Limit::Cancelled,
            bytes: 3 * BLOCK as u64,
        };
        assert_eq!(interrupted(&error), cancelled);
    }

    #[test]
    fn memory_is_looked_at_before_each_block() {
        let limits = Limits {
            memory_bytes: Some(1 << 10),
            ..Limits::default()
        };
        let clock = Clock::new(limits, Watch::default());
        let out_of_memory = Interrupted {
            limit: Limit::MemoryBytes(1 << 10),
            bytes: 0,
        };
        let error = source(io::repeat(0), clock)
            .read(&mut [0])
            .expect_err("no room");
        assert_eq!(interrupted(&error), out_of_memory);
        let mut asked = LimitedReader::reading(io::repeat(0), clock);
        asked.read_exact(&mut [0; BLOCK]).expect("it is there");
        let error = asked.read(&mut [0]).expect_err("no room");
        let bytes = BLOCK as u64;
        assert_eq!(
            interrupted(&error),
            Interrupted {
                bytes,
                ..out_of_memory
            }
        );
    }

    /// Time is up only after some blocks.
    #[test]
    fn what_is_in_memory_is_left_at_a_limit_too() {
        let text = vec![b'x'; LONG];
        let mut read = Vec::new();
        let whole = LimitedReader::reading(text.as_slice(), unbounded()).read_to_end(&mut read);
        assert!(whole.is_ok() && read == text);
        let cancel = AtomicBool::new(false);
        let watch = Watch {
            cancel: Some(&cancel),
            ..Watch::default()
        };
        let mut asked =
            LimitedReader::reading(text.as_slice(), Clock::new(Limits::default(), watch));
        asked.read_exact(&mut [0; BLOCK + 1]).expect("it is there");
        cancel.store(true, Ordering::Relaxed);
        let error = asked
            .read_to_end(&mut Vec::new())
            .expect_err("it is cancelled");
        assert_eq!(interrupted(&error).bytes, 2 * BLOCK as u64);
    }

    #[test]
    fn a_mark_is_passed_over_and_what_is_no_text_is_named() {
        let utf_16 =
            "the text is in UTF-16, and only UTF-8 is read: `iconv -f UTF-16 -t UTF-8` converts it";
        let (little, big) = (
            utf_16.replace("UTF-16", "UTF-16LE"),
            utf_16.replace("UTF-16", "UTF-16BE"),
        );
        let utf_32 = utf_16.replace("UTF-16", "UTF-32");
        let gzip = "the file is compressed by gzip, and only text is read: `gzip -dc` unpacks it";
        for (bytes, read) in [
            (&b"\xef\xbb\xbf{}"[..], Ok(&b"{}"[..])),
            (b"\xef\xbb\xbf", Ok(b"")),
            // Only the first is a mark.
            (b"\xef\xbb\xbf\xef\xbb\xbf1", Ok(b"\xef\xbb\xbf1")),
            (b"1\xef\xbb\xbf", Ok(b"1\xef\xbb\xbf")),
            (b"\xef\xbb", Ok(b"\xef\xbb")),
            (b"", Ok(b"")),
            (b"7", Ok(b"7")),
            (b"\0\0\0\0\0", Ok(b"\0\0\0\0\0")),
            (b"ab\0\0", Ok(b"ab\0\0")),
            (b"\xff\xfe{\0}\0", Err(utf_16)),
            (b"\xfe\xff\0{\0}", Err(utf_16)),
            (b"\xff\xfe", Err(utf_16)),
            (b"{\0}\0", Err(&*little)),
            (b"7\0", Err(&*little)),
            (b"\0{\0}", Err(&*big)),
            (b"\x007", Err(&*big)),
            (b"\xff\xfe\0\0{\0\0\0", Err(&*utf_32)),
            (b"\0\0\xfe\xff\0\0\0{", Err(&*utf_32)),
            (b"{\0\0\0}\0\0\0", Err(&*utf_32)),
            (b"\0\0\0{", Err(&*utf_32)),
            (b"\x1f\x8b\x08\0", Err(gzip)),
            (b"\x1f\x8b", Err(gzip)),
        ] {
            let whole = source(io::Cursor::new(bytes.to_vec()), unbounded());
            let trickled = source(Trickle(io::Cursor::new(bytes.to_vec())), unbounded());
            for mut source in [whole, trickled] {
                let mut text = Vec::new();
                let found = source.read_to_end(&mut text).map(|_| &*text);
                let found = found.map_err(|error| error.to_string());
                assert_eq!(found, read.map_err(str::to_owned), "{bytes:?}");
            }
        }
    }
}
