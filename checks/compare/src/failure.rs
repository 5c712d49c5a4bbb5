//! Why a comparison ends without a result.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use super::instance::{Counts, Instance};

/// Cause of failure.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A program could not be started, or be waited for.
    #[error("{program} does not run: {error}")]
    Start {
        program: String,
        #[source]
        error: io::Error,
    },
    /// It ended with a failure of its own.
    #[error("{program} ends with {status}: {output}")]
    Status {
        program: String,
        status: ExitStatus,
        output: String,
    },
    /// Its output is not what the comparison can read, or says that the search was no good.
    #[error("{program}: {reason}")]
    Output { program: String, reason: String },
    /// It searched something else.
    #[error("{program} at {instance} finds {found}, and there are {known}")]
    Counts {
        program: String,
        instance: Instance,
        known: Counts,
        found: Counts,
    },
    /// A file or folder is unusable.
    #[error("{path}: {error}")]
    File {
        path: PathBuf,
        #[source]
        error: io::Error,
    },
    /// The benchmark page does not say where the tables belong.
    #[error("{path} lacks a line {marker:?}")]
    Marker { path: PathBuf, marker: &'static str },
}
