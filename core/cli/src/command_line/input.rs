//! Input of a command that can be interrupted while it is waited for.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

/// Interval between two looks at whether the command is cancelled.
const PAUSE: Duration = Duration::from_millis(20);
/// Greatest number of bytes that are handed over at a time.
const PIECE: usize = 1 << 16;

/// Error: the command was cancelled before the input came to its end.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted before its end")]
struct Interrupted;

/// True if this is the error of an input that was interrupted.
pub(super) fn is_interrupted(error: &io::Error) -> bool {
    error
        .get_ref()
        .is_some_and(|error| error.is::<Interrupted>())
}

/// Opens a file. One that may have nothing to say, as a FIFO or a terminal, is read by a thread of its own, since neither to
/// open it nor to read it could be broken off.
///
/// # Errors
///
/// If it cannot be opened, or is a directory.
pub(super) fn open<'a>(path: &Path, cancel: &'a AtomicBool) -> io::Result<Box<dyn Read + 'a>> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if kind.is_file() {
        return Ok(Box::new(File::open(path)?));
    }
    let (sender, pieces) = sync_channel(1);
    let path = path.to_owned();
    thread::spawn(move || {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) => return drop(sender.send(Err(error))),
        };
        loop {
            let mut piece = vec![0; PIECE];
            let read = file.read(&mut piece).map(|length| {
                piece.truncate(length);
                piece
            });
            let is_last = !matches!(&read, Ok(piece) if !piece.is_empty());
            if sender.send(read).is_err() || is_last {
                return;
            }
        }
    });
    Ok(Box::new(Waiting {
        pieces,
        piece: Vec::new(),
        read: 0,
        cancel,
    }))
}

/// Reader of what another thread reads.
struct Waiting<'a> {
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    /// Number of the bytes of the piece that were handed on.
    read: usize,
    cancel: &'a AtomicBool,
}

impl Read for Waiting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len() {
            match self.pieces.recv_timeout(PAUSE) {
                Ok(piece) => {
                    (self.piece, self.read) = (piece?, 0);
                    if self.piece.is_empty() {
                        return Ok(0);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Err(RecvTimeoutError::Timeout) if self.cancel.load(Ordering::Relaxed) => {
                    return Err(io::Error::other(Interrupted));
                }
                Err(RecvTimeoutError::Timeout) => (),
            }
        }
        let mut rest = &self.piece[self.read..];
        let length = rest.read(buffer)?;
        self.read += length;
        Ok(length)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;
    use std::process::Command;

    use super::*;

    fn fifo(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("fifo");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("it can be made").success());
        path
    }

    #[test]
    fn a_fifo_is_read_to_its_end() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = fifo(folder.path());
        let cancel = AtomicBool::new(false);
        let mut input = open(&path, &cancel).expect("it exists");
        let text: Vec<u8> = (0..200_000u32).map(|number| number as u8).collect();
        let written = text.clone();
        let writer = thread::spawn(move || {
            let mut file = File::options().write(true).open(path).expect("it exists");
            file.write_all(&written).expect("it is read");
        });
        let mut read = Vec::new();
        input.read_to_end(&mut read).expect("it has an end");
        writer.join().expect("it writes");
        assert!(read == text);
        // Its end stays.
        assert_eq!(input.read(&mut [0; 8]).expect("it has an end"), 0);
    }

    #[test]
    fn one_that_says_nothing_is_interrupted() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = fifo(folder.path());
        let cancel = AtomicBool::new(false);
        let mut input = open(&path, &cancel).expect("it exists");
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(3 * PAUSE);
                cancel.store(true, Ordering::Relaxed);
            });
            let error = input.read_to_end(&mut Vec::new()).expect_err("it ends so");
            assert!(is_interrupted(&error), "{error}");
        });
        assert!(open(folder.path(), &cancel).is_err());
    }
}
