//! The list of states on disk, in the blocks of the list that is in memory.

use std::io;
use std::path::Path;

use super::file::UnnamedFile;
use super::key;
use crate::walk::explore::keys::Compared;

/// Part of the file that has a block.
#[derive(Clone, Copy)]
struct BlockPlace {
    offset: u64,
    bytes: usize,
    keys: usize,
}

/// Blocks of a list, from the first one on.
pub(in crate::walk::explore) struct LogFile {
    file: UnnamedFile,
    blocks: Vec<BlockPlace>,
}

impl LogFile {
    pub fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            file: UnnamedFile::new(folder)?,
            blocks: Vec::new(),
        })
    }

    /// Number of blocks that it has.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Bytes on disk.
    pub fn bytes(&self) -> u64 {
        self.file.len()
    }

    /// Adds the next block.
    pub fn add<K: Compared>(&mut self, keys: &[K]) -> io::Result<()> {
        let mut bytes = Vec::new();
        keys.iter().for_each(|key| key::write(key, &mut bytes));
        self.blocks.push(BlockPlace {
            offset: self.file.len(),
            bytes: bytes.len(),
            keys: keys.len(),
        });
        self.file.append(&bytes)
    }

    /// Hands all to the operating system, so that it can be read.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// Reads a block.
    pub fn read<K: Compared>(&self, block: usize) -> io::Result<Vec<K>> {
        let place = self.blocks[block];
        let mut bytes = vec![0; place.bytes];
        self.file.read(place.offset, &mut bytes)?;
        let mut at = 0;
        Ok((0..place.keys)
            .map(|_| key::read::<K>(&bytes, &mut at))
            .collect())
    }
}
