//! Losses of power, and disks that are full for a moment: whatever is lost of what was not synced, the last checkpoint is there, and what it vouches for.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use refmap_testing::{Random, damaged};
use serde_json::{Map, Value, json};

use super::checksum::Checksum;
use super::folder::{CHUNKS, Folder, MANIFEST, STATES};
use super::journal::Journal;
use super::list::{BUFFER, ListReader, SavedList};
use super::manifest::Manifest;
use super::medium::Medium;
use super::{Checkpoints, DiskError, SavedSpan, Start};
use crate::walk::explore::words::WordSource;
use crate::walk::explore::{Clock, Limit, Limits, Watch};
use crate::walk::random::Generator;

/// A file: its bytes, and those that outlast a loss of power.
#[derive(Clone, Default)]
struct File {
    bytes: Vec<u8>,
    synced: Vec<u8>,
}

/// The files of a folder in memory. Files are numbered, so that a name can be another file's after a loss of power.
#[derive(Clone, Default)]
struct Files {
    files: Vec<File>,
    names: BTreeMap<String, usize>,
    synced_names: BTreeMap<String, usize>,
    /// Changes of names since they were synced: each may be lost, with those after it or without.
    renamed: Vec<Renamed>,
    /// Operations that are left until the power fails.
    left: u64,
    /// Bytes for which there is room until the disk is full for a moment, if it ever is.
    room: Option<usize>,
}

/// A change of names: a file has another one, or its first.
#[derive(Clone)]
struct Renamed {
    number: usize,
    from: Option<String>,
    to: String,
}

#[derive(Clone, Default)]
struct InMemory(Arc<Mutex<Files>>);

impl InMemory {
    fn change<T>(&self, change: impl FnOnce(&mut Files) -> T) -> io::Result<T> {
        let mut files = self.0.lock().unwrap();
        if files.left == 0 {
            return Err(io::Error::other("no power"));
        }
        files.left -= 1;
        Ok(change(&mut files))
    }

    /// The files after a loss of power, and so many operations until the next one.
    fn after_loss(&self, generator: &mut Generator, left: u64) -> Self {
        let before = self.0.lock().unwrap();
        let mut names = before.synced_names.clone();
        for renamed in &before.renamed {
            if generator.bits().is_multiple_of(2) {
                continue;
            }
            if let Some(from) = &renamed.from {
                names.remove(from);
            }
            names.insert(renamed.to.clone(), renamed.number);
        }
        let files = before.files.iter().map(|file| {
            let bytes = lost(file, generator);
            File {
                synced: bytes.clone(),
                bytes,
            }
        });
        Self(Arc::new(Mutex::new(Files {
            files: files.collect(),
            synced_names: names.clone(),
            names,
            renamed: Vec::new(),
            left,
            room: None,
        })))
    }
}

/// Bytes of a file after a loss of power: what was synced, and of what came then some, in pieces.
fn lost(file: &File, generator: &mut Generator) -> Vec<u8> {
    let common = file
        .synced
        .iter()
        .zip(&file.bytes)
        .take_while(|(a, b)| a == b);
    let common = common.count();
    if common < file.synced.len() {
        // It was cut off, and perhaps written to after that: the old bytes, or the new ones.
        let old = generator.bits().is_multiple_of(2);
        return if old {
            file.synced.clone()
        } else {
            file.bytes.clone()
        };
    }
    let more = &file.bytes[common..];
    let kept = generator.bits() as usize % (more.len() + 1);
    let mut bytes = file.bytes[..common + kept].to_vec();
    for piece in bytes[common..].chunks_mut(7) {
        if generator.bits().is_multiple_of(3) {
            piece.fill(0);
        }
    }
    bytes
}

impl Files {
    fn file(&mut self, name: &str) -> &mut File {
        let number = self.names.get(name).copied().unwrap_or_else(|| {
            self.files.push(File::default());
            let number = self.files.len() - 1;
            self.names.insert(name.to_owned(), number);
            self.renamed.push(Renamed {
                number,
                from: None,
                to: name.to_owned(),
            });
            number
        });
        &mut self.files[number]
    }
}

