//! Errors of a command, each with the status that it ends with.

use std::io;
use std::path::PathBuf;

use refmap::internal::explore::DiskError;
use refmap::obligation::CheckError;

use super::junit::JunitFileError;
use super::new::NewProjectError;
#[cfg(feature = "pictures")]
use super::page_file::PageFileError;
#[cfg(feature = "distributed")]
use super::processes::CompanyError;
use super::status::Status;
use super::trace_file::TraceFileError;
#[cfg(feature = "inclusion")]
use crate::aldebaran::AldebaranError;
#[cfg(feature = "histories")]
use crate::catalogue::ValidatorError;
use crate::catalogue::{ClaimErrors, InputError};

/// Error: a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// Invalid arguments of the command.
    #[error(transparent)]
    Usage(#[from] clap::Error),
    /// Invalid input of a check.
    #[error("error: {0}")]
    Input(#[from] InputError),
    /// Claims cannot be decided as they are stated.
    #[error(transparent)]
    Claims(#[from] ClaimErrors),
    /// The counterexample cannot be written.
    #[error("error: {0}")]
    TraceFile(#[from] TraceFileError),
    /// The page cannot be written.
    #[cfg(feature = "pictures")]
    #[error("error: {0}")]
    PageFile(#[from] PageFileError),
    /// The explorer cannot be started.
    #[cfg(feature = "pictures")]
    #[error("error: {0}")]
    Explorer(#[from] crate::pictures::explorer::ExplorerError),
    /// Processes that are to search together do not come together.
    #[cfg(feature = "distributed")]
    #[error("error: {0}")]
    Company(#[from] CompanyError),
    /// A process was lost.
    #[error("error: {error}; the search is incomplete{}", .checkpoint.sentence())]
    Lost {
        /// Loss of the process.
        error: InputError,
        /// Checkpoint from which the search goes on.
        checkpoint: LastCheckpoint,
    },
    /// The results cannot be written for a build server.
    #[error("error: {0}")]
    JunitFile(#[from] JunitFileError),
    /// A labelled transition system cannot be compared.
    #[cfg(feature = "inclusion")]
    #[error("error: {0}")]
    GraphFile(#[from] GraphFileError),
    /// The history cannot be validated.
    #[cfg(feature = "histories")]
    #[error("error: {0}")]
    History(#[from] HistoryFileError),
    /// The project cannot be written.
    #[error("error: {0}")]
    NewProject(#[from] NewProjectError),
    /// The results cannot be written.
    #[error("error: cannot write the results: {0}")]
    Output(#[from] io::Error),
    /// No thread can be started for the work.
    #[error("error: cannot start a thread: {0}")]
    Thread(io::Error),
    /// The history of a stress run cannot be written.
    #[cfg(feature = "histories")]
    #[error("error: {0}")]
    Unrecorded(String),
    /// Several results cannot be written.
    #[error("{}", lines(.0))]
    Several(Vec<CommandError>),
}

impl CommandError {
    /// Status of a command that ends with this error.
    pub(super) fn status(&self) -> Status {
        match self {
            // Of a search in one process that is a report.
            Self::Input(InputError::Check(CheckError::Disk(error)))
                if matches!(**error, DiskError::Interrupted { .. }) =>
            {
                Status::Incomplete
            }
            Self::Lost { .. } => Status::Incomplete,
            #[cfg(feature = "distributed")]
            Self::Company(error) => error.status(),
            _ => Status::Unusable,
        }
    }
}

/// Checkpoint that a search has left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastCheckpoint {
    /// There was to be none.
    NotAsked,
    /// It had not come to one.
    NotYet,
    /// The one of this folder.
    Of(PathBuf),
}

impl LastCheckpoint {
    fn sentence(&self) -> String {
        match self {
            Self::NotAsked => String::new(),
            Self::NotYet => ", and there is no checkpoint yet".to_owned(),
            Self::Of(folder) => {
                let folder = folder.display();
                format!(", and --resume {folder} goes on from its last checkpoint")
            }
        }
    }
}

fn lines(errors: &[CommandError]) -> String {
    let lines: Vec<_> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// Reason why a file cannot be compared.
#[cfg(feature = "inclusion")]
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", file.display())]
pub struct GraphFileError {
    pub(super) file: PathBuf,
    pub(super) error: AldebaranError,
}

/// Error: a file has no verdict.
#[cfg(feature = "histories")]
#[derive(Debug, thiserror::Error)]
pub enum HistoryFileError {
    /// The file cannot be opened.
    #[error("{}: cannot be read: {source}", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The history is malformed, or does not fit the validator.
    #[error("{}: {source}", .path.display())]
    History {
        /// The file.
        path: PathBuf,
        /// The error, with its line.
        source: ValidatorError,
    },
}
