//! Reasons why a folder of checkpoints cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use crate::statement::shown::number::grouped;
use crate::walk::explore::limits::Limit;

/// Reason why a search cannot be kept on disk, or not go on from there.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DiskError {
    /// The operating system refuses something.
    #[error("cannot {action} {}: {reason}", .path.display())]
    Refused {
        /// Verb that names what was tried.
        action: &'static str,
        /// File or folder.
        path: PathBuf,
        /// Reason that the operating system gives.
        reason: String,
    },
    /// Another process has it open.
    #[error("{} is in use by another process", .path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A checkpoint is there, and would be lost.
    #[error("{} has a checkpoint, which would be lost: resume it, or take another folder", .path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// A file is there that belongs to no checkpoint.
    #[error("{} is no folder of checkpoints: it has {name:?}", .path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// Name of the file.
        name: String,
    },
    /// A link is there, or whatever else is no file of its own: what a search writes would go elsewhere, and what it reads come from there.
    #[error("{} is a link, or no file at all: the files of a checkpoint are neither written nor read through one", .path.display())]
    NoFile {
        /// Path of the link.
        path: PathBuf,
    },
    /// A limit was reached before a file was read to its end.
    #[error("{limit} came when {} of {} bytes of {} were read", grouped(*.bytes), grouped(*.of), .path.display())]
    Interrupted {
        /// The file.
        path: PathBuf,
        /// The limit.
        limit: Limit,
        /// Bytes that had been read,
        bytes: u64,
        /// of so many.
        of: u64,
    },
    /// No checkpoint is there.
    #[error("{} has no checkpoint", .path.display())]
    NoCheckpoint {
        /// The folder.
        path: PathBuf,
    },
    /// The checkpoint was written by a program of another version.
    #[error("the checkpoint in {} has the format {found}, and this program reads {read}", .path.display())]
    Version {
        /// The folder.
        path: PathBuf,
        /// Number of its format.
        found: u64,
        /// Number of the format that is read.
        read: u64,
    },
    /// The checkpoint is one of another check, or of one with other settings.
    #[error("the checkpoint in {} is one of another search: {what} is {saved} there, and {asked} here", .path.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// Name of what differs.
        what: String,
        /// Value in the checkpoint.
        saved: String,
        /// Value that was asked for.
        asked: String,
    },
    /// A limit is below what the checkpoint has.
    #[error(
        "the checkpoint in {} has reached {} {what}, which is beyond the limit of {}",
        .path.display(), grouped(*.has), grouped(*.limit)
    )]
    BeyondLimit {
        /// The folder.
        path: PathBuf,
        /// Unit of the limit.
        what: &'static str,
        /// Its value in the checkpoint.
        has: u64,
        /// The limit.
        limit: u64,
    },
    /// The model answers otherwise than it did.
    #[error("the checkpoint in {} is one of another model: {what}", .path.display())]
    OtherModel {
        /// The folder.
        path: PathBuf,
        /// Difference that was found.
        what: &'static str,
    },
    /// A file is not what was written.
    #[error("{} is damaged: {what}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Difference that was found.
        what: String,
    },
    /// The states of a checkpoint find no room, in memory or on the disk to which they may go.
    #[error("the states in {} find no room: {reason}", .path.display())]
    NoRoom {
        /// The file.
        path: PathBuf,
        /// Reason for it.
        reason: String,
    },
    /// A state cannot be written.
    #[error(
        "a state cannot be written: a variable is outside of its range, or what is read back is another state"
    )]
    Unwritable,
    /// The states have no form that could be written.
    #[error(
        "the states of this model do not say how they are written, so that no checkpoint can have them: derive `State`"
    )]
    NotWritten,
    /// The feature `disk` is needed, without which this crate was built.
    #[error(
        "checkpoints, states that go to disk, and searches of several processes need the feature \"disk\" of refmap, without which this program \
         was built: `cargo add refmap --features disk` adds it to the line of refmap in Cargo.toml"
    )]
    MissingFeature,
}

impl DiskError {
    /// The refusal of an operation by the operating system.
    pub(in crate::walk::explore) fn refused(
        action: &'static str,
        path: &Path,
        error: &io::Error,
    ) -> Self {
        Self::Refused {
            action,
            path: path.to_owned(),
            reason: error.to_string(),
        }
    }

    pub(in crate::walk::explore) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            what: what.into(),
        }
    }
}