impl Medium for InMemory {
    fn lock(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    fn names(&mut self) -> io::Result<Vec<(String, bool)>> {
        self.change(|files| {
            files
                .names
                .keys()
                .map(|name| (name.clone(), true))
                .collect()
        })
    }

    fn len(&mut self, name: &str) -> io::Result<Option<u64>> {
        self.change(|files| {
            let number = files.names.get(name)?;
            Some(files.files[*number].bytes.len() as u64)
        })
    }

    fn read(&mut self, name: &str, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.change(|files| {
            let bytes = &files.file(name).bytes;
            let bytes = bytes.get(offset as usize..).unwrap_or_default();
            let count = bytes.len().min(into.len());
            into[..count].copy_from_slice(&bytes[..count]);
            count
        })
    }

    fn append(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.change(|files| {
            let fitting = files.room.unwrap_or(bytes.len()).min(bytes.len());
            files.file(name).bytes.extend_from_slice(&bytes[..fitting]);
            if fitting < bytes.len() {
                files.room = None;
                return Err(io::ErrorKind::StorageFull.into());
            }
            files.room = files.room.map(|room| room - fitting);
            Ok(())
        })?
    }

    fn truncate(&mut self, name: &str, len: u64) -> io::Result<()> {
        self.change(|files| files.file(name).bytes.truncate(len as usize))
    }

    fn sync(&mut self, name: &str) -> io::Result<()> {
        self.change(|files| {
            let file = files.file(name);
            file.synced = file.bytes.clone();
        })
    }

    fn rename(&mut self, from: &str, to: &str) -> io::Result<()> {
        self.change(|files| {
            let number = files.names.remove(from).expect("it is there");
            files.names.insert(to.to_owned(), number);
            files.renamed.push(Renamed {
                number,
                from: Some(from.to_owned()),
                to: to.to_owned(),
            });
        })
    }

    fn sync_names(&mut self) -> io::Result<()> {
        self.change(|files| {
            files.synced_names = files.names.clone();
            files.renamed.clear();
        })
    }
}

fn checkpoints(start: Start) -> Checkpoints {
    Checkpoints {
        folder: "of-a-test".into(),
        every: Duration::ZERO,
        start,
        label: Value::Null,
    }
}

fn open(medium: &InMemory, start: Start) -> Result<Journal, DiskError> {
    let folder = Folder::on(Path::new("of-a-test"), Box::new(medium.clone()))?;
    Journal::on(folder, &checkpoints(start), Map::new())
}

fn unbounded() -> Clock<'static> {
    Clock::new(Limits::default(), Watch::default())
}

fn words_of(journal: &mut Journal, name: &'static str, saved: SavedList) -> Vec<u64> {
    let mut reader: ListReader<'_> = journal.reader(name, saved, unbounded());
    let mut words = Vec::new();
    while let Some(word) = next(&mut reader).unwrap() {
        words.push(word);
    }
    words
}

/// The next word of a list, if there is one.
fn next(reader: &mut ListReader<'_>) -> Result<Option<u64>, DiskError> {
    if reader.is_at_end()? {
        return Ok(None);
    }
    Ok(Some(reader.take(1)?[0]))
}

/// Words of the two lists, and how many checkpoints were written.
#[derive(Clone, Debug, Default, PartialEq)]
struct Lists {
    lists: [Vec<u64>; 2],
    number: u64,
}

/// Goes on with a journal until the power fails, or the disk is full; the last checkpoint that was written, and the one that was perhaps.
fn until_power_fails(
    journal: &mut Journal,
    mut now: Lists,
    generator: &mut Generator,
) -> [Lists; 2] {
    let mut last = now.clone();
    loop {
        for (list, words) in now.lists.iter_mut().enumerate() {
            // Enough that a list is written before a checkpoint, now and then.
            let most = if generator.bits().is_multiple_of(8) {
                20_000
            } else {
                30
            };
            for _ in 0..generator.bits() % most {
                let word = generator.bits();
                words.push(word);
                [&mut journal.states, &mut journal.chunks][list].extend([word]);
            }
        }
        if journal.spill().is_err() {
            return [last, now];
        }
        now.number += 1;
        let manifest = Manifest {
            reached: now.number,
            ..Manifest::nothing()
        };
        if journal.checkpoint(manifest).is_err() {
            return [last, now];
        }
        last = now.clone();
    }
}

