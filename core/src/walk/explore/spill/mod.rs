//! More states than memory: the list of states and the set of them go to disk, and what is a duplicate of a state there is found late.
//!
//! The set in memory has the states since it was last written to disk, as a sorted run. A target that it does not have is only perhaps
//! new, until a level, or as much of it as there is room for, is sorted and compared with all runs. What is new then is
//! added in the order in which it was met, so that all is as it is in memory: the numbers of the states, too.

mod file;
mod key;
mod log;
mod numbers;
mod runs;

use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::path::{Path, PathBuf};

use refmap_derive::Texts;
use serde::{Deserialize, Serialize};

use self::log::LogFile;
use self::runs::{Runs, SoughtKey};
use crate::walk::explore::disk::Journal;
use crate::walk::explore::keys::Compared;
use crate::walk::explore::peers::Party;
use crate::walk::explore::segments::SegmentedVec;
use crate::walk::explore::set::Drain;
use crate::walk::parallel::run_in_parallel;

/// Blocks of a list of states that are on disk.
pub(super) trait Blocks<K>: Send + Sync {
    /// Number of them, from the first one on.
    fn blocks(&self) -> usize;
    /// Reads one.
    fn read(&self, block: usize) -> io::Result<Vec<K>>;
}

/// Disk of a search that keeps states as `K`, and a set of them as `I`.
pub(super) trait Spill<K, I>: Blocks<K> {
    /// Writes the next block of the list.
    fn write(&mut self, keys: &[K]) -> io::Result<()>;
    /// Hands what was written to the operating system, so that it can be read.
    fn flush(&mut self) -> io::Result<()>;
    /// Writes what a set has, and leaves it empty.
    fn drain(&mut self, set: &mut I) -> io::Result<()>;
    /// True if some states are on disk that the set does not have.
    fn has_runs(&self) -> bool;
    /// Those of some keys, of the hashes of a set, that are on disk; by so many threads.
    fn find(&self, set: &I, keys: &SegmentedVec<K>, threads: usize) -> io::Result<Vec<bool>>;
    /// Bytes on disk.
    fn bytes(&self) -> u64;
    /// Bytes of memory that it takes itself.
    fn memory_bytes(&self) -> u64;
    /// The blocks, which are read from now on.
    fn into_blocks(self: Box<Self>) -> Box<dyn Blocks<K>>;
}

/// Disk of a search for states for which there is no memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spilling {
    /// Folder, which is made if it is not there. The files in it have no names, so that nothing of them is left.
    pub folder: PathBuf,
    /// Bytes of memory that states take before they go to disk; if none are given, a good half of what the
    /// [`Limits`](crate::explore::Limits) allow.
    pub from_bytes: Option<u64>,
}

/// Account of the disk of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Texts)]
pub struct Spilled {
    /// Bytes on disk in the end: 0 if there was memory for all.
    pub bytes: u64,
    /// Reason why no more could be written or read, if that ended the search.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<String>,
}

/// Way to open the disk of a search in a folder.
pub(super) type OpenDisk<K, I> = fn(&Path) -> io::Result<Box<dyn Spill<K, I>>>;

/// Means of a search beside memory.
pub(super) struct OfSearch<K, I> {
    pub journal: Option<Journal>,
    pub party: Option<Party>,
    /// Folder to which states go,
    pub folder: PathBuf,
    /// the disk that is there, if they are to,
    pub disk: Option<Box<dyn Spill<K, I>>>,
    /// and the bytes of memory from which on they do.
    pub from_bytes: Option<u64>,
    /// Way to open another disk.
    pub open: Option<OpenDisk<K, I>>,
}

/// SpillFiles of a search.
struct SpillFiles<K> {
    list: LogFile,
    runs: Runs,
    of: PhantomData<fn(K)>,
}

/// SpillFiles in a folder, which is made if it is not there.
pub(super) fn on_disk<K, I>(folder: &Path) -> io::Result<Box<dyn Spill<K, I>>>
where
    K: Compared,
    I: Drain<K>,
{
    std::fs::create_dir_all(folder)?;
    Ok(Box::new(SpillFiles {
        list: LogFile::new(folder)?,
        runs: Runs::new(folder)?,
        of: PhantomData,
    }))
}

impl<K: Compared> Blocks<K> for SpillFiles<K> {
    fn blocks(&self) -> usize {
        self.list.blocks()
    }

    fn read(&self, block: usize) -> io::Result<Vec<K>> {
        self.list.read(block)
    }
}

impl<K: Compared, I: Drain<K>> Spill<K, I> for SpillFiles<K> {
    fn write(&mut self, keys: &[K]) -> io::Result<()> {
        self.list.add(keys)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.list.flush()
    }

    fn drain(&mut self, set: &mut I) -> io::Result<()> {
        let mut new = Vec::new();
        set.drain(|keys| {
            // What was met again since it was written is not written once more.
            let wanted: Vec<_> = (0..)
                .zip(keys)
                .map(|(number, (hash, _))| SoughtKey {
                    hash: *hash,
                    number,
                })
                .collect();
            let mut known = self.runs.find(&wanted, |number| &keys[number].1)?;
            known.sort_unstable();
            let mut known = known.into_iter().peekable();
            new.clear();
            for (number, key) in (0..).zip(keys) {
                if known.next_if_eq(&number).is_none() {
                    new.push(key.clone());
                }
            }
            self.runs.add(&new)
        })?;
        self.runs.end()
    }

    fn has_runs(&self) -> bool {
        !self.runs.is_empty()
    }

    fn find(&self, set: &I, keys: &SegmentedVec<K>, threads: usize) -> io::Result<Vec<bool>> {
        let shift = u64::BITS - set.hash_bits();
        let share = |hash: u64| {
            let share = u128::from(hash << shift) * threads as u128;
            (share >> u64::BITS) as usize
        };
        let of_threads = run_in_parallel(0..threads, |own| {
            let mut wanted = Vec::with_capacity(keys.len() / threads);
            for (first, run) in keys.runs(0..keys.len()) {
                let hashes = run.iter().map(|key| set.hash(key));
                let numbered = (first..).zip(hashes);
                let own = numbered.filter(|(_, hash)| share(*hash) == own);
                wanted.extend(own.map(|(number, hash)| SoughtKey { hash, number }));
            }
            wanted.sort_unstable();
            self.runs.find(&wanted, |number| keys.get(number))
        });
        let mut found = vec![false; keys.len()];
        for numbers in of_threads {
            numbers?.into_iter().for_each(|number| found[number] = true);
        }
        Ok(found)
    }

    fn bytes(&self) -> u64 {
        self.list.bytes() + self.runs.bytes()
    }

    fn memory_bytes(&self) -> u64 {
        self.runs.memory_bytes()
    }

    fn into_blocks(self: Box<Self>) -> Box<dyn Blocks<K>> {
        self
    }
}

/// States of a level that are perhaps new.
pub(super) struct Tentative<K> {
    pub keys: SegmentedVec<K>,
    /// Chunks that led to them, in order, each with how many it led to.
    pub chunks: Vec<(Range<u64>, usize)>,
}

impl<K> Tentative<K> {
    pub fn new() -> Self {
        Self {
            keys: SegmentedVec::new(),
            chunks: Vec::new(),
        }
    }
}
