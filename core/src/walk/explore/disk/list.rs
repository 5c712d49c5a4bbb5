//! A list of words that is only appended to.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::checksum::Checksum;
use super::error::DiskError;
use super::folder::Folder;
use crate::walk::explore::limits::Clock;
use crate::walk::explore::words::WordSource;

/// Bytes that are written, or read, at a time.
pub(super) const BUFFER: usize = 1 << 16;
const WORD: usize = size_of::<u64>();
/// Words of the longest code that is believed to be one.
const LONGEST: u64 = 1 << 32;

/// Part of a list that a checkpoint vouches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::walk::explore) struct SavedList {
    /// Number of words.
    words: u64,
    checksum: Checksum,
}

impl SavedList {
    pub const EMPTY: Self = Self {
        words: 0,
        checksum: Checksum::NOTHING,
    };

    fn bytes(self) -> u64 {
        self.words.saturating_mul(WORD as u64)
    }

    /// Tests that a file has at least so many bytes.
    pub fn is_there(self, name: &str, folder: &mut Folder) -> Result<(), DiskError> {
        let len = folder.len(name)?;
        if len >= self.bytes() {
            return Ok(());
        }
        let what = format!(
            "it has {len} bytes, and a checkpoint vouches for {}",
            self.bytes()
        );
        Err(DiskError::damaged(&folder.path_of(name), what))
    }
}

/// A list of words in a file, of which the last ones may not be written yet.
pub(in crate::walk::explore) struct ListFile {
    name: &'static str,
    all: SavedList,
    unwritten: Vec<u8>,
}

impl ListFile {
    /// A list of which so much is there; what comes after it in the file is cut off.
    pub fn open(
        folder: &mut Folder,
        name: &'static str,
        saved: SavedList,
    ) -> Result<Self, DiskError> {
        folder.truncate(name, saved.bytes())?;
        Ok(Self {
            name,
            all: saved,
            unwritten: Vec::new(),
        })
    }

    /// Hands what is not written yet to the operating system, if it is much.
    pub fn spill(&mut self, folder: &mut Folder) -> Result<(), DiskError> {
        if self.unwritten.len() < BUFFER {
            return Ok(());
        }
        self.write(folder)
    }

    fn write(&mut self, folder: &mut Folder) -> Result<(), DiskError> {
        folder.append(self.name, &self.unwritten)?;
        self.unwritten.clear();
        Ok(())
    }

    /// Writes all of it; it outlasts a loss of power then.
    pub fn sync(&mut self, folder: &mut Folder) -> Result<SavedList, DiskError> {
        self.write(folder)?;
        folder.sync(self.name)?;
        Ok(self.all)
    }

    pub fn bytes(&self) -> u64 {
        self.all.bytes()
    }
}

impl Extend<u64> for ListFile {
    #[inline]
    fn extend<I: IntoIterator<Item = u64>>(&mut self, words: I) {
        for word in words {
            self.all.checksum.add(word);
            self.all.words += 1;
            self.unwritten.extend_from_slice(&word.to_le_bytes());
        }
    }
}

/// A reader of the words of a list that a checkpoint vouches for.
pub(in crate::walk::explore) struct ListReader<'f> {
    folder: &'f mut Folder,
    name: &'static str,
    saved: SavedList,
    clock: Clock<'f>,
    /// Words read from the file so far.
    read: u64,
    checksum: Checksum,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were given.
    given: usize,
    /// Words that were given last.
    words: Vec<u64>,
}

impl<'f> ListReader<'f> {
    pub fn new(
        folder: &'f mut Folder,
        name: &'static str,
        saved: SavedList,
        clock: Clock<'f>,
    ) -> Self {
        Self {
            folder,
            name,
            saved,
            clock,
            read: 0,
            checksum: Checksum::NOTHING,
            buffer: Vec::new(),
            given: 0,
            words: Vec::new(),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path_of(self.name)
    }

    /// The list is not one that was written.
    fn damaged(&self, what: &str) -> DiskError {
        DiskError::damaged(&self.path(), what)
    }

    /// Reads more words, and says whether there are any.
    fn fill(&mut self) -> Result<bool, DiskError> {
        let left = (self.saved.words - self.read) as usize;
        if left == 0 {
            if self.checksum != self.saved.checksum {
                return Err(self.damaged("its checksum is another one"));
            }
            return Ok(false);
        }
        let bytes = (left * WORD).min(BUFFER);
        let offset = self.read * WORD as u64;
        if let Some(limit) = self.clock.out_of_time_or_memory() {
            return Err(DiskError::Interrupted {
                path: self.path(),
                limit,
                bytes: offset,
                of: self.saved.bytes(),
            });
        }
        self.buffer.resize(bytes, 0);
        let read = self.folder.read(self.name, offset, &mut self.buffer)?;
        if read < bytes {
            self.saved.is_there(self.name, self.folder)?;
            return Err(self.damaged("it became shorter"));
        }
        self.read += (bytes / WORD) as u64;
        self.given = 0;
        Ok(true)
    }
}

impl WordSource for ListReader<'_> {
    type Error = DiskError;

    /// At the end of the list it is tested that it is the list that was written.
    fn is_at_end(&mut self) -> Result<bool, DiskError> {
        Ok(self.given == self.buffer.len() && !self.fill()?)
    }

    fn take(&mut self, count: u64) -> Result<&[u64], DiskError> {
        if count > LONGEST {
            return Err(self.damaged("a state is too long"));
        }
        self.words.clear();
        for _ in 0..count {
            if self.is_at_end()? {
                return Err(self.damaged("it ends within an entry"));
            }
            let word = &self.buffer[self.given..][..WORD];
            let word = u64::from_le_bytes(word.try_into().expect("a word has so many bytes"));
            self.given += WORD;
            self.checksum.add(word);
            self.words.push(word);
        }
        Ok(&self.words)
    }
}