#[test]
fn the_last_checkpoint_outlasts_any_loss_of_power() {
    for seed in 0..1500 {
        let mut generator = Generator::new(seed);
        let fuel = |generator: &mut Generator| 1 + generator.bits() % 60;
        let mut medium = InMemory::default();
        medium.0.lock().unwrap().left = fuel(&mut generator);
        let mut written = [Lists::default(), Lists::default()];
        for loss in 0..6 {
            let start = if written[0].number == 0 {
                Start::Anew
            } else {
                Start::Resumed
            };
            let opened = match open(&medium, start) {
                // A checkpoint that was perhaps written was.
                Err(DiskError::Occupied { .. }) => open(&medium, Start::Resumed),
                opened => opened,
            };
            let mut journal = match opened {
                Ok(journal) => journal,
                // The power has failed again.
                Err(DiskError::Refused { .. }) => {
                    let left = fuel(&mut generator);
                    medium = medium.after_loss(&mut generator, left);
                    continue;
                }
                Err(error) => panic!("{seed} {loss}: {error}"),
            };
            let found = journal.resumed.take();
            let number = found.as_ref().map_or(0, |found| found.reached);
            let expected = written.iter().find(|written| written.number == number);
            let now = expected.unwrap_or_else(|| panic!("{seed} {loss}: {number}, {written:?}"));
            let now = now.clone();
            medium.0.lock().unwrap().left = u64::MAX;
            if let Some(found) = found {
                let lists = [(STATES, found.states), (CHUNKS, found.chunks)];
                let lists = lists.map(|(name, saved)| words_of(&mut journal, name, saved));
                assert_eq!(lists, now.lists, "{seed} {loss}");
            }
            let mut files = medium.0.lock().unwrap();
            files.left = fuel(&mut generator);
            if generator.bits().is_multiple_of(2) {
                files.room = Some(generator.bits() as usize % 400_000);
            }
            drop(files);
            written = until_power_fails(&mut journal, now, &mut generator);
            let left = fuel(&mut generator);
            medium = medium.after_loss(&mut generator, left);
        }
    }
}

/// A byte of any file that was changed, cut off or added within what a checkpoint vouches for is told.
#[test]
fn what_is_damaged_is_told() {
    let medium = InMemory::default();
    medium.0.lock().unwrap().left = u64::MAX;
    let mut journal = open(&medium, Start::Anew).unwrap();
    let mut generator = Generator::new(7);
    for _ in 0..50 {
        journal.states.extend([generator.bits()]);
        journal.chunks.extend([generator.bits()]);
    }
    journal.checkpoint(Manifest::nothing()).unwrap();
    let whole = medium.0.lock().unwrap().clone();
    let outcome = |files: &Files| -> Result<(), DiskError> {
        let medium = InMemory(Arc::new(Mutex::new(files.clone())));
        let mut journal = open(&medium, Start::Resumed)?;
        let found = journal.resumed.take().unwrap();
        for (name, saved) in [(STATES, found.states), (CHUNKS, found.chunks)] {
            let mut reader = journal.reader(name, saved, unbounded());
            while next(&mut reader)?.is_some() {}
        }
        Ok(())
    };
    outcome(&whole).unwrap();
    for name in [MANIFEST, STATES, CHUNKS] {
        let number = whole.names[name];
        for place in 0..whole.files[number].bytes.len() {
            let mut changed = whole.clone();
            changed.files[number].bytes[place] ^= 1 << (place % 8);
            let found = outcome(&changed);
            assert!(
                matches!(found, Err(DiskError::Damaged { .. })),
                "{name} {place}: {found:?}"
            );
            let mut cut = whole.clone();
            cut.files[number].bytes.truncate(place);
            let found = outcome(&cut);
            assert!(
                matches!(found, Err(DiskError::Damaged { .. })),
                "{name} {place}: {found:?}"
            );
        }
    }
    // What comes after is no part of it.
    let mut longer = whole.clone();
    longer.files[whole.names[STATES]].bytes.extend([1, 2, 3]);
    outcome(&longer).unwrap();
    // A file of somebody else is not touched.
    let mut foreign = whole.clone();
    foreign.names.insert("thesis.tex".to_owned(), 0);
    let found = outcome(&foreign);
    assert!(matches!(found, Err(DiskError::Foreign { name, .. }) if name == "thesis.tex"));
}

