//! Input file that can be interrupted: a FIFO, a terminal or a file system of a network may say nothing for as long as
//! it likes, and a call of the operating system that waits for it cannot be broken off.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Longest time until a cancelled command ends that waits for input.
const PATIENCE: Duration = Duration::from_millis(50);
/// Most bytes that are read at once.
const CHUNK: usize = 1 << 18;
/// Most chunks that were read and are not asked for yet.
const AHEAD: usize = 2;

/// File that a thread of its own opens and reads. What goes wrong is an error of the first read that meets it.
pub(super) struct Input<'c> {
    chunks: Receiver<io::Result<Vec<u8>>>,
    /// What was received last, and how much of it is read.
    chunk: Vec<u8>,
    read: usize,
    cancel: &'c AtomicBool,
}

impl<'c> Input<'c> {
    /// Opens a file, which is read until `cancel` is set.
    ///
    /// # Errors
    ///
    /// If there is no thread to be had.
    pub fn open(path: &Path, cancel: &'c AtomicBool) -> io::Result<Self> {
        let (sender, chunks) = sync_channel(AHEAD);
        let path = path.to_owned();
        // Nobody joins it: it may wait for ever, and ends with the process.
        thread::Builder::new().spawn(move || send(&path, &sender))?;
        Ok(Self {
            chunks,
            chunk: Vec::new(),
            read: 0,
            cancel,
        })
    }
}

/// Sends what a file has, until its end, an error, or until it is not received any more.
fn send(path: &Path, chunks: &SyncSender<io::Result<Vec<u8>>>) {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return drop(chunks.send(Err(error))),
    };
    loop {
        let mut chunk = vec![0; CHUNK];
        let read = match file.read(&mut chunk) {
            Ok(0) => return,
            Ok(read) => {
                chunk.truncate(read);
                Ok(chunk)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let ends = read.is_err();
        if chunks.send(read).is_err() || ends {
            return;
        }
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.chunk.len() {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(io::Error::other("interrupted"));
            }
            match self.chunks.recv_timeout(PATIENCE) {
                Ok(chunk) => (self.chunk, self.read) = (chunk?, 0),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
        }
        let read = buffer.len().min(self.chunk.len() - self.read);
        buffer[..read].copy_from_slice(&self.chunk[self.read..self.read + read]);
        self.read += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_read_is_what_the_file_has() {
        let folder = tempfile::tempdir().expect("there is a folder");
        let file = folder.path().join("input");
        let cancel = AtomicBool::new(false);
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 7] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            fs::write(&file, &bytes).expect("there is room");
            let mut read = Vec::new();
            let mut input = Input::open(&file, &cancel).expect("there is a thread");
            input.read_to_end(&mut read).expect("it can be read");
            assert!(read == bytes, "{length}");
        }
        let missing = folder.path().join("missing");
        for (path, kind) in [
            (missing.as_path(), io::ErrorKind::NotFound),
            (folder.path(), io::ErrorKind::IsADirectory),
        ] {
            let mut input = Input::open(path, &cancel).expect("there is a thread");
            let error = input.read(&mut [0]).expect_err("it is no file");
            assert_eq!(error.kind(), kind);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_fifo_that_says_nothing_can_be_interrupted() {
        let folder = tempfile::tempdir().expect("there is a folder");
        let fifo = |name: &str| {
            let fifo = folder.path().join(name);
            let made = std::process::Command::new("mkfifo").arg(&fifo).status();
            assert!(made.expect("there is mkfifo").success());
            fifo
        };
        let cancel = AtomicBool::new(false);
        let ends_when_cancelled = |mut input: Input<'_>| {
            thread::scope(|scope| {
                let read = scope.spawn(move || input.read(&mut [0]));
                cancel.store(true, Ordering::Relaxed);
                let read = read.join().expect("it does not panic");
                assert_eq!(
                    read.expect_err("nothing is said").to_string(),
                    "interrupted"
                );
            });
            cancel.store(false, Ordering::Relaxed);
        };
        // Nobody writes, so that opening it waits already.
        let input = Input::open(&fifo("silent"), &cancel).expect("there is a thread");
        ends_when_cancelled(input);
        // Somebody writes, and then says nothing more.
        let fifo = fifo("halting");
        let mut input = Input::open(&fifo, &cancel).expect("there is a thread");
        let writer = fs::OpenOptions::new().write(true).open(&fifo);
        let mut writer = writer.expect("it has a reader");
        io::Write::write_all(&mut writer, b"x").expect("it has a reader");
        let mut byte = [0];
        assert_eq!(input.read(&mut byte).expect("something is said"), 1);
        assert_eq!(byte, *b"x");
        ends_when_cancelled(input);
    }
}
