//! Sorted runs: keys by their hashes in ascending order, in blocks, on disk.
//!
//! Source: Korf, *Best-First Frontier Search with Delayed Duplicate Detection*, AAAI 2004, for candidates that are sorted and compared
//! with what is on disk a level at a time.

use std::io;
use std::ops::Range;
use std::path::Path;

use super::file::UnnamedFile;
use super::key;
use super::numbers;
use crate::walk::explore::keys::Compared;

/// Keys of a block, but for those of the last one's hash. PERF: so many that to read one costs little beside its keys, so few that not
/// much is read where candidates are few.
const BLOCK: usize = 1 << 12;

/// A key that is looked for: its hash, and its number among all that are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SoughtKey {
    pub hash: u64,
    pub number: usize,
}

/// A block of a run.
struct RunBlock {
    /// Hash of its first key.
    first: u64,
    offset: u64,
    /// Bytes that it has,
    bytes: u32,
    /// and keys.
    keys: u32,
}

/// Keys that are on disk, in some runs.
pub(super) struct Runs {
    file: UnnamedFile,
    runs: Vec<Vec<RunBlock>>,
    /// Blocks of the run that is being written.
    begun: Vec<RunBlock>,
}

impl Runs {
    /// No runs, in a folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self {
            file: UnnamedFile::new(folder)?,
            runs: Vec::new(),
            begun: Vec::new(),
        })
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Bytes on disk.
    pub fn bytes(&self) -> u64 {
        self.file.len()
    }

    /// Bytes of memory.
    pub fn memory_bytes(&self) -> u64 {
        let blocks: usize = self.runs.iter().map(Vec::capacity).sum();
        (blocks * size_of::<RunBlock>()) as u64
    }

    /// Adds keys with their hashes to the run that is being written: in ascending order of hashes, greater than all before.
    pub fn add<K: Compared>(&mut self, keys: &[(u64, K)]) -> io::Result<()> {
        let mut bytes = Vec::new();
        let mut rest = keys;
        while let Some(last) = rest.get(..BLOCK.min(rest.len())).and_then(<[_]>::last) {
            // Keys of one hash are in one block.
            let end = rest.partition_point(|(hash, _)| *hash <= last.0);
            let (block, after) = rest.split_at(end);
            bytes.clear();
            write_block(block, &mut bytes);
            self.begun.push(RunBlock {
                first: block[0].0,
                offset: self.file.len(),
                bytes: bytes.len() as u32,
                keys: block.len() as u32,
            });
            self.file.append(&bytes)?;
            rest = after;
        }
        Ok(())
    }

    /// Ends the run that is being written: from now on its keys are found.
    pub fn end(&mut self) -> io::Result<()> {
        self.file.flush()?;
        if !self.begun.is_empty() {
            self.runs.push(std::mem::take(&mut self.begun));
        }
        Ok(())
    }

    /// Numbers of those that are in a run, of some that are looked for, in ascending order of their hashes. `key` says which key has a
    /// number.
    pub fn find<'k, K: Compared + 'k>(
        &self,
        wanted: &[SoughtKey],
        key: impl Fn(usize) -> &'k K,
    ) -> io::Result<Vec<usize>> {
        let mut found = Vec::new();
        let mut bytes = Vec::new();
        let mut hashes = Vec::new();
        for blocks in &self.runs {
            let mut rest = wanted;
            let mut left = &blocks[..];
            while let Some(first) = rest.first() {
                let after = left.partition_point(|block| block.first <= first.hash);
                let Some(at) = after.checked_sub(1) else {
                    // They come before the first block.
                    let Some(block) = left.first() else { break };
                    rest = &rest[rest.partition_point(|one| one.hash < block.first)..];
                    continue;
                };
                let block = &left[at];
                let end = left.get(after).map(|next| next.first);
                let here = end.map_or(rest.len(), |end| rest.partition_point(|one| one.hash < end));
                bytes.resize(block.bytes as usize, 0);
                self.file.read(block.offset, &mut bytes)?;
                let behind = numbers::read(&bytes, block.keys as usize, &mut hashes);
                let keys = BlockKeys {
                    bytes: &bytes[behind..],
                    count: hashes.len(),
                };
                find_in_block(&hashes, &rest[..here], |number, places| {
                    if key::is_told_by_hash::<K>() || keys.has(places, key(number)) {
                        found.push(number);
                    }
                });
                rest = &rest[here..];
                left = &left[at..];
            }
        }
        Ok(found)
    }
}

/// Calls `meet` with the number of each that is wanted and the places of its hash, of those whose hash is there.
fn find_in_block(hashes: &[u64], wanted: &[SoughtKey], mut meet: impl FnMut(usize, Range<usize>)) {
    let mut at = 0;
    for one in wanted {
        // PERF: what is near is found in a few steps, and what is far away too.
        let mut step = 1;
        while at + step < hashes.len() && hashes[at + step] < one.hash {
            at += step;
            step *= 2;
        }
        let end = hashes.len().min(at + step + 1);
        at += hashes[at..end].partition_point(|hash| *hash < one.hash);
        if at == hashes.len() {
            break;
        }
        if hashes[at] == one.hash {
            let same = hashes[at..].iter().take_while(|hash| **hash == one.hash);
            meet(one.number, at..at + same.count());
        }
    }
}