/// Damages a manifest so many times, each with its right checksum: what it then says of the lists is believed or refused.
fn damage_manifests(times: u64) {
    let medium = InMemory::default();
    medium.0.lock().unwrap().left = u64::MAX;
    let mut journal = open(&medium, Start::Anew).unwrap();
    let mut generator = Generator::new(9);
    for _ in 0..50 {
        journal.states.extend([generator.bits()]);
        journal.chunks.extend([generator.bits()]);
    }
    journal.checkpoint(Manifest::nothing()).unwrap();
    let text = journal.folder.read_manifest().unwrap().unwrap();
    drop(journal);
    let whole = medium.0.lock().unwrap().clone();
    let (mut read, mut refused) = (0, 0);
    for seed in 0..times {
        let damaged = damaged(
            text.as_bytes(),
            b"{\"words\":18446744073709551615}",
            &mut Random(seed),
        );
        let damaged = String::from_utf8_lossy(&damaged);
        let medium = InMemory(Arc::new(Mutex::new(whole.clone())));
        let folder = Folder::on(Path::new("of-a-test"), Box::new(medium.clone()));
        folder.unwrap().write_manifest(&damaged).unwrap();
        let outcome = || -> Result<(), DiskError> {
            let mut journal = open(&medium, Start::Resumed)?;
            let found = journal.resumed.take().unwrap();
            for (name, saved) in [(STATES, found.states), (CHUNKS, found.chunks)] {
                let mut reader = journal.reader(name, saved, unbounded());
                while next(&mut reader)?.is_some() {}
            }
            Ok(())
        };
        match outcome() {
            Ok(()) => read += 1,
            Err(
                DiskError::Damaged { .. } | DiskError::Version { .. } | DiskError::Other { .. },
            ) => {
                refused += 1;
            }
            Err(error) => panic!("{seed}: {error}: {damaged}"),
        }
    }
    assert!(read > 0 && refused > 0, "{read} read, {refused} refused");
}

#[test]
fn a_damaged_manifest_has_an_answer() {
    damage_manifests(300);
}

#[test]
#[ignore = "takes a minute"]
fn nightly_many_damaged_manifests_have_an_answer() {
    damage_manifests(200_000);
}

/// A number of words whose bytes are more than a number can say is no list that is there.
#[test]
fn a_list_is_never_longer_than_its_file() {
    let medium = InMemory::default();
    medium.0.lock().unwrap().left = u64::MAX;
    let mut folder = Folder::on(Path::new("of-a-test"), Box::new(medium.clone())).unwrap();
    let saved: SavedList =
        serde_json::from_value(json!({"words": u64::MAX, "checksum": Checksum::NOTHING})).unwrap();
    let found = saved.is_there(STATES, &mut folder);
    assert!(matches!(found, Err(DiskError::Damaged { .. })), "{found:?}");
}

