//! Results of a command: the files that they go to, none of which is written over another, and what could not be written.

use std::io;
use std::path::PathBuf;

use super::output_file::{Identity, OutputFile};
use super::{CommandError, Status};

/// Files of a command: those that it reads, and those that it is to write.
#[derive(Default)]
pub(super) struct Files {
    read: Vec<Identity>,
    written: Vec<(Identity, &'static str)>,
}

impl Files {
    /// Files of a command that reads these.
    pub fn reading(paths: &[PathBuf]) -> Self {
        Self {
            read: paths.iter().filter_map(|path| Identity::of(path)).collect(),
            written: Vec::new(),
        }
    }

    /// Adds a file that `what` is to be written to.
    ///
    /// # Errors
    ///
    /// If it is a file that the command reads, or that another result goes to.
    pub fn add(&mut self, what: &'static str, file: &OutputFile) -> io::Result<()> {
        let Some(identity) = file.identity() else {
            return Ok(());
        };
        if self.read.contains(identity) {
            return Err(io::Error::other("it is a file that the command reads"));
        }
        let mut written = self.written.iter();
        if let Some((_, other)) = written.find(|(other, _)| other == identity) {
            let problem = format!("{other} is to be written there");
            return Err(io::Error::other(problem));
        }
        self.written.push((identity.clone(), what));
        Ok(())
    }
}

/// Errors of writing a command's results. Each result is tried, whatever becomes of the others.
#[derive(Default)]
pub(super) struct Failures(Vec<CommandError>);

impl Failures {
    /// Value of `tried`; none if it failed, and then the error is kept.
    pub fn keep<T>(&mut self, tried: Result<T, impl Into<CommandError>>) -> Option<T> {
        match tried {
            Ok(done) => Some(done),
            Err(error) => {
                self.0.push(error.into());
                None
            }
        }
    }

    /// True if nothing has failed until now.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The status of a command, unless something could not be written.
    ///
    /// # Errors
    ///
    /// All that failed.
    pub fn or(mut self, status: Status) -> Result<Status, CommandError> {
        match self.0.len() {
            0 => Ok(status),
            1 => Err(self.0.remove(0)),
            _ => Err(CommandError::Several(self.0)),
        }
    }
}
