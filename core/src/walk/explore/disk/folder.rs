//! A folder with the files of a search, which one process has open at a time.

use std::io;
use std::path::{Path, PathBuf};

use super::checksum::Checksum;
use super::error::DiskError;
use super::medium::{LOCK, Medium, NativeFolder};

/// Name of the file that says which parts of the others are valid,
pub(super) const MANIFEST: &str = "checkpoint";
/// and of the one that becomes it.
const NEXT: &str = "checkpoint.next";
/// Names of the lists of states, and of the chunks that led to them.
pub(in crate::walk::explore) const STATES: &str = "states";
pub(in crate::walk::explore) const CHUNKS: &str = "chunks";

/// Bytes of a manifest, at most: it is read as a whole.
const MOST: u64 = 1 << 26;

/// A folder, and the files in it.
pub(crate) struct Folder {
    path: PathBuf,
    medium: Box<dyn Medium>,
}

impl Folder {
    /// Opens a folder, which is made if it is not there.
    pub fn open(path: &Path) -> Result<Self, DiskError> {
        let medium = NativeFolder::open(path);
        let medium = medium.map_err(|error| DiskError::refused("open", path, &error))?;
        Self::on(path, Box::new(medium))
    }

    /// The same on a medium.
    pub(super) fn on(path: &Path, medium: Box<dyn Medium>) -> Result<Self, DiskError> {
        let mut folder = Self {
            path: path.to_owned(),
            medium,
        };
        let names = folder.medium.names();
        let names = names.map_err(|error| DiskError::refused("read", path, &error))?;
        let own = [LOCK, MANIFEST, NEXT, STATES, CHUNKS];
        let path = path.to_owned();
        for (name, is_file) in names {
            if !own.contains(&&*name) {
                return Err(DiskError::Foreign { path, name });
            }
            if !is_file {
                let path = path.join(name);
                return Err(DiskError::NoFile { path });
            }
        }
        let locked = folder.medium.lock();
        if folder.told("open", LOCK, locked)? {
            Ok(folder)
        } else {
            Err(DiskError::InUse { path })
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn told<T>(
        &self,
        action: &'static str,
        name: &str,
        done: io::Result<T>,
    ) -> Result<T, DiskError> {
        done.map_err(|error| DiskError::refused(action, &self.path_of(name), &error))
    }

    pub(super) fn read(
        &mut self,
        name: &str,
        offset: u64,
        into: &mut [u8],
    ) -> Result<usize, DiskError> {
        let done = self.medium.read(name, offset, into);
        self.told("read", name, done)
    }

    pub(super) fn append(&mut self, name: &str, bytes: &[u8]) -> Result<(), DiskError> {
        let done = self.medium.append(name, bytes);
        self.told("write", name, done)
    }

    pub(super) fn truncate(&mut self, name: &str, len: u64) -> Result<(), DiskError> {
        let done = self.medium.truncate(name, len);
        self.told("write", name, done)
    }

    pub(super) fn sync(&mut self, name: &str) -> Result<(), DiskError> {
        let done = self.medium.sync(name);
        self.told("write", name, done)
    }

    /// Bytes of a file; none if it is not there.
    pub(super) fn len(&mut self, name: &str) -> Result<u64, DiskError> {
        let len = self.medium.len(name);
        Ok(self.told("read", name, len)?.unwrap_or(0))
    }

    /// True if it has a manifest.
    pub fn has_manifest(&mut self) -> Result<bool, DiskError> {
        let len = self.medium.len(MANIFEST);
        Ok(self.told("read", MANIFEST, len)?.is_some())
    }

    /// Replaces the manifest: at any moment there is the earlier one or this one.
    pub fn write_manifest(&mut self, text: &str) -> Result<(), DiskError> {
        let mut checksum = Checksum::NOTHING;
        checksum.add_bytes(text.as_bytes());
        let checksum = serde_json::to_string(&checksum).expect("a number has a text");
        let text = format!("{checksum}\n{text}");
        if text.len() as u64 > MOST {
            let reason = format!("it would have more than {MOST} bytes");
            let error = io::Error::new(io::ErrorKind::FileTooLarge, reason);
            return self.told("write", MANIFEST, Err(error));
        }
        self.truncate(NEXT, 0)?;
        self.append(NEXT, text.as_bytes())?;
        self.sync(NEXT)?;
        // The names of the lists have to outlast what speaks of them.
        self.sync_names()?;
        let done = self.medium.rename(NEXT, MANIFEST);
        self.told("write", MANIFEST, done)?;
        self.sync_names()
    }

    fn sync_names(&mut self) -> Result<(), DiskError> {
        let done = self.medium.sync_names();
        done.map_err(|error| DiskError::refused("write", &self.path, &error))
    }

    /// The manifest as it was written; none if none was.
    pub fn read_manifest(&mut self) -> Result<Option<String>, DiskError> {
        let len = self.medium.len(MANIFEST);
        let Some(len) = self.told("read", MANIFEST, len)? else {
            return Ok(None);
        };
        let path = self.path_of(MANIFEST);
        let damaged = |what: &str| Err(DiskError::damaged(&path, what));
        if len > MOST {
            return damaged("it is too long");
        }
        let mut bytes = vec![0; len as usize];
        let read = self.read(MANIFEST, 0, &mut bytes)?;
        let Some(text) = String::from_utf8(bytes).ok().filter(|_| read as u64 == len) else {
            return damaged("it is no text");
        };
        let Some((written, text)) = text.split_once('\n') else {
            return damaged("it has no checksum");
        };
        let mut checksum = Checksum::NOTHING;
        checksum.add_bytes(text.as_bytes());
        if serde_json::from_str(written).ok() != Some(checksum) {
            return damaged("its checksum is another one");
        }
        Ok(Some(text.to_owned()))
    }
}
