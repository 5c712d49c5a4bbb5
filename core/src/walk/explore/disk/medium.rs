//! The files of a folder, as a search uses them: the operating system's, or those of a test that loses what was not synced.

use std::fs::{self, DirEntry, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Name of the file that is locked as long as a folder is in use.
pub(super) const LOCK: &str = "lock";

/// Files of a folder, by their names.
pub(in crate::walk::explore) trait Medium: Send + Sync {
    /// Locks the folder as long as this is in use; no if another process has.
    fn lock(&mut self) -> io::Result<bool>;
    /// Names that there are, each with whether it is that of a file and not a link to one.
    fn names(&mut self) -> io::Result<Vec<(String, bool)>>;
    /// Length of a file; none if it is not there.
    fn len(&mut self, name: &str) -> io::Result<Option<u64>>;
    /// Bytes of a file from an offset on, as many as there is room for and the file has.
    fn read(&mut self, name: &str, offset: u64, into: &mut [u8]) -> io::Result<usize>;
    /// Adds bytes to the end of a file, which is made if it is not there.
    fn append(&mut self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Leaves so many bytes of a file, which is made if it is not there.
    fn truncate(&mut self, name: &str, len: u64) -> io::Result<()>;
    /// Returns when all that was written to a file outlasts a loss of power.
    fn sync(&mut self, name: &str) -> io::Result<()>;
    /// Gives a file another name; what had that name is lost.
    fn rename(&mut self, from: &str, to: &str) -> io::Result<()>;
    /// Returns when the names of the files outlast a loss of power.
    fn sync_names(&mut self) -> io::Result<()>;
}

/// A folder of the operating system's.
pub(super) struct NativeFolder {
    path: PathBuf,
    /// The file to which something was appended last.
    open: Option<(String, File)>,
    /// The file that is locked.
    lock: Option<File>,
}

impl NativeFolder {
    /// A folder, which is made if it is not there.
    pub fn open(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Self {
            path: path.to_owned(),
            open: None,
            lock: None,
        })
    }

    fn file(&mut self, name: &str) -> io::Result<&mut File> {
        if self.open.as_ref().is_none_or(|(open, _)| open != name) {
            let file = OpenOptions::new()
                .create(true)
                .read(true)
                .append(true)
                .open(self.path.join(name))?;
            self.open = Some((name.to_owned(), file));
        }
        let (_, file) = self.open.as_mut().expect("it has just been opened");
        Ok(file)
    }
}

impl Medium for NativeFolder {
    fn lock(&mut self) -> io::Result<bool> {
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.path.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => self.lock = Some(lock),
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(true)
    }

    fn names(&mut self) -> io::Result<Vec<(String, bool)>> {
        let named = |entry: io::Result<DirEntry>| {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            Ok((name, entry.file_type()?.is_file()))
        };
        fs::read_dir(&self.path)?.map(named).collect()
    }

    fn len(&mut self, name: &str) -> io::Result<Option<u64>> {
        match fs::metadata(self.path.join(name)) {
            Ok(data) => Ok(Some(data.len())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read(&mut self, name: &str, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let file = self.file(name)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut read = 0;
        while read < into.len() {
            match file.read(&mut into[read..]) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(read)
    }

    fn append(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.file(name)?.write_all(bytes)
    }

    fn truncate(&mut self, name: &str, len: u64) -> io::Result<()> {
        self.file(name)?.set_len(len)
    }

    fn sync(&mut self, name: &str) -> io::Result<()> {
        self.file(name)?.sync_data()
    }

    fn rename(&mut self, from: &str, to: &str) -> io::Result<()> {
        self.open = None;
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn sync_names(&mut self) -> io::Result<()> {
        // Of other systems a folder is no file that could be synced.
        if cfg!(unix) {
            File::open(&self.path)?.sync_all()?;
        }
        Ok(())
    }
}
