//! Checkpoints as a user asks for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::error::DiskError;
use super::folder::{Folder, MANIFEST};
use super::manifest::Manifest;

/// Checkpoints of an exhaustive search: a folder from which it can go on after whatever ended it. They change nothing of what is found.
///
/// A search that goes on believes what the search before it has found. That the steps of the model are others is found out by a sample; that a
/// mapping or an invariant was changed is not.
///
/// Of a search of several processes, process 0 writes them, where a level begins, and sends each process its states when they are read. One
/// that several processes have written can be resumed in one, and the other way round.
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
        Self::look_for(folder)?;
        Ok(Manifest::read(&mut Folder::open(folder)?)?.label)
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