fn write_block<K: Compared>(block: &[(u64, K)], bytes: &mut Vec<u8>) {
    let hashes: Vec<u64> = block.iter().map(|(hash, _)| *hash).collect();
    numbers::write(&hashes, bytes);
    if key::is_told_by_hash::<K>() {
        return;
    }
    let mut keys = Vec::new();
    for (_, key) in block {
        key::write(key, &mut keys);
        bytes.extend_from_slice(&(keys.len() as u32).to_le_bytes());
    }
    bytes.extend_from_slice(&keys);
}

/// Keys of a block, as they are written: where each ends, and then all of them.
struct BlockKeys<'b> {
    bytes: &'b [u8],
    count: usize,
}

impl BlockKeys<'_> {
    /// True if a key is at one of some places.
    fn has<K: Compared>(&self, mut places: Range<usize>, key: &K) -> bool {
        const END: usize = size_of::<u32>();
        let end = |place: usize| {
            let bytes = &self.bytes[place * END..][..END];
            u32::from_le_bytes(bytes.try_into().expect("there are so many")) as usize
        };
        places.any(|place| {
            let start = place.checked_sub(1).map_or(0, end);
            key::read::<K>(self.bytes, &mut (self.count * END + start)) == *key
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::state::Code;
    use crate::walk::random::Generator;

    /// Runs find what a map of all keys has, of one run and of several, dense and sparse, with hashes that many keys have.
    fn compare<K: Compared + Ord>(
        seed: u64,
        key: impl Fn(&mut Generator) -> K,
        hash: impl Fn(&K) -> u64,
    ) {
        let mut generator = Generator::new(seed);
        let mut runs = Runs::new(&std::env::temp_dir()).unwrap();
        let mut all: BTreeMap<K, ()> = BTreeMap::new();
        for _ in 0..1 + generator.below(4) {
            let count = [3, 100, 5_000, 30_000][generator.below(4)];
            let mut some: Vec<(u64, K)> = (0..count)
                .map(|_| key(&mut generator))
                .map(|key| (hash(&key), key))
                .collect();
            some.sort_by_key(|(hash, _)| *hash);
            all.extend(some.iter().map(|(_, key)| (key.clone(), ())));
            // In parts, of which each begins with another hash.
            let mut rest = &some[..];
            while !rest.is_empty() {
                let most = rest[generator.below(rest.len())].0;
                let (part, after) = rest.split_at(rest.partition_point(|(hash, _)| *hash <= most));
                runs.add(part).unwrap();
                rest = after;
            }
            runs.end().unwrap();
            for wanted in [1, 50, 20_000] {
                let keys: Vec<K> = (0..wanted).map(|_| key(&mut generator)).collect();
                let mut wanted: Vec<SoughtKey> = (0..)
                    .zip(&keys)
                    .map(|(number, key)| SoughtKey {
                        hash: hash(key),
                        number,
                    })
                    .collect();
                wanted.sort_unstable();
                let mut found = runs.find(&wanted, |number| &keys[number]).unwrap();
                found.sort_unstable();
                found.dedup();
                let expected = (0..).zip(&keys).filter(|(_, key)| all.contains_key(key));
                let expected: Vec<usize> = expected.map(|(number, _)| number).collect();
                assert_eq!(found, expected, "{seed}");
            }
        }
    }

    #[test]
    fn what_is_in_a_run_is_found() {
        for seed in 0..30 {
            let bits = [10, 20, 45, 64][seed as usize % 4];
            let number = |generator: &mut Generator| [generator.bits() >> (64 - bits)];
            compare(seed, number, |key| key[0]);
            let two = |generator: &mut Generator| [generator.bits() % 300, generator.bits() % 100];
            // Many keys have one hash.
            compare(seed, two, |key| key[0] << 50);
            compare(seed, two, |key| {
                (key[0] * 301 + key[1]).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            });
        }
    }

    #[test]
    fn a_run_of_codes_has_them() {
        let mut generator = Generator::new(9);
        let mut runs = Runs::new(&std::env::temp_dir()).unwrap();
        let code = |generator: &mut Generator| {
            let words: Vec<u64> = (0..generator.below(9))
                .map(|_| generator.bits() % 5)
                .collect();
            Code::of(&words)
        };
        let hash = |code: &Code| code.words().iter().sum::<u64>() << 40;
        let mut some: Vec<_> = (0..9_000)
            .map(|_| code(&mut generator))
            .map(|one| (hash(&one), one))
            .collect();
        some.sort_by_key(|(hash, _)| *hash);
        runs.add(&some).unwrap();
        runs.end().unwrap();
        let keys: Vec<_> = (0..5_000).map(|_| code(&mut generator)).collect();
        let wanted = (0..).zip(&keys).map(|(number, key)| SoughtKey {
            hash: hash(key),
            number,
        });
        let mut wanted: Vec<_> = wanted.collect();
        wanted.sort_unstable();
        let mut found = runs.find(&wanted, |number| &keys[number]).unwrap();
        found.sort_unstable();
        let expected = (0..)
            .zip(&keys)
            .filter(|(_, key)| some.iter().any(|(_, other)| other == *key));
        let expected: Vec<usize> = expected.map(|(number, _)| number).collect();
        assert_eq!(found, expected);
        assert!(
            expected.len() > 500 && expected.len() < 5_000,
            "{}",
            expected.len()
        );
    }
}
