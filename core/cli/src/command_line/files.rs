//! Files of a command, none of which is written over another.

use std::io;
use std::path::{Path, PathBuf};

use crate::output_file::{Identity, OutputFile};

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

    /// Prepares a file that `what` is to be written to, and adds it.
    ///
    /// # Errors
    ///
    /// If it cannot be written, is a file that the command reads, or one that another result goes to.
    pub fn prepare(&mut self, what: &'static str, path: &Path) -> io::Result<OutputFile> {
        let file = OutputFile::prepare(path)?;
        self.add(what, &file)?;
        Ok(file)
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