/// A list that takes several reads is told to be damaged wherever it is: at the end of a buffer, after it, and in the last one. And the
/// reading of it ends wherever it is cancelled.
#[test]
fn a_list_of_several_buffers_is_damaged_wherever_it_is_changed() {
    const WORDS: usize = BUFFER / size_of::<u64>();
    for count in [WORDS, WORDS + 1, 2 * WORDS, 3 * WORDS + 5] {
        let medium = InMemory::default();
        medium.0.lock().unwrap().left = u64::MAX;
        let mut journal = open(&medium, Start::Anew).unwrap();
        let mut generator = Generator::new(count as u64);
        let words: Vec<u64> = (0..count).map(|_| generator.bits()).collect();
        journal.states.extend(words.iter().copied());
        journal.checkpoint(Manifest::nothing()).unwrap();
        let whole = medium.0.lock().unwrap().clone();
        // It is cancelled when so many words are read.
        let read_until = |files: &Files, cancelled: usize| -> Result<Vec<u64>, DiskError> {
            let medium = InMemory(Arc::new(Mutex::new(files.clone())));
            let mut journal = open(&medium, Start::Resumed)?;
            let saved = journal.resumed.take().unwrap().states;
            let cancel = AtomicBool::new(cancelled == 0);
            let mut clock = unbounded();
            clock.watch.cancel = Some(&cancel);
            let mut reader = journal.reader(STATES, saved, clock);
            let mut words = Vec::new();
            while let Some(word) = next(&mut reader)? {
                words.push(word);
                cancel.store(words.len() >= cancelled, Ordering::Relaxed);
            }
            Ok(words)
        };
        let read = |files: &Files| read_until(files, usize::MAX);
        assert_eq!(read(&whole).unwrap(), words);
        for cancelled in (0..count).step_by(WORDS / 2) {
            let found = read_until(&whole, cancelled);
            let at = cancelled.next_multiple_of(WORDS);
            match found {
                Ok(read) => assert!(at >= count && read == words, "{cancelled} of {count}"),
                Err(DiskError::Interrupted { limit, bytes, .. }) => {
                    assert_eq!((limit, bytes), (Limit::Cancelled, 8 * at as u64));
                }
                Err(error) => panic!("{error}"),
            }
        }
        for place in [0, WORDS - 1, WORDS, count - 1] {
            let mut changed = whole.clone();
            let states = changed.names[STATES];
            if let Some(byte) = changed.files[states].bytes.get_mut(8 * place + 3) {
                *byte ^= 16;
                let found = read(&changed);
                assert!(
                    matches!(found, Err(DiskError::Damaged { .. })),
                    "word {place} of {count}"
                );
            }
        }
    }
}

/// A checkpoint that was written within a level has states of the next one, where a limit on depth may not be below it.
#[test]
fn a_checkpoint_within_a_level_is_as_deep_as_what_that_has_led_to() {
    for (reached, depth) in [(5, 4), (6, 5)] {
        let medium = InMemory::default();
        medium.0.lock().unwrap().left = u64::MAX;
        let manifest = Manifest {
            reached,
            left: SavedSpan {
                start: 2,
                end: 5,
                length: 4,
                is_first_pass: false,
            },
            ..Manifest::nothing()
        };
        let mut journal = open(&medium, Start::Anew).unwrap();
        journal.checkpoint(manifest).unwrap();
        drop(journal);
        for most in 3..=6 {
            let limits = Limits {
                depth: Some(most),
                ..Limits::default()
            };
            let resumed = open(&medium, Start::Resumed).unwrap().within(&limits);
            assert_eq!(resumed.is_ok(), most >= depth, "{most} of {depth}");
        }
    }
}

/// A manifest of another format is told by its number, whatever else it has.
#[test]
fn another_format_is_refused() {
    let medium = InMemory::default();
    medium.0.lock().unwrap().left = u64::MAX;
    let mut folder = Folder::on(Path::new("of-a-test"), Box::new(medium.clone())).unwrap();
    folder
        .write_manifest("{\"format\": 5, \"new\": true}")
        .unwrap();
    let found = open(&medium, Start::Resumed).err();
    assert!(
        matches!(
            found,
            Some(DiskError::Version {
                found: 5,
                read: 4,
                ..
            })
        ),
        "{found:?}"
    );
}
