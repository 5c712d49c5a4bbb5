//! File to which `--html` writes a page.

use std::io;
use std::path::{Path, PathBuf};

use super::command::Page;
use super::output_file::OutputFile;

/// Error: a page cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the page to {}: {source}", .path.display())]
pub struct PageFileError {
    path: PathBuf,
    source: io::Error,
}

/// File for a page, tested to be writable before the command runs.
pub(super) struct PageFile<'a> {
    path: &'a Path,
    /// The command that makes the page, as it is shown there.
    pub command: &'a str,
    file: OutputFile,
}

impl<'a> PageFile<'a> {
    pub fn prepare(page: &'a Page) -> Result<Self, PageFileError> {
        let (path, command) = (&*page.path, &*page.command);
        match OutputFile::prepare(path) {
            Ok(file) => Ok(Self {
                path,
                command,
                file,
            }),
            Err(source) => Err(PageFileError {
                path: path.to_owned(),
                source,
            }),
        }
    }

    /// The same, for a command that reads these files.
    pub fn prepare_beside(page: &'a Page, read: &[PathBuf]) -> Result<Self, PageFileError> {
        let same = |one: &PathBuf| {
            let [one, other] = [one, &*page.path].map(Path::canonicalize);
            one.is_ok_and(|one| other.is_ok_and(|other| one == other))
        };
        if read.iter().any(same) {
            return Err(PageFileError {
                path: page.path.to_path_buf(),
                source: io::Error::other("it is a file that the command reads"),
            });
        }
        Self::prepare(page)
    }

    /// Writes the page.
    pub fn write(self, html: &str) -> Result<(), PageFileError> {
        let written = self.file.write(|file| file.write_all(html.as_bytes()));
        written.map_err(|source| PageFileError {
            path: self.path.to_owned(),
            source,
        })
    }
}
