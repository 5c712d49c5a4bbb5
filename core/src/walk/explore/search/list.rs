//! The list of states in the order of their numbers, of which blocks may be on disk alone.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use crate::walk::explore::keys::Compared;
use crate::walk::explore::predecessors::Predecessors;
use crate::walk::explore::segments::{BLOCK, SegmentedVec};
use crate::walk::explore::spill::Spill;
use crate::walk::explore::store::{DiskBlocks, Store};

/// The states of a search that has a set of them as `I`.
pub(super) struct List<K, I> {
    pub keys: SegmentedVec<K>,
    /// The disk, if states may go there,
    pub disk: Option<Box<dyn Spill<K, I>>>,
    /// and the folder that it is in.
    pub folder: PathBuf,
    /// Number of blocks that were left on disk alone, at least once.
    unloaded: usize,
    /// Bytes that the keys in the blocks take that are written to disk.
    written_bytes: u64,
}

impl<K: Compared, I> List<K, I> {
    /// No states yet.
    pub fn new() -> Self {
        Self {
            keys: SegmentedVec::new(),
            disk: None,
            folder: PathBuf::new(),
            unloaded: 0,
            written_bytes: 0,
        }
    }

    /// True if some states were left on disk alone.
    pub fn is_on_disk(&self) -> bool {
        self.unloaded > 0
    }

    /// Leaves on disk alone those of some states that are in whole blocks, if there is a disk.
    pub fn unload(&mut self, states: Range<usize>) -> io::Result<()> {
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        let last = (states.end / BLOCK).min(self.keys.whole_blocks());
        for block in disk.blocks()..last {
            let keys = self.keys.block(block);
            disk.write(keys)?;
            self.written_bytes += K::keys(keys).bytes() as u64;
        }
        disk.flush()?;
        // What is before them was left there earlier.
        for block in (states.start / BLOCK..last).rev() {
            if !self.keys.unload(block) && block < self.unloaded {
                break;
            }
        }
        self.unloaded = self.unloaded.max(last);
        Ok(())
    }

    /// Has some states in memory that are perhaps on disk alone.
    pub fn load(&mut self, states: &Range<u64>) -> io::Result<()> {
        if states.is_empty() || self.unloaded == 0 {
            return Ok(());
        }
        let blocks = states.start as usize / BLOCK..=(states.end as usize - 1) / BLOCK;
        for block in blocks {
            if !self.keys.is_loaded(block) {
                let disk = self.disk.as_ref().expect("states are on disk");
                self.keys.load(block, disk.read(block)?);
            }
        }
        Ok(())
    }

    /// The states as they are looked for when the search is over.
    pub fn store(self, predecessors: Predecessors) -> Store<K> {
        let on_disk = self.disk.as_ref().map_or(0, |disk| disk.blocks());
        Store {
            on_disk: (on_disk, self.written_bytes),
            log: self.keys,
            predecessors,
            disk: self.disk.map(|disk| DiskBlocks::new(disk.into_blocks())),
        }
    }
}
