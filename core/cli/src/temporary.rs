//! Files of a command that are not to outlast it: drafts of results, and what is handed to other processes.
//!
//! Each is gone when its owner is dropped. Where a command ends at once, nothing is dropped: then [`remove_all`] removes those that are
//! there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

/// Time between two attempts to look at them, and number of attempts: a file system that hangs holds up no end.
const PAUSE: Duration = Duration::from_millis(10);
const LOOKS: u32 = 50;

/// Those that are there.
static THERE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn there() -> MutexGuard<'static, Vec<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary file or folder, which has a name.
#[derive(Debug)]
pub(crate) struct Temporary<T> {
    /// None once it has ended.
    inner: Option<T>,
    path: PathBuf,
}

impl<T: AsRef<Path>> Temporary<T> {
    /// Makes one, so that there is no moment at which it is there and not known.
    pub fn make(make: impl FnOnce() -> io::Result<T>) -> io::Result<Self> {
        let mut there = there();
        let inner = make()?;
        let path = inner.as_ref().to_owned();
        there.push(path.clone());
        let inner = Some(inner);
        Ok(Self { inner, path })
    }

    /// The file or the folder.
    pub fn get(&self) -> &T {
        self.inner.as_ref().expect("it has not ended")
    }

    /// Has it take another place, or stay.
    pub fn keep<R>(mut self, keep: impl FnOnce(T) -> R) -> R {
        keep(self.inner.take().expect("it has not ended"))
    }
}

impl<T> Drop for Temporary<T> {
    fn drop(&mut self) {
        drop(self.inner.take());
        there().retain(|path| *path != self.path);
    }
}

/// Removes all that are there, and lets none be made any more: to be called before the process ends at once.
pub(crate) fn remove_all() {
    for _ in 0..LOOKS {
        match THERE.try_lock() {
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Poisoned(there)) => return remove(there.into_inner()),
            Ok(there) => return remove(there),
        }
    }
}

fn remove(there: MutexGuard<'static, Vec<PathBuf>>) {
    for path in there.iter() {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }
    // Whoever waits to make one waits until the process ends.
    std::mem::forget(there);
}

#[cfg(test)]
mod tests {
    use tempfile::{Builder, NamedTempFile};

    use super::*;

    /// Runs in the process of all tests, which makes none that is to be gone: of those that are there none is removed.
    #[test]
    fn what_has_ended_is_not_known_any_more() {
        let folder = tempfile::tempdir().expect("there is room");
        let known = |path: &Path| there().iter().any(|other| other == path);
        let make = || Temporary::make(|| NamedTempFile::new_in(folder.path()));
        let file = make().expect("there is room");
        let path = file.get().path().to_owned();
        assert!(known(&path) && path.exists());
        drop(file);
        assert!(!known(&path) && !path.exists());
        let file = make().expect("there is room");
        let draft = file.get().path().to_owned();
        let kept = folder.path().join("kept");
        file.keep(|file| file.persist(&kept))
            .expect("there is room");
        assert!(!known(&draft) && !draft.exists() && kept.exists());
        let make = || Temporary::make(|| Builder::new().tempdir_in(folder.path()));
        let inner = make().expect("there is room");
        let path = inner.get().path().to_owned();
        assert!(known(&path));
        drop(inner);
        assert!(!known(&path) && !path.exists());
    }
}
