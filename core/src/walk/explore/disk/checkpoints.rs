//! Checkpoints as a user asks for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::error::DiskError;
use super::folder::{Folder, MANIFEST};
use super::manifest::Manifest;

/// Name of the folder of one of several searches in turn, before its number.
const PART: &str = "search.";

/// Checkpoints of an exhaustive search: a folder from which it can go on after whatever ended it. They change nothing of what is found.
///
/// A search that goes on believes what the search before it has found. That the steps of the model are others is found out by a sample; that a
/// mapping or an invariant was changed is not.
///
/// Of a search of several processes, process 0 writes them, where a level begins, and sends each process its states when they are read. One
/// that several processes have written can be resumed in one, and the other way round.
///
/// A check of every number of members is several searches in turn, and each has checkpoints in a folder within this one. One that goes on repeats of each what it has done since
/// its last.
///
/// A search with checkpoints records no graph, so that what is decided on the complete graph is not decided. It takes none
/// from when on a function of the model has panicked, or the model was found to contradict itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoints {
    /// Folder, which one search uses at a time. It is made if it is not there.
    pub folder: PathBuf,
    /// Time between two of them.
    pub every: Duration,
    /// Choice where the search begins.
    pub start: Start,
    /// Data that are kept with each of them, for who resumes it.
    pub label: Value,
}

/// Choice where a search with checkpoints begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With the initial states, in a folder that has no checkpoint.
    Anew,
    /// With the checkpoint that the folder has. The check and its settings have to be those of the search that wrote it, but for the
    /// number of threads, and the limits.
    Resumed,
}

impl Checkpoints {
    /// Data that were kept with the last checkpoint of a folder.
    ///
    /// # Errors
    ///
    /// If it has none, or it cannot be read.
    pub fn label_of(folder: &Path) -> Result<Value, DiskError> {
        if cfg!(not(feature = "disk")) {
            return Err(DiskError::MissingFeature);
        }
        let part = Self::parts(folder).pop();
        let folder = part.as_deref().unwrap_or(folder);
        Self::look_for(folder)?;
        Ok(Manifest::read(&mut Folder::open(folder)?)?.label)
    }

    /// Those of one of several searches in turn, by its number: in a folder within theirs, from which it goes on if it has some there.
    pub(crate) fn of_part(&self, number: u32) -> Self {
        let folder = self.folder.join(format!("{PART}{number}"));
        let start = match Self::look_for(&folder) {
            Ok(()) => self.start,
            Err(_) => Start::Anew,
        };
        Self {
            folder,
            start,
            ..self.clone()
        }
    }

    /// Tests that the folder of several searches in turn has checkpoints of one, if it is to have some, and none otherwise.
    ///
    /// # Errors
    ///
    /// If it is not so.
    pub(crate) fn test_parts(&self) -> Result<(), DiskError> {
        let path = self.folder.clone();
        match (self.start, Self::parts(&path).is_empty()) {
            (Start::Anew, false) => Err(DiskError::Occupied { path }),
            (Start::Resumed, true) => Err(DiskError::NoCheckpoint { path }),
            _ => Ok(()),
        }
    }

    /// The folders of several searches in turn that have checkpoints.
    fn parts(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let is_part = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(PART)) && Self::look_for(path).is_ok()
        };
        entries.map(|entry| entry.path()).filter(is_part).collect()
    }

    /// Whether a folder has a checkpoint. To look for one makes no folder, and no file in another one.
    pub(super) fn look_for(folder: &Path) -> Result<(), DiskError> {
        // A link is refused by its name when the folder is opened.
        if fs::symlink_metadata(folder.join(MANIFEST)).is_ok() {
            return Ok(());
        }
        Err(DiskError::NoCheckpoint {
            path: folder.to_owned(),
        })
    }
}
