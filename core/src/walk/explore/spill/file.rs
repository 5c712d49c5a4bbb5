//! A file without a name: nothing is left of it, whatever ends the search.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of the next file of this process.
static NEXT: AtomicU64 = AtomicU64::new(0);
/// Bytes that are written at a time.
const BUFFER: usize = 1 << 20;

/// A file to whose end bytes are written, and of which any can be read.
pub(super) struct UnnamedFile {
    file: File,
    /// Its path, where a file that is open keeps its name.
    path: Option<PathBuf>,
    /// Bytes written so far.
    len: u64,
    unwritten: Vec<u8>,
}

impl UnnamedFile {
    /// An empty file in a folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("refmap-{}-{number}", std::process::id()));
        let file = OpenOptions::new()
            .create_new(true)
            .read(true)
            .write(true)
            .open(&path)?;
        let path = if cfg!(unix) {
            fs::remove_file(&path)?;
            None
        } else {
            Some(path)
        };
        Ok(Self {
            file,
            path,
            len: 0,
            unwritten: Vec::new(),
        })
    }

    /// Bytes that it has.
    pub fn len(&self) -> u64 {
        self.len + self.unwritten.len() as u64
    }

    /// Adds bytes.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.unwritten.extend_from_slice(bytes);
        if self.unwritten.len() < BUFFER {
            return Ok(());
        }
        self.flush()
    }

    /// Hands all bytes to the operating system, so that they can be read.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.unwritten)?;
        self.len += self.unwritten.len() as u64;
        self.unwritten.clear();
        self.unwritten.shrink_to(BUFFER);
        Ok(())
    }

    /// Reads the bytes from `offset` on, as many as there is room for.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        read_at(&self.file, offset, into)
    }
}

impl Drop for UnnamedFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, offset: u64, into: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, into, offset)
}

#[cfg(windows)]
fn read_at(file: &File, offset: u64, into: &mut [u8]) -> io::Result<()> {
    let mut read = 0;
    while read < into.len() {
        let at = offset + read as u64;
        match std::os::windows::fs::FileExt::seek_read(file, &mut into[read..], at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            more => read += more,
        }
    }
    Ok(())
}
